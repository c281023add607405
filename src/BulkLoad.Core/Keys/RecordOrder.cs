using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Keys;

/// <summary>Decides whether records may be sent at the same time as those before them. If every watched key is greater than all keys before
/// it, no earlier record has the same key, and the order of these records does not matter. Other records wait until all records before them
/// are sent; later records do not wait for them. Records of one chunk are always sent in order.</summary>
/// <param name="keys">0-based places of each watched key's columns; may be empty</param>
/// <param name="mayRepeat">whether records of one chunk may have the same key, because they were sorted by it</param>
/// <param name="allWait">whether all records after the first one that waits wait, too</param>
internal sealed class RecordOrder(
    IReadOnlyList<TableColumn> columns, IReadOnlyList<IReadOnlyList<int>> keys, bool mayRepeat = false, bool allWait = false)
{
    private readonly RisingKeys[] _keys = [.. keys.Select(
        key => new RisingKeys([.. key.Select(place => (columns[place], place))], mayRepeat))];

    /// <summary>The first chunk waits for nothing.</summary>
    private bool _hasEarlierChunk;
    private bool _waits;

    /// <summary>First record of the block that was counted last.</summary>
    private (int Source, long Record) _counted = (-1, 0);

    /// <summary>The first record whose key is not greater than all before it: 0-based input, 1-based record; null: none yet.</summary>
    public (int Source, long Record)? Fall => First(key => key.Fall);

    /// <summary>The first record from which on each record waits for all before it; null: none so far.</summary>
    public (int Source, long Record)? End => First(key => allWait ? key.Fall : key.Unknown);

    public long WaitingChunks { get; private set; }

    public IEnumerable<string> Describe(IReadOnlyList<string> sources, bool isSorted)
    {
        if (End is var (unknown, from))
        {
            yield return $"one session at a time from {sources[unknown]}, record {from:N0} on: "
                + "its key is not above all before it, or the server makes it";
        }

        if (WaitingChunks > 0 && Fall is var (source, record) && Fall != End)
        {
            yield return $"chunks that had to wait for those before them: {WaitingChunks:N0}; the first for {sources[source]}, record "
                + $"{record:N0}: "
                + (isSorted ? "records before it have its key, too" : "its key is not above all before it");
        }
    }

    /// <summary>Whether no record of the block has to wait. Called for each block in the input's order.</summary>
    public bool IsFreeIn(RowBlock block)
    {
        if (block.RowCount == 0)
        {
            EndChunk(block);
            return true;
        }

        var isFree = !allWait || Fall is null;
        foreach (var key in _keys)
        {
            isFree &= key.Take(block);
        }

        if (!isFree && _hasEarlierChunk && !_waits)
        {
            Count(block);
        }

        _waits |= !isFree;
        EndChunk(block);
        return isFree;
    }

    /// <summary>Called before earlier blocks are asked about again.</summary>
    public void Rewind()
    {
        (_hasEarlierChunk, _waits) = (false, false);
        foreach (var key in _keys)
        {
            key.Rewind();
        }
    }

    /// <summary>Counts a chunk once, even if its blocks are sent again.</summary>
    private void Count(RowBlock block)
    {
        var place = (block.Source, block.Record(0));
        if (place.CompareTo(_counted) > 0)
        {
            (WaitingChunks, _counted) = (WaitingChunks + 1, place);
        }
    }

    private void EndChunk(RowBlock block) => (_hasEarlierChunk, _waits) = (_hasEarlierChunk || block.EndsChunk, _waits && !block.EndsChunk);

    private (int Source, long Record)? First(Func<RisingKeys, (int Source, long Record)?> of) =>
        _keys.Select(of).Where(place => place is not null).Min();
}

/// <summary>Whether each record's key is greater than all before it, so that no two are the same.</summary>
/// <param name="mayRepeat">whether records of one chunk may have the same key</param>
internal sealed class RisingKeys(IReadOnlyList<(TableColumn Column, int Place)> columns, bool mayRepeat = false)
{
    private readonly (ValueOrder Order, int Place)[] _columns =
        [.. columns.Select(key => (key.Column.Behaviour.Order, key.Place))];

    /// <summary>Values of the greatest key so far; empty before the first row.</summary>
    private byte[][] _greatest = [];

    /// <summary>Whether the greatest key belongs to a chunk that has ended.</summary>
    private bool _isOver;

    public bool Rise => Fall is null;

    /// <summary>The first record whose key is not greater, or not known: 0-based input, 1-based record; null: none so far.</summary>
    public (int Source, long Record)? Fall { get; private set; }

    /// <summary>The first record whose key is NULL or generated by the server: from there on no order is known. Null: none yet.</summary>
    public (int Source, long Record)? Unknown { get; private set; }

    /// <summary>Whether the order is exact: two values are the same to the server only if they are the same here.</summary>
    public static bool CanTell(IEnumerable<TableColumn> columns) =>
        columns.All(column => !column.IsCharacter && KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact);

    /// <returns>whether the key of each row is greater than all before it</returns>
    public bool Take(RowBlock block)
    {
        var rise = Unknown is null;
        var greatest = -1;
        for (var row = 0; row < block.RowCount && Unknown is null; row++)
        {
            if (IsGreater(block, row, greatest))
            {
                greatest = row;
                continue;
            }

            rise = false;
            var origin = block.Origin(row);
            Fall ??= (origin.Source, origin.Record);
            Unknown = IsKnown(block, row) ? null : (origin.Source, origin.Record);
        }

        if (greatest >= 0)
        {
            _greatest = [.. _columns.Select(column => ValueOf(block, greatest, column.Place))];
            _isOver = false;
        }

        _isOver |= block.EndsChunk;
        return rise;
    }

    /// <summary>Called before rows are taken again: the next row is not compared with earlier ones.</summary>
    public void Rewind() => (_greatest, _isOver) = ([], false);

    /// <param name="greatest">row of the same block with the greatest key so far; -1: the greatest key is that of an earlier block</param>
    private bool IsGreater(RowBlock block, int row, int greatest)
    {
        var isGreater = greatest < 0 && _greatest.Length == 0;
        for (var i = 0; i < _columns.Length; i++)
        {
            var (order, place) = _columns[i];
            if (block.Get(row, place, out var value) != CellState.Value)
            {
                return false;
            }

            if (isGreater)
            {
                continue;
            }

            ReadOnlySpan<byte> before;
            if (greatest < 0)
            {
                before = _greatest[i];
            }
            else
            {
                block.Get(greatest, place, out before);
            }

            var compared = KeyColumns.Compare(value, before, order);
            if (compared < 0)
            {
                return false;
            }

            isGreater = compared > 0;
        }

        return isGreater || (mayRepeat && (greatest >= 0 || !_isOver));
    }

    private bool IsKnown(RowBlock block, int row)
    {
        foreach (var (_, place) in _columns)
        {
            if (block.Get(row, place, out _) != CellState.Value)
            {
                return false;
            }
        }

        return true;
    }

    private static byte[] ValueOf(RowBlock block, int row, int place)
    {
        block.Get(row, place, out var value);
        return value.ToArray();
    }
}
