namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Files whose records are out of the primary key's order: sorted first, and nothing else is different.</summary>
public sealed class SortTests
{
    private const int Rows = 5_000;
    private const string Table = "CREATE TABLE t (id BIGINT PRIMARY KEY, code INT NOT NULL, note VARCHAR(4000) NOT NULL, KEY (code), CHECK "
        + "(code <> 13)); INSERT INTO t VALUES (777, 1, 'there'), (4555, 1, 'there');";

    public static TheoryData<string> Both => Servers.Both;

    /// <summary>
    /// Records in an order of their own: every 500th is no number, every 900th has a code that the server refuses, every 1,000th has the
    /// key of another one, two have keys that the table has.
    /// </summary>
    /// <param name="width">bytes of each note</param>
    private static string Records(int width)
    {
        var ids = Enumerable.Range(1, Rows).ToArray();
        new Random(7).Shuffle(ids);
        var text = new StringBuilder("id,code,note\n");
        foreach (var id in ids)
        {
            text.Append($"{(id % 500 == 0 ? "x" : "")}{(id % 1000 == 1 ? id + 1 : id)},{(id % 900 == 0 ? 13 : id % 10)},{id} "
                + $"{new string('n', width)}\n");
        }

        return text.ToString();
    }

    private static string[] Import(params string[] more) =>
        ["import", "t.csv", "--max-rejects", "1000", "--reject-file", "bad.csv", "--overwrite", "--report", "report.json", "--temp-dir",
            "temp", .. more];

    private static async Task<Workplace> PlaceAsync(string server, int width)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), Table);
        Directory.CreateDirectory(Path.Combine(place.Folder, "temp"));
        place.Write("t.csv", Records(width));
        return place;
    }

    private static Task<string> OutcomeAsync(Workplace place) =>
        place.OutcomeAsync("SELECT id, code, SHA2(note, 256) FROM t ORDER BY id;", "bad.csv");

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sorted_import_ends_as_one_in_the_files_order(string server)
    {
        await using var place = await PlaceAsync(server, 3_700);
        (await place.RunAsync(Import("--no-sort", "--job-id", "plain"))).ShouldExitWith(3);
        var plain = await OutcomeAsync(place);
        await place.QueryAsync($"DROP TABLE t; {Table}");

        var plan = await place.RunAsync("import", "t.csv", "--job-id", "sorted", "--plan", "--temp-dir", "temp");
        Assert.Matches(
            @"(?m)^  order +sorted by \(id\): [\d,]+ of the first [\d,]+ records have a key that "
                + @"belongs before others \(--no-sort keeps the input's order\)$",
            plan.Output);
        var end = await place.RunAsync(Import("--job-id", "sorted"));
        end.ShouldExitWith(3);
        Assert.Matches(@"(?m)^note +sorted by \(id\) before it was sent: [\d,]+ of the first ", end.Output);

        var sorted = await OutcomeAsync(place);
        Assert.Equal(plain, sorted);
        Assert.Contains("\"reason\":\"duplicate-key\"", sorted, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
        Assert.Contains(
            "\"sortedBy\": \"(id)\"", await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")), StringComparison.Ordinal);
        Assert.DoesNotContain("before it was sent", (await place.RunAsync(Import("--job-id", "sorted"))).Output, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers("ignore", "replace", "update")]
    public async Task Records_of_the_same_key_are_settled_as_in_the_files_order(string server, string mode)
    {
        await using var place = await PlaceAsync(server, 1_750);
        (await place.RunAsync(Import("--no-sort", "--on-duplicate", mode, "--job-id", "plain"))).ShouldExitWith(3);
        var plain = await OutcomeAsync(place);
        await place.QueryAsync($"DROP TABLE t; {Table}");
        (await place.RunAsync(Import("--on-duplicate", mode, "--job-id", "sorted"))).ShouldExitWith(3);
        var sorted = await OutcomeAsync(place);
        Assert.Equal(plain, sorted);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sorted_job_that_is_killed_and_started_again_ends_as_if_it_had_not_been(string server)
    {
        await using var place = await PlaceAsync(server, 1_750);
        var words = Import("--job-id", "undisturbed", "--rows-per-chunk", "200", "--rows-per-batch", "50");
        (await place.RunAsync(words)).ShouldExitWith(3);
        var expected = await OutcomeAsync(place);
        await place.QueryAsync($"DROP TABLE t; {Table}");

        // Before it commits, in the middle, towards the end; slowly, so that it has not ended before it is killed.
        words[words.ToList().IndexOf("undisturbed")] = "killed";
        foreach (var rows in new[] { 2, 800, 2_200, 3_800 })
        {
            await place.KillAsync(there => there >= rows, [.. words, "--max-rate", "2k"]);
        }

        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
        var end = await place.RunAsync(words);
        end.ShouldExitWith(3);
        var actual = await OutcomeAsync(place);
        Assert.Equal(expected, actual);
        var again = await place.RunAsync(words);
        again.ShouldExitWith(0);
        Assert.Contains("nothing to do: ", again.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_goes_on_in_the_order_in_which_it_was_begun(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id BIGINT PRIMARY KEY, code INT NOT NULL, note VARCHAR(4000) NOT NULL, CHECK (code <> 13));");
        var ids = Enumerable.Range(1, Rows).ToArray();
        new Random(7).Shuffle(ids);
        Write(bad: 3_750);
        string[] import = ["import", "t.csv", "--rows-per-chunk", "500"];

        var end = await place.RunAsync(import);
        end.ShouldExitWith(4);
        end.ShouldSay($"t.csv:{LineOf(3_750)}: ");
        end.ShouldSay($"\n  stopped at the first bad record: 3,500 rows are in {place.Database}.t\n");
        end.ShouldSay("\n  correct the line, and run the same command to continue\n");
        Assert.Equal("3500", await place.ScalarAsync("SELECT MAX(id) FROM t;"));
        Assert.Contains(" would resume after the first 3,500 records by (id), which are committed",
            (await place.RunAsync([.. import, "--plan"])).Output, StringComparison.Ordinal);
        end = await place.RunAsync([.. import, "--no-sort"]);
        end.ShouldExitWith(9);
        end.ShouldSay("--no-sort: the job was started with its records sorted by (id): leave the option out; or ");
        var jobs = await place.RunAsync("jobs");
        var job = jobs.Output.Split('\n')[1].Split(' ')[0];
        Assert.Matches(@"order +sorted by \(id\): refused records first", (await place.RunAsync("jobs", "show", job)).Output);

        // A line that belongs before what is in cannot go on; what comes after it can be corrected.
        Write(bad: null, lowered: 3_750);
        end = await place.RunAsync(import);
        end.ShouldExitWith(9);
        end.ShouldSay("t.csv: has changed since job ");
        Write(bad: null);
        end = await place.RunAsync(import);
        end.ShouldExitWith(0);
        Assert.Contains(
            "resumed after the first 3,500 records by (id), which an earlier run had committed", end.Output, StringComparison.Ordinal);
        Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        // The other way round.
        await place.QueryAsync(
            "DROP TABLE t; CREATE TABLE t (id BIGINT PRIMARY KEY, code INT NOT NULL, note VARCHAR(4000) NOT NULL, CHECK (code <> 13));");
        Write(bad: ids[3_750]);
        (await place.RunAsync([.. import, "--no-sort", "--job-id", "plain"])).ShouldExitWith(4);
        Write(bad: null);
        end = await place.RunAsync([.. import, "--job-id", "plain", "--plan"]);
        Assert.Matches(@"(?m)^  order +the input's: as the job was started$", end.Output);
        (await place.RunAsync([.. import, "--job-id", "plain"])).ShouldExitWith(0);
        Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        int LineOf(int id) => Array.IndexOf(ids, id) + 2;

        void Write(int? bad, int? lowered = null) => place.Write("t.csv", "id,code,note\n"
            + string.Concat(ids.Select(id => $"{(id == lowered ? 0 : id)},{(id == bad ? 13 : 1)},{id} {new string('n', 1_750)}\n")));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_stop_while_records_are_sorted_leaves_nothing_behind(string server)
    {
        await using var place = await PlaceAsync(server, 3_700);
        using var program = place.Start(Import("--progress", "always", "--threads", "2"));
        program.Input.Close();
        while (!program.HasEnded && await place.ScalarAsync("SELECT COUNT(*) FROM t;") == "2"
            && !File.Exists(Path.Combine(place.Folder, "bad.csv")))
        {
            await Task.Delay(2);
        }

        program.Signal("INT");
        var end = await program.EndAsync();
        Assert.Contains(end.ExitCode, new[] { 130, 3 });
        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
        var rest = await place.RunAsync(Import());
        rest.ShouldExitWith(3);
        Assert.Equal("4981", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }
}
