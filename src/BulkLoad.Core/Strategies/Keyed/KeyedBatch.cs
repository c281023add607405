using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Rows of a block that are found by their keys, in the order of those, in the form in which they are sent.</summary>
internal abstract class KeyedBatch(KeyOrder keys) : EncodedBatch
{
    /// <summary>Rows that another one with the same key stands for, and that are not sent.</summary>
    public int Superseded => Keys.Repeated;

    protected KeyOrder Keys { get; } = keys;

    /// <summary>The row of a key, 0-based in the batch.</summary>
    public int Row(int key) => Keys.Row(key);

    public void Fill(RowBlock block, int from, int rows)
    {
        RowCount = rows;
        Keys.Fill(block, from, rows);
        Encode();
    }

    /// <summary>Encodes all keys, instead of what was encoded before.</summary>
    protected abstract void Encode();
}

/// <summary>Rows of a block as lists of keys, each with its DELETE.</summary>
internal sealed class KeyBatch(KeySql sql, KeyOrder keys, ListLimits limits) : ListBatch(keys, limits, sql.KeyOverhead, listOverhead: 0)
{
    private readonly List<int> _ends = [];
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The DELETE of a list.</summary>
    public ReadOnlyMemory<byte> Statement(int list) => _text.WrittenMemory[(list == 0 ? 0 : _ends[list - 1]).._ends[list]];

    protected override void Clear()
    {
        _ends.Clear();
        _text.ResetWrittenCount();
    }

    protected override void Add(int start, int count)
    {
        sql.WriteDelete(count, (key, column) => Keys.Value(start + key, column), _text);
        _ends.Add(_text.WrittenCount);
    }
}

/// <summary>Rows of a block as lists, each with a statement.</summary>
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
    protected abstract void Add(int start, int count);
}

/// <summary>How much one list may hold.</summary>
/// <param name="Bytes">of the statement; a single key may exceed it</param>
internal sealed record ListLimits(int Keys, long Bytes)
{
    /// <summary>A question which keys are there is longer than the list, and both must fit into a packet.</summary>
    private const int ShareOfPacket = 2;

    /// <summary>Bytes of a list, where a batch is to have so many.</summary>
    public static long BytesOf(LoadFacts facts, long bytesPerBatch) =>
        Math.Min(bytesPerBatch, facts.Server.MaxAllowedPacket / ShareOfPacket);

    /// <summary>Keys, in their order, as lists: where each begins, and where it ends.</summary>
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

/// <summary>Rows of a block as lists, each with its UPDATE.</summary>
internal sealed class UpdateBatch(UpdateSql sql, KeyOrder keys, ListLimits limits)
    : ListBatch(keys, limits, sql.RowOverhead, sql.ListOverhead)
{
    private readonly ArrayBufferWriter<byte> _text = new();

    /// <summary>The savepoint and behind it each list.</summary>
    public Pipeline Pipeline { get; } = new();

    public RowBlock Block => Keys.Block;

    /// <summary>Bytes of the largest list's statement.</summary>
    public int MostBytes { get; private set; }

    protected override void Clear()
    {
        Pipeline.Clear();
        Pipeline.Add(TransactionSql.SavepointBytes(0));
        MostBytes = 0;
    }

    protected override void Add(int start, int count)
    {
        _text.ResetWrittenCount();
        sql.WriteList(_text, Keys.Block, count, record => Keys.RowOfBlock(start + record));
        Pipeline.Add(_text.WrittenSpan);
        MostBytes = Math.Max(MostBytes, _text.WrittenCount);
    }
}

/// <summary>Rows of a block for a <see cref="Stage"/>, in order and each key once.</summary>
/// <param name="rows">takes them as they are sent</param>
internal sealed class StagedBatch(KeyOrder keys, StagedRows rows) : KeyedBatch(keys)
{
    public StagedRows Rows => rows;

    protected override void Encode() => rows.Fill(Keys);
}
