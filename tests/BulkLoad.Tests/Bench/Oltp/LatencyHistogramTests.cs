using BulkLoad.Bench.Oltp;

namespace BulkLoad.Tests.Bench.Oltp;

public sealed class LatencyHistogramTests
{
    [Fact]
    public void Percentiles_are_exact_to_a_hundredth()
    {
        var latencies = Of(Enumerable.Range(1, 1000).Select(i => i / 10.0));
        Assert.InRange(latencies.Percentile(95), 95, 96);
        Assert.InRange(latencies.Percentile(50), 50, 50.5);
        Assert.Equal((0.1, 100, 50.05, 1000), (latencies.Min, latencies.Max, Math.Round(latencies.Average, 6), latencies.Count));
    }

    [Fact]
    public void The_last_percentile_is_the_greatest() => Assert.Equal(250, Of([1, 2, 250]).Percentile(100));

    [Fact]
    public void What_lies_beyond_the_buckets_counts() =>
        Assert.Equal((0.0001, 1_000_000), (Of([0.0001, 1_000_000]).Min, Of([0.0001, 1_000_000]).Percentile(99)));

    [Fact]
    public void Two_are_added()
    {
        var sum = Of([5, 6]);
        sum.Add(Of([1, 8]));
        sum.Add(new LatencyHistogram());
        Assert.Equal((1, 8, 5, 4), (sum.Min, sum.Max, sum.Average, sum.Count));
    }

    [Fact]
    public void Of_nothing_all_is_nothing() =>
        Assert.Equal((0, 0, 0), (new LatencyHistogram().Percentile(95), new LatencyHistogram().Average, new LatencyHistogram().Min));

    [Theory]
    [InlineData("read-write", 14, 4, true)]
    [InlineData("read-only", 14, 0, true)]
    [InlineData("write-only", 0, 4, true)]
    [InlineData("point-select", 1, 0, false)]
    [InlineData("update-index", 0, 1, false)]
    public void Workloads_have_the_statements_of_sysbench(string name, int reads, int writes, bool isTransaction)
    {
        var workload = OltpWorkload.All.Single(workload => workload.Name == name);
        Assert.Equal((reads, writes, isTransaction), (workload.Reads, workload.Writes, workload.IsTransaction));
    }

    private static LatencyHistogram Of(IEnumerable<double> milliseconds)
    {
        var latencies = new LatencyHistogram();
        foreach (var each in milliseconds)
        {
            latencies.Add(each);
        }

        return latencies;
    }
}
