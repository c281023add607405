using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Inference;

/// <summary>Columns that the records of the input want, and that a table does not have.</summary>
/// <param name="Columns">in the order of the input</param>
/// <param name="Records">records that took part</param>
/// <param name="Skipped">records that cannot be read, and will be refused when they are loaded</param>
internal sealed record TableAddition(IReadOnlyList<InferredColumn> Columns, long Records, long Skipped)
{
    private const string Utf8 = "utf8mb4";

    /// <summary>A column that rows which are there can do without.</summary>
    /// <param name="column">as it was inferred or given</param>
    /// <param name="tableCharset">of text that names none</param>
    public static InferredColumn Loosen(InferredColumn column, string? tableCharset)
    {
        if (column.Given is { SaysNull: true, IsNullable: false })
        {
            return column;
        }

        var charset = column is { Given: null, Column.IsCharacter: true } && tableCharset is not null && tableCharset != Utf8 ? Utf8 : null;
        var value = column.Column.Default == ColumnDefault.None ? ColumnDefault.Null : column.Column.Default;
        var nullable = column.Column with { IsNullable = true, Default = value };
        return column with { Column = nullable, Charset = charset };
    }

    /// <summary>Why columns are not added to a table, with the way on; null: they can be.</summary>
    public static string? FindObstacle(TableFacts table)
    {
        var reason = table.IsVersioned ? "keeps its history (WITH SYSTEM VERSIONING), of which ALTER TABLE would change the past"
            : !table.IsTransactional ? $"has no transactions (engine {table.Engine}), so nobody could say whether its new columns are used"
            : null;
        return reason is null ? null
            : $"--add-columns: {table.DisplayName} {reason}: add the columns with ALTER TABLE, and leave out --add-columns";
    }

    /// <summary>The table as the catalogue will describe it.</summary>
    public TableFacts AddTo(TableFacts table) => table with
    {
        Columns = [.. table.Columns, .. Columns.Select(column => column.Column)],
        NewColumns = Columns.Count,
    };

    public PlannedAddition Describe(TableFacts table) => new(
        AddColumnsSql.Add(table.Database, table.Name, Columns.Select(column => column.ToNew())),
        [.. Columns.Select(column => column.Describe())],
        [.. Columns.Select(column => column.Define())],
        Records, Skipped)
    {
        Defaulted = [.. Columns.Where(column => column.Given?.Default is not null).Select(column => column.Column.Name)],
    };
}
