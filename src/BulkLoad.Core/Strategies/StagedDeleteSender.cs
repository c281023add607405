using System.Globalization;
using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>A batch of keys in a <see cref="Stage"/>, and one DELETE of their rows and of the keys that have some.</summary>
internal sealed class StagedDeleteSender : IBatchSender
{
    private readonly IServerSession _session;
    private readonly Stage _stage;
    private readonly ReadOnlyMemory<byte> _delete;
    private readonly int _rowsPerBatch;
    private readonly bool _isUnique;
    private readonly Batch[] _batches;
    private int _turn;

    /// <param name="session">carries the statements</param>
    /// <param name="facts">with a key that can be staged</param>
    /// <param name="rowsPerBatch">rows that are staged together</param>
    /// <param name="isInMemory">whether the server keeps them in memory</param>
    public StagedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, bool isInMemory)
    {
        _session = session;
        _stage = new Stage(session, facts, isInMemory);
        _delete = Encoding.UTF8.GetBytes(_stage.Sql.Delete(facts.Key!.Index!, facts.Request.Key.Where));
        _rowsPerBatch = rowsPerBatch;
        _isUnique = facts.Key!.IsUnique;
        _batches = [new(KeyOrder.OfSets(facts), _stage.CreateRows(facts)), new(KeyOrder.OfSets(facts), _stage.CreateRows(facts))];
    }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var keys = (Batch)batch;
        try
        {
            if (await _stage.FillAsync(keys.Rows, onSent, cancellationToken) is { } refusal)
            {
                return refusal;
            }
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && _session.IsUsable)
        {
            return BatchRefusals.OfError(fault);
        }

        try
        {
            return await DeleteAsync(keys, cancellationToken);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && _session.IsUsable)
        {
            await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async ValueTask<BatchOutcome> DeleteAsync(Batch keys, CancellationToken cancellationToken)
    {
        // Several keys may find the same rows, and one several: then the rows that went do not tell how many keys had any.
        var different = _isUnique ? 0 : await CountDifferentAsync(cancellationToken);
        var answer = await _session.ExecuteAsync(TransactionSql.MarkBatch(0), _delete, cancellationToken);
        var count = keys.Rows.Count;
        if (answer.Warnings > 0)
        {
            return await UndoAsync(answer, count, keys.RowCount, cancellationToken);
        }

        if (_isUnique && answer.AffectedRows == 2UL * (ulong)count)
        {
            return new TakenRows { Deleted = count, DeletedRows = count, Superseded = keys.Repeated };
        }

        var left = (await _session.QueryAsync(_stage.Sql.Numbers, cancellationToken)).Rows;
        var found = count - left.Count;
        var rows = (long)answer.AffectedRows - found;
        var deleted = _isUnique ? rows : different - (left.Count == 0 ? 0 : await CountDifferentAsync(cancellationToken));
        if (rows < deleted || deleted > found || (deleted == 0 && found > 0))
        {
            return await UndoAsync(answer, count, keys.RowCount, cancellationToken);
        }

        var missing = left.Select(row => keys.Row(int.Parse(row[0]!, CultureInfo.InvariantCulture))).Order().ToArray();
        return (BatchOutcome)new TakenRows { Deleted = deleted, DeletedRows = rows, Superseded = keys.Repeated + found - deleted } with { Missing = missing };
    }

    private async ValueTask<long> CountDifferentAsync(CancellationToken cancellationToken) =>
        long.Parse((await _session.QueryAsync(_stage.Sql.CountDifferent, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);

    /// <summary>The warnings can be asked for where nothing came behind them.</summary>
    private async ValueTask<BatchRefusal> UndoAsync(Answer answer, int count, int rows, CancellationToken cancellationToken)
    {
        var refusal = rows > 1 || answer.Warnings == 0
            ? BatchRefusals.OfCounts(answer, count) with { IsMiscount = rows == 1 }
            : await BatchRefusals.AskAsync(_session, answer, count, cancellationToken);
        await _session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
        return refusal;
    }

    /// <summary>Rows of a block, in order and each key once.</summary>
    private sealed class Batch(KeyOrder keys, StagedRows rows) : EncodedBatch
    {
        public StagedRows Rows => rows;

        /// <summary>Rows with the key of an earlier row of the batch.</summary>
        public int Repeated => keys.Repeated;

        /// <summary>The row of a key, 0-based in the batch.</summary>
        public int Row(int key) => keys.Row(key);

        public void Fill(RowBlock block, int from, int count)
        {
            RowCount = count;
            keys.Fill(block, from, count);
            rows.Fill(keys);
        }
    }
}
