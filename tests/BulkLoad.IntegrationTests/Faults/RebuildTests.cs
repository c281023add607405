using System.Text.Json;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Indexes that are dropped before a load are in the table again afterwards, just as they were, whatever ends the job in
/// between.</summary>
public sealed class RebuildTests
{
    private const string People =
        "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(400), age INT, KEY age (age), KEY name (name(5), age));";
    private const string Job = "night-7";

    private static readonly string[] Import = ["import", "people.csv", "--rebuild-indexes", "--job-id", Job, "--rows-per-chunk", "10"];

    /// <summary>A job that reads as long as the test writes.</summary>
    private static readonly string[] Stream = ["import", "-", "--table", "people", "--format", "csv", "--rebuild-indexes", "--job-id", Job,
        "--rows-per-chunk", "1000", "--rows-per-batch", "1000"];

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(IndexedTables.All), MemberType = typeof(IndexedTables))]
    public async Task Every_kind_of_index_is_added_again_as_it_was(string server, string tables, string kept)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), tables);
        var before = await DefinitionAsync(place, "t");
        place.Write("t.csv", "id,a,b\n1,2,x\n2,3,y\n");
        var plan = await place.RunAsync("import", "t.csv", "--rebuild-indexes", "--plan-json");
        plan.ShouldExitWith(0);
        using var json = JsonDocument.Parse(plan.Output);
        var rebuild = json.RootElement.GetProperty("rebuild");
        Assert.Equal(
            kept.Split(' ').Order(StringComparer.Ordinal),
            rebuild.GetProperty("kept").EnumerateArray().Select(index => index.GetProperty("index").GetString())
                .Order(StringComparer.Ordinal));
        Assert.Equal(7 + (server == Servers.MySql ? 1 : 0), rebuild.GetProperty("dropped").GetArrayLength());
        Assert.Equal(before, await DefinitionAsync(place, "t"));

        var end = await place.RunAsync("import", "t.csv", "--rebuild-indexes");
        end.ShouldExitWith(0);
        Assert.Matches(
            $@"(?m)^{rebuild.GetProperty("dropped").GetArrayLength()} indexes dropped in [0-9.]+ s, added again in [0-9.]+ s", end.Output);
        Assert.Equal(Sorted(before), Sorted(await DefinitionAsync(place, "t")));
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        // The second time all that was dropped stands behind what was kept already.
        before = await DefinitionAsync(place, "t");
        place.Write("more.csv", "id,a,b\n3,2,x\n");
        (await place.RunAsync("import", "more.csv", "--table", "t", "--rebuild-indexes")).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place, "t"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_with_a_default_that_strict_sessions_refuse_is_rebuilt(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "SET sql_mode='';CREATE TABLE people (id INT PRIMARY KEY, "
            + "d DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00', age INT, KEY age (age));");
        var before = await DefinitionAsync(place);
        place.Write("people.csv", "id,d,age\n1,2020-01-01,2\n");
        (await place.RunAsync(Import)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task The_plan_says_what_is_dropped_and_the_same_command_is_done_only_once(string server)
    {
        await using var place = await PlaceAsync(server, 30);
        var before = await DefinitionAsync(place);
        var plan = await place.RunAsync([.. Import, "--plan"]);
        plan.ShouldExitWith(0);
        Assert.Contains("dropped and added again  KEY `age` (`age`)", plan.Output, StringComparison.Ordinal);
        Assert.Contains("DROP INDEX `age`, DROP INDEX `name`", plan.Output, StringComparison.Ordinal);
        Assert.Contains("ADD KEY `age` (`age`), ADD KEY `name` (`name`(5),`age`)", plan.Output, StringComparison.Ordinal);
        Assert.Contains("nobody finds rows by age, name: ", plan.Output, StringComparison.Ordinal);
        (await place.RunAsync([.. Import, "--report", "r.json"])).ShouldExitWith(0);
        using var report =
            JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "r.json"), TestContext.Current.CancellationToken));
        var rebuild = report.RootElement.GetProperty("rebuild");
        Assert.Equal("""["age","name"]""", rebuild.GetProperty("indexes").GetRawText().Replace("\n", "", StringComparison.Ordinal)
            .Replace(" ", "", StringComparison.Ordinal));
        Assert.Equal(0, rebuild.GetProperty("missing").GetArrayLength());
        Assert.Equal(before, await DefinitionAsync(place));
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.Contains("nothing to do: ", end.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("added again", end.Output, StringComparison.Ordinal);
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [CombinatorialServers("--atomic", "--threads=3")]
    public async Task One_transaction_or_several_sessions_load_between_dropping_and_adding(string server, string option)
    {
        await using var place = await PlaceAsync(server, 300);
        var before = await DefinitionAsync(place);
        string[] words = option == "--atomic" ? [.. Import[..^2], option] : [.. Import, option];
        (await place.RunAsync(words)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("300", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_fails_adds_its_indexes_at_once(string server)
    {
        await using var place = await PlaceAsync(server, 30, bad: 25);
        var before = await DefinitionAsync(place);
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(4);
        Assert.Matches(@"(?m)^2 indexes dropped in .*, added again in ", end.Output);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.DoesNotContain("dropped", (await place.RunAsync("jobs")).Output, StringComparison.Ordinal);
        Write(place, 30);
        (await place.RunAsync(Import)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_is_killed_in_mid_load_restores_them_when_it_is_done_also_without_the_option(string server)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        await KillInMidLoadAsync(place);
        Assert.DoesNotContain("KEY `age`", await DefinitionAsync(place), StringComparison.Ordinal);
        var jobs = await place.RunAsync("jobs");
        Assert.Matches(
            $@"(?m)^job {Job} has dropped indexes age, name of \S+\.people: its command adds them again when it is done, "
                + $@"'bulkload jobs restore {Job}' at once$",
            jobs.Output);
        Assert.Contains("dropped      indexes age, name: its command adds them again", (await place.RunAsync("jobs", "show", Job)).Output,
            StringComparison.Ordinal);
        (await RunStreamAsync(place, [.. Stream.Where(word => word != "--rebuild-indexes")])).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.DoesNotContain("dropped", (await place.RunAsync("jobs")).Output, StringComparison.Ordinal);
    }

    /// <summary>Its ALTER TABLE waits for a transaction of somebody else, so that all that has happened is the note in the
    /// ledger.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_is_killed_before_it_drops_has_lost_nothing(string server)
    {
        await using var place = await PlaceAsync(server, 30);
        var before = await DefinitionAsync(place);
        await using (var reader = await ReadAsync(place))
        {
            using var program = place.Start(Import);
            await Wait.ForAsync(() => IsWaitingAsync(place, "DROP INDEX"));
            await KillAsync(program);
        }

        await Wait.ForAsync(async () => !await IsAlteringAsync(place, "DROP INDEX"));
        (await place.RunAsync(Import)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("30", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    /// <summary>All is committed, and its ALTER TABLE waits: the server may still run that when the program is gone.</summary>
    [Theory]
    [CombinatorialServers("added", "not added", "not added, and without the option")]
    public async Task A_job_that_is_killed_before_it_adds_or_before_that_is_written_down_adds_once(string server, string state)
    {
        var isAdded = state == "added";
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        await using (var reader = await LoadUntilAddingAsync(place, KillAsync))
        {
            if (!isAdded)
            {
                // Whoever looks now finds that all but the indexes is done.
                Assert.Contains("dropped indexes age, name", (await place.RunAsync("jobs")).Output, StringComparison.Ordinal);
            }
        }

        await Wait.ForAsync(async () => !await IsAlteringAsync(place, "ADD KEY"));
        if (isAdded != await IsAddedAsync(place))
        {
            await place.QueryAsync("ALTER TABLE people "
                + $"{(isAdded ? "ADD KEY `age` (`age`), ADD KEY `name` (`name`(5),`age`)" : "DROP INDEX age, DROP INDEX name")};");
        }

        var end = await RunStreamAsync(place,
            [.. Stream.Where(word => word != "--rebuild-indexes" || !state.EndsWith("without the option", StringComparison.Ordinal))]);
        end.ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.Equal("1", await place.ScalarAsync($"SELECT COUNT(*) FROM bulkload_ledger WHERE job = '{Job}' AND source = -1 AND details "
            + "LIKE '%\"completed\"%' AND details NOT LIKE '%\"dropped\"%';"));
    }

    [Theory]
    [CombinatorialServers("INT", "TERM")]
    public async Task A_job_that_is_stopped_leaves_them_dropped_and_says_what_adds_them(string server, string signal)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        using (var program = place.Start(Stream))
        {
            await FeedAsync(program, 1, 2500);
            await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") == "2000");
            program.Signal(signal);
            var stopped = await program.EndAsync();
            stopped.ShouldExitWith(signal == "INT" ? 130 : 143);
            Assert.Contains($"indexes age, name of {place.Database}.people stays so: the same command adds them again when it is done, "
                + $"'bulkload jobs restore {Job}' at once", stopped.Output, StringComparison.Ordinal);
        }

        Assert.DoesNotContain("KEY `age`", await DefinitionAsync(place), StringComparison.Ordinal);
        var forgotten = await place.RunAsync("jobs", "forget", Job);
        forgotten.ShouldExitWith(9);
        forgotten.ShouldSay("by hand: ALTER TABLE ");
        var restored = await place.RunAsync("jobs", "restore", Job);
        restored.ShouldExitWith(0);
        Assert.StartsWith("ALTER TABLE ", restored.Output, StringComparison.Ordinal);
        Assert.EndsWith($"\nindexes age, name of {place.Database}.people: added again\n", restored.Output, StringComparison.Ordinal);
        Assert.Equal(before, await DefinitionAsync(place));
        (await place.RunAsync("jobs", "restore", Job)).ShouldExitWith(9);

        // The job goes on from there, and does the same once more.
        (await RunStreamAsync(place, Stream)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        (await place.RunAsync("jobs", "forget", Job)).ShouldExitWith(0);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_stop_while_they_are_added_is_heard_and_the_same_command_adds_them(string server)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        await using (var reader = await LoadUntilAddingAsync(place, async program =>
        {
            program.Signal("INT");
            var end = await program.EndAsync();
            end.ShouldExitWith(130);
            Assert.Contains("stays so: the same command adds them again", end.Output, StringComparison.Ordinal);
        }, "--grace", "0.2"))
        {
            Assert.DoesNotContain("KEY `age`", await DefinitionAsync(place), StringComparison.Ordinal);
        }

        (await RunStreamAsync(place, Stream)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_index_that_somebody_else_has_added_under_the_name_stays_and_is_told(string server)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        using (var program = place.Start(Stream))
        {
            await FeedAsync(program, 1, 2500);
            await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") == "2000");
            await place.QueryAsync("ALTER TABLE people ADD KEY name (id);");
            await FeedAsync(program, 2501, 3000, isFirst: false);
            program.Input.Close();
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Contains($"index name of {place.Database}.people was KEY `name` (`name`(5),`age`), and is KEY `name` (`id`): it stays "
                + "as it is", end.Output, StringComparison.Ordinal);
        }

        Assert.Contains("KEY `age` (`age`)", await DefinitionAsync(place), StringComparison.Ordinal);
        Assert.NotEqual(before, await DefinitionAsync(place));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_right_that_is_taken_away_meanwhile_leaves_the_statement_to_run_by_hand(string name)
    {
        var server = Servers.Get(name);
        await using var place = await PlaceAsync(name, 30);
        var before = await DefinitionAsync(place);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'some-rights/1'", "some-rights/1");
        string[] Words(params string[] more) => [.. Stream, .. more];
        await ServerClient.RunAsync(
            server, null, $"GRANT SELECT, INSERT, CREATE, UPDATE, DELETE ON {place.Database}.* TO '{account.User}'@'%';");
        var url = BulkLoadProcess.UrlOf(server, account.User, account.Password!, place.Database);
        using (var refused = BulkLoadProcess.Start(place, url, Words("--plan")))
        {
            var end = await FeedToEndAsync(refused);
            end.ShouldExitWith(9);
            end.ShouldSay($"--rebuild-indexes: this account may not alter {place.Database}.people (");
            end.ShouldSay($"GRANT ALTER ON `{place.Database}`.`people` TO ");
        }

        await ServerClient.RunAsync(server, null, $"GRANT ALTER ON {place.Database}.people TO '{account.User}'@'%';");
        using (var program = BulkLoadProcess.Start(place, url, Words()))
        {
            await FeedAsync(program, 1, 2500);
            await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") == "2000");
            await ServerClient.RunAsync(server, null, $"REVOKE ALTER ON {place.Database}.people FROM '{account.User}'@'%';");
            await FeedAsync(program, 2501, 3000, isFirst: false);
            program.Input.Close();
            var end = await program.EndAsync();
            end.ShouldExitWith(9);
            end.ShouldSay($"all records are committed, but indexes age, name of {place.Database}.people could not be added again: ALTER "
                + "command denied");
            end.ShouldSay($"by hand: ALTER TABLE `{place.Database}`.`people` ADD KEY `age` (`age`), ADD KEY `name` (`name`(5),`age`)");
        }

        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        (await place.RunAsync("jobs", "restore", Job)).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));

        // Nothing is left but to say so.
        (await RunStreamAsync(place, [.. Stream.Where(word => word != "--rebuild-indexes")])).ShouldExitWith(0);
        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    /// <summary>Both look before one of them has dropped anything.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task Two_jobs_at_once_leave_each_index_once(string server)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        place.Write("others.csv", Records(10_001, 10_030));
        var reader = await ReadAsync(place);
        using var first = place.Start(Stream);
        var fed = FeedAsync(first, 1, 2500);
        await Wait.ForAsync(() => IsWaitingAsync(place, "DROP INDEX"));
        using var second = place.Start("import", "others.csv", "--table", "people", "--rebuild-indexes");
        second.Input.Close();
        await Wait.ForAsync(
            async () => await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE details LIKE '%\"dropped\"%';") == "2");
        await reader.DisposeAsync();
        await fed;
        await FeedAsync(first, 2501, 3000, isFirst: false);
        first.Input.Close();
        (await second.EndAsync()).ShouldExitWith(0);
        (await first.EndAsync()).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("3030", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.DoesNotContain("dropped", (await place.RunAsync("jobs")).Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_cannot_go_on_says_that_indexes_are_missing_and_reload_knows_them(string server)
    {
        await using var place = await PlaceAsync(server);
        var before = await DefinitionAsync(place);
        await KillInMidLoadAsync(place);
        await place.QueryAsync("TRUNCATE TABLE people;");
        var end = await RunStreamAsync(place, Stream);
        end.ShouldExitWith(9);
        end.ShouldSay($"indexes age, name of {place.Database}.people may be missing, since an earlier run has dropped them: 'bulkload jobs "
            + $"restore {Job}' adds them again");
        Assert.Contains("indexes age, name of ", (await RunStreamAsync(place, [.. Stream, "--plan"])).Output, StringComparison.Ordinal);
        (await RunStreamAsync(place, [.. Stream, "--reload"])).ShouldExitWith(0);
        Assert.Equal(before, await DefinitionAsync(place));
        Assert.Equal("3000", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_whose_table_is_gone_can_be_forgotten(string server)
    {
        await using var place = await PlaceAsync(server);
        await KillInMidLoadAsync(place);
        await place.QueryAsync("DROP TABLE people;");
        (await place.RunAsync("jobs", "restore", Job)).ShouldExitWith(9);
        (await place.RunAsync("jobs", "forget", Job)).ShouldExitWith(0);
    }

    private static async Task<Workplace> PlaceAsync(string server, int records = 0, int bad = 0)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), People);
        Write(place, records, bad);
        return place;
    }

    private static void Write(Workplace place, int records, int bad = 0) => place.Write("people.csv", Records(1, records, bad));

    private static string Records(int from, int to, int bad = 0, bool hasHeader = true)
    {
        var text = new StringBuilder(hasHeader ? "id,name,age\n" : "");
        for (var id = from; id <= to; id++)
        {
            text.Append($"{(id == bad ? "x" : "")}{id},{new string('n', 300)},{id % 100}\n");
        }

        return text.ToString();
    }

    private static async Task FeedAsync(BulkLoadProcess program, int from, int to, bool isFirst = true)
    {
        await program.Input.WriteAsync(Encoding.UTF8.GetBytes(Records(from, to, hasHeader: isFirst)));
        await program.Input.FlushAsync();
    }

    private static async Task<ProgramEnd> RunStreamAsync(Workplace place, string[] words)
    {
        using var program = place.Start(words);
        return await FeedToEndAsync(program);
    }

    private static async Task<ProgramEnd> FeedToEndAsync(BulkLoadProcess program)
    {
        try
        {
            await FeedAsync(program, 1, 3000);
            program.Input.Close();
        }
        catch (IOException)
        {
            // It has ended without reading.
        }

        return await program.EndAsync();
    }

    private static async Task KillAsync(BulkLoadProcess program)
    {
        program.Signal("KILL");
        await program.EndAsync();
    }

    /// <summary>With 2,000 records committed, and the indexes dropped.</summary>
    private static async Task KillInMidLoadAsync(Workplace place)
    {
        using var program = place.Start(Stream);
        await FeedAsync(program, 1, 2500);
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") == "2000");
        await KillAsync(program);
    }

    /// <summary>Ends the program while its statement that adds the indexes waits for a transaction, which stays open until what is returned
    /// is disposed of.</summary>
    private static async Task<ServerSession> LoadUntilAddingAsync(
        Workplace place, Func<BulkLoadProcess, Task> endAsync, params string[] options)
    {
        using var program = place.Start([.. Stream, .. options]);
        await FeedAsync(program, 1, 2500);
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM people;") == "2000");
        var reader = await ReadAsync(place);
        await FeedAsync(program, 2501, 3000, isFirst: false);
        program.Input.Close();
        await Wait.ForAsync(() => IsWaitingAsync(place, "ADD KEY"));
        await endAsync(program);
        return reader;
    }

    /// <summary>A session that has read the table in a transaction: the server alters the table when that is over.</summary>
    private static async Task<ServerSession> ReadAsync(Workplace place)
    {
        var session = await ServerSession.ConnectAsync(place.Server.AdminOptions() with { Database = place.Database }, default);
        await session.ExecuteAsync("SET autocommit=0", default);
        await session.QueryAsync("SELECT COUNT(*) FROM people", default);
        return session;
    }

    private static Task<bool> IsWaitingAsync(Workplace place, string words) =>
        IsAlteringAsync(place, words, " AND STATE LIKE '%metadata lock%'");

    /// <summary>Whether the server is at such a statement, also for a program that is gone.</summary>
    private static async Task<bool> IsAlteringAsync(Workplace place, string words, string state = "") => await place.ScalarAsync(
        $"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{place.Database}' AND INFO LIKE 'ALTER /* bulkload job %' AND "
            + $"INFO LIKE '%{words}%'{state};") != "0";

    private static async Task<bool> IsAddedAsync(Workplace place) =>
        (await DefinitionAsync(place)).Contains("KEY `age`", StringComparison.Ordinal);

    private static async Task<string> DefinitionAsync(Workplace place, string table = "people")
    {
        await using var session = await ServerSession.ConnectAsync(place.Server.AdminOptions() with { Database = place.Database }, default);
        var text = (await session.QueryAsync($"SHOW CREATE TABLE {table}", default)).FirstRow[1]!;
        return System.Text.RegularExpressions.Regex.Replace(text, " AUTO_INCREMENT=[0-9]+", "");
    }

    /// <summary>Its lines in another order: indexes that stayed stand before those that were dropped.</summary>
    private static string Sorted(string definition) =>
        string.Join('\n', definition.Split('\n').Select(line => line.TrimEnd(',')).Order(StringComparer.Ordinal));
}
