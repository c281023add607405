using BulkLoad.Core.Checking;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Running;

/// <summary>
/// Whether records may go to the server at the same time as those before them: as long as every watched key rises through the input, no two
/// records have the same one, and it does not matter which of them arrives first. Records of one chunk go one after the other whatever their keys.
/// </summary>
/// <param name="columns">of the rows</param>
/// <param name="keys">0-based places of each watched key's columns; may be none</param>
/// <param name="mayRepeat">whether records of one chunk may have the same key: where they were sorted by it</param>
internal sealed class RecordOrder(IReadOnlyList<TableColumn> columns, IReadOnlyList<IReadOnlyList<int>> keys, bool mayRepeat = false)
{
    private readonly RisingKeys[] _keys = [.. keys.Select(key => new RisingKeys([.. key.Select(place => (columns[place], place))], mayRepeat))];

    /// <summary>The first record from which on each waits for those before it: 0-based input, 1-based record; null: there is none so far.</summary>
    public (int Source, long Record)? Fall => _keys.Select(key => key.Fall).FirstOrDefault(fall => fall is not null);

    /// <summary>Whether no record of the block has to wait. Asked for each block in the input's order.</summary>
    public bool IsFreeIn(RowBlock block)
    {
        var isFree = true;
        foreach (var key in _keys)
        {
            key.Take(block);
            isFree &= key.Rise;
        }

        return isFree;
    }

    /// <summary>What comes next was asked for already, or comes behind that.</summary>
    public void Rewind()
    {
        foreach (var key in _keys)
        {
            key.Rewind();
        }
    }
}
