using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// A prepared DELETE for each key. One that fails has undone itself, and is its record's reject; what had not been sent by then goes
/// afterwards. Only a warning, or a count that cannot be, undoes the batch.
/// </summary>
internal sealed class PipelinedDeleteSender : IBatchSender
{
    private readonly IServerSession _session;
    private readonly int _rowsPerBatch;
    private readonly long _maxPacket;
    private readonly bool _isUnique;
    private readonly PipelinedKeys[] _batches;
    private readonly LoneStatement _statement;
    private int _turn;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
    {
        _session = session;
        _statement = new LoneStatement(session, KeySql.Of(facts).PreparedDelete());
        _rowsPerBatch = rowsPerBatch;
        _maxPacket = facts.Server.MaxAllowedPacket;
        _isUnique = facts.Key!.IsUnique;
        var encoder = new RowEncoder(facts.Columns);
        _batches = [new(KeyOrder.OfRows(facts), encoder, _maxPacket), new(KeyOrder.OfRows(facts), encoder, _maxPacket)];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        if (_statement.Prepared is { } statement)
        {
            batch.Write(statement);
        }

        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var keys = (PipelinedKeys)batch;
        var statement = await _statement.GetAsync(cancellationToken);
        if (!keys.IsWritten)
        {
            keys.Write(statement);
        }

        var outcomes = new RowOutcomes(keys.Repeated);
        do
        {
            var underWay = _session.RunAsync(keys.Pipeline, cancellationToken);
            onSent();
            onSent = static () => { };
            await underWay;
            PipelineFaults.ThrowOthers(keys.Pipeline);
            var faults = keys.Pipeline.Faults.ToDictionary(fault => fault.Command, fault => fault.Error);
            foreach (var (key, command) in keys.Answered())
            {
                var answer = keys.Pipeline.Answers[command];
                if (faults.TryGetValue(command, out var fault))
                {
                    outcomes.Refuse(keys.Row(key), fault);
                }
                else if (answer.Warnings > 0 || (_isUnique && answer.AffectedRows > 1))
                {
                    return await PipelineFaults.UndoAsync(_session, answer, keys.RowCount, keys.Row(key), cancellationToken);
                }
                else if (answer.AffectedRows == 0)
                {
                    outcomes.Miss(keys.Row(key));
                }
                else
                {
                    outcomes.Take(new TakenRows { Deleted = 1, DeletedRows = (long)answer.AffectedRows });
                }
            }
        }
        while (keys.KeepUnsent(statement));

        foreach (var (key, bytes) in keys.TooLarge)
        {
            outcomes.RefuseTooLarge(keys.Row(key), bytes, _maxPacket);
        }

        return outcomes.End();
    }

    public ValueTask DisposeAsync() => _statement.DisposeAsync();
}
