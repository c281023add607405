namespace BulkLoad.Core.Planning;

/// <summary>How many rows and bytes go together.</summary>
/// <param name="RowsPerBatch">most rows in one statement or packet</param>
/// <param name="BytesPerBatch">bytes of values after which a batch is complete; a single row may be larger</param>
/// <param name="RowsPerChunk">most records committed together</param>
/// <param name="BytesPerChunk">bytes of input after which a chunk is complete</param>
internal sealed record BatchSizes(int RowsPerBatch, long BytesPerBatch, long RowsPerChunk = long.MaxValue, long BytesPerChunk = long.MaxValue);
