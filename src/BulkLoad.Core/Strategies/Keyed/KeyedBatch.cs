using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block that are found by their keys, in the order of those, in the form in which they are sent.</summary>
/// <param name="keys">puts them in order</param>
internal abstract class KeyedBatch(KeyOrder keys) : EncodedBatch
{
    /// <summary>Rows that another one with the same key stands for, and that are not sent.</summary>
    public int Superseded => Keys.Repeated;

    protected KeyOrder Keys { get; } = keys;

    /// <summary>The row of a key, 0-based in the batch.</summary>
    public int Row(int key) => Keys.Row(key);

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        Keys.Fill(block, from, rows);
        Encode();
    }

    /// <summary>Encodes all keys, instead of what was encoded before.</summary>
    protected abstract void Encode();
}
