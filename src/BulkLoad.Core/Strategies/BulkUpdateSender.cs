using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Prepared UPDATEs executed in bulk, on a session that counts the rows found. Where they are fewer than the records, or one of them fails,
/// the batch is undone: the server keeps what came before the failing one, and does not say which it was.
/// </summary>
internal sealed class BulkUpdateSender : IBatchSender
{
    /// <summary>The mark and the length before a value, with room to spare.</summary>
    private const long LengthOverhead = 10;

    private static readonly string Mark = TransactionSql.MarkBatch(0);

    private readonly IServerSession _session;
    private readonly BulkUpdateBatch[] _batches;
    private readonly LoneStatement _statement;
    private readonly int _rowsPerBatch;
    private readonly long _rowOverhead;
    private readonly long _maxPacket;
    private int _turn;

    /// <param name="session">carries the batches; counts found rows</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows of a full batch</param>
    public BulkUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
    {
        (_session, _rowsPerBatch) = (session, rowsPerBatch);
        _statement = new LoneStatement(session, new UpdateSql(facts).PreparedRow());
        _maxPacket = facts.Server.MaxAllowedPacket;
        _rowOverhead = facts.Columns.Count * LengthOverhead;
        var encoder = new RowEncoder(facts.Columns);
        var columns = UpdateSql.OrderOfRow(facts);
        _batches = [new(KeyOrder.OfChanges(facts), encoder, columns), new(KeyOrder.OfChanges(facts), encoder, columns)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var rows = Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch);
        while (rows > 1 && block.BytesOf(from, rows).Length + (rows * _rowOverhead) + BinaryParameters.PacketOverhead > _maxPacket)
        {
            rows /= 2;
        }

        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, rows);
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var rows = (BulkUpdateBatch)batch;
        var superseded = new TakenRows { Superseded = rows.Superseded };
        if (rows.SentRows == 0)
        {
            onSent();
            return superseded;
        }

        if (rows.Parameters.PacketBytes > _maxPacket)
        {
            return BatchRefusals.OfSize(rows.Parameters.ByteCount, _maxPacket, "raise that", rows.RowCount == 1 ? 0 : null);
        }

        var statement = await _statement.GetAsync(cancellationToken);
        try
        {
            var underWay = _session.ExecuteAsync(Mark, statement, rows.Parameters, cancellationToken);
            onSent();
            var answer = await underWay;
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)rows.SentRows)
            {
                return superseded + UpdateAnswer.Count(rows.SentRows, 0, tellsChanges: false);
            }

            if (answer is { Warnings: 0, AffectedRows: 0 })
            {
                return (BatchOutcome)superseded with { Missing = rows.Sent() };
            }

            await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
            return BatchRefusals.OfCounts(answer, rows.SentRows);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && _session.IsUsable)
        {
            await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = null };
        }
    }

    public ValueTask DisposeAsync() => _statement.DisposeAsync();
}
