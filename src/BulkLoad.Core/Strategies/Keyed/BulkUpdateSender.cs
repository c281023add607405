using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

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
    /// <param name="rowsPerBatch">rows of a full batch</param>
    public BulkUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
        : this(session, facts, rowsPerBatch, new LazyStatement(session, new UpdateSql(facts).PreparedRow()), new RowEncoder(facts.RowColumns))
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
        while (rows > 1 && ((long)block.ByteCountOf(from, rows) * _valueReads) + (rows * _rowOverhead) + BinaryParameters.PacketOverhead >= _maxPacket)
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
