using BulkLoad.Core.Ledger;
using BulkLoad.Core.Refresh;

namespace BulkLoad.Tests.Refreshing;

public sealed class KeptTableTests
{
    private static readonly KeptTable Kept = new("shop", "prices", "p1", "prices_p1_before_20261128_093000", "bulkload_old_1_prices")
    {
        New = new TableState("3:17", "abc"),
        Old = new TableState("4:19", "def"),
    };

    private static readonly JobRecord Job = new()
    {
        Command = "import",
        Table = "shop.prices",
        Sources = [],
        Runner = new JobRunner("", 0, 0, default),
    };

    [Fact]
    public void The_ledger_keeps_it()
    {
        Assert.Null(JobRecord.Read(Job.Write()).Kept);
        foreach (var kept in new[] { Kept, Kept with { Partition = null } })
        {
            Assert.Equal(kept, JobRecord.Read((Job with { Kept = kept }).Write()).Kept);
        }

        var text = (Job with { Kept = Kept }).Write();
        Assert.Throws<PlanException>(() => JobRecord.Read(text.Replace("\"3:17\"", "3", StringComparison.Ordinal)));
        Assert.Throws<PlanException>(() => JobRecord.Read("""{"command":"import","kept":"x"}"""));
    }

    [Fact]
    public void Each_has_a_job_of_its_own()
    {
        var job = RefreshNames.JobOfKept(Kept);
        Assert.Matches("^refresh\\.[0-9a-f]{16}$", job);
        Assert.NotEqual(job, RefreshNames.JobOfKept(Kept with { Name = "prices_p1_before_20261128_093001" }));
        Assert.NotEqual(job, RefreshNames.JobOf("shop", "prices", "p1"));
    }
}
