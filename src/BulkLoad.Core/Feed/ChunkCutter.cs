using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Feed;

/// <summary>Where chunks begin: by offsets and counts of the input alone, so that another run cuts at the same places.</summary>
internal sealed class ChunkCutter(BatchSizes sizes)
{
    /// <summary>A chunk is made larger by so many records at most, and by a quarter of its bytes.</summary>
    private const int MostBound = 1_000;

    private long _start = -1;
    private long _records;
    private int _bound;

    /// <summary>Whether the record at this offset is the first of another chunk than the one before it. Asked once for each record, in
    /// order.</summary>
    public bool StartsChunk(long offset) => StartsChunk(offset, isBound: false);

    /// <inheritdoc cref="StartsChunk(long)"/>
    /// <param name="isBound">whether it had better stay with the one before it</param>
    public bool StartsChunk(long offset, bool isBound)
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

        if (isBound && _bound < MostBound && offset - _start - sizes.BytesPerChunk < sizes.BytesPerChunk / 4)
        {
            _bound++;
            return false;
        }

        _start = offset;
        _records = 1;
        _bound = 0;
        return true;
    }
}
