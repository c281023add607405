using BulkLoad.Core.Sorting;

namespace BulkLoad.Tests.Sorting;

public sealed class PrefixSortTests
{
    /// <summary>Items are sorted as pairs of their prefix and their rank would be; the order of items of other prefixes is never asked
    /// for.</summary>
    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(1_000, 1)]
    [InlineData(1_000, 7)]
    [InlineData(1_000, 1_000_000)]
    [InlineData(100_000, 1_000)]
    [InlineData(100_000, long.MaxValue)]
    public void Items_are_sorted_by_prefix_and_then_as_they_say(int count, long prefixes)
    {
        var random = new Random(count);
        var given = Enumerable.Range(0, count).Select(_ => (ulong)random.NextInt64(prefixes) << (random.Next(2) * 63)).ToArray();
        var ranks = Enumerable.Range(0, count).ToArray();
        random.Shuffle(ranks);
        var ties = Comparer<int>.Create((x, y) =>
        {
            Assert.True(given[x] == given[y]);
            return ranks[x].CompareTo(ranks[y]);
        });

        foreach (var order in new[]
        {
            Enumerable.Range(0, count), Enumerable.Range(0, count).OrderBy(item => given[item]),
            Enumerable.Range(0, count).OrderByDescending(item => given[item])
        })
        {
            var items = order.ToArray();
            var sorted = items.Select(item => given[item]).ToArray();
            PrefixSort.Sort(sorted, items, ties);
            Assert.Equal(Enumerable.Range(0, count).OrderBy(item => given[item]).ThenBy(item => ranks[item]), items);
        }
    }

    [Fact]
    public void What_rises_stays_without_a_question()
    {
        int[] items = [4, 2, 9];
        PrefixSort.Sort(
            [1, 5, ulong.MaxValue], items, Comparer<int>.Create((_, _) => throw new InvalidOperationException("nobody has to ask")));
        Assert.Equal([4, 2, 9], items);
    }
}
