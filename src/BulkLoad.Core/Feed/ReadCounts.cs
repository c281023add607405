namespace BulkLoad.Core.Feed;

/// <summary>What the reading side has seen; written by one thread, read by others.</summary>
internal sealed class ReadCounts(int sources)
{
    private readonly long[] _records = new long[sources];
    private readonly long[] _bytes = new long[sources];

    public long Records => _records.Sum();

    public long Bytes => _bytes.Sum();

    public long RecordsOf(int source) => Interlocked.Read(ref _records[source]);

    public long BytesOf(int source) => Interlocked.Read(ref _bytes[source]);

    public void SetRecords(int source, long records) => Interlocked.Exchange(ref _records[source], records);

    public void SetBytes(int source, long bytes) => Interlocked.Exchange(ref _bytes[source], bytes);
}
