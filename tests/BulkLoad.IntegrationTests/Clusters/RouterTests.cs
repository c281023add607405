namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>MySQL Router, which may read what passes.</summary>
[Collection(OneCluster.Name)]
public sealed class RouterTests(Router cluster) : IClassFixture<Router>
{
    private const string Stepwise = " takes one statement at a time, so each waits for the answer to the one before it";

    /// <param name="number">1: TLS passes through; 2: no TLS; 3: TLS ends there, and clients share connections</param>
    /// <param name="isStepwise">whether statements cannot be sent ahead</param>
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    [InlineData(3, false)]
    public async Task Jobs_end_as_on_the_server_itself(int number, bool isStepwise)
    {
        var router = cluster.Start()[number];
        await using var place = await Workplace.CreateAsync(router, $"CREATE TABLE t {UsualJobs.Columns};");
        foreach (var end in await UsualJobs.RunAsync(place))
        {
            Assert.Equal(isStepwise, end.Output.Contains($"{router.Host}:{router.Port}{Stepwise}", StringComparison.Ordinal));
        }
    }

    /// <summary>Connections that clients share have no numbers that grow with time.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task A_job_of_several_sessions_knows_that_all_of_them_reach_the_same_server(int number)
    {
        var router = cluster.Start()[number];
        using var job = await ClusterJob.CreateAsync(router, ClusterJob.ByThreads, rate: 1_000_000);
        using var program = job.Start(router, "--verbose");
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.DoesNotContain("fewer sessions", end.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("another server", end.ToString(), StringComparison.Ordinal);
        await job.ShouldBeDoneAsync(cluster, router);
    }
}
