using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Sending;

/// <summary>Whether records may go to the server at the same time as those before them: where every watched key is greater than all before
/// it, no record before has the same one, and it does not matter which of them arrives first. Others wait for all those before them, and
/// nothing else for these. Records of one chunk go one after the other whatever their keys.</summary>
/// <param name="keys">0-based places of each watched key's columns; may be none</param>
/// <param name="mayRepeat">whether records of one chunk may have the same key: where they were sorted by it</param>
/// <param name="allWait">whether behind a record that waits all do</param>
internal sealed class RecordOrder(
    IReadOnlyList<TableColumn> columns, IReadOnlyList<IReadOnlyList<int>> keys, bool mayRepeat = false, bool allWait = false)
{
    private readonly RisingKeys[] _keys = [.. keys.Select(
        key => new RisingKeys([.. key.Select(place => (columns[place], place))], mayRepeat))];

    /// <summary>Whether a chunk is behind another one: the first of all has nothing to wait for.</summary>
    private bool _isBehind;
    private bool _waits;

    /// <summary>The last chunk that was counted, by its first record that waited.</summary>
    private (int Source, long Record) _counted = (-1, 0);

    /// <summary>The first record that is not above all before it: 0-based input, 1-based record; null: there is none so far.</summary>
    public (int Source, long Record)? Fall => First(key => key.Fall);

    /// <summary>The first record from which on each waits for those before it; null: there is none so far.</summary>
    public (int Source, long Record)? End => First(key => allWait ? key.Fall : key.Unknown);

    /// <summary>Chunks with records that waited for other chunks.</summary>
    public long WaitingChunks { get; private set; }

    /// <summary>Which records had to wait for others, for people.</summary>
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

    /// <summary>Whether no record of the block has to wait. Asked for each block in the input's order.</summary>
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

        if (!isFree && _isBehind && !_waits)
        {
            Count(block);
        }

        _waits |= !isFree;
        EndChunk(block);
        return isFree;
    }

    /// <summary>What comes next was asked for already, or comes behind that.</summary>
    public void Rewind()
    {
        (_isBehind, _waits) = (false, false);
        foreach (var key in _keys)
        {
            key.Rewind();
        }
    }

    /// <summary>Once, also where it is sent again.</summary>
    private void Count(RowBlock block)
    {
        var place = (block.Source, block.Record(0));
        if (place.CompareTo(_counted) > 0)
        {
            (WaitingChunks, _counted) = (WaitingChunks + 1, place);
        }
    }

    private void EndChunk(RowBlock block) => (_isBehind, _waits) = (_isBehind || block.EndsChunk, _waits && !block.EndsChunk);

    private (int Source, long Record)? First(Func<RisingKeys, (int Source, long Record)?> of) =>
        _keys.Select(of).Where(place => place is not null).Min();
}
