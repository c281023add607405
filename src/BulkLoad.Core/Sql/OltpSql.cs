using System.Globalization;

namespace BulkLoad.Core.Sql;

/// <summary>Statements of short transactions.</summary>
internal static class OltpSql
{
    /// <summary>Columns and keys of such a table.</summary>
    public const string Definition =
        "id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', INDEX (k)";

    public const string Columns = "id,k,c,pad";

    public const string Begin = "BEGIN";

    /// <summary>By its number from 1 on.</summary>
    public static string Table(int number) => string.Create(CultureInfo.InvariantCulture, $"{BenchSql.TransactionPrefix}{number}");

    public static string SelectPoint(string table) => $"SELECT c FROM {table} WHERE id=?";

    public static string SelectRange(string table) => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ?";

    public static string SelectSum(string table) => $"SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?";

    public static string SelectOrdered(string table) => $"SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c";

    public static string SelectDistinct(string table) => $"SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c";

    public static string UpdateIndexed(string table) => $"UPDATE {table} SET k=k+1 WHERE id=?";

    public static string UpdateOther(string table) => $"UPDATE {table} SET c=? WHERE id=?";

    public static string Delete(string table) => $"DELETE FROM {table} WHERE id=?";

    public static string Insert(string table) => $"INSERT INTO {table} ({Columns}) VALUES (?,?,?,?)";

    public static string InsertNew(string table) => $"INSERT INTO {table} (k,c,pad) VALUES (?,?,?)";
}
