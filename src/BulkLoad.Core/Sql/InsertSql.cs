using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>INSERT ... VALUES (MySQL manual, "INSERT Statement").</summary>
internal static class InsertSql
{
    /// <summary>Up to and including the word VALUES.</summary>
    public static string Head(string database, string table, IEnumerable<string> columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>As <see cref="Head"/>, of a REPLACE (MySQL manual, "REPLACE Statement").</summary>
    public static string ReplaceHead(string database, string table, IEnumerable<string> columns) =>
        $"REPLACE INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>What stands behind every row's own values: the expressions of the last columns of <see cref="Head"/>.</summary>
    /// <param name="assignments">in their order</param>
    /// <param name="row">the values of a row, with the fields that they read</param>
    public static SetText Tail(IEnumerable<ColumnAssignment> assignments, IReadOnlyList<TableColumn> row) =>
        SetText.Of(assignments, row, _ => "(", ")", ",");

    /// <summary>A statement with a placeholder for each value of so many rows.</summary>
    /// <param name="head">from <see cref="Head"/> or <see cref="ReplaceHead"/></param>
    /// <param name="columns">of a row's own values</param>
    /// <param name="tail">from <see cref="Tail"/></param>
    /// <param name="ending">what follows the rows, from <see cref="DuplicateSql"/></param>
    public static string Prepared(string head, IReadOnlyList<TableColumn> columns, SetText tail, int rows, string ending = "")
    {
        var comma = columns.Count == 0 || tail.IsEmpty ? "" : ",";
        var row = $"({string.Join(',', columns.Select(ValueSql.Placeholder))}{comma}{tail.Prepared()})";
        var text = new StringBuilder(head, head.Length + ((row.Length + 1) * rows));
        for (var i = 0; i < rows; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(row);
        }

        return text.Append(ending).ToString();
    }

    /// <summary>The places of a row's values in the order of <see cref="Prepared"/>'s placeholders.</summary>
    /// <param name="columns">of a row's own values</param>
    /// <param name="tail">from <see cref="Tail"/></param>
    public static int[] OrderOf(IReadOnlyList<TableColumn> columns, SetText tail) =>
        [.. Enumerable.Range(0, columns.Count), .. tail.Places];
}

/// <summary>What stands behind an INSERT's rows (MySQL manual, "INSERT ... ON DUPLICATE KEY UPDATE Statement").</summary>
internal static class DuplicateSql
{
    private const string RowName = "bulkload_row";
    private const string OtherRowName = "bulkload_row_2";

    /// <summary>Sets a column of a row with the same key to itself: nothing changes, and so neither does one with ON UPDATE
    /// CURRENT_TIMESTAMP.</summary>
    public static string KeepRow(string table, string column) =>
        $" ON DUPLICATE KEY UPDATE {SqlName.Quote(column)}={SqlName.Quote(table, column)}";

    /// <summary>One value: 1 where a row has the largest id that its column can hold, else 0.</summary>
    public static string IsLastIdUsed(string database, string table, string column, UInt128 last) =>
        $"SELECT MAX({SqlName.Quote(column)})={last} FROM {SqlName.Quote(database, table)}";

    /// <summary>Gives a row with the same key the values of the new one.</summary>
    /// <param name="table">the target's name</param>
    /// <param name="columns">those of the INSERT that are set</param>
    /// <param name="defaulted">columns that are set to their default</param>
    /// <param name="namesRow">whether the new row has a name (MySQL from 8.0.19 on, where VALUES() raises a warning later); MariaDB has
    /// VALUES()</param>
    public static string SetColumns(string table, IEnumerable<string> columns, IEnumerable<string> defaulted, bool namesRow)
    {
        var row = SqlName.Quote(table.Equals(RowName, StringComparison.OrdinalIgnoreCase) ? OtherRowName : RowName);
        var set = columns.Select(SqlName.Quote).Select(name => namesRow ? $"{name}={row}.{name}" : $"{name}=VALUES({name})")
            .Concat(defaulted.Select(name => $"{SqlName.Quote(name)}=DEFAULT"));
        return $"{(namesRow ? $" AS {row}" : "")} ON DUPLICATE KEY UPDATE {string.Join(',', set)}";
    }
}
