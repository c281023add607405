using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Inference;

/// <summary>Columns of the input that a table does not have. Skipped records cannot be read, and will be refused.</summary>
internal sealed record TableAddition(IReadOnlyList<InferredColumn> Columns, long Records, long Skipped)
{
    private const string Utf8 = "utf8mb4";

    /// <summary>A column that existing rows can do without.</summary>
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

    /// <summary>Why columns cannot be added, and what to do.</summary>
    public static string? FindObstacle(TableFacts table)
    {
        var reason = table.IsVersioned ? "keeps its history (WITH SYSTEM VERSIONING), of which ALTER TABLE would change the past"
            : !table.IsTransactional ? $"has no transactions (engine {table.Engine}), so nobody could say whether its new columns are used"
            : null;
        return reason is null ? null
            : $"--add-columns: {table.DisplayName} {reason}: add the columns with ALTER TABLE, and leave out --add-columns";
    }

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
