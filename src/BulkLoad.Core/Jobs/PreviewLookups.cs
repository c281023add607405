using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Where the value of a key's column comes from.</summary>
internal enum PreviewPart
{
    Record,

    /// <summary>The record has no such field.</summary>
    Default,

    /// <summary>The row that the record changes keeps its value.</summary>
    Row,
}

/// <summary>A key that finds rows which a record may touch or conflict with.</summary>
/// <param name="Index">the index that finds them; null: the table is read</param>
internal sealed record PreviewLookup(IReadOnlyList<(TableColumn Column, PreviewPart Part)> Parts, string? Index)
{
    public IEnumerable<TableColumn> Columns => Parts.Select(part => part.Column);

    /// <summary>Whether the changed row keeps a part of the key.</summary>
    public bool NeedsRow => Parts.Any(part => part.Part == PreviewPart.Row);

    /// <summary>Whether the records have all parts.</summary>
    public bool IsOfRecords => Parts.All(part => part.Part == PreviewPart.Record);
}

/// <summary>All keys by which a job's records may meet rows. Pure.</summary>
internal sealed class PreviewLookups
{
    private readonly LoadFacts _facts;

    public PreviewLookups(LoadFacts facts)
    {
        _facts = facts;
        if (facts.Key is { } key)
        {
            Found.Add(new PreviewLookup([.. key.Columns.Select(column => (column, PreviewPart.Record))], key.Index?.Name));
        }

        foreach (var unique in facts.Request.Kind == JobKind.Delete ? [] : facts.Table.UniqueKeys)
        {
            Add(unique);
        }
    }

    public List<PreviewLookup> Found { get; } = [];

    /// <summary>Unique keys whose values only the server knows, such as those of <c>--set</c>: their rows are counted afterwards.</summary>
    public List<UniqueKey> Unseen { get; } = [];

    private bool IsImport => _facts.Request.Kind == JobKind.Import;

    /// <summary>Whether a record may change an existing row, which keeps the values that the record does not have.</summary>
    private bool KeepsRows => !IsImport || _facts.Request.OnDuplicate == DuplicateMode.Update;

    private void Add(UniqueKey unique)
    {
        TableColumn?[] columns = [.. unique.Parts.Select(Find)];
        if (!IsImport && !unique.Columns.Any(IsChanged) && !columns.Contains(null))
        {
            return;
        }

        if (columns.Any(column => column is null || IsOnlyKnownToServer(column)))
        {
            Unseen.Add(unique);
            return;
        }

        var own = columns.OfType<TableColumn>().ToList();
        if (own.TrueForAll(column => Has(column)))
        {
            if (_facts.Key is null || !own.TrueForAll(_facts.Key.Columns.Contains))
            {
                Found.Add(new PreviewLookup([.. own.Select(column => (column, PreviewPart.Record))], unique.Name));
            }

            return;
        }

        // A NULL, and a number that the server generates, never conflicts.
        if (IsImport && own.TrueForAll(column => Has(column) || column.Default == ColumnDefault.Constant))
        {
            Found.Add(new PreviewLookup(
                [.. own.Select(column => (column, Has(column) ? PreviewPart.Record : PreviewPart.Default))], unique.Name));
        }

        if (KeepsRows && own.Exists(column => Has(column)))
        {
            Found.Add(new PreviewLookup(
                [.. own.Select(column => (column, Has(column) ? PreviewPart.Record : PreviewPart.Row))], unique.Name));
        }
    }

    private bool Has(TableColumn column) => _facts.IndexOf(column) >= 0;

    private bool IsChanged(string column) =>
        _facts.ChangedColumns.Any(changed => changed.Name == column) || _facts.Assignments.Any(one => one.Column == column);

    /// <returns>null: the part is not a whole column</returns>
    private TableColumn? Find(KeyPart part) => part is { Column: { } name, Prefix: null } ? _facts.Table.Find(name) : null;

    private bool IsOnlyKnownToServer(TableColumn column) => column.IsGenerated
        || _facts.Assignments.Any(one => one.Column == column.Name)
        || (!Has(column) && IsImport && (column.Default == ColumnDefault.Expression
            || (column.Default == ColumnDefault.Constant && PreviewSql.DefaultOf(column) is null)));
}
