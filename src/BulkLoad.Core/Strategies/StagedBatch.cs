using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block for a <see cref="Stage"/>, in order and each key once.</summary>
/// <param name="keys">puts them in order</param>
/// <param name="rows">takes them as they are sent</param>
internal sealed class StagedBatch(KeyOrder keys, StagedRows rows) : EncodedBatch
{
    public StagedRows Rows => rows;

    /// <summary>Rows that another one with the same key stands for.</summary>
    public int Repeated => keys.Repeated;

    /// <summary>The row of a key, 0-based in the batch.</summary>
    public int Row(int key) => keys.Row(key);

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="count">how many</param>
    public void Fill(RowBlock block, int from, int count)
    {
        RowCount = count;
        keys.Fill(block, from, count);
        rows.Fill(keys);
    }
}
