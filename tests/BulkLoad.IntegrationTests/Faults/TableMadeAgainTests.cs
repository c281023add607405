namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A table that is gone takes what the ledger knows of its rows with it, where <c>--create</c> makes another one.</summary>
public sealed class TableMadeAgainTests
{
    private const string Old = "is forgotten: its rows were in an earlier table ";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_complete_job_of_the_dropped_table_is_forgotten(string name)
    {
        await using var place = await PlaceAsync(name);
        await RunAsync(place, 0, "1 row inserted into ", "--create");
        await place.QueryAsync("DROP TABLE people");
        await RunAsync(place, 0, Old, "--create", "--plan", "--date-format", "dd.MM.yyyy");

        // The same command, and one with other options.
        await RunAsync(place, 0, Old, "--create");
        await place.QueryAsync("DROP TABLE people");
        await RunAsync(place, 0, Old, "--create", "--date-format", "dd.MM.yyyy");
        Assert.Equal("1984-12-03", await place.ScalarAsync("SELECT born FROM people"));
        await RunAsync(place, 0, "nothing to do: ", "--create", "--date-format", "dd.MM.yyyy");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task So_is_one_that_has_stopped_behind_committed_rows(string name)
    {
        await using var place = await PlaceAsync(name);
        await File.WriteAllTextAsync(
            Path.Combine(place.Folder, "people.csv"), "id,born\n1,a\n2,b\n2,c\n", TestContext.Current.CancellationToken);
        string[] options = ["--create", "--primary-key", "id", "--rows-per-chunk", "1", "--rows-per-batch", "1"];
        await RunAsync(place, 4, "Duplicate", options);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people"));
        await place.QueryAsync("DROP TABLE people");
        await File.WriteAllTextAsync(
            Path.Combine(place.Folder, "people.csv"), "id,born\n1,a\n2,b\n3,c\n", TestContext.Current.CancellationToken);

        await RunAsync(place, 0, Old, options);

        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    private static async Task<Workplace> PlaceAsync(string name)
    {
        var place = await Workplace.CreateAsync(Servers.Get(name));
        await File.WriteAllTextAsync(
            Path.Combine(place.Folder, "people.csv"), "id,born\n1,03.12.1984\n", TestContext.Current.CancellationToken);
        return place;
    }

    private static async Task RunAsync(Workplace place, int exit, string says, params string[] options)
    {
        using var run = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), ["import", "people.csv", .. options]);
        var end = await run.EndAsync();
        Assert.True(end.ExitCode == exit && end.ToString().Contains(says, StringComparison.Ordinal),
            $"exit {end.ExitCode}, '{says}' expected\n{end}");
    }
}
