using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// An UPDATE of one record, prepared once and executed for a thousand records of parameters in one packet (MariaDB's
/// COM_STMT_BULK_EXECUTE), in the file's order where that decides. One answer counts for all of them, so that nobody knows which rows had
/// their values already.
/// </summary>
internal sealed class BulkUpdateStrategy : ILoadStrategy
{
    private const int BestRows = 1000;

    /// <summary>Larger batches gain nothing, and both sides hold one in memory.</summary>
    private const int MostRows = 65_535;

    public string Name => "bulk-execute";

    public string? FindObstacle(LoadFacts facts)
    {
        if ((NonTransactionalRules.FindSetObstacle(facts) ?? BulkExecuteStrategy.FindServerObstacle(facts)) is { } obstacle)
        {
            return obstacle;
        }

        if (!facts.Request.Key.CountsMatched)
        {
            return "one answer counts for many records, and does not distinguish changed records from unchanged ones (--counts matched does not need to)";
        }

        if (!facts.Key!.IsUnique)
        {
            return "a key can find several rows, and one answer does not say which record found any";
        }

        return facts.RecordsCanLackColumns ? "a record changes only the columns that it has, and others may have others"
            : facts.DefaultedColumn is { } defaulted ? $"column '{defaulted.Name}' may be left to its default, an expression"
            : null;
    }

    public string Describe(LoadFacts facts) => UpdateRules.CanSort(facts)
        ? "one statement for a thousand records of parameters"
        : "one statement for a thousand records of parameters, in the file's order";

    /// <summary>Measured with three values a row (docs/strategies.md).</summary>
    public Cost CostOf(LoadFacts facts) => new(7.0, 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return (
            new SizeRange("rows-per-batch", BestRows, "measured", MostRows, "more gain nothing, and are more to undo"),
            KeySizes.Bytes with { Most = packet / 2, MostBy = $"half of the server's max_allowed_packet of {packet:N0}" });
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0), $"{new UpdateSql(facts).PreparedRow()} (executed for up to {sizes.RowsPerBatch} records at once)"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new BulkUpdateSender(session, facts, sizes.RowsPerBatch);

    /// <summary>Tells for each record what its UPDATE came to.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}
