using System.Globalization;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>One INSERT a batch, each behind a savepoint that undoes it: the full size is prepared once, a smaller rest when it comes, literal text where neither serves.</summary>
internal sealed class MultiRowInsertSender : IBatchSender
{
    /// <summary>Command, statement number, flags, count and the flag before the types, with room to spare.</summary>
    private const int PacketOverhead = 64;

    /// <summary>The length before a value or the comma behind it, with room to spare.</summary>
    private const long LengthOverhead = 9;

    private static readonly string Mark = TransactionSql.MarkBatch(0);

    private readonly IServerSession _session;
    private readonly int _headBytes;
    private readonly int _tailBytes;
    private readonly InsertStatements _statements;
    private readonly RefusedRowFinder _rows;
    private readonly int _fullRows;
    private readonly long _rowOverhead;
    private readonly long _maxPacket;
    private readonly bool _canPrepare;
    private readonly BinaryRows[] _full;
    private readonly LiteralRows[] _literal;
    private readonly RowEncoder _encoder;
    private int _turn;

    public MultiRowInsertSender(IServerSession session, string head, string tail, LoadFacts facts, int fullRows)
    {
        _session = session;
        _rows = new RefusedRowFinder(session);
        _headBytes = Encoding.UTF8.GetByteCount(head);
        _tailBytes = Encoding.UTF8.GetByteCount(tail);
        _fullRows = fullRows;
        _rowOverhead = _tailBytes + facts.Columns.Sum(column => LengthOverhead + new LiteralForm(column).Overhead);
        _statements = new InsertStatements(session, head, facts.Columns, tail, fullRows);
        _maxPacket = facts.Server.MaxAllowedPacket;
        _canPrepare = facts.Server.MaxPreparedStatements > 0;
        _encoder = new RowEncoder(facts.Columns);
        _full = [new(_encoder, fullRows), new(_encoder, fullRows)];
        _literal = [new(head, facts.Columns, tail), new(head, facts.Columns, tail)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var turn = _turn++ & 1;
        var rows = FitIntoPacket(block, from, most);
        if (IsLiteral(block))
        {
            _literal[turn].Fill(block, from, rows);
            return _literal[turn];
        }

        var batch = rows == _fullRows ? _full[turn] : new BinaryRows(_encoder, rows);
        batch.Fill(block, from);
        return batch;
    }

    public async ValueTask<BatchRefusal?> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        if (FindTooLarge(batch) is { } tooLarge)
        {
            return tooLarge;
        }

        if (batch is LiteralRows literal)
        {
            return await SettleAsync(_session.ExecuteAsync(Mark, literal.Statement, cancellationToken), batch, onSent, cancellationToken);
        }

        var rows = (BinaryRows)batch;
        var statement = await _statements.GetAsync(rows.RowCount, cancellationToken);
        return await SettleAsync(_session.ExecuteAsync(Mark, statement, rows.Parameters, cancellationToken), batch, onSent, cancellationToken);
    }

    public ValueTask DisposeAsync() => _statements.DisposeAsync();

    /// <summary>As many rows as one packet takes: values, lengths before them, and literal text at its longest.</summary>
    private int FitIntoPacket(RowBlock block, int from, int most)
    {
        var rows = Math.Min(Math.Min(_fullRows, most), block.RowCount - from);
        while (rows > 1 && (block.BytesOf(from, rows).Length * (IsLiteral(block) ? 2L : 1L)) + (rows * _rowOverhead) + _headBytes + PacketOverhead > _maxPacket)
        {
            rows /= 2;
        }

        return rows;
    }

    private bool IsLiteral(RowBlock block) => !_canPrepare || block.HasDefaults;

    /// <summary>A server closes the session over a packet beyond its limit, so a row that is one is never sent.</summary>
    private BatchRefusal? FindTooLarge(EncodedBatch batch)
    {
        var bytes = batch switch
        {
            LiteralRows literal => literal.Statement.Length + 1L,
            BinaryRows binary => binary.Parameters.ByteCount + binary.Parameters.Types.Length + (long)PacketOverhead,
            _ => 0,
        };
        return bytes <= _maxPacket
            ? null
            : new BatchRefusal(
                0,
                string.Create(CultureInfo.InvariantCulture, $"takes {bytes:N0} bytes in a packet, and the server's max_allowed_packet is {_maxPacket:N0} (raise that, or use --strategy load-data)"),
                batch.RowCount == 1 ? 0 : null)
            { IsTooLarge = true };
    }

    /// <summary>
    /// Takes a batch's answer, and asks for the warnings before anything else can clear them. A statement that failed has undone
    /// itself.
    /// </summary>
    private async ValueTask<BatchRefusal?> SettleAsync(
        ValueTask<Answer> underWay, EncodedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        // One packet: what the socket does not take at once is little.
        onSent();
        Answer answer;
        try
        {
            answer = await underWay;
        }
        catch (ServerException fault) when (fault.Kind is FaultKind.Data or FaultKind.Packet)
        {
            var refusal = BatchRefusals.OfError(fault);
            return batch.RowCount > 1 && _session.IsUsable ? await _rows.FindAsync(refusal, cancellationToken) : refusal;
        }

        if (answer.Warnings == 0 && answer.AffectedRows == (ulong)batch.RowCount)
        {
            _rows.Count(batch.RowCount);
            return null;
        }

        var warnings = await _session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken);
        await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
        return BatchRefusals.OfAnswer(answer.AffectedRows, batch.RowCount, warnings);
    }
}
