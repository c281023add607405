using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Running;

/// <summary>Where chunks begin: by offsets and counts of the input alone, so that another run cuts at the same places.</summary>
internal sealed class ChunkCutter(BatchSizes sizes)
{
    private long _start = -1;
    private long _records;

    /// <summary>Whether the record at this offset is the first of another chunk than the one before it. Asked once for each record, in order.</summary>
    public bool StartsChunk(long offset)
    {
        if (_start < 0)
        {
            _start = offset;
            _records = 1;
            return false;
        }

        if (offset - _start < sizes.BytesPerChunk && _records < sizes.RowsPerChunk)
        {
            _records++;
            return false;
        }

        _start = offset;
        _records = 1;
        return true;
    }
}
