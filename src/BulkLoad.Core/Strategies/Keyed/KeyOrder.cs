using System.Buffers.Text;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// The keys of a block's rows in the order of the index by which they are looked up, since neighbours lie on the same page, and each once;
/// or all of them as they came, where the order decides what becomes of them.
/// </summary>
/// <param name="columns">of the key, in the order of a row's values</param>
/// <param name="order">the places of the columns, in the order of the index</param>
/// <param name="isSorted">whether the order is the index's; else it is the input's</param>
/// <param name="dropsRepeated">whether of equal keys only the first one is needed, where they are sorted</param>
internal sealed class KeyOrder(IReadOnlyList<TableColumn> columns, int[] order, bool isSorted, bool dropsRepeated) : IComparer<int>
{
    private ulong[] _prefixes = [];
    private int[] _rows = [];
    private int _from;

    /// <summary>Whose rows they are.</summary>
    public RowBlock Block { get; private set; } = null!;

    /// <summary>Keys.</summary>
    public int Count { get; private set; }

    /// <summary>Rows that another one with the same key stands for, passed over.</summary>
    public int Repeated { get; private set; }

    /// <summary>Keys that are found together.</summary>
    /// <param name="facts">with a key</param>
    public static KeyOrder OfSets(LoadFacts facts) => Of(facts, !KeyRules.IsOneByOne(facts), dropsRepeated: true);

    /// <summary>Keys that are found one by one: two that only the column takes for one stay as they came, since the first one has the
    /// row.</summary>
    /// <param name="facts">with a key</param>
    public static KeyOrder OfRows(LoadFacts facts) =>
        Of(facts, !KeyRules.IsOneByOne(facts) && ComparedKey.OfFound(facts).IsExact, dropsRepeated: true);

    /// <summary>Keys of rows that change: those that repeat have been told before.</summary>
    /// <param name="facts">with a key</param>
    public static KeyOrder OfChanges(LoadFacts facts) => Of(facts, UpdateRules.CanSort(facts), dropsRepeated: false);

    private static KeyOrder Of(LoadFacts facts, bool isSorted, bool dropsRepeated)
    {
        var leading = facts.Key!.Leading;
        int[] order = [.. leading.Concat(facts.Key.Columns.Except(leading)).Select(facts.IndexOf)];
        return new KeyOrder(facts.Columns, order, isSorted, dropsRepeated);
    }

    public void Fill(RowBlock block, int from, int rows)
    {
        (Block, _from) = (block, from);
        if (_rows.Length < rows)
        {
            _rows = new int[Math.Max(rows, 256)];
            _prefixes = isSorted ? new ulong[_rows.Length] : [];
        }

        Count = 0;
        for (var row = 0; row < rows; row++)
        {
            if (block.IsSuperseded(from + row))
            {
                continue;
            }

            if (isSorted)
            {
                block.Get(from + row, order[0], out var value);
                _prefixes[Count] = PrefixOf(value, columns[order[0]].Kind);
            }

            _rows[Count++] = row;
        }

        if (isSorted)
        {
            PrefixSort.Sort(_prefixes.AsSpan(0, Count), _rows.AsSpan(0, Count), this);
            Count = dropsRepeated ? KeepFirst(Count) : Count;
        }

        Repeated = rows - Count;
    }

    /// <summary>The row of a key, 0-based from the first.</summary>
    public int Row(int key) => _rows[key];

    /// <summary>The row of a key, 0-based in the block.</summary>
    public int RowOfBlock(int key) => _from + _rows[key];

    /// <summary>A value of a key.</summary>
    public ReadOnlySpan<byte> Value(int key, int column)
    {
        Block.Get(RowOfBlock(key), column, out var value);
        return value;
    }

    /// <summary>Bytes of a key's values.</summary>
    public int BytesOf(int key) => Block.ByteCountOf(RowOfBlock(key), 1);

    /// <summary>All rows as they stand in their block, those that were passed over included.</summary>
    public ReadOnlySpan<byte> Text => Block.TextOf(_from, Count + Repeated).Span;

    /// <summary>Of equal keys the first row stays.</summary>
    private int KeepFirst(int rows)
    {
        var kept = 0;
        for (var i = 0; i < rows; i++)
        {
            if (kept == 0 || CompareKeys(_rows[i], _rows[kept - 1]) != 0)
            {
                _rows[kept++] = _rows[i];
            }
        }

        return kept;
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
                return PrefixSort.PrefixOf(value);
        }
    }

    /// <summary>The order of two rows whose keys begin alike.</summary>
    int IComparer<int>.Compare(int x, int y)
    {
        var compared = CompareKeys(x, y);
        return compared != 0 ? compared : x.CompareTo(y);
    }
}
