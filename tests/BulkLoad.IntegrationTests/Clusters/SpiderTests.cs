namespace BulkLoad.IntegrationTests.Clusters;

/// <summary>An engine whose rows are on other servers, which commit by themselves.</summary>
[Collection(OneCluster.Name)]
public sealed class SpiderTests(Spider cluster) : IClassFixture<Spider>
{
    private const string NoLedger = "--no-ledger";

    [Fact]
    public async Task Jobs_without_a_ledger_end_as_on_any_other_engine()
    {
        await using var place = await ShardAsync();
        var ends = await UsualJobs.RunAsync(place, NoLedger);

        // The command that is offered would be refused without the option.
        Assert.Contains($"bulkload import bad.csv --table t {NoLedger}", ends[0].Output, StringComparison.Ordinal);
        foreach (var shard in cluster.Start()[1..])
        {
            Assert.Equal("1", await ServerClient.ScalarAsync(
                shard, place.Database, $"SELECT COUNT(*) BETWEEN {UsualJobs.Rows / 2} AND {UsualJobs.Rows} FROM t;"));
        }
    }

    [Fact]
    public async Task A_plan_says_that_rows_are_sent_one_by_one()
    {
        await using var place = await ShardAsync();
        place.Write("people.csv", "id,name\n1,a\n");
        var plan = await place.RunAsync("import", "people.csv", "--table", "t", NoLedger, "--plan");
        plan.ShouldExitWith(0);
        Assert.Contains("connected to: Spider, 2 shards", plan.Output, StringComparison.Ordinal);
        Assert.Contains("multi-row-insert: engine SPIDER undoes no more than a row that it refuses", plan.Output, StringComparison.Ordinal);
        Assert.Contains("(up to 1 row)", plan.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("SAVEPOINT", plan.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("import people.csv", "whose shards commit by themselves: the ledger could have what one of them has not")]
    [InlineData("update people.csv", "whose shards commit by themselves: the ledger could have what one of them has not")]
    [InlineData("import people.csv --truncate", "which says of each DELETE that it found no row, whatever it deleted")]
    [InlineData("delete people.csv --yes --no-ledger", "which says of each DELETE that it found no row, whatever it deleted")]
    public async Task What_would_not_be_right_is_refused(string line, string reason)
    {
        await using var place = await ShardAsync("INSERT INTO t (id,name) VALUES (1,'before');");
        place.Write("people.csv", "id,name\n1,a\n");
        var end = await place.RunAsync([.. line.Split(' '), "--table", "t"]);
        end.ShouldExitWith(9);
        end.ShouldSay($".t uses engine SPIDER, {reason}");
        Assert.Equal("1\t0\tbefore", await place.ScalarAsync("SELECT * FROM t;"));
    }

    /// <summary>A table t, half of whose rows are on each shard.</summary>
    private async Task<Workplace> ShardAsync(string sql = "")
    {
        var nodes = cluster.Start();
        var place = await Workplace.CreateAsync(nodes[0]);
        var parts = new List<string>();
        foreach (var shard in nodes[1..])
        {
            await ServerClient.RunAsync(
                shard, null, $"CREATE DATABASE {place.Database}; CREATE TABLE {place.Database}.t {UsualJobs.Columns};");
            parts.Add($"""
                PARTITION p{parts.Count} COMMENT='host "{shard.Host}", port "{shard.Port}", database "{place.Database}", table "t",
                  user "{shard.User}", password "{shard.Password}"'
                """);
        }

        await place.QueryAsync($"""
            CREATE TABLE t {UsualJobs.Columns} ENGINE=SPIDER COMMENT='wrapper "mysql"' PARTITION BY HASH (id) ({string.Join(',', parts)});
            {sql}
            """);
        return place;
    }
}
