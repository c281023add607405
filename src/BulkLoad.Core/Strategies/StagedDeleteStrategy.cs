using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Keys into a temporary table with the columns' own types, by the fastest way in, and one DELETE of all rows that they join. The statement
/// takes the keys that it finds with the rows, so that those left are of no row.
/// </summary>
internal sealed class StagedDeleteStrategy : ILoadStrategy
{
    private const int BestRows = 100_000;
    private const long BestBytes = 1024 * 1024;

    /// <summary>A table in memory takes two MiB for a hundred thousand integers; more at a time gain nothing.</summary>
    private const int MostRows = 1_000_000;

    public string Name => "staged-join";

    public string? FindObstacle(LoadFacts facts)
    {
        if (KeyRules.IsOneByOne(facts))
        {
            return "the order of the records decides, and a join has none: a foreign key of the table refers to the table itself";
        }

        if (facts.Key!.Index is null)
        {
            return "no index begins with the key: the join would read the whole table for every one of them";
        }

        if (facts.Server.LogsStatements)
        {
            return "the server's binary log by statement would bring the staged keys to its replicas";
        }

        return facts.Key.Stage is { Refusal: { } refusal } ? refusal : null;
    }

    public string Describe(LoadFacts facts)
    {
        var way = facts.Server.LocalInfileRefusal is null ? "LOAD DATA" : "INSERT";
        var place = IsInMemory(facts, RowsPerBatch(facts)) ? " in memory" : "";
        return $"one join a batch with a temporary table{place} that {way} fills; pays where lists must be short";
    }

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfStagedDelete(facts), Stage.RoundTrips(facts) + 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) =>
    (
        new SizeRange("rows-per-batch", BestRows, "sorted and joined together: neighbours lie on the same pages", MostRows, "the program"),
        new SizeRange("bytes-per-batch", BestBytes, "little to undo when a batch fails", int.MaxValue, "the program"));

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var stage = Stage.SqlOf(facts, IsInMemory(facts, sizes.RowsPerBatch));
        return [stage.Create, Stage.Statement(facts, stage), TransactionSql.MarkBatch(0), stage.Delete(facts.Key!.Index!, facts.Request.Key.Where)];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedDeleteSender(session, facts, sizes.RowsPerBatch, IsInMemory(facts, sizes.RowsPerBatch));

    /// <summary>Tells for each record what its DELETE came to, without taking sets apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new InListDeleteStrategy().NarrowsBy(facts);

    private static bool IsInMemory(LoadFacts facts, int rows) => facts.Key!.Stage!.FitsMemory(facts.Columns, rows);

    private int RowsPerBatch(LoadFacts facts) => (int)SizeBatches(facts).Rows.Choose(facts.Request.RowsPerBatch).Value;
}
