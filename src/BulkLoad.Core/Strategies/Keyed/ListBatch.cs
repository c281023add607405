using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block as lists, each with a statement.</summary>
/// <param name="keys">puts rows in order</param>
/// <param name="limits">of a list</param>
/// <param name="rowOverhead">bytes that stand around a row's own at most</param>
/// <param name="listOverhead">bytes that stand around the rows of a list</param>
internal abstract class ListBatch(KeyOrder keys, ListLimits limits, int rowOverhead, int listOverhead) : KeyedBatch(keys)
{
    private readonly List<(int Start, int Count)> _lists = [];

    public int ListCount => _lists.Count;

    /// <summary>Rows of a list.</summary>
    public int CountOf(int list) => _lists[list].Count;

    /// <summary>The row of a place in a list, 0-based in the batch.</summary>
    public int Row(int list, int place) => Row(_lists[list].Start + place);

    /// <summary>The row of a place in a list, 0-based in the block.</summary>
    public int RowOfBlock(int list, int place) => Keys.RowOfBlock(_lists[list].Start + place);

    /// <summary>A value of a place in a list.</summary>
    public ReadOnlySpan<byte> Value(int list, int place, int column) => Keys.Value(_lists[list].Start + place, column);

    protected override void Encode()
    {
        _lists.Clear();
        Clear();
        foreach (var (start, end) in limits.Cut(Keys, rowOverhead, listOverhead))
        {
            _lists.Add((start, end - start));
            Add(start, end - start);
        }
    }

    /// <summary>Forgets all statements.</summary>
    protected abstract void Clear();

    /// <summary>Adds the statement of a list.</summary>
    /// <param name="start">its first key</param>
    /// <param name="count">how many</param>
    protected abstract void Add(int start, int count);
}

/// <summary>How much one list may hold.</summary>
/// <param name="Keys">at least 1</param>
/// <param name="Bytes">of the statement; a single key may exceed it</param>
internal sealed record ListLimits(int Keys, long Bytes)
{
    /// <summary>A question which keys are there is longer than the list, and both must fit into a packet.</summary>
    private const int ShareOfPacket = 2;

    /// <summary>Bytes of a list, where a batch is to have so many.</summary>
    public static long BytesOf(LoadFacts facts, long bytesPerBatch) => Math.Min(bytesPerBatch, facts.Server.MaxAllowedPacket / ShareOfPacket);

    /// <summary>Keys, in their order, as lists: where each begins, and where it ends.</summary>
    /// <param name="keys">in order</param>
    /// <param name="overhead">what stands around a row's own bytes at most</param>
    /// <param name="fixedBytes">what stands around the rows of a list</param>
    public IEnumerable<(int Start, int End)> Cut(KeyOrder keys, int overhead, int fixedBytes)
    {
        var (start, bytes) = (0, (long)fixedBytes);
        for (var i = 0; i < keys.Count; i++)
        {
            // A literal is twice as long as its value at most.
            var keyBytes = (keys.BytesOf(i) * 2L) + overhead;
            if (i > start && (i - start == Keys || bytes + keyBytes > Bytes))
            {
                yield return (start, i);
                (start, bytes) = (i, fixedBytes);
            }

            bytes += keyBytes;
        }

        if (keys.Count > start)
        {
            yield return (start, keys.Count);
        }
    }
}
