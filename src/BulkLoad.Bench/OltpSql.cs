using BulkLoad.Bench.Oltp;

namespace BulkLoad.Bench;

/// <summary>Statements of short transactions.</summary>
internal static class OltpSql
{
    public const string Definition =
        "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', "
            + "pad CHAR(60) NOT NULL DEFAULT '', INDEX (k)";

    public const string Columns = "id,k,c,pad";

    public const string Begin = "BEGIN";

    /// <summary>By its number from 1 on.</summary>
    public static string Table(int number) => $"{BenchSql.TransactionPrefix}{number}";

    /// <param name="table">its name, which needs no quotes</param>
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
