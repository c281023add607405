namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>An undo that is killed, and one of a job that was.</summary>
public sealed class UndoKillTests
{
    private const int Rows = 9_000;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Killed_at_any_moment_the_same_command_goes_on_and_counts_each_row_once(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), p INT, FOREIGN KEY (p) REFERENCES t (id));
            CREATE TABLE child (p INT, FOREIGN KEY (p) REFERENCES t (id));
            INSERT INTO t VALUES (1000002, 'other', NULL);
            """);
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 51);
        var kills = 0;
        for (var round = 0; round < (TestVariables.Number("BULKLOAD_TEST_KILLS") ?? 2); round++)
        {
            var job = await UndoTests.ImportAsync(place, "id,v,p\n" + string.Concat(Enumerable.Range(1, Rows).Select(
                id => $"{id},v{round},{(id % 3 == 0 ? $"{id - 1}" : "")}\n")));
            await place.QueryAsync($"UPDATE t SET v = 'V{round}' WHERE id % 100 = 0; "
                + "INSERT INTO child SELECT id FROM t WHERE id % 1000 = 1; DELETE FROM t WHERE id % 300 = 3;");

            // Changed: 90. Of those that are divisible by 3, each keeps the row that it refers to. 30 are gone.
            const string End = " of the 9,000 rows that job ";
            for (var (isDone, tries) = (false, 1); !isDone; tries++)
            {
                using var program = place.Start("undo", job);
                program.Input.Close();
                isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(300, 2500) * Math.Max(1, tries - 4)));
                kills += isDone ? 0 : 1;
                var end = await program.EndAsync();
                if (isDone && tries > 1 && end.Error.Contains("knows no job", StringComparison.Ordinal))
                {
                    // It was killed when it had forgotten the job.
                    end.ShouldExitWith(9);
                }
                else if (isDone)
                {
                    end.ShouldExitWith(3);
                    UndoTests.ShouldReport(end, $"{8_841:N0}{End}{job}");
                    UndoTests.ShouldReport(end, ", 129 kept, 30 already gone, in ");
                    UndoTests.ShouldReport(end, "kept: changed since: 90 rows");
                }
                else if (await place.ScalarAsync("SELECT COUNT(*) FROM t;") is var left && left != $"{Rows - 30 + 1}" && left != "130")
                {
                    // The import does not go on with a job of which some rows are gone.
                    var refused = await place.RunAsync("import", "t.csv");
                    refused.ShouldExitWith(9);
                    refused.ShouldSay("is being undone");
                }
            }

            Assert.Equal("130\t90\t9", await place.ScalarAsync(
                $"SELECT COUNT(*), SUM(BINARY v = 'V{round}'), (SELECT COUNT(*) FROM child) FROM t;"));
            await UndoTests.ShouldHaveNoOthersAsync(place);
            await place.QueryAsync("DELETE FROM child; UPDATE t SET p = NULL; DELETE FROM t WHERE id < 1000002;");
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{kills} kills");
    }

    /// <summary>The main case: the wrong file, noticed while it is loaded. Records that were not committed are not looked at.</summary>
    [Theory]
    [CombinatorialServers("", "sorted", "several")]
    public async Task A_job_that_was_killed_in_the_middle_is_undone(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(600));");
        var isSorted = kind == "sorted";
        var text = new string('x', isSorted ? 590 : 9);
        var ids = Enumerable.Range(1, isSorted ? 2 * Rows : Rows).ToArray();
        if (isSorted)
        {
            new Random(5).Shuffle(ids);
        }

        string[] records = [.. ids.Select(id => $"{id},{text}\n")];
        place.Write("t.csv", "id,v\n" + string.Concat(records.Take(kind == "several" ? 1_000 : records.Length)));
        string[] files = ["t.csv"];
        if (kind == "several")
        {
            place.Write("u.csv", "id,v\n" + string.Concat(records.Skip(1_000)));
            files = ["t.csv", "u.csv"];
        }

        var most = ids.Length - 1_500;
        await place.KillAsync(
            count => count is > 500, ["import", .. files, "--table", "t", "--rows-per-chunk", "500", "--max-rate", "6000"]);
        var committed = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture);
        Assert.InRange(committed, 501, most);

        // Others insert what the job would have inserted.
        await place.QueryAsync($"INSERT INTO t SELECT {ids.Length} - n, '{text}' FROM (SELECT a.i + 10 * b.i + 100 * c.i n FROM "
            + "(SELECT 0 i UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION "
            + "SELECT 8 UNION SELECT 9) a, (SELECT 0 i UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION "
            + "SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) b, (SELECT 0 i UNION SELECT 1 UNION SELECT 2) c) numbers "
            + $"WHERE {ids.Length} - n NOT IN (SELECT id FROM t);");
        var others = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture) - committed;
        Assert.True(others > 0);
        var job = await UndoTests.JobAsync(place);
        if (isSorted)
        {
            Assert.Contains("sorted by (id)", (await place.RunAsync("jobs", "show", job)).Output, StringComparison.Ordinal);
        }

        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        UndoTests.ShouldReport(end, $"all {committed:N0} rows that job {job} had inserted into {place.Database}.t are reversed");
        Assert.Equal($"{others}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    /// <summary>What an undo has left whose job was forgotten says nothing of a later job of that name.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_forgotten_undo_has_left_is_not_believed(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        var job = await UndoTests.ImportAsync(place, "id,v\n" + string.Concat(Enumerable.Range(1, 2 * Rows).Select(id => $"{id},1\n")));
        using (var program = place.Start("undo", job))
        {
            program.Input.Close();
            await Faults.Wait.ForAsync(async () => await place.ScalarAsync($"SELECT COUNT(*) < {2 * Rows} FROM t;") == "1");
            program.Signal("KILL");
            await program.EndAsync();
        }

        var list = await place.RunAsync("jobs");
        UndoTests.ShouldReport(list, $"{job}  being undone");
        UndoTests.ShouldReport(list, $"job {job} is being undone: the same 'bulkload undo {job}' continues that");
        UndoTests.ShouldReport(await place.RunAsync("jobs", "show", job), $"begun: bulkload undo {job}");
        var forgotten = await place.RunAsync("jobs", "forget", job);
        forgotten.ShouldExitWith(0);
        UndoTests.ShouldReport(forgotten, $"job {job} was being undone, and its other rows stay: {place.Database}.bulkload_undo_");
        UndoTests.ShouldReport(forgotten, ", which had what became of each, is dropped\n");
        await UndoTests.ShouldHaveNoOthersAsync(place);
        await place.QueryAsync("TRUNCATE t;");
        (await place.RunAsync("import", "t.csv")).ShouldExitWith(0);
        (await place.RunAsync("undo", await UndoTests.JobAsync(place))).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_that_runs_is_refused_and_an_undo_that_is_stopped_goes_on(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        place.Write("t.csv", "id,v\n" + string.Concat(Enumerable.Range(1, 20 * Rows).Select(id => $"{id},1\n")));
        string job;
        using (var program = place.Start("import", "t.csv", "--rows-per-chunk", "500", "--max-rate", "3000"))
        {
            program.Input.Close();
            await Faults.Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) > 0 FROM t;") == "1");
            job = await UndoTests.JobAsync(place);
            var refused = await place.RunAsync("undo", job);
            refused.ShouldExitWith(9);
            refused.ShouldSay($"job {job} is being run by ");
            program.Signal("INT");
            (await program.EndAsync()).ShouldExitWith(130);
        }

        (await place.RunAsync("import", "t.csv")).ShouldExitWith(0);
        using (var program = place.Start("undo", job))
        {
            program.Input.Close();
            await Faults.Wait.ForAsync(async () => await place.ScalarAsync($"SELECT COUNT(*) < {20 * Rows} FROM t;") == "1");
            program.Signal("INT");
            var stopped = await program.EndAsync();
            stopped.ShouldExitWith(130);
            UndoTests.ShouldReport(stopped, $" rows of job {job} are reversed, and the same command continues with the others");
        }

        var left = int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture);
        Assert.InRange(left, 1, (20 * Rows) - 1);
        (await place.RunAsync("undo", job, "--preview")).ShouldExitWith(9);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        UndoTests.ShouldReport(end, $"all {20 * Rows:N0} rows that job {job} had inserted into {place.Database}.t are reversed");
        UndoTests.ShouldReport(end, $"an earlier start has begun to undo job {job}: its counts are in these");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Sessions_that_are_killed_are_opened_again(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        var job = await UndoTests.ImportAsync(
            place, "id,v\n" + string.Concat(Enumerable.Range(1, 20 * Rows).Select(id => $"{id},1\n")));
        using var program = place.Start("undo", job);
        program.Input.Close();
        await Faults.Wait.ForAsync(async () => await place.ScalarAsync($"SELECT COUNT(*) < {20 * Rows} FROM t;") == "1");
        var sessions = await place.ScalarAsync("SELECT CONCAT('KILL ', ID, ';') FROM information_schema.PROCESSLIST WHERE DB = DATABASE() "
            + "AND ID <> CONNECTION_ID();");
        Assert.Contains("KILL", sessions, StringComparison.Ordinal);
        await place.QueryAsync(sessions.Replace('\n', ' '));
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        UndoTests.ShouldReport(end, $"all {20 * Rows:N0} rows that job {job} had inserted into {place.Database}.t are reversed");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }
}
