using System.Text.Json;
using System.Text.RegularExpressions;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>A full refresh that has kept the former table is taken back.</summary>
public sealed class KeptTests
{
    private const string Usual = """
        CREATE TABLE up (id INT PRIMARY KEY);
        INSERT INTO up VALUES (7);
        CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) NOT NULL, up INT, parent INT, UNIQUE KEY name (name),
          CONSTRAINT kept FOREIGN KEY (up) REFERENCES up (id), CONSTRAINT own FOREIGN KEY (parent) REFERENCES t (id),
          CONSTRAINT has CHECK (name <> ''));
        INSERT INTO t (id, name, up) VALUES (1, 'one', 7), (2, 'two', NULL), (9, 'nine', NULL);
        """;

    private const string Parts = """
        CREATE TABLE t (id INT AUTO_INCREMENT, at INT NOT NULL, name VARCHAR(20), PRIMARY KEY (id, at))
          PARTITION BY RANGE (at) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN MAXVALUE);
        INSERT INTO t (id, at, name) VALUES (1, 1, 'one'), (2, 12, 'two'), (3, 13, 'three');
        """;

    private const string Tables =
        "SELECT GROUP_CONCAT(table_name ORDER BY table_name) FROM information_schema.tables WHERE table_schema = DATABASE() "
        + "AND (table_name LIKE 't%' OR table_name LIKE 'bulkload\\_old\\_%');";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_report_has_the_command_that_brings_the_former_table_back(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var before = await ContentAsync(place);
        var job = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        var list = await place.RunAsync("jobs");
        ShouldReport(list, $"{job} ");
        ShouldReport(list, $"import t.csv -> {place.Database}.t, which has kept t_before_");
        var show = await place.RunAsync("jobs", "show", job);
        ShouldReport(show, $"bulkload undo {job}, unless {place.Database}.t or {place.Database}.t_before_");
        var (refreshed, tables) = (await ContentAsync(place), await place.ScalarAsync(Tables));
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(0);
        ShouldReport(preview, $"preview: nothing was changed; by swap, {place.Database}.t would be as it was before job {job}: "
            + "1 new, 1 changed, 1 gone, 1 unchanged\n");
        Assert.Equal((refreshed, tables), (await ContentAsync(place), await place.ScalarAsync(Tables)));
        var end = await place.RunAsync("undo", job, "--report", "report.json");
        end.ShouldExitWith(0);
        ShouldReport(end, $"{place.Database}.t is as it was before job {job}, by swap in ");
        ShouldReport(end, " ms: 1 new, 1 changed, 1 gone, 1 unchanged\n");
        using (var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json"))))
        {
            var undo = report.RootElement.GetProperty("undo");
            Assert.Equal((true, 3, 1), (undo.GetProperty("complete").GetBoolean(),
                undo.GetProperty("exchange").GetProperty("rowsAfter").GetInt32(),
                undo.GetProperty("exchange").GetProperty("newRows").GetInt32()));
            Assert.StartsWith($"{place.Database}.t_before_", undo.GetProperty("formerTable").GetString(), StringComparison.Ordinal);
        }

        // The next number is that of the newer table.
        Assert.Equal(before.Replace("AUTO_INCREMENT=10", "AUTO_INCREMENT=11", StringComparison.Ordinal), await ContentAsync(place));
        Assert.Equal("t", await place.ScalarAsync(Tables));
        ShouldReport(await place.RunAsync("jobs"), "no jobs");
        (await place.RunAsync("undo", job)).ShouldExitWith(9);
    }

    /// <summary>Each has its own job: the last goes first.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Several_are_taken_back_one_after_the_other(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var first = await ContentAsync(place);
        var one = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        var second = await ContentAsync(place);
        var two = await RefreshAsync(place, "id,name\n1,eins\n2,zwei\n");
        Assert.NotEqual(one, two);
        await RefuseAsync(place, one, $"{place.Database}.t was written to since job {one}");
        (await place.RunAsync("undo", two)).ShouldExitWith(0);
        Assert.Equal(second, await ContentAsync(place));
        (await place.RunAsync("undo", one)).ShouldExitWith(0);
        Assert.Equal(first.Replace("AUTO_INCREMENT=10", "AUTO_INCREMENT=11", StringComparison.Ordinal), await ContentAsync(place));
        Assert.Equal("t", await place.ScalarAsync(Tables));

        // A file that changes nothing.
        one = await RefreshAsync(place, "id,name,up\n1,one,7\n2,two,\n9,nine,\n");
        (await place.RunAsync("undo", one)).ShouldExitWith(0);
        Assert.Equal("t", await place.ScalarAsync(Tables));
    }

    /// <summary>MySQL gives foreign keys and CHECKs that it has named another name with the table.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_with_a_long_name_comes_back_with_its_foreign_keys(string server)
    {
        const string Name = "a_name_so_long_that_its_foreign_key_has_64_letters";
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            CREATE TABLE parent (id INT PRIMARY KEY);
            INSERT INTO parent VALUES (1), (2);
            CREATE TABLE {Name} (id INT PRIMARY KEY, p INT, CHECK (id > 0), FOREIGN KEY (p) REFERENCES parent (id));
            INSERT INTO {Name} VALUES (1, 1);
            """);
        var before = await place.QueryAsync($"SHOW CREATE TABLE {Name}; SELECT * FROM {Name};");
        place.Write("t.csv", "id,p\n1,2\n2,1\n");
        for (var round = 0; round < 2; round++)
        {
            var end = await place.RunAsync("import", "t.csv", "--table", Name, "--full-refresh", "--keep-old", "--report", "r.json");
            end.ShouldExitWith(0);
            Assert.Equal("2\t1", await place.ScalarAsync($"SELECT COUNT(*), MAX(id = 2 AND p = 1) FROM {Name};"));
            var job = Regex.Match(end.Output, @"bulkload undo (\S+)").Groups[1].Value;
            (await place.RunAsync("undo", job)).ShouldExitWith(0);
            Assert.Equal(before, await place.QueryAsync($"SHOW CREATE TABLE {Name}; SELECT * FROM {Name};"));
            File.Delete(Path.Combine(place.Folder, "r.json"));
        }
    }

    [Theory]
    [CombinatorialServers(
        "UPDATE t SET name = 'TWO' WHERE id = 2;|t was written to since job", "ALTER TABLE t ADD more INT;|t was altered since job",
        "CREATE TABLE kid (id INT PRIMARY KEY, p INT, FOREIGN KEY more (p) REFERENCES t (id));|t was altered since job",
        "CREATE TRIGGER more BEFORE INSERT ON t FOR EACH ROW SET NEW.id = NEW.id;|trigger more",
        "DELETE FROM {0} WHERE id = 9;|, which is the former table, was written to since job",
        "ALTER TABLE {0} DROP INDEX name;|, which is the former table, was altered since job",
        "DROP TABLE {0};|, which is the former table, is not there any more")]
    public async Task What_was_changed_since_is_not_lost(string server, string changeAndMessage)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        var (change, message) = (changeAndMessage.Split('|')[0], changeAndMessage.Split('|')[1]);
        await place.QueryAsync(string.Format(CultureInfo.InvariantCulture, change, await FormerAsync(place)));
        await RefuseAsync(place, job, message);
        await RefuseAsync(place, job, message, "--preview");
    }

    [Theory]
    [CombinatorialServers("swap", "exchange")]
    public async Task What_others_write_while_it_comes_back_is_not_lost(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), way == "swap" ? Usual : Parts);
        var job = way == "swap" ? await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n")
            : await RefreshAsync(place, "id,at,name\n2,12,zwei\n5,15,five\n", "--partition", "p2");
        var former = await FormerAsync(place);

        // The undo has looked at the rows that are committed, when it waits for the table.
        await using var writer = await ServerSession.ConnectAsync(
            place.Server.Options(Way.Socket) with { Database = place.Database }, default);
        await writer.QueryAllAsync(
            ["START TRANSACTION", $"INSERT INTO t (id, {(way == "swap" ? "name) VALUES (77, 'other')" : "at) VALUES (77, 17)")}"], default);
        using var program = place.Start("undo", job);
        program.Input.Close();
        await Wait.ForAsync(async () => await place.ScalarAsync(
            "SELECT COUNT(*) FROM bulkload_ledger WHERE details LIKE '%\"undo\":{%';") != "0");
        await writer.ExecuteAsync("COMMIT", default);
        var end = await program.EndAsync();
        end.ShouldExitWith(7);
        end.ShouldSay(way == "swap" ? $"{place.Database}.t was written to or altered by others while it was being undone"
            : $"partition p2 of {place.Database}.t was written to by others while it was being undone");
        var left = await FormerAsync(place);
        end.ShouldSay(way == "swap"
            ? $"{place.Database}.t is the former table again, and {place.Database}.{left} is what the input had made"
            : $"partition p2 of {place.Database}.t has its former rows again, and {place.Database}.{left} has those of the input");
        Assert.NotEqual(former, left);
        Assert.Equal("1", await place.ScalarAsync($"SELECT COUNT(*) FROM `{left}` WHERE id = 77;"));
        Assert.Equal(way == "swap" ? "1,2,9" : "1,2,3", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t;"));
        ShouldReport(await place.RunAsync("jobs"), "no jobs");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_partition_comes_back(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Parts);
        var job = await RefreshAsync(place, "id,at,name\n2,12,zwei\n5,15,five\n", "--partition", "P2");
        await place.QueryAsync("INSERT INTO t VALUES (8, 8, 'in another one');");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(0);
        ShouldReport(preview, $"by exchange, partition p2 of {place.Database}.t would be as it was before job {job}: "
            + "1 new, 1 changed, 1 gone, 0 unchanged\n");
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        ShouldReport(end, $"partition p2 of {place.Database}.t is as it was before job {job}, by exchange in ");
        Assert.Equal("1\tone\n2\ttwo\n3\tthree\n8\tin another one", await place.ScalarAsync("SELECT id, name FROM t ORDER BY id;"));
        Assert.Equal("t", await place.ScalarAsync(Tables));
        job = await RefreshAsync(place, "id,at,name\n2,12,zwei\n5,15,five\n", "--partition", "p2");
        await place.QueryAsync("UPDATE t SET name = 'x' WHERE id = 5;");
        await RefuseAsync(place, job, $"partition p2 of {place.Database}.t was written to since job {job}");
    }

    /// <summary>Each moment by what it leaves: the mark, the exchange, the table that is gone.</summary>
    [Theory]
    [CombinatorialServers("marked", "exchanged", "dropped", "written")]
    public async Task An_undo_that_was_killed_is_continued(string server, string moment)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        var former = await FormerAsync(place);
        var options = place.Server.Options(Way.Socket) with { Database = place.Database };
        string aside;
        await using (var session = await ServerSession.ConnectAsync(options, default))
        {
            var facts = await Core.Refresh.RefreshProbe.LookAsync(session, place.Database, "t", null, default);
            var print = await Core.Refresh.RefreshProbe.TakeAsync(session, facts, locks: false, default);
            aside = new Core.Refresh.RefreshNames("t").OfOld($"{print}");
            var details = await place.ScalarAsync($"SELECT details FROM bulkload_ledger WHERE job = '{job}';");
            var marked = JobRecord.Read(details) with { Undo = new UndoMark(aside) };
            await session.ExecuteAsync(
                $"UPDATE bulkload_ledger SET details = '{marked.Write().Replace("'", "''", StringComparison.Ordinal)}' WHERE job = '{job}'",
                default);
        }

        if (moment != "marked")
        {
            await place.QueryAsync($"RENAME TABLE t TO {aside}, {former} TO t;");
            if (moment == "dropped")
            {
                await place.QueryAsync($"DROP TABLE {aside};");
            }

            await place.QueryAsync("INSERT INTO t (id, name) VALUES (50, 'later');");
        }

        if (moment == "written")
        {
            await place.QueryAsync($"UPDATE {aside} SET name = 'x' WHERE id = 1;");
        }

        ShouldReport(await place.RunAsync("jobs", "show", job), $"begun: bulkload undo {job} continues");
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(moment == "written" ? 7 : 0);
        ShouldReport(end, $"{place.Database}.t is as it was before job {job}");
        Assert.Equal(moment == "marked" ? "1,2,9" : "1,2,9,50", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t;"));
        Assert.Equal(moment == "written" ? "1" : "0",
            await place.ScalarAsync("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() "
                + "AND (table_name LIKE 't\\_%' OR table_name LIKE 'bulkload\\_old%');"));
        ShouldReport(await place.RunAsync("jobs"), "no jobs");
    }

    /// <summary>The table that stays gets its name and its job also where the refresh was killed at the exchange.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refresh_that_was_killed_behind_the_exchange_can_be_undone(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        await using var reader = await place.HoldAsync("t");
        place.Write("t.csv", "id,name\n1,uno\n2,two\n10,ten\n");
        string[] words = ["import", "t.csv", "--full-refresh=swap", "--keep-old"];
        using (var program = place.Start(words))
        {
            program.Input.Close();
            await Wait.ForAsync(async () => await place.ScalarAsync(
                "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'bulkload_ledger';") == "1"
                && await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE details LIKE '%\"kept\":{%';") != "0");
            program.Signal("KILL");
            await program.EndAsync();
        }

        // The server may still wait with the RENAME of a client that is gone.
        await Wait.ForAsync(async () => await place.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID <> CONNECTION_ID();") == "1");
        await reader.ExecuteAsync("ROLLBACK", default);
        var kept = JobRecord.Read(await place.ScalarAsync("SELECT details FROM bulkload_ledger WHERE details LIKE '%\"kept\":{%';")).Kept!;
        var twin = await place.ScalarAsync(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'bulkload\\_new\\_%';");
        await place.QueryAsync($"RENAME TABLE t TO {kept.Interim}, {twin} TO t;");
        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        ShouldReport(end, $"an earlier start had exchanged {place.Database}.t and was killed: the former table is "
            + $"{place.Database}.{kept.Name} now");
        var job = Core.Refresh.RefreshNames.JobOfKept(kept);
        (await place.RunAsync("undo", JobOf(end))).ShouldExitWith(0);
        Assert.Equal("uno", await place.ScalarAsync("SELECT name FROM t WHERE id = 1;"));
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal("one", await place.ScalarAsync("SELECT name FROM t WHERE id = 1;"));
        Assert.Equal("t", await place.ScalarAsync(Tables));
    }

    [Theory]
    [CombinatorialServers("", "exchange")]
    public async Task Killed_at_any_moment_the_same_command_goes_on(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), way.Length == 0 ? Usual : Parts);
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 5);
        var kills = 0;
        for (var round = 0; round < (TestVariables.Number("BULKLOAD_TEST_KILLS") ?? 2); round++)
        {
            var before = await place.ScalarAsync("SELECT * FROM t ORDER BY id;");
            var job = way.Length == 0 ? await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n")
                : await RefreshAsync(place, "id,at,name\n2,12,zwei\n5,15,five\n", "--partition", "p2");
            var after = await place.ScalarAsync("SELECT * FROM t ORDER BY id;");
            for (var (isDone, tries) = (false, 1); !isDone; tries++)
            {
                using var program = place.Start("undo", job);
                program.Input.Close();
                isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(200, 900) * Math.Max(1, tries - 3)));
                kills += isDone ? 0 : 1;
                var end = await program.EndAsync();
                var found = await place.ScalarAsync("SELECT * FROM t ORDER BY id;");
                Assert.True(found == before || (found == after && !isDone), $"{found}\n{end}");
                if (isDone && !end.Error.Contains("knows no job", StringComparison.Ordinal))
                {
                    end.ShouldExitWith(0);
                }
            }

            Assert.Equal("t", await place.ScalarAsync(Tables));
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{kills} kills");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_that_is_forgotten_leaves_its_table_and_names_it(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        var former = await FormerAsync(place);
        var end = await place.RunAsync("jobs", "forget", job);
        end.ShouldExitWith(0);
        var stays = $"{place.Database}.{former}, which {place.Database}.t was before job {job}, stays: DROP TABLE "
            + $"`{place.Database}`.`{former}` where nobody needs it\n";
        Assert.Equal(stays, end.Output);
        await RefuseAsync(place, job, "knows no job");
        job = await RefreshAsync(place, "id,name\n1,eins\n2,zwei\n");
        end = await place.RunAsync("jobs", "forget", "--complete");
        end.ShouldExitWith(0);
        ShouldReport(end, $"which {place.Database}.t was before job {job}, stays: DROP TABLE ");
        ShouldReport(end, "1 complete job forgotten\n");
        Assert.Equal("2", await place.ScalarAsync(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 't\\_before\\_%';"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_without_a_right_gets_the_grant(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'Takes-back/1'", "Takes-back/1");
        var job = await RefreshAsync(place, "id,name\n1,uno\n2,two\n10,ten\n");
        await place.QueryAsync($"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON {place.Database}.* TO '{account.User}'@'%';");
        var before = await ContentAsync(place);
        var end = await place.RunAsync(account, "undo", job);
        end.ShouldExitWith(9);
        end.ShouldSay(": GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP ON ");
        end.ShouldSay("nothing was changed");
        Assert.Equal(before, await ContentAsync(place));
        await place.QueryAsync($"GRANT ALTER, DROP ON {place.Database}.* TO '{account.User}'@'%';");
        (await place.RunAsync(account, "undo", job)).ShouldExitWith(0);
        Assert.Equal("t", await place.ScalarAsync(Tables));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_a_ledger_or_with_another_one_it_is_said_what_is_so(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,uno\n2,two\n");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh", "--keep-old", "--no-ledger");
        end.ShouldExitWith(0);
        Assert.DoesNotContain("to go back", end.Output, StringComparison.Ordinal);
        await using var other = await Workplace.CreateAsync(place.Server);
        end = await place.RunAsync("import", "t.csv", "--full-refresh", "--keep-old", "--ledger-schema", other.Database);
        end.ShouldExitWith(0);
        ShouldReport(end, $"to go back: bulkload undo {JobOf(end)} --ledger-schema {other.Database}");
        (await place.RunAsync("undo", JobOf(end), "--ledger-schema", other.Database, "--table", "other")).ShouldExitWith(9);
        (await place.RunAsync("undo", JobOf(end), "t.csv", "--ledger-schema", other.Database)).ShouldExitWith(2);
        (await place.RunAsync("undo", JobOf(end), "--ledger-schema", other.Database)).ShouldExitWith(0);
    }

    private static async Task<string> RefreshAsync(Workplace place, string records, params string[] options)
    {
        place.Write("t.csv", records);
        var end = await place.RunAsync(["import", "t.csv", "--full-refresh", "--keep-old", .. options]);
        end.ShouldExitWith(0);
        return JobOf(end);
    }

    /// <summary>As the report has it.</summary>
    private static string JobOf(ProgramEnd end)
    {
        const string Begin = "to go back: bulkload undo ";
        var at = end.Output.IndexOf(Begin, StringComparison.Ordinal);
        Assert.True(at >= 0, $"no command\n{end}");
        return end.Output[(at + Begin.Length)..].Split(' ', '\n')[0];
    }

    private static Task<string> FormerAsync(Workplace place) => place.ScalarAsync(
        "SELECT MAX(table_name) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 't\\_%before\\_%';");

    private static Task<string> ContentAsync(Workplace place) => place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t ORDER BY id;");

    private static async Task RefuseAsync(Workplace place, string job, string why, params string[] options)
    {
        var (before, tables) = (await ContentAsync(place), await place.ScalarAsync(Tables));
        var end = await place.RunAsync(["undo", job, .. options]);
        end.ShouldExitWith(9);
        end.ShouldSay(why);
        Assert.Equal((before, tables), (await ContentAsync(place), await place.ScalarAsync(Tables)));
    }

    private static void ShouldReport(ProgramEnd end, string text) =>
        Assert.True(end.Output.Contains(text, StringComparison.Ordinal), $"expected: {text}\n{end}");
}
