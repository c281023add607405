using System.Collections.Concurrent;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>Blocks that are used again; one that a huge record has blown up is let go.</summary>
internal sealed class BlockPool(int columns, int byteCapacity, int rowCapacity = 256)
{
    private const int MostGrowth = 4;

    private readonly ConcurrentBag<RowBlock> _free = [];

    /// <summary>An empty block.</summary>
    public RowBlock Rent() => _free.TryTake(out var block) ? block : new RowBlock(columns, byteCapacity, rowCapacity);

    public void Return(RowBlock block)
    {
        if (block.ByteCapacity <= (long)byteCapacity * MostGrowth)
        {
            block.Clear();
            _free.Add(block);
        }
    }
}
