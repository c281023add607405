using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// An UPDATE for each row. One that fails has undone itself, and is its record's reject; what had not been sent by then goes afterwards.
/// Only a warning, or a count that cannot be, undoes the batch.
/// </summary>
internal sealed class PipelinedUpdateSender : IBatchSender
{
    private readonly IServerSession _session;
    private readonly UpdateSql _sql;
    private readonly PipelinedUpdates[] _batches;
    private readonly int _rowsPerBatch;
    private readonly long _maxPacket;
    private readonly bool _isUnique;
    private readonly bool _countsMatched;
    private PreparedStatement? _statement;
    private int _turn;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
    {
        (_session, _rowsPerBatch) = (session, rowsPerBatch);
        _sql = new UpdateSql(facts);
        _maxPacket = facts.Server.MaxAllowedPacket;
        _isUnique = facts.Key!.IsUnique;
        _countsMatched = facts.Request.Key.CountsMatched;
        var encoder = new RowEncoder(facts.Columns);
        var limits = new PipelineLimits(facts.Server.MaxPreparedStatements > 0, facts.RecordsCanLackColumns || facts.DefaultedColumn is not null, _maxPacket);
        var columns = UpdateSql.OrderOfRow(facts);
        _batches = [new(_sql, KeyOrder.OfChanges(facts), encoder, columns, limits), new(_sql, KeyOrder.OfChanges(facts), encoder, columns, limits)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        if (_statement is not null || !batch.NeedsStatement)
        {
            batch.Write(_statement);
        }

        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var rows = (PipelinedUpdates)batch;
        if (!rows.IsWritten)
        {
            _statement ??= await _session.PrepareAsync(_sql.PreparedRow(), cancellationToken);
            rows.Write(_statement);
        }

        var taken = new TakenRows { Superseded = rows.Superseded };
        var missing = new List<int>();
        var refused = new List<(int Row, BatchRefusal Refusal)>();
        do
        {
            var underWay = _session.RunAsync(rows.Pipeline, cancellationToken);
            onSent();
            onSent = static () => { };
            await underWay;
            PipelineFaults.ThrowOthers(rows.Pipeline);
            refused.AddRange(rows.Failed.Select(failed => (failed.Row, BatchRefusals.OfError(failed.Error))));
            var failures = refused.Count == 0 ? null : refused.Select(failed => failed.Row).ToHashSet();
            for (var number = 0; number < rows.Answered; number++)
            {
                var row = rows.Row(number);
                if (failures?.Contains(row) == true)
                {
                    continue;
                }

                var answer = rows.Answer(number);
                if (answer.Warnings > 0 || UpdateAnswer.Read(answer) is not (var matched, var changed) || (_isUnique && matched > 1))
                {
                    return await PipelineFaults.UndoAsync(_session, answer, rows.RowCount, row, cancellationToken);
                }

                if (matched == 0)
                {
                    missing.Add(row);
                    continue;
                }

                var isChanged = _countsMatched || changed > 0;
                taken += new TakenRows(0, isChanged ? 1 : 0, isChanged ? 0 : 1) { MatchedRows = matched, ChangedRows = _countsMatched ? 0 : changed };
            }
        }
        while (rows.KeepUnsent(_statement));

        refused.AddRange(rows.TooLarge.Select(found => (rows.RowOfKey(found.Key), BatchRefusals.OfSize(found.Bytes, _maxPacket, "raise that", 0))));
        refused.Sort((one, other) => one.Row.CompareTo(other.Row));
        missing.Sort();
        return (BatchOutcome)taken with { Missing = missing, Refused = refused };
    }

    public async ValueTask DisposeAsync()
    {
        if (_statement is { } statement)
        {
            _statement = null;
            await InsertStatements.CloseAsync(_session, statement);
        }
    }
}
