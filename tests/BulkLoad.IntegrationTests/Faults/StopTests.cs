namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Loads that are stopped or lose their server half-way.</summary>
public sealed class StopTests
{
    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task An_interrupted_load_ends_with_130_and_says_what_is_committed(string server, string strategy)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server), options: ["--strategy", strategy]);
        held.Program.Signal("INT");
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(130);
        end.ShouldSay("stopping: waiting for the server to end the current statement; a second signal stops at once");
        Assert.Matches(
            $@"(?m)^interrupted after [0-9.:]+ s: 10 rows are in {held.Place.Database}\.people \([0-9]+ more were rolled back\); "
                + @"run the same command to continue$",
            end.Output);
        Assert.Equal("10", await held.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_terminated_load_lets_the_statement_end_and_exits_with_143(string server)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server));
        held.Program.Signal("TERM");
        await Wait.ForAsync(() => held.Program.ErrorSoFar.Contains("stopping", StringComparison.Ordinal));
        await held.ReleaseAsync();
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(143);
        Assert.Matches($@"(?m)^interrupted after [0-9.:]+ s: {await held.CountAsync()} rows are in ", end.Output);
        (await held.StartAgainAsync()).ShouldExitWith(0);
        Assert.Equal("30", await held.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_second_interrupt_stops_at_once(string server)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server));
        held.Program.Signal("INT");
        await Wait.ForAsync(() => held.Program.ErrorSoFar.Contains("stopping", StringComparison.Ordinal));
        held.Program.Signal("INT");
        (await held.Program.EndAsync()).ShouldExitWith(130);
        await held.ReleaseAsync();
        Assert.Equal("10", await held.CountAsync());
        (await held.StartAgainAsync()).ShouldExitWith(0);
        Assert.Equal("30", await held.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Interrupted_while_it_waits_for_standard_input_it_commits_nothing_more(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE people (id INT PRIMARY KEY);");
        using var program = place.Start("import", "-", "--table", "people", "--rows-per-chunk", "1000");
        await FeedAsync(program);
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") != "0");
        program.Signal("INT");
        var end = await program.EndAsync();
        end.ShouldExitWith(130);
        var rows = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM people;"), null);
        Assert.Matches($@"(?m)^interrupted after [0-9.:]+ s: {rows:N0} rows are in ", end.Output);
    }

    [Theory]
    [InlineData("import")]
    [InlineData("check")]
    public async Task Interrupted_while_its_input_is_silent_from_the_start_it_ends(string command)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MariaDb), "CREATE TABLE people (id INT PRIMARY KEY);");
        using var program = place.Start(command, "-", "--table", "people");
        await program.Input.WriteAsync("id\n1\n"u8.ToArray(), TestContext.Current.CancellationToken);
        await program.Input.FlushAsync(TestContext.Current.CancellationToken);
        await Wait.ForAsync(() => program.ThreadNames.Contains("read ahead"));
        program.Signal("INT");
        var end = await program.EndAsync();
        end.ShouldExitWith(130);
        Assert.Matches("(?m)^interrupted after [0-9.:]+ s: (nothing was loaded|a check leaves the table as it was)$", end.Output);
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_session_that_an_administrator_kills_fails_a_load_without_retries_and_says_what_is_committed(
        string server, string strategy)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server), options: ["--strategy", strategy, "--max-retries", "0"]);
        await held.KillSessionAsync();
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(1);
        end.ShouldSay($"\n  10 rows are in {held.Place.Database}.people\n  run the same command to continue\n");
        Assert.Equal("10", await held.CountAsync());
        await held.ReleaseAsync();
        (await held.StartAgainAsync()).ShouldExitWith(0);
        Assert.Equal("30", await held.CountAsync());
    }

    [Theory]
    [CombinatorialServers("load-data", "bulk-execute", "multi-row-insert")]
    public async Task A_session_that_an_administrator_kills_is_replaced_by_another(string server, string strategy)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server), options: ["--strategy", strategy]);
        await held.KillSessionAsync();
        await Wait.ForAsync(() => held.Program.ErrorSoFar.Contains("Retry 1 in", StringComparison.Ordinal));
        await held.ReleaseAsync();
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^1 retry \(the first after: ", end.Output);
        Assert.Equal("30", await held.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_atomic_load_that_is_interrupted_leaves_nothing(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE people (id INT PRIMARY KEY);");
        using var program = place.Start("import", "-", "--table", "people", "--atomic", "--rows-per-batch", "1000");
        await FeedAsync(program);
        await Wait.ForAsync(async () => await place.ScalarAsync(
            $"{ServerClient.PauseForTransactions} SELECT COUNT(*) FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST "
                + "p ON p.ID = t.trx_mysql_thread_id WHERE p.DB = DATABASE() AND t.trx_rows_modified > 0;") == "1");
        program.Signal("INT");
        (await program.EndAsync()).ShouldExitWith(130);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    /// <summary>More than is looked at before anything is sent, and not the end.</summary>
    private static async Task FeedAsync(BulkLoadProcess program)
    {
        var text = $"id\n{string.Join('\n', Enumerable.Range(1, 150_000))}\n";
        await program.Input.WriteAsync(System.Text.Encoding.ASCII.GetBytes(text));
        await program.Input.FlushAsync();
    }
}
