using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>An UPDATE of one record, prepared once and executed for a thousand records of parameters in one packet (MariaDB's
/// COM_STMT_BULK_EXECUTE), in the file's order where it matters. One answer counts for all: unchanged rows stay unknown.</summary>
internal sealed class BulkUpdateStrategy : ILoadStrategy
{
    private const int BestRows = 1000;

    /// <summary>Larger batches gain nothing, and both sides hold one in memory.</summary>
    private const int MaxRows = 65_535;

    public string Name => "bulk-execute";

    public string? FindObstacle(LoadFacts facts)
    {
        if ((NonTransactionalRules.FindSetObstacle(facts) ?? BulkRules.FindServerObstacle(facts)) is { } obstacle)
        {
            return obstacle;
        }

        if (!facts.Request.Key.CountsMatched)
        {
            return "one answer counts for many records, and does not distinguish changed records from unchanged ones (--counts matched "
                + "does not need to)";
        }

        if (!facts.Key!.IsUnique)
        {
            return "a key can find several rows, and one answer does not say which record found any";
        }

        return facts.RecordsCanLackColumns ? "a record changes only the columns that it has, and others may have others"
            : facts.DefaultedColumn is { } defaulted ? $"column '{defaulted.Name}' may be left to its default, an expression"
            : null;
    }

    /// <summary>The cost was measured with three values a row (docs/strategies.md).</summary>
    public Assessment Assess(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return new Assessment(
            $"one statement for a thousand records of parameters{(UpdateRules.CanSort(facts) ? "" : ", in the file's order")}",
            new Cost(7.0, 1, 2),
            (new SizeRange("rows-per-batch", BestRows, "measured", MaxRows, "more gain nothing, and are more to undo"),
                KeySizes.Bytes with { Max = packet / 2, MaxBy = $"half of the server's max_allowed_packet of {packet:N0}" }));
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0), $"{new UpdateSql(facts).PreparedRow()} (executed for up to {sizes.RowsPerBatch} records at once)"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new BulkUpdateSender(session, facts, new UpdateStatement(facts), sizes.RowsPerBatch);

    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}

/// <summary>Prepared UPDATEs executed in bulk, on a session that counts the rows found. If they are fewer than the records, or one fails,
/// the batch is undone: the server keeps what came before the failing one, and does not say which it was.</summary>
internal sealed class BulkUpdateSender(IServerSession session, LoadFacts facts, UpdateStatement statement, int rowsPerBatch)
    : KeyedSender<BulkUpdateBatch>(session, facts, rowsPerBatch)
{
    /// <summary>The mark and the length before a value, with room to spare.</summary>
    private const long LengthOverhead = 10;

    private readonly long _rowOverhead = facts.RowColumns.Count * LengthOverhead;
    private readonly int _valueReads = UpdateSql.MaxReads(facts);

    protected override LazyStatement Prepared { get; } = new(session, () => statement.Prepared);

    protected override BulkUpdateBatch CreateBatch() => new(statement.CreateOrder(areAlone: true), statement.CreateEncoder());

    protected override int CountRows(RowBlock block, int from, int max)
    {
        var rows = base.CountRows(block, from, max);
        while (rows > 1 && ((long)block.ByteCountOf(from, rows) * _valueReads) + (rows * _rowOverhead)
            + BinaryParameters.PacketOverhead >= MaxPacket)
        {
            rows /= 2;
        }

        return rows;
    }

    protected override async ValueTask<BatchOutcome> SendAsync(BulkUpdateBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        if (batch.Parameters.PacketBytes >= MaxPacket)
        {
            return TooLarge(batch.Parameters.ByteCount, batch.RowCount == 1 ? 0 : null);
        }

        var prepared = await Prepared.GetAsync(cancellationToken);
        try
        {
            var underWay = Session.ExecuteAsync(TransactionSql.Savepoint(0), prepared, batch.Parameters, cancellationToken);
            onSent();
            var answer = await underWay;
            var taken = new RowCounts { Superseded = batch.Superseded };
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)batch.KeyCount)
            {
                return taken with { Updated = batch.KeyCount, MatchedRows = batch.KeyCount };
            }

            if (answer is { Warnings: 0, AffectedRows: 0 })
            {
                return (BatchOutcome)taken with { Missing = [.. Enumerable.Range(0, batch.KeyCount).Select(batch.Row).Order()] };
            }

            await RollBackAsync(cancellationToken);
            return BatchRefusals.OfCounts(answer, batch.KeyCount);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            return await UndoAsync(batch, fault, cancellationToken);
        }
    }
}

internal sealed class BulkUpdateBatch(KeyOrder keys, RowEncoder encoder) : KeyedBatch(keys)
{
    public BulkParameters Parameters { get; } = new(encoder.Types(1));

    protected override void Encode()
    {
        Parameters.Reset();
        for (var key = 0; key < Keys.Count; key++)
        {
            encoder.Add(Keys.Block, Keys.RowOfBlock(key), Parameters);
        }
    }
}
