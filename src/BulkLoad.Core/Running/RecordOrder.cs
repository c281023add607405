using BulkLoad.Core.Checking;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>
/// Whether records may go to the server at the same time as those before them: where every watched key is greater than all before it, no record
/// before has the same one, and it does not matter which of them arrives first. Others wait for all those before them, and nothing else for these.
/// Records of one chunk go one after the other whatever their keys.
/// </summary>
/// <param name="columns">of the rows</param>
/// <param name="keys">0-based places of each watched key's columns; may be none</param>
/// <param name="mayRepeat">whether records of one chunk may have the same key: where they were sorted by it</param>
internal sealed class RecordOrder(IReadOnlyList<TableColumn> columns, IReadOnlyList<IReadOnlyList<int>> keys, bool mayRepeat = false)
{
    private readonly RisingKeys[] _keys = [.. keys.Select(key => new RisingKeys([.. key.Select(place => (columns[place], place))], mayRepeat))];
    private bool _waits;

    /// <summary>The first record that waited, or will: 0-based input, 1-based record; null: there is none so far.</summary>
    public (int Source, long Record)? Fall => First(key => key.Fall);

    /// <summary>The first record from which on each waits for those before it; null: there is none so far.</summary>
    public (int Source, long Record)? End => First(key => key.Unknown);

    /// <summary>Chunks with records that waited.</summary>
    public long WaitingChunks { get; private set; }

    /// <summary>Whether no record of the block has to wait. Asked for each block in the input's order.</summary>
    public bool IsFreeIn(RowBlock block)
    {
        var isFree = true;
        foreach (var key in _keys)
        {
            isFree &= key.Take(block);
        }

        if (!isFree && !_waits)
        {
            WaitingChunks++;
        }

        _waits = (_waits || !isFree) && !block.EndsChunk;
        return isFree;
    }

    /// <summary>What comes next was asked for already, or comes behind that.</summary>
    public void Rewind()
    {
        _waits = false;
        foreach (var key in _keys)
        {
            key.Rewind();
        }
    }

    private (int Source, long Record)? First(Func<RisingKeys, (int Source, long Record)?> of) => _keys.Select(of).Where(place => place is not null).Min();
}
