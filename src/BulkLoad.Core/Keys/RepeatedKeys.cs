using System.Buffers.Binary;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Keys;

/// <summary>Which records have the key of an earlier one. Asked in the input's order.</summary>
internal sealed class RepeatedKeys : IDisposable
{
    private readonly ExternalSort _sort;
    private readonly SortedEntries _entries;
    private bool _hasEntry;

    /// <param name="sort">an entry for each such record: its <see cref="RecordId"/>, high byte first; owned from here on</param>
    public RepeatedKeys(ExternalSort sort)
    {
        _sort = sort;
        _entries = sort.Sort();
        _hasEntry = _entries.Read();
    }

    /// <summary>Whether an earlier record has the record's key.</summary>
    /// <param name="record">its <see cref="RecordId"/>; not smaller than the one before</param>
    public bool Has(long record)
    {
        while (_hasEntry && BinaryPrimitives.ReadInt64BigEndian(_entries.Key) < record)
        {
            _hasEntry = _entries.Read();
        }

        return _hasEntry && BinaryPrimitives.ReadInt64BigEndian(_entries.Key) == record;
    }

    public void Dispose()
    {
        _entries.Dispose();
        _sort.Dispose();
    }
}

/// <summary>One number for a record of all inputs, in their order.</summary>
internal static class RecordId
{
    private const int RecordBits = 40;

    /// <param name="source">0-based number of the input</param>
    /// <param name="record">1-based number in it</param>
    public static long Of(int source, long record) => ((long)source << RecordBits) | record;
}
