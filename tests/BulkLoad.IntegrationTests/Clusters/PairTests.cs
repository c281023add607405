using System.Diagnostics;
using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>A primary and its replica, which may lack what was committed last when the primary is lost.</summary>
/// <param name="cluster">the pair</param>
public abstract class PairTests(Cluster cluster)
{
    private static readonly TimeSpan MaxLag = TimeSpan.FromSeconds(2);

    /// <summary>What is measured by looking from time to time may be more than it was.</summary>
    private static readonly TimeSpan MaxMeasured = MaxLag * 1.25;

    [Theory]
    [InlineData(ClusterJob.ByThreads)]
    [InlineData(ClusterJob.Update)]
    [InlineData(ClusterJob.Delete)]
    public async Task A_job_sends_again_what_a_failover_has_lost(string kind)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"{nodes[0].Name} pair: failover that loses commits|{kind}", async random =>
        {
            nodes = cluster.Start();
            var (source, replica) = (nodes[0], nodes[1]);
            await FollowAsync(source, replica);
            using var job = await ClusterJob.CreateAsync(source, kind);
            await Replication.CatchUpAsync(source, replica);
            await using var relay = new MovingRelay(source);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, source, random);
            await Replication.StopAsync(replica);
            var kept = await job.CommittedAsync(replica);
            var killed = kept + random.Next(2, 4);
            await Wait.ForAsync(async () => program.HasEnded || await job.CommittedAsync(source) >= killed);
            cluster.IsParted = true;
            cluster.Kill(0);
            await ServerClient.RunAsync(replica, null, "SET GLOBAL read_only=0;");
            relay.MoveTo(replica);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Matches($@"has lost chunks? {kept + 1}\b.*sent again", end.Error);
            await job.ShouldBeDoneAsync(cluster, replica);
            return $"{moment}, the replica has {kept}, killed at {killed}|{ClusterJob.Said(end)}";
        });
    }

    /// <summary>The replica takes about one chunk in each quarter of a second. Without the limit it is seconds behind.</summary>
    [Fact]
    public async Task The_job_finds_the_replica_and_does_not_leave_it_behind()
    {
        var nodes = cluster.IsParted ? cluster.Renew() : cluster.Start();
        cluster.IsParted = false;
        var (source, replica) = (nodes[0], nodes[1]);
        if (!replica.IsMariaDb)
        {
            await ServerClient.RunAsync(replica, null, """
                STOP REPLICA SQL_THREAD; SET GLOBAL replica_parallel_workers=1; START REPLICA SQL_THREAD;
                """);
        }

        var (unlimited, _) = await RunAsync();
        Assert.True(unlimited > MaxMeasured, $"the replica was not slow: {unlimited}");
        var (limited, end) = await RunAsync("--max-lag", $"{MaxLag.TotalSeconds:N0}s");
        Assert.Matches(@"(?m)^waited .*\(max-lag\b", end.Output);
        var said = Regex.Match(end.Output, @"(?m)^replica 127\.0\.0\.1:([0-9]+) was at most (\S+) s behind");
        Assert.True(said.Success && said.Groups[1].Value == $"{replica.Port}", end.Output);
        var seconds = double.Parse(said.Groups[2].Value, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"lag|{source.Name}|{unlimited.TotalSeconds:N1} s without|{limited.TotalSeconds:N1} s with a limit|the job says {seconds} s");
        Assert.True(limited < MaxLag + TimeSpan.FromSeconds(1) || limited < unlimited / 2, $"{limited} behind\n{end}");
        Assert.True(Math.Abs(limited.TotalSeconds - seconds) < 1, $"{limited} behind, and the job says {seconds} s");

        async Task<(TimeSpan Lag, ProgramEnd End)> RunAsync(params string[] more)
        {
            using var job = await ClusterJob.CreateAsync(source, ClusterJob.Update, rowsPerChunk: 250, rate: 12_000);
            await Replication.CatchUpAsync(source, replica);
            using var stop = new CancellationTokenSource();
            var slowing = SlowAsync(replica, job.Place.Database, stop.Token);
            using var program = job.Start(source, more);
            var lag = await GreatestLagAsync(job, source, replica, () => program.HasEnded);
            await stop.CancelAsync();
            await slowing;
            var ended = await program.EndAsync();
            ended.ShouldExitWith(0);
            await Replication.CatchUpAsync(source, replica);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return (lag, ended);
        }
    }

    /// <summary>The replica copies from now on, also where it was promoted before.</summary>
    private async Task FollowAsync(TestServer source, TestServer replica)
    {
        if (cluster.IsParted)
        {
            await ServerClient.RunAsync(
                replica, null, replica.IsMariaDb ? "STOP SLAVE; RESET SLAVE ALL;" : "STOP REPLICA; RESET REPLICA ALL;");
            await Replication.FollowAsync(source, replica);
            cluster.IsParted = false;
        }
    }

    /// <summary>Lets the table be changed for a moment again and again.</summary>
    private static async Task SlowAsync(TestServer replica, string database, CancellationToken stop)
    {
        await using var session = await ServerSession.ConnectAsync(replica.AdminOptions() with { Database = database }, default);
        while (!stop.IsCancellationRequested)
        {
            await session.ExecuteAsync("LOCK TABLES t WRITE", default);
            await Task.Delay(250, CancellationToken.None);

            // What waits for the table comes before the next lock.
            await session.ExecuteAsync("UNLOCK TABLES", default);
        }
    }

    /// <summary>The greatest age of the oldest chunk that the replica lacked, until both have all chunks.</summary>
    private static async Task<TimeSpan> GreatestLagAsync(ClusterJob job, TestServer source, TestServer replica, Func<bool> hasEnded)
    {
        await using var first = await ServerSession.ConnectAsync(source.AdminOptions() with { Database = job.Place.Database }, default);
        await using var second = await ServerSession.ConnectAsync(replica.AdminOptions() with { Database = job.Place.Database }, default);
        var clock = Stopwatch.StartNew();
        var seen = new List<TimeSpan>();
        var greatest = TimeSpan.Zero;
        var copied = 0;
        while (!(hasEnded() && copied >= seen.Count) && clock.Elapsed < TimeSpan.FromMinutes(1))
        {
            var committed = await ChunksAsync(first);
            while (seen.Count < committed)
            {
                seen.Add(clock.Elapsed);
            }

            copied = await ChunksAsync(second);
            if (copied < seen.Count)
            {
                var lag = clock.Elapsed - seen[copied];
                greatest = lag > greatest ? lag : greatest;
            }

            await Task.Delay(50);
        }

        return greatest;
    }

    private static async Task<int> ChunksAsync(ServerSession session)
    {
        try
        {
            var found = await session.QueryAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source >= 0", default);
            return int.Parse(found.Scalar!, CultureInfo.InvariantCulture);
        }
        catch (ServerException)
        {
            // The table is not there yet.
            return 0;
        }
    }
}

[Collection(OneCluster.Name)]
public sealed class MariaDbPairTests(MariaDbPair cluster) : PairTests(cluster), IClassFixture<MariaDbPair>;

[Collection(OneCluster.Name)]
public sealed class MySqlPairTests(MySqlPair cluster) : PairTests(cluster), IClassFixture<MySqlPair>;
