using BulkLoad.Bench.Oltp;

namespace BulkLoad.Bench;

internal static class OltpSql
{
    public const string Definition =
        "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', "
            + "pad CHAR(60) NOT NULL DEFAULT '', INDEX (k)";

    public const string Columns = "id,k,c,pad";

    public const string Begin = "BEGIN";

    /// <summary>1-based.</summary>
    public static string Table(int number) => $"{BenchSql.TransactionPrefix}{number}";

    /// <summary>The table's name needs no quotes.</summary>
    public static string Of(OltpStatement statement, string table) => statement switch
    {
        OltpStatement.SelectPoint => $"SELECT c FROM {table} WHERE id=?",
        OltpStatement.SelectRange => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ?",
        OltpStatement.SelectSum => $"SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?",
        OltpStatement.SelectOrdered => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c",
        OltpStatement.SelectDistinct => $"SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c",
        OltpStatement.UpdateIndexed => $"UPDATE {table} SET k=k+1 WHERE id=?",
        OltpStatement.UpdateOther => $"UPDATE {table} SET c=? WHERE id=?",
        OltpStatement.Delete => $"DELETE FROM {table} WHERE id=?",
        OltpStatement.Insert => $"INSERT INTO {table} ({Columns}) VALUES (?,?,?,?)",
        _ => $"INSERT INTO {table} (k,c,pad) VALUES (?,?,?)",
    };
}
