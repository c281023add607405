using System.Buffers;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>Rows of a block as lists of keys, each with its DELETE.</summary>
/// <param name="sql">writes lists</param>
/// <param name="keys">puts them in order</param>
/// <param name="limits">of a list</param>
internal sealed class KeyBatch(KeySql sql, KeyOrder keys, ListLimits limits) : EncodedBatch
{
    private readonly List<(int KeyEnd, int TextEnd)> _lists = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    public int ListCount => _lists.Count;

    /// <summary>Rows with the key of an earlier row of the batch.</summary>
    public int Repeated => keys.Repeated;

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        keys.Fill(block, from, rows);
        WriteLists();
    }

    /// <summary>The DELETE of a list.</summary>
    public ReadOnlyMemory<byte> Statement(int list)
    {
        var start = list == 0 ? 0 : _lists[list - 1].TextEnd;
        return _text.WrittenMemory[start.._lists[list].TextEnd];
    }

    /// <summary>Keys of a list.</summary>
    public int KeyCount(int list) => _lists[list].KeyEnd - Start(list);

    /// <summary>The row of a list's key, 0-based in the batch.</summary>
    public int Row(int list, int key) => keys.Row(Start(list) + key);

    /// <summary>A value of a list's key.</summary>
    public ReadOnlySpan<byte> Value(int list, int key, int column) => keys.Value(Start(list) + key, column);

    private int Start(int list) => list == 0 ? 0 : _lists[list - 1].KeyEnd;

    private void WriteLists()
    {
        _lists.Clear();
        _text.ResetWrittenCount();
        foreach (var (start, end) in limits.Cut(keys, sql.KeyOverhead))
        {
            sql.WriteDelete(end - start, (key, column) => keys.Value(start + key, column), _text);
            _lists.Add((end, _text.WrittenCount));
        }
    }
}

/// <summary>How much one list may hold.</summary>
/// <param name="Keys">at least 1</param>
/// <param name="Bytes">of the statement; a single key may exceed it</param>
internal sealed record ListLimits(int Keys, long Bytes)
{
    /// <summary>Keys, in their order, as lists: where each begins, and where it ends.</summary>
    /// <param name="keys">in order</param>
    /// <param name="overhead">what stands around a row's own bytes at most</param>
    /// <param name="fixedBytes">what stands around the rows of a list</param>
    public IEnumerable<(int Start, int End)> Cut(KeyOrder keys, int overhead, int fixedBytes = 0)
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
