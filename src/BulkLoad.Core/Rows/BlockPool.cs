using System.Collections.Concurrent;

namespace BulkLoad.Core.Rows;

/// <summary>Reuses blocks, but not those that a huge record has enlarged. With a limit, the producer waits until others have finished
/// blocks. One block may exceed the limit, which is in bytes of memory.</summary>
internal sealed class BlockPool(int columns, int byteCapacity, int rowCapacity = 256, long maxAhead = long.MaxValue)
{
    private const int MaxGrowth = 4;

    private readonly ConcurrentBag<RowBlock> _free = [];
    private readonly Lock _lock = new();
    private readonly Dictionary<RowBlock, long> _ahead = [];
    private long _bytesAhead;
    private TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Memory of a new block.</summary>
    public long BytesOfBlock { get; } = RowBlock.BytesFor(columns, byteCapacity, rowCapacity);

    private bool IsBounded => maxAhead < long.MaxValue;

    public RowBlock Rent() => _free.TryTake(out var block) ? block : new RowBlock(columns, byteCapacity, rowCapacity);

    /// <summary>Waits until there is room for the block. One block always passes, since the one before may be finished only when it
    /// comes.</summary>
    public ValueTask HandOverAsync(RowBlock block, CancellationToken cancellationToken) =>
        IsBounded ? WaitAsync(block, cancellationToken) : ValueTask.CompletedTask;

    /// <summary>A block that was sent does not count against the limit any more. Its owner may keep it.</summary>
    public void Finish(RowBlock block)
    {
        if (!IsBounded)
        {
            return;
        }

        lock (_lock)
        {
            if (_ahead.Remove(block, out var bytes))
            {
                _bytesAhead -= bytes;
                _finished.SetResult();
                _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }
    }

    /// <summary>Nobody needs the block any more.</summary>
    public void Return(RowBlock block)
    {
        Finish(block);
        if (block.ByteCapacity <= (long)byteCapacity * MaxGrowth)
        {
            block.Clear();
            _free.Add(block);
        }
    }

    private async ValueTask WaitAsync(RowBlock block, CancellationToken cancellationToken)
    {
        var bytes = block.HeldBytes;
        while (TryAdd(block, bytes) is { } finished)
        {
            await finished.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Null: it was added. Otherwise a task to wait for.</summary>
    private Task? TryAdd(RowBlock block, long bytes)
    {
        lock (_lock)
        {
            if (_ahead.Count > 1 && _bytesAhead + bytes > maxAhead)
            {
                return _finished.Task;
            }

            _ahead.Add(block, bytes);
            _bytesAhead += bytes;
            return null;
        }
    }
}
