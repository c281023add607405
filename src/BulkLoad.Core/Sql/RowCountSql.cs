namespace BulkLoad.Core.Sql;

/// <summary>Counts a table's rows. No statement here makes the server keep a copy of them, as a count over a derived table would.</summary>
internal static class RowCountSql
{
    /// <summary>One value: number of all rows. The whole table is read.</summary>
    /// <param name="table">quoted</param>
    public static string All(string table) => $"SELECT COUNT(*) FROM {table}";

    /// <summary>One row if the table has that many; else none. No more rows are read.</summary>
    /// <param name="table">quoted</param>
    /// <param name="rows">at least 1</param>
    public static string HasAtLeast(string table, long rows) => $"SELECT 1 FROM {table} LIMIT 1 OFFSET {rows - 1}";
}
