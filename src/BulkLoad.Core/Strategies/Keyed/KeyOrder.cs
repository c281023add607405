using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>The keys of a block's rows, each once, in the order of the index that finds them, since neighbours lie on the same page; or all
/// keys in the input's order, where the order matters.</summary>
/// <param name="isSorted">true: the index's order; false: the input's</param>
/// <param name="dropsRepeated">whether only the first of equal keys is kept, if they are sorted</param>
internal sealed class KeyOrder(LoadFacts facts, bool isSorted, bool dropsRepeated) : IComparer<int>
{
    private readonly KeyColumns _key = new(
        facts.Key!.Leading.Concat(facts.Key.Columns.Except(facts.Key.Leading)).Select(column => (column, facts.IndexOf(column))));
    private ulong[] _prefixes = [];
    private int[] _rows = [];
    private int _from;

    public RowBlock Block { get; private set; } = new(0, 0, 0);

    public int Count { get; private set; }

    /// <summary>Number of rows that were left out because another row has the same key.</summary>
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

    /// <returns>0-based in the batch</returns>
    public int Row(int key) => _rows[key];

    /// <returns>0-based in the block</returns>
    public int RowOfBlock(int key) => _from + _rows[key];

    public ReadOnlySpan<byte> Value(int key, int column)
    {
        Block.Get(RowOfBlock(key), column, out var value);
        return value;
    }

    public int BytesOf(int key) => Block.ByteCountOf(RowOfBlock(key), 1);

    /// <summary>All rows as they stand in their block, with those that were left out.</summary>
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

    int IComparer<int>.Compare(int x, int y)
    {
        var compared = _key.Compare(Block, _from + x, _from + y);
        return compared != 0 ? compared : x.CompareTo(y);
    }
}
