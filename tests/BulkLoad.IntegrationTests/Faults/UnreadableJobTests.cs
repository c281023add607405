namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A row of the ledger that somebody has changed by hand: it is named, and can be taken out.</summary>
public sealed class UnreadableJobTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task It_is_listed_and_forgotten_and_stops_only_its_own_table(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE a (id INT); CREATE TABLE b (id INT);");
        place.Write("ids.csv", "id\n1\n");
        (await place.RunAsync("import", "ids.csv", "--table", "a", "--job-id", "first")).ShouldExitWith(0);
        await place.QueryAsync("UPDATE bulkload_ledger SET details = '{' WHERE source = -1;");
        (await place.RunAsync("import", "ids.csv", "--table", "b", "--job-id", "other")).ShouldExitWith(0);

        var end = await place.RunAsync("jobs");
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^first +not readable +1 +0 +1 ", end.Output);
        Assert.Contains("the row of job first was changed by hand, or written by a newer version of this program: 'bulkload jobs forget "
            + "first'", end.Output, StringComparison.Ordinal);
        (await place.RunAsync("jobs", "show", "other")).ShouldExitWith(0);
        end = await place.RunAsync("jobs", "show", "first");
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^state +not readable$", end.Output);

        end = await place.RunAsync("import", "ids.csv", "--table", "a");
        end.ShouldExitWith(9);
        end.ShouldSay("job first: the ledger has a row whose details cannot be read");
        (await place.RunAsync("jobs", "forget", "first")).ShouldExitWith(0);
        (await place.RunAsync("import", "ids.csv", "--table", "a")).ShouldExitWith(0);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM a;"));
    }
}
