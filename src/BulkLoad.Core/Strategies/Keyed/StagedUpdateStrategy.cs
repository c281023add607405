using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// Rows into a temporary table with the columns' own types, by the fastest way in, and one UPDATE of all rows that they join, however few of
/// them the server would take in a statement.
/// </summary>
internal sealed class StagedUpdateStrategy : ILoadStrategy
{
    public string Name => "staged-join";

    public string? FindObstacle(LoadFacts facts) => NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts) ?? Stage.FindObstacle(facts);

    public string Describe(LoadFacts facts) =>
        $"one join a batch with {Stage.Describe(facts, Stage.RowsPerBatch(facts))}; pays where max_allowed_packet lets few rows fit into a list";

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfStagedUpdate(facts), Stage.RoundTrips(facts) + 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => Stage.SizeBatches;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var stage = Stage.SqlOf(facts, Stage.IsInMemory(facts, sizes.RowsPerBatch));
        return [stage.Create, Stage.Statement(facts, stage), TransactionSql.Savepoint(0), stage.Update(facts.Key!.Index!, facts.Assignments, facts.Request.Key.Where)];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedUpdateSender(session, facts, sizes.RowsPerBatch, Stage.IsInMemory(facts, sizes.RowsPerBatch));

    /// <summary>Tells for each record what its UPDATE came to, without taking sets apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}
