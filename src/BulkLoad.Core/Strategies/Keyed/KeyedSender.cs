using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Sends batches of rows that are found by their keys. Two take turns: one is encoded while the other is under way.</summary>
/// <param name="statement">closed with the sender; null: it prepares none</param>
internal abstract class KeyedSender<TBatch>(
    IServerSession session, int rowsPerBatch, Func<TBatch> createBatch, LazyStatement? statement = null) : IBatchSender
    where TBatch : KeyedBatch
{
    private readonly TBatch[] _batches = [createBatch(), createBatch()];
    private int _turn;

    protected IServerSession Session { get; } = session;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, CountRows(block, from, most));
        return batch;
    }

    public ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken) =>
        SendAsync((TBatch)batch, onSent, cancellationToken);

    public ValueTask DisposeAsync() => statement?.DisposeAsync() ?? ValueTask.CompletedTask;

    /// <inheritdoc cref="IBatchSender.SendAsync"/>
    protected abstract ValueTask<BatchOutcome> SendAsync(TBatch batch, Action onSent, CancellationToken cancellationToken);

    /// <summary>As many rows as a batch takes.</summary>
    protected virtual int CountRows(RowBlock block, int from, int most) => Math.Min(Math.Min(most, block.RowCount - from), rowsPerBatch);
}
