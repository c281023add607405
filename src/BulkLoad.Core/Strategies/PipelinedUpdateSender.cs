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
    private readonly PipelinedUpdates[] _batches;
    private readonly LoneStatement _statement;
    private readonly int _rowsPerBatch;
    private readonly long _maxPacket;
    private readonly bool _isUnique;
    private readonly bool _countsMatched;
    private int _turn;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
    {
        (_session, _rowsPerBatch) = (session, rowsPerBatch);
        var sql = new UpdateSql(facts);
        _statement = new LoneStatement(session, sql.PreparedRow());
        _maxPacket = facts.Server.MaxAllowedPacket;
        _isUnique = facts.Key!.IsUnique;
        _countsMatched = facts.Request.Key.CountsMatched;
        var encoder = new RowEncoder(facts.Columns);
        var limits = new PipelineLimits(facts.Server.MaxPreparedStatements > 0, facts.RecordsCanLackColumns || facts.DefaultedColumn is not null, _maxPacket);
        var columns = UpdateSql.OrderOfRow(facts);
        _batches = [new(sql, KeyOrder.OfChanges(facts), encoder, columns, limits), new(sql, KeyOrder.OfChanges(facts), encoder, columns, limits)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        if (_statement.Prepared is not null || !batch.NeedsStatement)
        {
            batch.Write(_statement.Prepared);
        }

        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var rows = (PipelinedUpdates)batch;
        if (!rows.IsWritten)
        {
            rows.Write(await _statement.GetAsync(cancellationToken));
        }

        var outcomes = new RowOutcomes(rows.Superseded);
        var failures = new HashSet<int>();
        do
        {
            var underWay = _session.RunAsync(rows.Pipeline, cancellationToken);
            onSent();
            onSent = static () => { };
            await underWay;
            PipelineFaults.ThrowOthers(rows.Pipeline);
            foreach (var (row, error) in rows.Failed)
            {
                failures.Add(row);
                outcomes.Refuse(row, error);
            }

            for (var number = 0; number < rows.Answered; number++)
            {
                var row = rows.Row(number);
                if (failures.Contains(row))
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
                    outcomes.Miss(row);
                    continue;
                }

                var isChanged = _countsMatched || changed > 0;
                outcomes.Take(new TakenRows(0, isChanged ? 1 : 0, isChanged ? 0 : 1) { MatchedRows = matched, ChangedRows = _countsMatched ? 0 : changed });
            }
        }
        while (rows.KeepUnsent(_statement.Prepared));

        foreach (var (key, bytes) in rows.TooLarge)
        {
            outcomes.RefuseTooLarge(rows.RowOfKey(key), bytes, _maxPacket);
        }

        return outcomes.End();
    }

    public ValueTask DisposeAsync() => _statement.DisposeAsync();
}
