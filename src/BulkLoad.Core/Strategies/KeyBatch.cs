using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Rows of a block as lists of different keys, in the order of the index by which they are looked up: neighbours lie on the same page.
/// </summary>
/// <param name="sql">writes lists</param>
/// <param name="columns">of the key, in the order of a row's values</param>
/// <param name="order">the places of the columns, in the order of the index</param>
/// <param name="limits">of a list</param>
/// <param name="isSorted">whether the order is the index's; else it is the input's</param>
internal sealed class KeyBatch(KeySql sql, IReadOnlyList<TableColumn> columns, IReadOnlyList<int> order, ListLimits limits, bool isSorted) : EncodedBatch
{
    private readonly List<(int KeyEnd, int TextEnd)> _lists = [];
    private readonly ArrayBufferWriter<byte> _text = new();
    private Entry[] _entries = [];
    private int _from;

    public RowBlock Block { get; private set; } = null!;

    public int ListCount => _lists.Count;

    /// <summary>Rows with the key of an earlier row of the batch.</summary>
    public int Repeated { get; private set; }

    /// <param name="block">whole rows</param>
    /// <param name="from">0-based first row</param>
    /// <param name="rows">how many</param>
    public void Fill(RowBlock block, int from, int rows)
    {
        (Block, _from, RowCount, Repeated) = (block, from, rows, 0);
        if (_entries.Length < rows)
        {
            _entries = new Entry[Math.Max(rows, 256)];
        }

        for (var row = 0; row < rows; row++)
        {
            block.Get(from + row, order[0], out var value);
            _entries[row] = new Entry(PrefixOf(value, columns[order[0]].Kind), row);
        }

        var count = rows;
        if (isSorted)
        {
            _entries.AsSpan(0, rows).Sort(new Order(this));
            count = KeepFirst(rows);
            Repeated = rows - count;
        }

        WriteLists(count);
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
    public int Row(int list, int key) => _entries[Start(list) + key].Row;

    /// <summary>A value of a list's key.</summary>
    public ReadOnlySpan<byte> Value(int list, int key, int column)
    {
        Block.Get(_from + Row(list, key), column, out var value);
        return value;
    }

    private int Start(int list) => list == 0 ? 0 : _lists[list - 1].KeyEnd;

    /// <summary>Of equal keys the first row stays.</summary>
    private int KeepFirst(int rows)
    {
        var kept = 0;
        for (var i = 0; i < rows; i++)
        {
            if (kept == 0 || CompareKeys(_entries[i].Row, _entries[kept - 1].Row) != 0)
            {
                _entries[kept++] = _entries[i];
            }
        }

        return kept;
    }

    private void WriteLists(int count)
    {
        _lists.Clear();
        _text.ResetWrittenCount();
        var bytes = 0L;
        var start = 0;
        for (var i = 0; i < count; i++)
        {
            var keyBytes = (Block.BytesOf(_from + _entries[i].Row, 1).Length * 2L) + sql.KeyOverhead;
            if (i > start && (i - start == limits.Keys || bytes + keyBytes > limits.Bytes))
            {
                End(i);
                bytes = 0;
                start = i;
            }

            bytes += keyBytes;
        }

        if (count > start)
        {
            End(count);
        }

        void End(int end)
        {
            var first = start;
            sql.WriteDelete(end - first, (key, column) => ValueOf(first + key, column), _text);
            _lists.Add((end, _text.WrittenCount));
        }
    }

    private ReadOnlySpan<byte> ValueOf(int entry, int column)
    {
        Block.Get(_from + _entries[entry].Row, column, out var value);
        return value;
    }

    private int CompareKeys(int one, int other)
    {
        foreach (var column in order)
        {
            Block.Get(_from + one, column, out var oneValue);
            Block.Get(_from + other, column, out var otherValue);
            var isInteger = columns[column].Kind is ColumnKind.Integer or ColumnKind.UnsignedInteger;
            var compared = isInteger && oneValue.Length != otherValue.Length
                ? oneValue.Length.CompareTo(otherValue.Length)
                : oneValue.SequenceCompareTo(otherValue);
            if (compared != 0)
            {
                return compared;
            }
        }

        return 0;
    }

    /// <summary>Orders as the value does, as far as eight bytes go.</summary>
    private static ulong PrefixOf(ReadOnlySpan<byte> value, ColumnKind kind)
    {
        switch (kind)
        {
            case ColumnKind.Integer when Utf8Parser.TryParse(value, out long number, out _):
                return (ulong)number ^ (1UL << 63);
            case ColumnKind.UnsignedInteger or ColumnKind.Bit when Utf8Parser.TryParse(value, out ulong number, out _):
                return number;
            default:
                Span<byte> prefix = stackalloc byte[sizeof(ulong)];
                prefix.Clear();
                value[..Math.Min(value.Length, prefix.Length)].CopyTo(prefix);
                return BinaryPrimitives.ReadUInt64BigEndian(prefix);
        }
    }

    private readonly record struct Entry(ulong Prefix, int Row);

    private readonly struct Order(KeyBatch batch) : IComparer<Entry>
    {
        public int Compare(Entry x, Entry y)
        {
            var compared = x.Prefix.CompareTo(y.Prefix);
            compared = compared != 0 ? compared : batch.CompareKeys(x.Row, y.Row);
            return compared != 0 ? compared : x.Row.CompareTo(y.Row);
        }
    }
}

/// <summary>How much one list may hold.</summary>
/// <param name="Keys">at least 1</param>
/// <param name="Bytes">of the statement; a single key may exceed it</param>
internal sealed record ListLimits(int Keys, long Bytes);
