using BulkLoad.Core.Sorting;

namespace BulkLoad.Tests.Sorting;

public sealed class ExternalSortTests : IDisposable
{
    private const int Tiny = 300;
    private const int Ample = 1 << 20;

    private readonly string _folder = Directory.CreateTempSubdirectory("bulkload").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>Keys of few different bytes, so that many are equal and many begin others.</summary>
    private static List<(byte[] Key, long Number)> Entries(int seed, int count)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, count).Select(_ =>
        {
            var key = new byte[random.Next(0, random.Next(10) == 0 ? 40 : 12)];
            for (var i = 0; i < key.Length; i++)
            {
                key[i] = (byte)(random.Next(3) * 127);
            }

            return (key, random.NextInt64(-5, 5));
        })];
    }

    private static string Text(ReadOnlySpan<byte> key, long number) => $"{Convert.ToHexString(key)}:{number}";

    private List<string> Sorted(IEnumerable<(byte[] Key, long Number)> entries, int memoryBytes, bool spills)
    {
        using var sort = new ExternalSort(_folder, memoryBytes);
        foreach (var (key, number) in entries)
        {
            sort.Add(key, number);
        }

        Assert.Equal(spills, sort.HasSpilled);
        var found = new List<string>();
        using var sorted = sort.Sort();
        while (sorted.Read())
        {
            found.Add(Text(sorted.Key, sorted.Number));
        }

        return found;
    }

    [Theory]
    [InlineData(0, Ample)]
    [InlineData(1, Ample)]
    [InlineData(1_000, Ample)]
    [InlineData(1_000, Tiny)]
    [InlineData(5_000, Tiny)]
    [InlineData(20_000, 130 * 1024)]
    public void Entries_come_in_the_order_of_their_bytes_then_numbers_whatever_the_memory(int count, int memoryBytes)
    {
        for (var seed = 0; seed < 5; seed++)
        {
            var entries = Entries(seed, count);
            var expected = entries.Order(Comparer<(byte[] Key, long Number)>.Create((x, y) =>
                x.Key.AsSpan().SequenceCompareTo(y.Key) is not 0 and var order ? order : x.Number.CompareTo(y.Number)));
            Assert.Equal(expected.Select(entry => Text(entry.Key, entry.Number)),
                Sorted(entries, memoryBytes, spills: memoryBytes < Ample && count > 0));
        }
    }

    [Fact]
    public void A_key_larger_than_the_memory_is_taken()
    {
        var large = new byte[10 * Tiny];
        Assert.Equal([Text("a"u8, 2), Text("b"u8, 1), Text("b"u8, 3)],
            Sorted([("b"u8.ToArray(), 1), ("a"u8.ToArray(), 2), ("b"u8.ToArray(), 3)], Ample, spills: false));
        Assert.Equal([Text(large, 2), Text("a"u8, 3), Text("b"u8, 1)],
            Sorted([("b"u8.ToArray(), 1), (large, 2), ("a"u8.ToArray(), 3)], Tiny, spills: true));
    }

    [Fact]
    public void What_is_put_aside_is_for_its_owner_only_and_has_no_name()
    {
        using var file = TempFile.Create(_folder);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder));
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file.SafeFileHandle));
        }
    }

    [Fact]
    public void A_folder_that_cannot_be_used_is_named()
    {
        using var sort = new ExternalSort(Path.Combine(_folder, "none"), Tiny);
        var fault = Assert.Throws<TempFileException>(() =>
        {
            for (var i = 0; i < 100; i++)
            {
                sort.Add("abc"u8, i);
            }
        });
        Assert.StartsWith(
            $"a temporary file in '{Path.Combine(_folder, "none")}' cannot be used: ", fault.Message, StringComparison.Ordinal);
        Assert.EndsWith("; name another folder with --temp-dir", fault.Message, StringComparison.Ordinal);
    }
}
