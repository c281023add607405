using BulkLoad.Core.Protocol;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>Three nodes of Galera, each of which takes changes, behind a proxy.</summary>
[Collection(OneCluster.Name)]
public sealed class GaleraTests(Galera cluster) : IClassFixture<Galera>
{
    [Theory]
    [InlineData(ClusterJob.ByLoadData)]
    [InlineData(ClusterJob.ByBulkExecute)]
    [InlineData(ClusterJob.WithoutKey)]
    [InlineData(ClusterJob.ByThreads)]
    [InlineData(ClusterJob.Atomic)]
    [InlineData(ClusterJob.Update)]
    [InlineData(ClusterJob.Delete)]
    public async Task A_job_survives_the_crash_of_its_node(string kind)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: kill -9|{kind}", async random =>
        {
            nodes = cluster.Start();
            var (number, next) = Two(random);
            using var job = await ClusterJob.CreateAsync(nodes[number], kind);
            await using var relay = new MovingRelay(nodes[number]);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, nodes[next], random);
            cluster.Kill(number);
            relay.MoveTo(nodes[next]);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, [.. nodes.Where((_, other) => other != number)]);

            // What it lacked comes with its return.
            nodes = cluster.Start();
            await job.ShouldBeDoneAsync(cluster, nodes[number]);
            return $"{moment}|{ClusterJob.Said(end)}";
        });
    }

    [Theory]
    [InlineData(ClusterJob.WithoutKey)]
    [InlineData(ClusterJob.Update)]
    public async Task A_job_survives_a_network_that_is_silent_and_then_cut(string kind)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: frozen, cut, another node|{kind}", async random =>
        {
            nodes = cluster.Start();
            var (number, next) = Two(random);
            using var job = await ClusterJob.CreateAsync(nodes[number], kind);
            await using var relay = new MovingRelay(nodes[number]);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, nodes[next], random);
            relay.Freeze();
            await Task.Delay(random.Next(100, 1500));
            Assert.False(program.HasEnded, $"ended while nothing passed: {program.ErrorSoFar}");
            relay.MoveTo(nodes[next]);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return $"{moment}|{ClusterJob.Said(end)}";
        });
    }

    /// <summary>The other node's transactions are certified first and abort the job's: error 1213, or an answer without the flag for an
    /// open transaction.</summary>
    [Theory]
    [InlineData(ClusterJob.ByLoadData)]
    [InlineData(ClusterJob.ByBulkExecute)]
    [InlineData(ClusterJob.Update)]
    [InlineData(ClusterJob.Delete)]
    public async Task A_job_survives_a_writer_on_another_node(string kind)
    {
        var nodes = cluster.Start();
        var aborts = 0;
        await Moments.TryAsync($"Galera: conflicts|{kind}", async random =>
        {
            const int RowsPerChunk = 2000;
            nodes = cluster.Start();
            using var job = await ClusterJob.CreateAsync(nodes[0], kind, RowsPerChunk);
            var before = await AbortsAsync(nodes[0]);
            using var program = job.Start(nodes[0]);
            await using var writer = await ServerSession.ConnectAsync(
                nodes[1].Options(Way.Socket) with { Database = job.Place.Database }, default);
            var (written, current, left) = (0, -1, 0);
            while (!program.HasEnded)
            {
                // A chunk that is aborted again and again would end the job.
                var committed = await job.CommittedAsync(nodes[1]);
                if (committed != current)
                {
                    (current, left) = (committed, 3);
                }

                var id = Math.Min((committed * RowsPerChunk) + random.Next(1, RowsPerChunk), ClusterJob.Rows);
                if (committed >= 0 && left > 0 && await WriteAsync(writer, kind, id))
                {
                    written++;
                    left--;
                }

                await Task.Delay(random.Next(30, 200));
            }

            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            if (kind == ClusterJob.Update)
            {
                Assert.Equal($"{written}", await ServerClient.ScalarAsync(nodes[2], job.Place.Database, "SELECT SUM(other) FROM t;"));
            }

            var met = await AbortsAsync(nodes[0]) - before;
            aborts += met;
            return $"{written} written, {met} aborts|{ClusterJob.Said(end)}";
        });
        Assert.True(aborts > 0, "no transaction was in the way");
    }

    [Theory]
    [InlineData(ClusterJob.WithoutKey)]
    [InlineData(ClusterJob.Update)]
    public async Task One_of_two_starts_at_once_on_two_nodes_does_the_job(string kind)
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: two starts at once|{kind}", async random =>
        {
            nodes = cluster.Start();
            var (number, next) = Two(random);
            using var job = await ClusterJob.CreateAsync(nodes[number], kind);
            using var one = job.Start(nodes[number]);
            await Task.Delay(random.Next(100));
            using var other = job.Start(nodes[next]);
            ProgramEnd[] ends = [await one.EndAsync(), await other.EndAsync()];
            var codes = string.Join(" and ", ends.Select(end => end.ExitCode).Order());
            Assert.True(codes is "0 and 0" or "0 and 9", $"exit {codes}\n{ends[0]}\n{ends[1]}");
            await job.ShouldBeDoneAsync(cluster, nodes);
            return $"exit {codes}";
        });
    }

    [Fact]
    public async Task A_node_that_returns_in_the_middle_of_a_job_has_all_of_it()
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: a node returns|{ClusterJob.Update}", async random =>
        {
            nodes = cluster.Start();
            var (number, other) = Two(random);
            using var job = await ClusterJob.CreateAsync(nodes[number], ClusterJob.Update, rate: 800);
            using var program = job.Start(nodes[number]);
            await Wait.ForAsync(async () => await job.CommittedAsync(nodes[number]) >= 1);
            cluster.Kill(other);
            await Task.Delay(random.Next(1000));
            nodes = cluster.Start();
            Assert.False(program.HasEnded, "ended before the node was back");
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return ClusterJob.Said(end);
        });
    }

    [Fact]
    public async Task A_job_waits_while_its_node_is_alone()
    {
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: two of three killed, and back|{ClusterJob.Update}", async random =>
        {
            nodes = cluster.Start();
            using var job = await ClusterJob.CreateAsync(nodes[0], ClusterJob.Update);
            using var program = job.Start(nodes[0]);
            var moment = await job.ReachAsync(program, nodes[0], random);
            cluster.Kill(1);
            cluster.Kill(2);
            nodes = cluster.Start();
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            return $"{moment}|{ClusterJob.Said(end)}";
        });
    }

    /// <summary>Nodes that do not bring each commit to the disk lose the last ones together: none is left that has them.</summary>
    [Fact]
    public async Task A_job_sends_again_what_all_nodes_have_lost()
    {
        const string Kind = ClusterJob.WithoutKey;
        var nodes = cluster.Start();
        await Moments.TryAsync($"Galera: all killed|{Kind}", async random =>
        {
            nodes = cluster.Start();
            foreach (var node in nodes)
            {
                await ServerClient.RunAsync(node, null, "SET GLOBAL innodb_flush_log_at_trx_commit=0;");
            }

            using var job = await ClusterJob.CreateAsync(nodes[0], Kind);
            await using var relay = new MovingRelay(nodes[0]);
            using var program = job.Start(relay);
            var moment = await job.ReachAsync(program, nodes[0], random);
            var committed = await job.CommittedAsync(nodes[0]);
            await Task.WhenAll(Enumerable.Range(0, nodes.Length).Select(number => Task.Run(() => cluster.Kill(number))));
            nodes = cluster.Start();
            relay.MoveTo(nodes[1]);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            await job.ShouldBeDoneAsync(cluster, nodes);
            var isLost = end.Error.Contains("which it had committed", StringComparison.Ordinal);
            return $"{moment}, killed at {committed}|{(isLost ? "chunks lost" : "nothing lost")}|{ClusterJob.Said(end)}";
        });
    }

    private static (int First, int Second) Two(Random random)
    {
        var first = random.Next(3);
        return (first, (first + random.Next(1, 3)) % 3);
    }

    private static async Task<int> AbortsAsync(TestServer node) => int.Parse(
        await ServerClient.ScalarAsync(
            node, null, "SELECT SUM(VARIABLE_VALUE) FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME IN "
                + "('WSREP_LOCAL_BF_ABORTS', 'WSREP_LOCAL_CERT_FAILURES');"),
        CultureInfo.InvariantCulture);

    /// <summary>Changes nothing that the job is about.</summary>
    /// <returns>whether a row was changed</returns>
    private static async Task<bool> WriteAsync(ServerSession writer, string kind, int id)
    {
        try
        {
            if (!kind.StartsWith("import", StringComparison.Ordinal))
            {
                return (await writer.ExecuteAsync($"UPDATE t SET other = other + 1 WHERE id = {id}", default)).AffectedRows == 1;
            }

            await writer.ExecuteAsync("START TRANSACTION", default);
            await writer.ExecuteAsync($"INSERT INTO t (id, n) VALUES ({id}, {id})", default);
            await writer.ExecuteAsync($"DELETE FROM t WHERE id = {id}", default);
            await writer.ExecuteAsync("COMMIT", default);
            return true;
        }
        catch (ServerException)
        {
            // The job was first.
            await writer.ExecuteAsync("ROLLBACK", default);
            return false;
        }
    }
}
