using BulkLoad.Core.Facts;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>How much goes together where rows are found by their keys.</summary>
internal static class KeySizes
{
    private const int BestRowsInSets = 100_000;
    private const int BestRowsOneByOne = 10_000;
    private const long BestBytes = 1024 * 1024;

    /// <summary>Bytes of a batch, whatever its statements.</summary>
    public static SizeRange Bytes { get; } = new(
        "bytes-per-batch", BestBytes, "little to undo when a batch fails", int.MaxValue, "the program");

    /// <summary>Batches that go as lists.</summary>
    public static (SizeRange Rows, SizeRange Bytes) OfLists { get; } =
        (new SizeRange("rows-per-batch", BestRowsInSets, "sorted together: neighbours lie on the same pages", int.MaxValue, "the program"),
            Bytes);

    /// <summary>Batches that go as one statement a row.</summary>
    public static (SizeRange Rows, SizeRange Bytes) OfRows { get; } =
        (new SizeRange("rows-per-batch", BestRowsOneByOne, "long enough that the server never waits", int.MaxValue, "the program"), Bytes);
}
