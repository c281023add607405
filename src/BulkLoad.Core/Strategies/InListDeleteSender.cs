using System.Buffers;
using System.Globalization;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// DELETEs of lists of keys. One that deletes fewer rows than it has keys is undone, and the server is asked which keys have rows; where
/// keys are missing, it is asked first from then on, as long as they are.
/// </summary>
internal sealed class InListDeleteSender : IBatchSender
{
    private readonly IServerSession _session;
    private readonly KeySql _sql;
    private readonly KeyBatch[] _batches;
    private readonly int _rowsPerBatch;
    private readonly long _maxPacket;
    private readonly bool _isUnique;
    private readonly ArrayBufferWriter<byte> _question = new();
    private bool _looksFirst;
    private int _turn;

    /// <param name="session">carries the statements</param>
    /// <param name="facts">with a key</param>
    /// <param name="limits">of a list</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public InListDeleteSender(IServerSession session, LoadFacts facts, ListLimits limits, int rowsPerBatch)
    {
        var key = facts.Key!;
        _session = session;
        _sql = KeySql.Of(facts);
        _rowsPerBatch = rowsPerBatch;
        _maxPacket = facts.Server.MaxAllowedPacket;
        _isUnique = key.IsUnique;
        _looksFirst = !_isUnique;
        var order = key.Leading.Concat(facts.Columns.Except(key.Leading)).Select(facts.IndexOf).ToArray();
        var isSorted = !KeyRules.IsOneByOne(facts);
        _batches = [new(_sql, facts.Columns, order, limits, isSorted), new(_sql, facts.Columns, order, limits, isSorted)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var keys = (KeyBatch)batch;
        var taken = new TakenRows { Superseded = keys.Repeated };
        var missing = new List<int>();
        for (var list = 0; list < keys.ListCount; list++)
        {
            var isLast = list == keys.ListCount - 1;
            try
            {
                var (found, refusal) = await SendAsync(keys, list, missing, isLast ? onSent : static () => { }, cancellationToken);
                if (refusal is not null)
                {
                    await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
                    return refusal;
                }

                taken += found;
            }
            catch (ServerException fault) when (fault.Kind is FaultKind.Data or FaultKind.Packet && _session.IsUsable)
            {
                // The statement has undone itself; the lists before it have not.
                await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
                return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
            }
        }

        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing };
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>A list's mark is the batch's where it is the first.</summary>
    private static int TurnOf(int list) => list == 0 ? 0 : 1;

    /// <summary>Deletes one list's rows.</summary>
    /// <param name="batch">has the list</param>
    /// <param name="list">0-based number</param>
    /// <param name="missing">takes the rows whose key is not there</param>
    /// <param name="onSent">called once the server has the list</param>
    /// <param name="cancellationToken">closes the session</param>
    private async ValueTask<(TakenRows Taken, BatchRefusal? Refusal)> SendAsync(
        KeyBatch batch, int list, List<int> missing, Action onSent, CancellationToken cancellationToken)
    {
        var statement = batch.Statement(list);
        var mark = TransactionSql.MarkBatch(TurnOf(list));
        if (FindTooLarge(statement.Length, batch) is { } tooLarge)
        {
            if (list == 0)
            {
                await _session.ExecuteAsync(mark, cancellationToken);
            }

            return (default, tooLarge);
        }

        if (_looksFirst)
        {
            await _session.ExecuteAsync(mark, cancellationToken);
            onSent();
            return await LookAndDeleteAsync(batch, list, missing, cancellationToken);
        }

        var underWay = _session.ExecuteAsync(mark, statement, cancellationToken);
        onSent();
        var answer = await underWay;
        var count = batch.KeyCount(list);
        if (answer.Warnings > 0 || answer.AffectedRows > (ulong)count)
        {
            return (default, await RefuseAsync(answer, count, cancellationToken));
        }

        if (answer.AffectedRows == (ulong)count)
        {
            return (new TakenRows { Deleted = count, DeletedRows = count }, null);
        }

        await _session.ExecuteAsync(TransactionSql.UndoBatch(TurnOf(list)), cancellationToken);
        return await LookAndDeleteAsync(batch, list, missing, cancellationToken);
    }

    private async ValueTask<(TakenRows Taken, BatchRefusal? Refusal)> LookAndDeleteAsync(
        KeyBatch batch, int list, List<int> missing, CancellationToken cancellationToken)
    {
        var found = await LookAsync(batch, list, cancellationToken);
        var count = batch.KeyCount(list);
        _looksFirst = !_isUnique || found.Count < count;

        // Keys that are one to the column have the same rows: the first record deletes them.
        var first = found.GroupBy(key => key.Rows).Select(same => same.MinBy(key => batch.Row(list, key.Key))).ToArray();
        var rows = first.Sum(key => key.Count);
        var has = found.Select(key => key.Key).ToHashSet();
        missing.AddRange(Enumerable.Range(0, count).Where(key => !has.Contains(key)).Select(key => batch.Row(list, key)));
        if (first.Length > 0)
        {
            _question.ResetWrittenCount();
            _sql.WriteDelete(first.Length, (key, column) => batch.Value(list, first[key].Key, column), _question);
            var answer = await _session.ExecuteAsync(null, _question.WrittenMemory, cancellationToken);
            if (answer.Warnings > 0 || answer.AffectedRows != (ulong)rows)
            {
                return (default, await RefuseAsync(answer, rows, cancellationToken));
            }
        }

        return (new TakenRows { Deleted = first.Length, Superseded = found.Count - first.Length, DeletedRows = rows }, null);
    }

    /// <summary>The keys that have rows: each with its number, how many, and what tells these rows from others'.</summary>
    private async ValueTask<List<(int Key, long Count, string Rows)>> LookAsync(KeyBatch batch, int list, CancellationToken cancellationToken)
    {
        _question.ResetWrittenCount();
        _sql.WriteLook(batch.KeyCount(list), (key, column) => batch.Value(list, key, column), _question);
        var answer = await _session.QueryAsync(Encoding.UTF8.GetString(_question.WrittenSpan), cancellationToken);
        return [.. answer.Rows.Select(row => (Number(row[0]), (long)Number(row[1]), row[2]!))];

        static int Number(string? text) => int.Parse(text!, CultureInfo.InvariantCulture);
    }

    private async ValueTask<BatchRefusal> RefuseAsync(Answer answer, long expected, CancellationToken cancellationToken)
    {
        var warnings = answer.Warnings == 0 ? new TextRows([], []) : await _session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken);
        return BatchRefusals.OfAnswer(answer.AffectedRows, (int)Math.Min(expected, int.MaxValue), warnings);
    }

    /// <summary>A server closes the session over a packet beyond its limit, so a key that is one is never sent.</summary>
    private BatchRefusal? FindTooLarge(int bytes, KeyBatch batch) => bytes < _maxPacket
        ? null
        : new BatchRefusal(
            0,
            string.Create(CultureInfo.InvariantCulture, $"takes {bytes:N0} bytes in a packet, and the server's max_allowed_packet is {_maxPacket:N0} (raise that)"),
            batch.RowCount == 1 ? 0 : null)
        { IsTooLarge = true };
}
