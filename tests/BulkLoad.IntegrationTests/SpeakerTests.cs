namespace BulkLoad.IntegrationTests;

/// <summary>Servers that speak MySQL's protocol, by their documentation: MySQL itself is behind a relay that gives another
/// greeting.</summary>
public sealed class SpeakerTests
{
    private const string Table = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(40));";

    [Theory]
    [InlineData("8.0.11-TiDB-v6.1.0", "multi-row-insert", false)]
    [InlineData("8.0.11-TiDB-v7.5.2", "multi-row-insert", true)]
    [InlineData("8.0.11-TiDB-v8.5.0", "load-data", true)]
    public async Task TiDb_gets_what_its_version_takes(string version, string strategy, bool hasSavepoints)
    {
        var server = Servers.Get(Servers.MySql);
        await using var place = await Workplace.CreateAsync(server, Table);
        await using var relay = new GreetingRelay(server, version);
        place.Write("a.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 2000).Select(i => $"{(i == 900 ? 1 : i)},n\n")));
        string[] words = ["import", "a.csv", "--table", "t", "--host", "127.0.0.1", "--port", $"{relay.Port}", "--ssl-mode", "required"];
        var plan = await place.RunAsync([.. words, "--plan", "--verbose"]);
        plan.ShouldExitWith(0);
        Assert.Contains($"TiDB {version.Split('v')[1]} (by its documentation; not tested)", plan.Output, StringComparison.Ordinal);
        Assert.Contains($" by {strategy}", plan.Output, StringComparison.Ordinal);
        Assert.Contains("txn-total-size-limit", plan.Output, StringComparison.Ordinal);
        Assert.Contains("8,388,608", plan.Output, StringComparison.Ordinal);
        Assert.Equal(hasSavepoints, plan.Output.Contains("SAVEPOINT", StringComparison.Ordinal));
        if (strategy != "load-data")
        {
            Assert.Contains("commits what LOAD DATA loads in pieces of its own", plan.Output, StringComparison.Ordinal);
        }

        var end = await place.RunAsync([.. words, "--max-rejects", "1"]);
        end.ShouldExitWith(3);
        Assert.Equal("1999", await place.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    /// <summary>MySQL does not know how many shards there are; so the ledger is refused, as on several.</summary>
    [Fact]
    public async Task A_ledger_is_not_kept_beside_shards()
    {
        var server = Servers.Get(Servers.MySql);
        await using var place = await Workplace.CreateAsync(server, Table);
        await using var relay = new GreetingRelay(server, "8.0.40-Vitess");
        place.Write("a.csv", "id,name\n1,n\n");
        string[] words = ["import", "a.csv", "--table", "t", "--host", "127.0.0.1", "--port", $"{relay.Port}", "--ssl-mode", "required"];
        var refused = await place.RunAsync(words);
        refused.ShouldExitWith(9);
        refused.ShouldSay("shards, which commit by themselves");
        (await place.RunAsync([.. words, "--no-ledger"])).ShouldExitWith(0);
    }
}
