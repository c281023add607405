namespace BulkLoad.Core.Sql;

/// <summary>What stands behind an INSERT's rows (MySQL manual, "INSERT ... ON DUPLICATE KEY UPDATE Statement").</summary>
internal static class DuplicateSql
{
    private const string RowName = "bulkload_row";
    private const string OtherRowName = "bulkload_row_2";

    /// <summary>Sets a column of a row with the same key to itself: nothing changes, and so neither does one with ON UPDATE CURRENT_TIMESTAMP.</summary>
    public static string KeepRow(string table, string column) =>
        $" ON DUPLICATE KEY UPDATE {SqlName.Quote(column)}={SqlName.Quote(table, column)}";

    /// <summary>One value: 1 where a row has the largest id that its column can hold, else 0.</summary>
    public static string IsLastIdUsed(string database, string table, string column, UInt128 last) =>
        $"SELECT MAX({SqlName.Quote(column)})={last} FROM {SqlName.Quote(database, table)}";

    /// <summary>Gives a row with the same key the values of the new one.</summary>
    /// <param name="table">the target's name</param>
    /// <param name="columns">those of the INSERT that are set</param>
    /// <param name="defaulted">columns that are set to their default</param>
    /// <param name="namesRow">whether the new row has a name (MySQL from 8.0.19 on, where VALUES() raises a warning later); MariaDB has VALUES()</param>
    public static string SetColumns(string table, IEnumerable<string> columns, IEnumerable<string> defaulted, bool namesRow)
    {
        var row = SqlName.Quote(table.Equals(RowName, StringComparison.OrdinalIgnoreCase) ? OtherRowName : RowName);
        var set = columns.Select(SqlName.Quote).Select(name => namesRow ? $"{name}={row}.{name}" : $"{name}=VALUES({name})")
            .Concat(defaulted.Select(name => $"{SqlName.Quote(name)}=DEFAULT"));
        return $"{(namesRow ? $" AS {row}" : "")} ON DUPLICATE KEY UPDATE {string.Join(',', set)}";
    }
}
