using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>The keys of a block's rows in the order of the index by which they are looked up, since neighbours lie on the same page, and
/// each once; or all of them as they came, where the order decides what becomes of them.</summary>
/// <param name="isSorted">whether the order is the index's; else it is the input's</param>
/// <param name="dropsRepeated">whether of equal keys only the first one is needed, where they are sorted</param>
internal sealed class KeyOrder(LoadFacts facts, bool isSorted, bool dropsRepeated) : IComparer<int>
{
    private readonly KeyColumns _key = new(
        facts.Key!.Leading.Concat(facts.Key.Columns.Except(facts.Key.Leading)).Select(column => (column, facts.IndexOf(column))));
    private ulong[] _prefixes = [];
    private int[] _rows = [];
    private int _from;

    public RowBlock Block { get; private set; } = new(0, 0, 0);

    public int Count { get; private set; }

    /// <summary>Rows that another one with the same key stands for, passed over.</summary>
    public int Repeated { get; private set; }

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
                _prefixes[Count] = _key.PrefixOf(block, from + row);
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

    public ReadOnlySpan<byte> Value(int key, int column)
    {
        Block.Get(RowOfBlock(key), column, out var value);
        return value;
    }

    public int BytesOf(int key) => Block.ByteCountOf(RowOfBlock(key), 1);

    /// <summary>All rows as they stand in their block, those that were passed over included.</summary>
    public ReadOnlySpan<byte> Text => Block.TextOf(_from, Count + Repeated).Span;

    private int KeepFirst(int rows)
    {
        var kept = 0;
        for (var i = 0; i < rows; i++)
        {
            if (kept == 0 || _key.Compare(Block, RowOfBlock(i), RowOfBlock(kept - 1)) != 0)
            {
                _rows[kept++] = _rows[i];
            }
        }

        return kept;
    }

    /// <summary>The order of two rows whose keys begin alike.</summary>
    int IComparer<int>.Compare(int x, int y)
    {
        var compared = _key.Compare(Block, _from + x, _from + y);
        return compared != 0 ? compared : x.CompareTo(y);
    }
}
