using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>INSERT ... VALUES (MySQL manual, "INSERT Statement").</summary>
internal static class InsertSql
{
    /// <summary>Up to and including the word VALUES.</summary>
    public static string Head(string database, string table, IEnumerable<string> columns) =>
        $"INSERT INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>A REPLACE (MySQL manual, "REPLACE Statement"), up to and including the word VALUES.</summary>
    public static string ReplaceHead(string database, string table, IEnumerable<string> columns) =>
        $"REPLACE INTO {SqlName.Quote(database, table)} ({SqlName.List(columns)}) VALUES ";

    /// <summary>Follows every row's own values: the expressions of the last columns of <see cref="Head"/>.</summary>
    public static SetText Tail(IEnumerable<ColumnAssignment> assignments, IReadOnlyList<TableColumn> row) =>
        SetText.Of(assignments, row, _ => "(", ")", ",");

    /// <summary>A statement with a placeholder for each value of so many rows.</summary>
    public static string Prepared(string head, IReadOnlyList<TableColumn> columns, SetText tail, int rows, string ending = "")
    {
        var comma = columns.Count == 0 || tail.IsEmpty ? "" : ",";
        var row = $"({string.Join(',', columns.Select(ColumnSql.Placeholder))}{comma}{tail.Prepared()})";
        var text = new StringBuilder(head, head.Length + ((row.Length + 1) * rows));
        for (var i = 0; i < rows; i++)
        {
            text.Append(i == 0 ? "" : ",").Append(row);
        }

        return text.Append(ending).ToString();
    }

    /// <summary>The places of a row's values in the order of <see cref="Prepared"/>'s placeholders.</summary>
    public static int[] OrderOf(IReadOnlyList<TableColumn> columns, SetText tail) =>
        [.. Enumerable.Range(0, columns.Count), .. tail.Places];
}

/// <summary>Follows an INSERT's rows (MySQL manual, "INSERT ... ON DUPLICATE KEY UPDATE Statement").</summary>
internal static class DuplicateSql
{
    private const string RowName = "bulkload_row";
    private const string OtherRowName = "bulkload_row_2";

    /// <summary>Sets a column of a row with the same key to itself: nothing changes, not even a column with ON UPDATE
    /// CURRENT_TIMESTAMP.</summary>
    public static string KeepRow(string table, string column) =>
        $" ON DUPLICATE KEY UPDATE {SqlName.Quote(column)}={SqlName.Quote(table, column)}";

    /// <summary>One value: 1 if a row has the largest id that its column can store, else 0.</summary>
    public static string IsLastIdUsed(string database, string table, string column, UInt128 last) =>
        $"SELECT MAX({SqlName.Quote(column)})={last} FROM {SqlName.Quote(database, table)}";

    /// <summary>Gives a row with the same key the values of the new one.</summary>
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

/// <summary>LOAD DATA (MySQL manual, "LOAD DATA Statement") of UTF-8 with the separators of <see cref="RowBlock"/>, which texts do not
/// contain, so that almost nothing must be escaped. Values that are no text there go through a variable: bits as their number, bytes as
/// hexadecimal digits (MySQL refuses bytes that are not UTF-8 even for a BLOB, error 1300), geometries as their text.</summary>
internal static class LoadDataSql
{
    /// <param name="fileName">the name under which the server will ask for the stream</param>
    /// <param name="row">target columns in the order of the fields, and behind them fields that expressions read</param>
    public static string Local(
        string fileName, TableFacts table, IReadOnlyList<TableColumn> row, IReadOnlyList<ColumnAssignment> assignments)
    {
        var fields = new List<string>();
        var set = new List<string>();
        var needsSet = assignments.Count > 0 || table.HasBeforeTrigger || row.Any(column => ColumnSql.Of(column.Kind).FromText is not null);
        foreach (var column in row)
        {
            // No variable of the user has such a name: those of expressions are fields, which stand behind the columns here.
            var variable = VariableOf(fields.Count);
            if (column.IsField)
            {
                fields.Add(variable);
                continue;
            }

            var name = SqlName.Quote(column.Name);
            var converted = ColumnSql.Of(column.Kind).FromText?.Invoke(variable, column);
            if ((converted ?? (needsSet && IsForgotten(column) ? variable : null)) is { } value)
            {
                set.Add($"{name}={value}");
                fields.Add(variable);
            }
            else
            {
                fields.Add(name);
            }
        }

        // Behind the others, since an expression may name a column that the file fills.
        set.AddRange(SetText.Each(assignments, row, "", VariableOf));
        return $"LOAD DATA LOCAL INFILE {SqlLiteral.Quote(fileName)} INTO TABLE {table.QuotedName} "
            + $"CHARACTER SET utf8mb4 FIELDS TERMINATED BY 0x{RowBlock.ValueEnd:X2} ENCLOSED BY '' ESCAPED BY "
            + $"0x{RowBlock.Escape:X2} LINES STARTING BY '' TERMINATED BY 0x{RowBlock.RowEnd:X2} "
            + $"({string.Join(',', fields)}){(set.Count == 0 ? "" : " SET ")}{string.Join(',', set)}";
    }

    /// <summary>Holds a row's value that cannot go to its column directly.</summary>
    private static string VariableOf(int place) => $"@v{place + 1}";

    /// <summary>MariaDB takes an explicit 0 for a request of the next id, whatever sql_mode says, if there is a SET list that does not name
    /// the column, or a BEFORE trigger and no such list.</summary>
    private static bool IsForgotten(TableColumn column) => column.Default == ColumnDefault.AutoIncrement;
}
