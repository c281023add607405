using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// UPDATEs joined with rows in the statement itself, a thousand or so, in the order of the index, each value written as its column has it.
/// Needs no rights but UPDATE and SELECT, and no table of its own.
/// </summary>
internal sealed class InlineJoinStrategy : ILoadStrategy
{
    private const int BestRows = 1000;

    public string Name => "inline-join";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts);

    public string Describe(LoadFacts facts) =>
        $"{RowsOfUsualList(facts):N0} sorted rows a statement, found by {facts.Key!.Index?.Name ?? "reading the table"}; a third of the server's work for single ones, and no rights but UPDATE and SELECT";

    /// <summary>Measured with three values a row (docs/strategies.md).</summary>
    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfListUpdate(facts, RowsOfUsualList(facts)), 1, 1);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfLists;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{new UpdateSql(facts).SampleList()} (up to {RowsPerList(sizes.RowsPerBatch):N0} rows in the list)",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new InlineJoinSender(
        session, facts, new ListLimits(RowsPerList(sizes.RowsPerBatch), ListLimits.BytesOf(facts, sizes.BytesPerBatch)), sizes.RowsPerBatch);

    /// <summary>Tells for each record what its UPDATE came to, without taking lists apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();

    /// <summary>Rows of a list at the size of the records in the samples, each value as long again where it stands as a literal.</summary>
    private static int RowsOfUsualList(LoadFacts facts)
    {
        var (rows, bytes) = KeySizes.OfLists;
        var most = ListLimits.BytesOf(facts, bytes.Choose(facts.Request.BytesPerBatch).Value);
        return (int)Math.Clamp(most / (2 * facts.RecordBytes), 1, RowsPerList((int)rows.Choose(facts.Request.RowsPerBatch).Value));
    }

    private static int RowsPerList(int rowsPerBatch) => Math.Min(BestRows, rowsPerBatch);
}
