using System.Globalization;
using Xunit;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A COMMIT whose answer never comes: the ledger says whether the chunk is in.</summary>
public sealed class CutTests
{
    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_commit_that_was_done_and_not_heard_of_is_not_done_again(string server, string strategy) =>
        await RunAsync(server, isDelivered: true, "--strategy", strategy);

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_commit_that_never_arrived_is_done_again(string server, string strategy) =>
        await RunAsync(server, isDelivered: false, "--strategy", strategy);

    private static async Task RunAsync(string name, bool isDelivered, params string[] options)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT NOT NULL, name VARCHAR(20));");
        await using var cutter = new CommitCutter(server, isDelivered);
        place.Write("people.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 40).Select(id => string.Create(CultureInfo.InvariantCulture, $"{(id % 15 == 0 ? "x" : "")}{id},n{id}\n"))));
        var url = BulkLoadProcess.UrlOf(server with { Port = cutter.Port }, server.User, server.Password, place.Database);
        using var program = BulkLoadProcess.Start(
            place, url, ["import", "people.csv", "--ssl-mode", "disabled", "--get-server-public-key", "--rows-per-chunk", "10", "--max-rejects", "9", "--reject-file", "bad.csv", .. options]);
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(3);
        Assert.Equal(1, cutter.Cuts);
        end.ShouldSay("Retry 1 in");
        Assert.Matches(@"(?m)^inserted +38$", end.Output);
        Assert.Equal("38\t38", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM people;"));
        Assert.Equal("id,name\nx15,n15\nx30,n30\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
    }
}
