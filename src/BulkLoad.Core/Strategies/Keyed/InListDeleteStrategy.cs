using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// DELETE ... WHERE key IN (...) with about a thousand keys, in the order of the index, each written as its column has it. Needs no rights
/// but DELETE and SELECT, and no table of its own.
/// </summary>
internal sealed class InListDeleteStrategy : ILoadStrategy
{
    private const int BestKeys = 1000;

    public string Name => "in-list-delete";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts);

    public string Describe(LoadFacts facts) => KeyRules.IsOneByOne(facts)
        ? "one key a statement, since the order decides"
        : $"{KeysPerList(facts, RowsPerBatch(facts)):N0} sorted keys a statement, found by {facts.Key!.Index?.Name ?? "reading the table"}, the next ones on their way; needs no rights but DELETE and SELECT";

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfListDelete(facts, KeysPerList(facts, RowsPerBatch(facts))), 1, 1);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfLists;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        $"{KeySql.Of(facts).SampleDelete()} (up to {KeysPerList(facts, sizes.RowsPerBatch):N0} keys)",
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new InListDeleteSender(
        session, facts, new ListLimits(KeysPerList(facts, sizes.RowsPerBatch), ListLimits.BytesOf(facts, sizes.BytesPerBatch)), sizes.RowsPerBatch);

    /// <summary>Tells for each record what its DELETE came to, without taking lists apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts)
    {
        var pipelined = new PipelinedDeleteStrategy { IsForFaults = true };
        return pipelined.FindObstacle(facts) is null ? pipelined : this;
    }

    private static int RowsPerBatch(LoadFacts facts) => (int)KeySizes.OfLists.Rows.Choose(facts.Request.RowsPerBatch).Value;

    private static int KeysPerList(LoadFacts facts, int rowsPerBatch) =>
        KeyRules.IsOneByOne(facts) ? 1 : Math.Min(Math.Min(BestKeys, rowsPerBatch), facts.Key!.MostListKeys);
}
