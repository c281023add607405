using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Feed;

/// <summary>How much goes into one block.</summary>
/// <param name="sizes">of batches</param>
internal sealed class BlockBounds(BatchSizes sizes)
{
    /// <summary>A block ends with so many refused and repaired records, however few rows it has.</summary>
    private const int MostFindings = 10_000;

    /// <summary>A block may have as many values as bytes, but no fewer than these: rows of many columns are mostly NULL.</summary>
    private const long LeastValues = 1024 * 1024;

    /// <summary>A block may hold so many times as many bytes of the input as of values: fields may be passed over.</summary>
    private const int MostOriginalBytes = 2;

    /// <summary>Rows beyond what a block takes, up to the end of a statement, may be so small a part of it.</summary>
    private const int ShareOfRest = 8;

    private readonly int _rows = sizes.RowsPerBatch - (sizes.RowsPerBatch > sizes.RowsPerStatement ? sizes.RowsPerBatch % sizes.RowsPerStatement : 0);

    /// <summary>Each value has an end of its own in its block, also one of no bytes.</summary>
    private readonly long _values = Math.Min(sizes.ValuesPerBlock, Math.Max(LeastValues, sizes.BytesPerBatch));

    /// <summary>Whether nothing more goes into the block.</summary>
    /// <param name="block">with what it has</param>
    /// <param name="bytes">of values after which it is complete</param>
    public bool AreReachedBy(RowBlock block, long bytes) => block.RowCount >= _rows
        || (IsNextTooMuch(block, bytes) && EndsStatement(block, bytes))
        || (long)block.RowCount * block.ColumnCount >= _values
        || block.OriginalByteCount >= bytes * MostOriginalBytes
        || block.Rejects.Count + block.Repairs.Count >= MostFindings;

    /// <summary>Whether the rows are whole statements, or too large for the block to end with one.</summary>
    private bool EndsStatement(RowBlock block, long bytes) =>
        block.RowCount % sizes.RowsPerStatement == 0 || (long)sizes.RowsPerStatement * (block.ByteCount / block.RowCount) > bytes / ShareOfRest;

    /// <summary>Whether another row like those that are there would be more than a block takes: of long rows each one too many is room that all blocks keep.</summary>
    private static bool IsNextTooMuch(RowBlock block, long bytes) => block.ByteCount > bytes - (block.RowCount == 0 ? 0 : block.ByteCount / block.RowCount);
}
