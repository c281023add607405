using System.Diagnostics;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>Three members of Group Replication, one of which takes changes, behind a proxy that looks for it.</summary>
[Collection(OneCluster.Name)]
public sealed class GroupTests(Group cluster) : IClassFixture<Group>
{
    private const int UsualLimit = 150_000_000;

    [Theory]
    [InlineData(ClusterJob.WithoutKey)]
    [InlineData(ClusterJob.Update)]
    [InlineData(ClusterJob.Delete)]
    public async Task A_job_survives_the_crash_of_the_primary(string kind)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"group: primary killed -9|{kind}", async random =>
        {
            nodes = cluster.Start();
            var primary = await Group.PrimaryAsync(nodes);
            using var job = await ClusterJob.CreateAsync(nodes[primary], kind);
            await using var relay = new MovingRelay(nodes[primary]);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, nodes[(primary + 1) % 3], random);
            cluster.Kill(primary);
            relay.MoveTo(nodes[await Group.PrimaryAsync(nodes, primary)]);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, [.. nodes.Where((_, other) => other != primary)]);

            // What it lacked comes with its return.
            nodes = cluster.Start();
            await job.ShouldBeDoneAsync(cluster, nodes[primary]);
            return $"{moment}|{ClusterJob.Said(end)}";
        });
    }

    /// <summary>Some proxies cut what is connected to the former primary, some do not.</summary>
    [Theory]
    [InlineData(ClusterJob.WithoutKey, true)]
    [InlineData(ClusterJob.ByThreads, false)]
    [InlineData(ClusterJob.Update, false)]
    [InlineData(ClusterJob.Delete, true)]
    public async Task A_job_survives_a_change_of_the_primary(string kind, bool cuts)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"group: set_as_primary{(cuts ? ", cut" : "")}|{kind}", async random =>
        {
            nodes = cluster.Start();
            var primary = await Group.PrimaryAsync(nodes);
            var next = (primary + random.Next(1, 3)) % 3;
            using var job = await ClusterJob.CreateAsync(nodes[primary], kind);
            await using var relay = new MovingRelay(nodes[primary]);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, nodes[primary], random);
            await MakePrimaryAsync(nodes, primary, next);
            if (cuts)
            {
                relay.MoveTo(nodes[next]);
            }
            else
            {
                relay.Target = nodes[next];
            }

            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return $"{moment}|{ClusterJob.Said(end)}";
        });
    }

    [Fact]
    public async Task A_job_survives_a_change_of_the_primary_before_its_first_chunk()
    {
        const string Kind = ClusterJob.WithoutKey;
        var nodes = cluster.Start();
        await Moments.TryAsync($"group: set_as_primary before the first chunk|{Kind}", async random =>
        {
            nodes = cluster.Start();
            var primary = await Group.PrimaryAsync(nodes);
            var next = (primary + random.Next(1, 3)) % 3;
            using var job = await ClusterJob.CreateAsync(nodes[primary], Kind, rowsPerChunk: 3000, rate: 3000);
            await using var relay = new MovingRelay(nodes[primary]);
            using var program = job.Start(relay);
            await Wait.ForAsync(async () => await job.CommittedAsync(nodes[primary]) >= 0);
            var pause = random.Next(400);
            await Task.Delay(pause);
            Assert.Equal(0, await job.CommittedAsync(nodes[primary]));
            await MakePrimaryAsync(nodes, primary, next);
            relay.Target = nodes[next];
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return $"{pause} ms|{ClusterJob.Said(end)}";
        });
    }

    private static async Task MakePrimaryAsync(TestServer[] nodes, int primary, int next)
    {
        var id = await ServerClient.ScalarAsync(nodes[next], null, "SELECT @@server_uuid;");
        await ServerClient.RunAsync(nodes[primary], null, $"SELECT group_replication_set_as_primary('{id}');");
        Assert.Equal(next, await Group.PrimaryAsync(nodes));
    }

    [Fact]
    public async Task A_start_on_a_secondary_ends_at_once_and_names_the_primary()
    {
        var nodes = cluster.Start();
        var primary = await Group.PrimaryAsync(nodes);
        using var job = await ClusterJob.CreateAsync(nodes[primary], ClusterJob.Update);
        var secondary = nodes[(primary + 1) % 3];
        Assert.Equal($"{ClusterJob.Rows}", await ServerClient.ScalarAsync(
            secondary, job.Place.Database, $"{cluster.Wait} SELECT COUNT(*) FROM t WHERE n <= {ClusterJob.Rows};"));
        var clock = Stopwatch.StartNew();
        using var program = job.Start(secondary);
        var end = await program.EndAsync();
        end.ShouldExitWith(9);
        end.ShouldSay($"127.0.0.1:{secondary.Port} takes no changes: Group Replication, single-primary, member ");
        end.ShouldSay($"run the same command against 127.0.0.1:{nodes[primary].Port}");
        Assert.True(clock.Elapsed < TimeSpan.FromSeconds(20), $"after {clock.Elapsed}");
    }

    /// <summary>A transaction beyond the limit is refused with error 3100 at its COMMIT, however long it took.</summary>
    [Fact]
    public async Task Updates_and_deletes_of_long_rows_stay_below_the_group_s_limit()
    {
        const int Limit = 1_000_000;
        const int Rows = 6000;
        var nodes = cluster.Start();
        var primary = nodes[await Group.PrimaryAsync(nodes)];
        await using var place = await Workplace.CreateAsync(primary, $"""
            CREATE TABLE wide (id INT PRIMARY KEY, n INT NOT NULL, s VARCHAR(1200) NOT NULL);
            INSERT INTO wide VALUES {string.Join(',', Enumerable.Range(1, Rows).Select(id => $"({id},0,REPEAT('x',1200))"))};
            ANALYZE TABLE wide;
            """);
        place.Write("ids.csv", "id\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id}\n")));
        try
        {
            await LimitAsync(Limit);
            var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => place.QueryAsync("UPDATE wide SET n=n+1;"));
            Assert.Contains("ERROR 3100", refused.Message, StringComparison.Ordinal);
            await SucceedAsync("update", "ids.csv", "--table", "wide", "--set", "n=n+1");
            Assert.Equal($"{Rows}\t1\t1", await place.ScalarAsync("SELECT COUNT(*), MIN(n), MAX(n) FROM wide;"));
            await SucceedAsync("delete", "--ids", "ids.csv", "--table", "wide", "--yes");
            Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM wide;"));
        }
        finally
        {
            await LimitAsync(UsualLimit);
        }

        async Task SucceedAsync(params string[] words)
        {
            var end = await place.RunAsync(words);
            end.ShouldExitWith(0);
            Assert.DoesNotContain("warning", end.Error, StringComparison.Ordinal);
            Assert.DoesNotContain("for its size", end.Output, StringComparison.Ordinal);
        }

        async Task LimitAsync(int bytes)
        {
            foreach (var node in nodes)
            {
                await ServerClient.RunAsync(node, null, $"SET GLOBAL group_replication_transaction_size_limit={bytes};");
            }
        }
    }

    /// <summary>All members take changes: the next one is there at once.</summary>
    [Fact]
    public async Task A_job_survives_the_crash_of_its_member_of_a_group_where_all_take_changes()
    {
        var nodes = cluster.Start();
        await ServerClient.RunAsync(nodes[0], null, "SELECT group_replication_switch_to_multi_primary_mode();");
        try
        {
            await Moments.TryAsync($"group, multi-primary: kill -9|{ClusterJob.Update}", async random =>
            {
                nodes = cluster.Start();
                using var job = await ClusterJob.CreateAsync(nodes[0], ClusterJob.Update);
                await using var relay = new MovingRelay(nodes[0]);
                using var program = job.Start(relay);
                var moment = await job.ReachAsync(program, nodes[1], random);
                cluster.Kill(0);
                relay.MoveTo(nodes[1]);
                var end = await program.EndAsync();
                end.ShouldExitWith(0);
                await job.ShouldBeDoneAsync(cluster, nodes[1], nodes[2]);
                return $"{moment}|{ClusterJob.Said(end)}";
            });
        }
        finally
        {
            nodes = cluster.Start();
            await ServerClient.RunAsync(nodes[1], null, "SELECT group_replication_switch_to_single_primary_mode();");
        }
    }
}
