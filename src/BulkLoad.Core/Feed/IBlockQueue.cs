using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>Blocks in the order in which they were read.</summary>
internal interface IBlockQueue
{
    /// <summary>False at the end. Throws what ended the input early.</summary>
    ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken);

    /// <summary>Takes the next block, if it is here.</summary>
    bool TryRead(out RowBlock block);

    /// <summary>Looks at the next block, if it is here.</summary>
    bool TryPeek(out RowBlock block);
}
