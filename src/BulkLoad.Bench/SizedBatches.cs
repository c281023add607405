using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench;

/// <summary>Rows cut into statements of a size, before a run.</summary>
internal static class SizedBatches
{
    private static readonly byte[] RowSeparator = [(byte)','];

    /// <summary>As text, with at most so many rows and bytes; one row may be larger.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Inserts(long rows, long rowsEach, long bytesEach) =>
        Cut(
            rows,
            rowsEach,
            bytesEach,
            Encoding.UTF8.GetBytes(BatchSql.Insert),
            RowSeparator,
            user => Encoding.UTF8.GetBytes(BatchSql.Values(user)));

    /// <summary>Content for LOAD DATA.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>> Lines(long rows, long rowsEach, long bytesEach) =>
        Cut(rows, rowsEach, bytesEach, [], [], user => Encoding.UTF8.GetBytes($"{string.Join('\t', user.Cells)}\n"));

    /// <summary>The last one may have fewer rows.</summary>
    public static IReadOnlyList<BinaryParameters> Parameters(long rows, int rowsEach)
    {
        var batches = new List<BinaryParameters>();
        for (var first = 1L; first <= rows; first += rowsEach)
        {
            var count = (int)Math.Min(rowsEach, rows - first + 1);
            var types = Enumerable.Repeat(BatchMethods.Types(BatchOperation.Insert), count).SelectMany(row => row);
            var parameters = new BinaryParameters([.. types]);
            foreach (var user in BatchUser.Range(first, first + count - 1, 1, isChanged: false))
            {
                BatchMethods.Add(parameters, BatchOperation.Insert, user);
            }

            batches.Add(parameters);
        }

        return batches;
    }

    private static List<ReadOnlyMemory<byte>> Cut(
        long rows, long rowsEach, long bytesEach, byte[] head, byte[] separator, Func<BatchUser, byte[]> encode)
    {
        var batches = new List<ReadOnlyMemory<byte>>();
        var batch = new MemoryStream();
        var count = 0L;
        foreach (var user in BatchUser.Range(1, rows, 1, isChanged: false))
        {
            var row = encode(user);
            if (count == rowsEach || (count > 0 && batch.Length + separator.Length + row.Length > bytesEach))
            {
                batches.Add(batch.ToArray());
                batch.SetLength(0);
                count = 0;
            }

            batch.Write(count == 0 ? head : separator);
            batch.Write(row);
            count++;
        }

        batches.Add(batch.ToArray());
        return batches;
    }
}
