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

    /// <summary>The ledger keeps nothing of a job that nobody can go on with, once it is done.</summary>
    [Theory]
    [CombinatorialServers(true, false)]
    public async Task The_end_of_a_job_that_has_no_name_is_not_taken_for_its_loss(string name, bool isDelivered)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT NOT NULL);");
        await using var cutter = new CommitCutter(server, isDelivered, most: 1, mark: "completed", commit: 1);
        using var program =
            BulkLoadProcess.Start(place, UrlOf(cutter, place), ["import", "-", "--format", "csv", "--table", "people", .. Plain]);
        await program.Input.WriteAsync("id\n1\n2\n"u8.ToArray());
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Equal(1, cutter.Cuts);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger;"));
    }

    /// <summary>What a former start has committed does not tell that this one has.</summary>
    [Theory]
    [CombinatorialServers(true, false)]
    public async Task A_job_that_goes_on_as_one_chunk_is_cut_off(string name, bool isDelivered)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT NOT NULL);");
        place.Write("people.csv", "id\n1\n2\n3\nx\n");
        (await place.RunAsync("import", "people.csv", "--rows-per-chunk", "2")).ShouldExitWith(4);
        place.Write("people.csv", "id\n1\n2\n3\n4\n");
        await using var cutter = new CommitCutter(server, isDelivered, most: 1, commit: 1);
        using var program = BulkLoadProcess.Start(place, UrlOf(cutter, place), ["import", "people.csv", "--atomic", .. Plain]);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal(1, cutter.Cuts);
        Assert.Equal("4\t4", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM people;"));
    }

    private static readonly string[] Plain = ["--ssl-mode", "disabled", "--get-server-public-key"];

    private static string UrlOf(CommitCutter cutter, Workplace place) =>
        BulkLoadProcess.UrlOf(place.Server with { Port = cutter.Port }, place.Server.User, place.Server.Password, place.Database);

    private static Task RunAsync(string server, bool isDelivered, params string[] options) =>
        RunAsync(server, isDelivered, cuts: 1, isPipe: false, options);

    private static async Task RunAsync(string name, bool isDelivered, int cuts, bool isPipe = false, params string[] options)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE people (id INT NOT NULL, name VARCHAR(20));");
        await using var cutter = new CommitCutter(server, isDelivered, cuts);
        var people = "id,name\n" + string.Concat(Enumerable.Range(1, 60).Select(id => $"{(id % 15 == 0 ? "x" : "")}{id},n{id}\n"));
        place.Write("people.csv", people);
        using var program = BulkLoadProcess.Start(
            place, UrlOf(cutter, place), ["import", isPipe ? "-" : "people.csv", "--table", "people", .. Plain, "--rows-per-chunk", "10",
                "--max-rejects", "9", "--reject-file", "bad.csv", .. options]);
        if (isPipe)
        {
            await program.Input.WriteAsync(System.Text.Encoding.UTF8.GetBytes(people));
        }

        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(3);
        Assert.Equal(cuts, cutter.Cuts);
        end.ShouldSay($"Retry {cuts} in");
        Assert.Matches(@"(?m)^56 rows inserted into ", end.Output);
        Assert.Equal("56\t56", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id) FROM people;"));
        Assert.Equal("id,name\nx15,n15\nx30,n30\nx45,n45\nx60,n60\n",
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
    }
}
