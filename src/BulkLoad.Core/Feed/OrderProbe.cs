using BulkLoad.Core.Facts;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Feed;

/// <summary>Looks at the first records of files, to tell whether their keys rise.</summary>
internal static class OrderProbe
{
    private const int MostRecords = 2_000;
    private const int MostBytes = 1024 * 1024;
    private const int MostSources = 8;

    /// <param name="columns">of the key; <see cref="KeyColumns"/> can write them</param>
    /// <exception cref="InputException">one cannot be read</exception>
    public static KeyOrderInfo Look(
        IReadOnlyList<LoadSource> sources, LoadFacts facts, IEnumerable<TableColumn> columns, CancellationToken cancellationToken)
    {
        var key = new KeyColumns([.. columns.Select(column => (column, facts.IndexOf(column)))]);
        var (records, late) = (0, 0);
        foreach (var source in sources.Take(MostSources))
        {
            var block = Read(source, facts, cancellationToken);
            records += block.RowCount;
            late += CountLate(block, key);
        }

        return new KeyOrderInfo(records, late, RoomIn(facts.Request.TempFolder));
    }

    private static RowBlock Read(LoadSource source, LoadFacts facts, CancellationToken cancellationToken)
    {
        var request = facts.Request;
        using var input = source.Open(request.Source, cancellationToken);
        using var reader = source.CreateReader(input, request.Source);
        var mapper = source.CreateMapper(request.Values, facts.Server.Zone);
        var block = new RowBlock(facts.RowColumns.Count, MostBytes / 4, MostRecords);
        while (block.RowCount < MostRecords && block.OriginalByteCount < MostBytes && reader.Read())
        {
            mapper.Add(reader, reader.ByteOffset, block);
        }

        return block;
    }

    /// <summary>Records of the second half whose key is below the largest one of the first: few where records are only somewhat out of
    /// order, however many there are.</summary>
    private static int CountLate(RowBlock block, KeyColumns key)
    {
        var largest = Array.Empty<byte>();
        var current = new byte[64];
        var late = 0;
        for (var row = 0; row < block.RowCount; row++)
        {
            var most = key.MostBytes(block, row);
            current = current.Length >= most ? current : new byte[most];
            var written = current.AsSpan(0, key.Write(block, row, current));
            if (row >= block.RowCount / 2)
            {
                late += written.SequenceCompareTo(largest) < 0 ? 1 : 0;
            }
            else if (written.SequenceCompareTo(largest) > 0)
            {
                largest = written.ToArray();
            }
        }

        return late;
    }

    private static long RoomIn(string folder)
    {
        try
        {
            return Directory.Exists(folder) ? new DriveInfo(Path.GetFullPath(folder)).AvailableFreeSpace : 0;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return 0;
        }
    }
}
