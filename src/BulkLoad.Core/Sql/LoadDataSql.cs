using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sql;

/// <summary>
/// LOAD DATA (MySQL manual, "LOAD DATA Statement"), reading UTF-8 with the signs of <see cref="RowBlock"/>, which texts do not have, so
/// that next to nothing has to be escaped. What is not text there goes through a variable: bits as their number, bytes as hexadecimal
/// digits (MySQL refuses bytes that are not UTF-8 even for a BLOB, error 1300), geometries as their text.
/// </summary>
internal static class LoadDataSql
{
    /// <param name="fileName">the name under which the server will ask for the stream</param>
    /// <param name="row">target columns in the order of the fields, and behind them fields that expressions read</param>
    /// <param name="assignments">columns that an expression fills</param>
    public static string Local(
        string fileName, TableFacts table, IReadOnlyList<TableColumn> row, IReadOnlyList<ColumnAssignment> assignments)
    {
        var fields = new List<string>();
        var set = new List<string>();
        var needsSet = assignments.Count > 0 || table.HasBeforeTrigger || row.Any(column => ValueSql.FromText(column, "") is not null);
        foreach (var column in row)
        {
            // No variable of the user's has one of these names: those of expressions are fields, which stand behind the columns here.
            var variable = VariableOf(fields.Count);
            if (column.IsField)
            {
                fields.Add(variable);
                continue;
            }

            var name = SqlName.Quote(column.Name);
            if ((ValueSql.FromText(column, variable) ?? (needsSet && IsForgotten(column) ? variable : null)) is { } value)
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
        return $"LOAD DATA LOCAL INFILE {SqlLiteral.Quote(fileName)} INTO TABLE {SqlName.Quote(table.Database, table.Name)} "
            + $"CHARACTER SET utf8mb4 FIELDS TERMINATED BY 0x{RowBlock.ValueEnd:X2} ENCLOSED BY '' ESCAPED BY "
            + $"0x{RowBlock.Escape:X2} LINES STARTING BY '' TERMINATED BY 0x{RowBlock.RowEnd:X2} "
            + $"({string.Join(',', fields)}){(set.Count == 0 ? "" : " SET ")}{string.Join(',', set)}";
    }

    /// <summary>The variable that holds a row's value of a place, where it does not go to its column as it is.</summary>
    private static string VariableOf(int place) => $"@v{place + 1}";

    /// <summary>
    /// MariaDB takes an explicit 0 for a request of the next id, whatever sql_mode says, where there is a SET list that does not name the
    /// column, or a BEFORE trigger and none that does.
    /// </summary>
    private static bool IsForgotten(TableColumn column) => column.Default == ColumnDefault.AutoIncrement;
}
