using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Jobs that are started again: the ledger says what is committed.</summary>
public sealed class ResumeTests
{
    private const string People = "CREATE TABLE people (id INT NOT NULL, name VARCHAR(20));";

    private static readonly string[] Import = ["import", "people.csv", "--rows-per-chunk", "10"];

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_bad_line_that_is_mended_lets_the_same_command_bring_every_row_once(string server)
    {
        await using var place = await PlaceAsync(server, 25);
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(4);
        end.ShouldSay($"\n  stopped at the first bad record: 20 rows are in {place.Database}.people\n");
        end.ShouldSay("\n  correct the line, and run the same command to continue\n");
        Assert.Matches(@"job [0-9a-f]{16} would resume after record 20 of people\.csv, which is committed",
            (await place.RunAsync([.. Import, "--plan"])).Output);
        Write(place);
        end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.Contains("resumed after record 20, which an earlier run had committed", end.Output, StringComparison.Ordinal);
        Assert.Contains("people.csv has changed since the earlier run, but not up to the last record that was committed", end.Output,
            StringComparison.Ordinal);
        await ShouldHaveEachOnceAsync(place);
        end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.StartsWith("nothing to do: people.csv was loaded on ", end.Output, StringComparison.Ordinal);
        await ShouldHaveEachOnceAsync(place);

        // Shorter than what was loaded, and other records: refused.
        place.Write("people.csv", Text(12).Replace("n7", "m7", StringComparison.Ordinal));
        end = await place.RunAsync(Import);
        end.ShouldExitWith(9);
        end.ShouldSay("people.csv begins with the same record as when it was loaded on ");
        await ShouldHaveEachOnceAsync(place);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_pipe_that_stops_at_a_bad_line_says_by_which_name_it_goes_on(string server)
    {
        await using var place = await PlaceAsync(server);
        string[] words = ["import", "-", "--format", "csv", "--table", "people", "--rows-per-chunk", "10"];
        var end = await PipeAsync(words, Text(30, 25));
        end.ShouldExitWith(4);
        var name = Regex.Match(end.Error,
            "correct the line; to continue, with the same input: bulkload import - .*--job-id (pipe-[0-9a-f]{16})\n").Groups[1].Value;
        Assert.NotEmpty(name);
        (await PipeAsync([.. words, "--job-id", name], Text())).ShouldExitWith(0);
        await ShouldHaveEachOnceAsync(place);

        async Task<ProgramEnd> PipeAsync(string[] args, string text)
        {
            using var program = place.Start(args);
            await program.Input.WriteAsync(Encoding.UTF8.GetBytes(text));
            program.Input.Close();
            return await program.EndAsync();
        }
    }

    [Theory]
    [CombinatorialServers(
        "TRUNCATE TABLE people;", "DELETE FROM people;", "DROP TABLE people; CREATE TABLE people (id INT NOT NULL, name VARCHAR(20));")]
    public async Task A_table_that_was_emptied_never_passes_for_a_complete_job(string server, string sql)
    {
        foreach (var bad in new[] { 0, 25 })
        {
            await using var place = await PlaceAsync(server, bad == 0 ? [] : [bad]);
            (await place.RunAsync(Import)).ShouldExitWith(bad == 0 ? 0 : 4);
            await place.QueryAsync(sql);
            Write(place);
            var end = await place.RunAsync(Import);
            end.ShouldExitWith(9);
            end.ShouldSay(bad == 0 ? "but the table is empty now" : "people.csv was loaded only in part (20 rows), and table ");
            Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
            (await place.RunAsync([.. Import, "--reload"])).ShouldExitWith(0);
            await ShouldHaveEachOnceAsync(place);
        }
    }

    /// <summary>Rows that were there before the job are as gone as its own.</summary>
    [Theory]
    [CombinatorialServers("import people.csv --on-duplicate update", "import people.csv --on-duplicate ignore",
        "import people.csv --on-duplicate replace", "update people.csv")]
    public async Task A_table_that_was_emptied_of_rows_that_the_job_found_is_not_gone_on_with(string server, string line)
    {
        await using var place = await PlaceAsync(server);
        string[] words = [.. line.Split(' '), "--table", "known", "--rows-per-chunk", "10"];
        await place.QueryAsync("CREATE TABLE known (id INT PRIMARY KEY, name VARCHAR(20));");
        (await place.RunAsync("import", "people.csv", "--table", "known", "--job-id", "first")).ShouldExitWith(0);
        Write(place, 25);
        (await place.RunAsync(words)).ShouldExitWith(4);
        await place.QueryAsync("TRUNCATE TABLE known;");
        Write(place);
        var end = await place.RunAsync(words);
        end.ShouldExitWith(9);
        end.ShouldSay(" only in part (20 rows), and table ");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_that_was_altered_takes_the_rest_and_is_known_to_have_all_of_it(string server)
    {
        await using var place = await PlaceAsync(server, 25);
        (await place.RunAsync(Import)).ShouldExitWith(4);
        await place.QueryAsync("ALTER TABLE people MODIFY name VARCHAR(500) NOT NULL, FORCE;");
        Write(place);
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.Contains("the rest was checked against the columns as they are now", end.Output, StringComparison.Ordinal);
        await ShouldHaveEachOnceAsync(place);
        await place.QueryAsync("ALTER TABLE people MODIFY name VARCHAR(600) NOT NULL, FORCE;");
        end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.StartsWith("nothing to do: people.csv was loaded on ", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_change_before_the_last_committed_record_is_refused(string server)
    {
        await using var place = await PlaceAsync(server, 25);
        (await place.RunAsync(Import)).ShouldExitWith(4);
        foreach (var (content, message) in new[]
        {
            (Text().Replace("\n15,", "\n99,", StringComparison.Ordinal), "people.csv: has changed since job "),
            (Text(rows: 12), "people.csv: has changed since job "),
            (Text().Replace("n15\n", "n15\r\n", StringComparison.Ordinal), "people.csv: has changed since job "),
        })
        {
            place.Write("people.csv", content);
            var end = await place.RunAsync(Import);
            end.ShouldExitWith(9);
            end.ShouldSay(message);
            Assert.Matches(@"(?m)^0 rows inserted \(20 were there from an earlier run: 20 in all\) into .*, then failed, in ", end.Output);
        }

        Assert.Equal("20", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Write(place);
        (await place.RunAsync(Import)).ShouldExitWith(0);
        place.Write("people.csv", Text(rows: 31));
        var longer = await place.RunAsync(Import);
        longer.ShouldExitWith(9);
        longer.ShouldSay("people.csv begins with all of people.csv, which was loaded on ");
        (await place.RunAsync([.. Import, "--job-id", "the-second-day"])).ShouldExitWith(0);
        Assert.Equal("61", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Of_two_starts_at_once_one_works_and_one_says_who_does(string server)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server));
        var end = await held.StartAgainAsync();
        end.ShouldExitWith(9);
        end.ShouldSay("is being run by ");
        var jobs = await held.Place.RunAsync("jobs");
        jobs.ShouldExitWith(0);
        Assert.Matches(@"(?m)^[0-9a-f]{16} +running +10 +0 +1 .* import people.csv -> ", jobs.Output);
        await held.ReleaseAsync();
        (await held.Program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("30", await held.CountAsync());
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_second_start_leaves_the_files_of_rejects_to_the_first(string server)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("CREATE TABLE wide (id INT NOT NULL, name TEXT);");
        string[] words = ["import", "-", "--format", "csv", "--table", "wide", "--rows-per-chunk", "1000", "--rows-per-batch", "1000",
            "--job-id", "j", "--max-rejects", "9", "--reject-file", "bad.csv"];
        using var first = place.Start(words);
        await WriteAsync("id,name\n" + string.Concat(Enumerable.Range(1, 2500).Select(id => $"{id},{new string('n', 300)}\n")));
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) FROM wide;") == "2000");
        using (var second = place.Start(words))
        {
            await second.Input.WriteAsync("id,name\n1,n\n"u8.ToArray());
            second.Input.Close();
            var refused = await second.EndAsync();
            refused.ShouldExitWith(9);
            refused.ShouldSay("is being run by ");
        }

        Assert.True(File.Exists(Path.Combine(place.Folder, "bad.csv")));
        await WriteAsync("x2501,n\n");
        first.Input.Close();
        (await first.EndAsync()).ShouldExitWith(3);
        Assert.Equal("id,name\nx2501,n\n",
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
        Assert.Single(await File.ReadAllLinesAsync(Path.Combine(place.Folder, "bad.jsonl"), TestContext.Current.CancellationToken));

        async Task WriteAsync(string text)
        {
            await first.Input.WriteAsync(Encoding.UTF8.GetBytes(text));
            await first.Input.FlushAsync();
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Standard_input_goes_on_where_the_job_has_a_name(string server)
    {
        await using var place = await PlaceAsync(server, 25);
        const string Line = "bulkload import - --table people --rows-per-chunk 10 --job-id nightly < people.csv";
        (await TypeAsync(place, Line)).ShouldExitWith(4);
        Write(place);
        (await TypeAsync(place, Line)).ShouldExitWith(0);
        await ShouldHaveEachOnceAsync(place);
        var other = await place.RunAsync("import", "people.csv", "--columns", "id,@name", "--job-id", "nightly");
        other.ShouldExitWith(9);
        other.ShouldSay("--job-id nightly is another job: import of standard input to ");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Standard_input_without_a_name_leaves_nothing_in_the_ledger_when_it_is_done(string server)
    {
        await using var place = await PlaceAsync(server);
        (await TypeAsync(place, "bulkload import - --table people --rows-per-chunk 10 < people.csv")).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Rejects_of_all_starts_are_in_the_file_once(string server)
    {
        await using var place = await PlaceAsync(server, 5, 15, 25, 26, 27);
        string[] words = [.. Import, "--reject-file", "bad.csv", "--max-rejects"];
        (await place.RunAsync([.. words, "3"])).ShouldExitWith(4);
        Assert.Equal("id,name\nx5,n5\nx15,n15\nx25,n25\nx26,n26\n",
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
        Assert.Equal([false, false, true, true],
            (await ReasonsAsync(place)).Select(line => line.StartsWith("{\"committed\":false,", StringComparison.Ordinal)));
        var end = await place.RunAsync([.. words, "5"]);
        end.ShouldExitWith(3);
        Assert.Matches(@", 5 records rejected \(not-an-integer 5\)", end.Output);
        Assert.Equal("id,name\nx5,n5\nx15,n15\nx25,n25\nx26,n26\nx27,n27\n",
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), TestContext.Current.CancellationToken));
        Assert.Equal([false, false, false, false, false],
            (await ReasonsAsync(place)).Select(line => line.Contains("committed", StringComparison.Ordinal)));
        Assert.Equal("25", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private static Task<string[]> ReasonsAsync(Workplace place) =>
        File.ReadAllLinesAsync(Path.Combine(place.Folder, "bad.jsonl"), TestContext.Current.CancellationToken);

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Rejects_that_were_allowed_when_they_were_found_stop_no_later_start(string server)
    {
        await using var place = await PlaceAsync(server, 5, 25);
        (await place.RunAsync([.. Import, "--max-rejects", "1"])).ShouldExitWith(4);
        Write(place, 5);
        var end = await place.RunAsync(Import);
        end.ShouldExitWith(3);
        Assert.Matches(@"(?m)^10 rows inserted \(19 were there from an earlier run: 29 in all\) into ", end.Output);
        Assert.Equal("29", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        end = await place.RunAsync(Import);
        end.ShouldExitWith(0);
        Assert.StartsWith("nothing to do: people.csv was loaded on ", end.Output, StringComparison.Ordinal);

        Write(place, 5, 25);
        string[] other = [.. Import, "--job-id", "other"];
        (await place.RunAsync([.. other, "--max-rejects", "1"])).ShouldExitWith(4);
        end = await place.RunAsync(other);
        end.ShouldExitWith(4);
        end.ShouldSay("people.csv:26:");
    }

    /// <summary>Where the last of several inputs has no records, the end is behind the last commit.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_share_of_rejects_is_judged_at_the_end_whatever_comes_last(string server)
    {
        await using var place = await PlaceAsync(server, [.. Enumerable.Range(1, 15)]);
        place.Write("z.csv", "id,name\n");
        var end = await place.RunAsync("import", "people.csv", "z.csv", "--table", "people", "--max-rejects", "1%");
        end.ShouldExitWith(4);
        (await place.RunAsync("import", "people.csv", "z.csv", "--table", "people", "--max-rejects", "60%")).ShouldExitWith(3);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_delete_that_goes_on_does_not_count_what_is_gone_as_not_found(string server)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("ALTER TABLE people ADD PRIMARY KEY (id);");
        (await place.RunAsync(Import)).ShouldExitWith(0);
        place.Write("ids.txt", string.Join('\n', Enumerable.Range(1, 15).Append(99).Append(3).Append(16)));
        string[] words = ["delete", "--ids", "ids.txt", "--table", "people", "--rows-per-chunk", "5", "--yes"];
        (await place.RunAsync(words)).ShouldExitWith(4);
        Assert.Equal("15", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        var end = await place.RunAsync([.. words, "--max-rejects", "1"]);
        end.ShouldExitWith(3);
        Assert.Matches(@"(?m)^1 row deleted \(15 were done by an earlier run: 16 ", end.Output);
        Assert.Matches(@", 1 superseded ", end.Output);
        Assert.Matches(@", 1 record rejected \(not-found 1\)", end.Output);
        Assert.Equal("14", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_that_the_job_has_made_itself_takes_the_rest(string server)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("DROP TABLE people;");
        place.Write("people.csv", Text().Replace("\n25,", "\n24,", StringComparison.Ordinal));
        string[] words = [.. Import, "--create", "--primary-key", "id"];
        (await place.RunAsync(words)).ShouldExitWith(4);
        Write(place);
        (await place.RunAsync(words)).ShouldExitWith(0);
        await ShouldHaveEachOnceAsync(place);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Plans_and_checks_write_nothing_down_and_another_schema_can(string server)
    {
        await using var place = await PlaceAsync(server);
        await using var other = await Workplace.CreateAsync(place.Server);
        (await place.RunAsync([.. Import, "--plan"])).ShouldExitWith(0);
        (await place.RunAsync("check", "people.csv", "--on-server")).ShouldExitWith(0);
        (await place.RunAsync([.. Import, "--no-ledger"])).ShouldExitWith(0);
        (await place.RunAsync([.. Import, "--ledger-schema", other.Database])).ShouldExitWith(0);
        Assert.Equal("", await place.ScalarAsync("SHOW TABLES LIKE 'bulkload_ledger';"));
        Assert.Equal("4", await other.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source >= -1;"));
        Assert.Equal("60", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Jobs_are_listed_shown_and_forgotten(string server)
    {
        await using var place = await PlaceAsync(server, 25);
        var none = await place.RunAsync("jobs");
        none.ShouldExitWith(0);
        Assert.Equal("no jobs\n", none.Output);
        (await place.RunAsync([.. Import, "--job-id", "first"])).ShouldExitWith(4);
        Assert.Matches(@"(?m)^first +stopped +20 +0 +2 .* import people.csv -> ", (await place.RunAsync("jobs", "list")).Output);
        var shown = (await place.RunAsync("jobs", "show", "first")).Output;
        Assert.Matches(@"(?m)^people\.csv +1 +10 +10 +0$", shown);
        Assert.Matches(@"(?m)^people\.csv +11 +20 +10 +0$", shown);
        (await place.RunAsync("jobs", "show", "second")).ShouldExitWith(9);
        (await place.RunAsync("jobs", "forget", "first")).ShouldExitWith(0);
        Assert.Equal("no jobs\n", (await place.RunAsync("jobs")).Output);
        (await place.RunAsync("jobs", "forget", "first")).ShouldExitWith(9);
        (await place.RunAsync("jobs", "drop")).ShouldExitWith(2);
    }

    private static async Task<Workplace> PlaceAsync(string server, params int[] bad)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), People);
        Write(place, bad);
        return place;
    }

    private static void Write(Workplace place, params int[] bad) => place.Write("people.csv", Text(30, bad));

    private static string Text(int rows = 30, params int[] bad)
    {
        var text = new StringBuilder("id,name\n");
        for (var id = 1; id <= rows; id++)
        {
            text.Append($"{(bad.Contains(id) ? "x" : "")}{id},n{id}\n");
        }

        return text.ToString();
    }

    private static async Task ShouldHaveEachOnceAsync(Workplace place) =>
        Assert.Equal("30\t30\t465", await place.ScalarAsync("SELECT COUNT(*), COUNT(DISTINCT id), SUM(id) FROM people;"));

    private static async Task<ProgramEnd> TypeAsync(Workplace place, string line)
    {
        using var program = BulkLoadProcess.StartLine(place, line);
        program.Input.Close();
        return await program.EndAsync();
    }
}
