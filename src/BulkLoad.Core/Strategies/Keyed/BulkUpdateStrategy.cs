using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
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

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new BulkUpdateSender(session, facts, sizes.RowsPerBatch);

    /// <summary>Tells for each record what its UPDATE came to.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}

/// <summary>
/// Prepared UPDATEs executed in bulk, on a session that counts the rows found. Where they are fewer than the records, or one of them fails,
/// the batch is undone: the server keeps what came before the failing one, and does not say which it was.
/// </summary>
internal sealed class BulkUpdateSender : KeyedSender<BulkUpdateBatch>
{
    /// <summary>The mark and the length before a value, with room to spare.</summary>
    private const long LengthOverhead = 10;

    private static readonly string Mark = TransactionSql.Savepoint(0);

    private readonly LazyStatement _statement;
    private readonly long _rowOverhead;
    private readonly int _valueReads;
    private readonly long _maxPacket;

    /// <param name="session">carries the batches; counts found rows</param>
    /// <param name="facts">with a key</param>
    public BulkUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
        : this(
            session, facts, rowsPerBatch, new LazyStatement(session, new UpdateSql(facts).PreparedRow()), new RowEncoder(facts.RowColumns))
    {
    }

    private BulkUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch, LazyStatement statement, RowEncoder encoder)
        : base(session, rowsPerBatch, () => new BulkUpdateBatch(KeyOrder.OfChanges(facts), encoder, UpdateSql.OrderOfRow(facts)), statement)
    {
        _statement = statement;
        _maxPacket = facts.Server.MaxAllowedPacket;
        _rowOverhead = facts.RowColumns.Count * LengthOverhead;
        _valueReads = UpdateSql.MostReads(facts);
    }

    protected override int CountRows(RowBlock block, int from, int most)
    {
        var rows = base.CountRows(block, from, most);
        while (rows > 1 && ((long)block.ByteCountOf(from, rows) * _valueReads) + (rows * _rowOverhead)
            + BinaryParameters.PacketOverhead >= _maxPacket)
        {
            rows /= 2;
        }

        return rows;
    }

    protected override async ValueTask<BatchOutcome> SendAsync(BulkUpdateBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var superseded = new RowCounts { Superseded = batch.Superseded };
        if (batch.SentRows == 0)
        {
            onSent();
            return superseded;
        }

        if (batch.Parameters.PacketBytes >= _maxPacket)
        {
            return BatchRefusals.OfSize(batch.Parameters.ByteCount, _maxPacket, "raise that", batch.RowCount == 1 ? 0 : null);
        }

        var statement = await _statement.GetAsync(cancellationToken);
        try
        {
            var underWay = Session.ExecuteAsync(Mark, statement, batch.Parameters, cancellationToken);
            onSent();
            var answer = await underWay;
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)batch.SentRows)
            {
                return superseded + UpdateAnswer.Count(batch.SentRows, 0, tellsChanges: false);
            }

            if (answer is { Warnings: 0, AffectedRows: 0 })
            {
                return (BatchOutcome)superseded with { Missing = batch.Sent() };
            }

            await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
            return BatchRefusals.OfCounts(answer, batch.SentRows);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = null };
        }
    }
}

/// <summary>Rows of a block as the parameters of one execution in bulk.</summary>
/// <param name="columns">the places of a row's values in the order of the statement</param>
internal sealed class BulkUpdateBatch(KeyOrder keys, RowEncoder encoder, int[] columns) : KeyedBatch(keys)
{
    public BulkParameters Parameters { get; } = new(encoder.TypesOf(columns));

    /// <summary>Rows that are sent.</summary>
    public int SentRows => Keys.Count;

    /// <summary>The rows that are sent, 0-based in the batch and in the input's order.</summary>
    public int[] Sent()
    {
        int[] rows = [.. Enumerable.Range(0, Keys.Count).Select(Row)];
        Array.Sort(rows);
        return rows;
    }

    protected override void Encode()
    {
        Parameters.Reset();
        for (var key = 0; key < Keys.Count; key++)
        {
            encoder.Add(Keys.Block, Keys.RowOfBlock(key), columns, Parameters);
        }
    }
}
