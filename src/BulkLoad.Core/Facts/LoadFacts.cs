using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Facts;

/// <summary>All that a plan is made from: the planner asks nobody for more.</summary>
internal sealed record LoadFacts
{
    public required LoadRequest Request { get; init; }

    public required ServerFacts Server { get; init; }

    public required TableFacts Table { get; init; }

    /// <summary>How records find their rows; null: they make new ones.</summary>
    public KeyFacts? Key { get; init; }

    /// <summary>Null: nobody asked for them, since the server decides.</summary>
    public TableConstraints? Constraints { get; init; }

    /// <summary>Target columns in the order of the rows' values.</summary>
    public required IReadOnlyList<TableColumn> Columns { get; init; }

    /// <summary>Fields that expressions of <c>--set</c> read: their values come after those of <see cref="Columns"/> in a row.</summary>
    public IReadOnlyList<TableColumn> SetFields { get; init; } = [];

    public IReadOnlyList<TableColumn> RowColumns => SetFields.Count == 0 ? Columns : [.. Columns, .. SetFields];

    /// <summary>Of the first input.</summary>
    public required IReadOnlyList<PlannedColumn> Fields { get; init; }

    public required IReadOnlyList<PlannedSource> Sources { get; init; }

    /// <summary>Of this machine.</summary>
    public int Cores { get; init; } = 1;

    /// <summary>Average bytes of a record in the samples; at least 1.</summary>
    public required double RecordBytes { get; init; }

    /// <summary>Whether single records can lack a column, as JSON objects can.</summary>
    public required bool RecordsCanLackColumns { get; init; }

    /// <summary>Columns that an expression fills; they are not in <see cref="Columns"/>.</summary>
    public required IReadOnlyList<ColumnAssignment> Assignments { get; init; }

    /// <summary>Null: the table exists already.</summary>
    public PlannedTable? NewTable { get; init; }

    /// <summary>Null: the table needs no new columns.</summary>
    public PlannedAddition? AddedColumns { get; init; }

    /// <summary>Order of the first records; null: nobody has looked, since it makes no difference.</summary>
    public KeyOrderInfo? KeyOrder { get; init; }

    /// <summary>The columns by which an earlier start of the job has sorted its records; null: it has committed none.</summary>
    public string? SortedBefore { get; init; }

    /// <summary>Null: no verification was asked for.</summary>
    public VerifyRules? Verify { get; init; }

    /// <summary>Keys that the server looks up in an index when they are in one list of <see cref="Verify"/>.</summary>
    public int MaxVerifiedKeys { get; init; }

    /// <summary>Null: no index is dropped and added again.</summary>
    public IndexFacts? Indexes { get; init; }

    /// <summary>That rows are kept as they were before they are changed; null: they are not.</summary>
    public ImageFacts? Images { get; init; }

    /// <summary>Empty: statements carry no comment.</summary>
    public string Tag { get; init; } = "";

    /// <summary>For people.</summary>
    public required IReadOnlyList<string> Guesses { get; init; }

    /// <summary>A column that a record can leave to a default which only the server can work out; null: there is none.</summary>
    public TableColumn? DefaultedColumn => Columns.Skip(KeyCount).FirstOrDefault(column => column.Default == ColumnDefault.Expression
        && ((RecordsCanLackColumns && Request.Kind == JobKind.Import)
            || Request.Values.EmptyOf(column.Name) == EmptyMeaning.Default));

    /// <summary>Columns that find rows: the first ones of <see cref="Columns"/>.</summary>
    public int KeyCount => Key?.Columns.Count ?? 0;

    /// <summary>Columns that the input gives values to, of rows that are there.</summary>
    public IEnumerable<TableColumn> ChangedColumns => Columns.Skip(KeyCount);

    /// <summary>Whether the server makes a new number in that column for each record.</summary>
    public bool IsNumbered(TableColumn? column) =>
        column is { Default: ColumnDefault.AutoIncrement } && IndexOf(column) < 0
        && Assignments.All(one => !one.Column.Equals(column.Name, StringComparison.OrdinalIgnoreCase));

    /// <summary>Whether no record can have the key of a row, since the server makes a number of it.</summary>
    public bool IsNumbered(UniqueKey key) => key.Columns.Any(name => IsNumbered(Table.Find(name)));

    /// <summary>0-based place of a column's value in a row; of a key's column, the value that finds the row. -1: not filled.</summary>
    public int IndexOf(TableColumn? column)
    {
        for (var i = 0; i < Columns.Count; i++)
        {
            if (Columns[i] == column)
            {
                return i;
            }
        }

        return -1;
    }

    /// <summary>Null: an input is a pipe.</summary>
    public long? EstimatedRecords => Sources.All(source => source.EstimatedRecords is not null)
        ? Math.Min(Sources.Sum(source => source.EstimatedRecords!.Value), Request.Limit ?? long.MaxValue)
        : Request.Limit;
}
