using BulkLoad.Bench;

namespace BulkLoad.Tests.Bench;

public sealed class BenchSpreadTests
{
    [Theory]
    [InlineData(new double[] { 4 }, 4, 4, 4, 4, 4)]
    [InlineData(new double[] { 2, 1 }, 1, 1.25, 1.5, 1.75, 2)]
    [InlineData(new double[] { 5, 1, 3, 2, 4 }, 1, 2, 3, 4, 5)]
    [InlineData(new double[] { 1, 1, 1, 9 }, 1, 1, 1, 3, 9)]
    public void Quartiles_lie_between_the_measurements(
        double[] measured, double min, double first, double median, double third, double max) =>
            Assert.Equal(new BenchSpread(min, first, median, third, max), BenchSpread.Of(measured));

    [Fact]
    public void The_shortest_time_is_the_greatest_rate()
    {
        var rate = BenchSpread.Of([1, 2, 4]).RateOf(8);
        Assert.Equal(new BenchSpread(2, 8 / 3.0, 4, 8 / 1.5, 8), rate);
    }

    [Fact]
    public void No_time_is_no_rate() => Assert.Equal(0, BenchSpread.Of([0]).RateOf(8).Median);

    [Fact]
    public void A_share_of_many_values_is_found()
    {
        double[] values = [.. Enumerable.Range(0, 101).Select(i => (double)i)];
        Assert.Equal(95, BenchSpread.At(values, 0.95));
        Assert.Equal(100, BenchSpread.At(values, 1));
    }
}
