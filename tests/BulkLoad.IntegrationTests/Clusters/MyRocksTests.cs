namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>An engine that refuses to return to a savepoint.</summary>
[Collection(OneCluster.Name)]
public sealed class MyRocksTests(MyRocks cluster) : IClassFixture<MyRocks>
{
    [Fact]
    public async Task Jobs_end_as_on_any_other_engine()
    {
        await using var place = await Workplace.CreateAsync(
            cluster.Start()[0], $"CREATE TABLE t {UsualJobs.Columns} ENGINE=ROCKSDB;");
        await UsualJobs.RunAsync(place);
        var deleted = await place.RunAsync("delete", "--ids", "keys.csv", "--table", "t", "--yes", "--ignore-missing");
        deleted.ShouldExitWith(0);
        Assert.Equal("500\t2001", await place.ScalarAsync("SELECT COUNT(*), MIN(id) FROM t;"));
    }

    [Fact]
    public async Task A_plan_names_the_strategy_that_needs_no_savepoint()
    {
        await using var place = await Workplace.CreateAsync(
            cluster.Start()[0], $"CREATE TABLE t {UsualJobs.Columns} ENGINE=ROCKSDB;");
        place.Write("people.csv", "id,name\n1,a\n");
        var plan = await place.RunAsync("import", "people.csv", "--table", "t", "--plan");
        plan.ShouldExitWith(0);
        Assert.Contains(
            "multi-row-insert: engine ROCKSDB undoes no more than an INSERT that it refuses", plan.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("SAVEPOINT", plan.Output, StringComparison.Ordinal);
    }

    /// <summary>Mroonga takes every row, and stores 0 in place of NULL, and other times.</summary>
    [Fact]
    public async Task An_engine_that_is_not_known_is_tried_before_a_row_is_sent()
    {
        await using var place = await Workplace.CreateAsync(cluster.Start()[0], """
            CREATE TABLE t (id INT PRIMARY KEY, a INT, s VARCHAR(9)) ENGINE=Mroonga;
            CREATE TABLE times (id INT PRIMARY KEY, at TIME(6)) ENGINE=Mroonga;
            """);
        place.Write("t.csv", "id,a,s\n1,5,x\n2,,y\n3,7,\n");
        var end = await place.RunAsync("import", "t.csv", "--no-ledger", "--max-rejects", "2");
        end.ShouldExitWith(3);
        Assert.Contains("engine Mroonga stores another value in place of NULL in columns a, s", end.Output, StringComparison.Ordinal);
        Assert.Equal("1\t5\tx", await place.ScalarAsync("SELECT * FROM t;"));
        place.Write("times.csv", "id,at\n1,12:00:00\n");
        end = await place.RunAsync("import", "times.csv", "--no-ledger");
        end.ShouldExitWith(9);
        end.ShouldSay("engine Mroonga, which stores other values than it gets in column at");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM times;"));
    }

    [Theory]
    [InlineData(ClusterJob.WithoutKey)]
    [InlineData(ClusterJob.Update)]
    [InlineData(ClusterJob.Delete)]
    public Task A_job_that_was_killed_is_resumed_by_the_same_command(string kind) =>
        Moments.TryAsync($"MyRocks: the program killed -9|{kind}", async random =>
        {
            var server = cluster.Start()[0];
            using var job = await ClusterJob.CreateAsync(server, kind);
            await job.Place.QueryAsync("ALTER TABLE t ENGINE=ROCKSDB;");
            string moment;
            using (var killed = job.Start(server))
            {
                moment = await job.ReachAsync(killed, server, random);
                killed.Signal("KILL");
                await killed.EndAsync();
            }

            using var program = job.Start(server);
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Contains("resumed", end.Output, StringComparison.Ordinal);
            await job.ShouldBeDoneAsync(cluster, server);
            return moment;
        });
}
