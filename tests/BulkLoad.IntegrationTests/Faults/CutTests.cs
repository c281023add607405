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

    [Theory]
    [CombinatorialServers(true, false)]
    public async Task A_job_is_cut_off_again_and_again(string server, bool isDelivered) => await RunAsync(server, isDelivered, cuts: 2);

    [Theory]
    [CombinatorialServers(true, false)]
    public async Task What_comes_from_a_pipe_is_kept_until_it_is_committed(string server, bool isDelivered) =>
        await RunAsync(server, isDelivered, cuts: 2, isPipe: true, "--job-id", "people");

    private static Task RunAsync(string server, bool isDelivered, params string[] options) => RunAsync(server, isDelivered, cuts: 1, isPipe: false, options);

    private static async Task RunAsync(string name, bool isDelivered, int cuts, bool isPipe = false, params string[] options)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT NOT NULL, name VARCHAR(20));");
        await using var cutter = new CommitCutter(server, isDelivered, cuts);
        var people = "id,name\n" + string.Concat(Enumerable.Range(1, 60).Select(id => string.Create(CultureInfo.InvariantCulture, $"{(id % 15 == 0 ? "x" : "")}{id},n{id}\n")));
        place.Write("people.csv", people);
        var url = BulkLoadProcess.UrlOf(server with { Port = cutter.Port }, server.User, server.Password, place.Database);
        using var program = BulkLoadProcess.Start(
            place, url, ["import", isPipe ? "-" : "people.csv", "--table", "people", "--ssl-mode", "disabled", "--get-server-public-key", "--rows-per-chunk", "10", "--max-rejects", "9", "--reject-file", "bad.csv", .. options]);
        if (isPipe)
        {
            await program.Input.WriteAsync(System.Text.Encoding.UTF8.GetBytes(people));
        }

        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(3);
        Assert.Equal(cuts, cutter.Cuts);
        end.ShouldSay(string.Create(CultureInfo.InvariantCulture, $"Retry {cuts} in"));
        Assert.Matches(@"(?m)^inserted +56$", end.Output);
        Assert.Equal("56\t56", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM people;"));
        Assert.Equal("id,name\nx15,n15\nx30,n30\nx45,n45\nx60,n60\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
    }
}
