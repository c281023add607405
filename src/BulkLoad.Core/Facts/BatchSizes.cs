namespace BulkLoad.Core.Facts;

/// <summary>How many rows and bytes go together.</summary>
/// <param name="RowsPerBatch">most rows in one statement or packet</param>
/// <param name="BytesPerBatch">bytes of values after which a batch is complete; a single row may be larger</param>
/// <param name="RowsPerChunk">most records committed together</param>
/// <param name="BytesPerChunk">bytes of input after which a chunk is complete</param>
internal sealed record BatchSizes(int RowsPerBatch, long BytesPerBatch, long RowsPerChunk = long.MaxValue, long BytesPerChunk = long.MaxValue)
{
    /// <summary>Rows of a full statement, where a batch is several of them: what is left over behind the last is a batch of its own, and a wait more.</summary>
    public int RowsPerStatement { get; init; } = 1;

    /// <summary>Most values in a block.</summary>
    public long ValuesPerBlock { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are read and not yet sent.</summary>
    public long Ahead { get; init; } = long.MaxValue;

    /// <summary>Bytes of memory of blocks that are sent and kept until they are committed.</summary>
    public long Kept { get; init; } = long.MaxValue;

    /// <summary>The sizes that fit into a bound of memory.</summary>
    /// <param name="memory">null: there is none</param>
    /// <param name="isShared">whether several sessions have whole chunks in memory, so that nothing can wait for them to be sent</param>
    public BatchSizes Within(MemoryPlan? memory, bool isShared) => memory is null ? this
        : this with { ValuesPerBlock = memory.ValuesPerBlock, Ahead = isShared ? long.MaxValue : memory.Ahead, Kept = memory.Kept };
}
