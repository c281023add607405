using System.Text.Json;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>A job with <c>--undoable</c> keeps the rows that it changes, and an undo puts those back that are as the job has left
/// them.</summary>
public sealed class KeptRowTests
{
    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n INT NOT NULL DEFAULT 3, UNIQUE KEY name (name),
          seen TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP);
        INSERT INTO t (id, name, n) VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3), (4, 'four', 4), (9, 'nine', 9);
        """;

    private const string Rows = "SELECT * FROM t ORDER BY id;";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Updated_rows_are_put_back_as_they_were(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var before = await place.QueryAsync(Rows);
        var job = await DoAsync(place, "update", "id,name\n1,uno\n2,two\n3,tres\n", 0);
        var full = await place.QueryAsync(Rows);
        Assert.NotEqual(before, full);
        (await place.RunAsync("jobs", "show", job)).ShouldExitWith(0);
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(0);
        Assert.StartsWith($"all 2 rows that job {job} had changed in {place.Database}.t would be reversed, in ", preview.Output,
            StringComparison.Ordinal);
        Assert.Equal(full, await place.QueryAsync(Rows));

        var end = await place.RunAsync("undo", job, "--report", "report.json");
        end.ShouldExitWith(0);
        Assert.StartsWith($"all 2 rows that job {job} had changed in {place.Database}.t are reversed, in ", end.Output,
            StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync(Rows));
        await UndoTests.ShouldHaveNoOthersAsync(place);
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var undo = report.RootElement.GetProperty("undo");
        Assert.Equal((2, "changed", true), (undo.GetProperty("reversed").GetInt32(), undo.GetProperty("change").GetString(),
            undo.GetProperty("complete").GetBoolean()));
        (await place.RunAsync("undo", job)).ShouldExitWith(9);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Updated_rows_that_were_changed_since_or_cannot_go_back_stay(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await DoAsync(place, "update", "id,name\n1,uno\n2,dos\n3,tres\n4,cuatro\n9,nueve\n", 0);
        await place.QueryAsync("UPDATE t SET name = 'UNO' WHERE id = 1; DELETE FROM t WHERE id = 2; "
            + "INSERT INTO t (id, name) VALUES (50, 'three');");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(3);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        foreach (var one in new[] { preview, end })
        {
            Assert.StartsWith("2 of the 5 rows that ", one.Output, StringComparison.Ordinal);
            UndoTests.ShouldReport(one, "2 kept, 1 already gone, in ");
            UndoTests.ShouldReport(one, "kept: changed since: 1 row, with key 1\n");
            UndoTests.ShouldReport(one, "already gone: 1 row, with key 2\n");
            UndoTests.ShouldReport(one, "kept: refused by the server: 1 row, with key 3\n");
            UndoTests.ShouldReport(one, "note  the server did not take a row as it was: Duplicate entry 'three' for key ");
        }

        Assert.Equal("1\tUNO\n3\ttres\n4\tfour\n9\tnine\n50\tthree", await place.ScalarAsync("SELECT id, name FROM t ORDER BY id;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Deleted_rows_are_inserted_again_unless_their_place_is_taken(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var before = await place.QueryAsync("SELECT * FROM t WHERE id IN (3, 4) ORDER BY id;");
        var job = await DoAsync(place, "delete", "id\n1\n2\n3\n4\n9\n", 0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await place.QueryAsync("INSERT INTO t (id, name, n) VALUES (1, 'one', 1), (2, 'two', 22), (50, 'nine', 0);");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(3);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        foreach (var one in new[] { preview, end })
        {
            Assert.StartsWith($"2 of the 5 rows that job {job} had deleted from {place.Database}.t ", one.Output, StringComparison.Ordinal);
            UndoTests.ShouldReport(one, ", 2 kept, 1 already there again, in ");
            UndoTests.ShouldReport(one, "kept: changed since: 1 row, with key 2\n");
            UndoTests.ShouldReport(one, "kept: refused by the server: 1 row, with key 9\n");
            UndoTests.ShouldReport(one, "already there again: 1 row, with key 1\n");
        }

        Assert.Equal(before, await place.QueryAsync("SELECT * FROM t WHERE id IN (3, 4) ORDER BY id;"));
        Assert.Equal("22", await place.ScalarAsync("SELECT n FROM t WHERE id = 2;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>Every value goes back as it was stored: also those that a session's modes or time zone would change.</summary>
    [Theory]
    [CombinatorialServers("update", "delete")]
    public async Task Values_of_every_type_go_back_as_they_were(string server, string command)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $$"""
            SET SESSION sql_mode='ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO', time_zone='+00:00';
            SET NAMES utf8mb4;
            CREATE TABLE t (
              id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_unicode_ci, c CHAR(9) CHARACTER SET latin1, x TEXT, f FLOAT,
              d DOUBLE, n DECIMAL(20,6), b BIT(5), s TIMESTAMP(3) NULL, y VARBINARY(9), z BLOB, j JSON, e ENUM('a','b'), st SET('x','y'),
              day DATE, dt DATETIME(6), ti TIME(2), yr YEAR, twice INT AS (yr * 2) STORED, g POINT,
              seen TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, touched INT);
            INSERT INTO t (id, v, c, x, f, d, n, b, s, y, z, j, e, st, day, dt, ti, yr, g, seen) VALUES
              (0, 'abc', 'é ', 'straße', 0.1, -0e0, 1.5, b'10101', '2026-10-25 00:30:00.123', x'0061', x'00FF27', '{"a": [1, 2.50]}', 'b',
               'x,y', '2026-02-31', '2026-01-01 00:00:00.000001', '-12:30:00.25', 1999, ST_GeomFromText('POINT(1 2.5)'),
               '2026-10-25 01:30:00'),
              (1, 'a ', '', '', 1e-40, 1e300, -0.000001, b'0', '2026-10-25 01:30:00', '', '', 'null', NULL, '', '0000-00-00', NULL, NULL, 0,
               NULL, '2001-01-01 00:00:00'),
              (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
               '2002-01-01 00:00:00');
            """);
        var sum = "SET time_zone='+00:00'; SELECT id, HEX(v), HEX(c), HEX(x), f + 0e0, ATAN2(d, -1), d, n, b + 0, s, HEX(y), HEX(z), "
            + "HEX(CAST(j AS CHAR)), e + 0, st + 0, CAST(day AS CHAR), dt, ti, yr, twice, HEX(g), seen, touched FROM t ORDER BY id;";
        var before = await place.QueryAsync(sum);
        var job = command == "update" ? await DoAsync(place, command, "id,touched,v\n0,1,A\n1,2,B\n2,3,C\n", 0, "--time-zone", "+02:00")
            : await DoAsync(place, command, "id\n0\n1\n2\n", 0);
        Assert.NotEqual(before, await place.QueryAsync(sum));
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync(sum));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>What is refused, missing or left as it was is none of the job's changes.</summary>
    [Theory]
    [CombinatorialServers("", "--atomic", "--threads 2")]
    public async Task Only_what_was_changed_is_put_back(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT, CHECK (v < 100000));
            CREATE TABLE child (p INT, FOREIGN KEY (p) REFERENCES t (id));
            """);
        await place.QueryAsync($"INSERT INTO t VALUES {string.Join(", ", Enumerable.Range(0, 10_000).Select(id => $"({id}, 0, 0)"))}; "
            + "INSERT INTO child VALUES (777), (778);");
        var before = await place.QueryAsync("CHECKSUM TABLE t; SELECT COUNT(*) FROM t;");
        var records = string.Concat(Enumerable.Range(0, 10_100).Select(
            id => $"{id},{(id % 1000 == 555 ? 200_000 : id % 10 == 0 ? 0 : id)}\n"));
        string[] options = ["--max-rejects", "1000", "--rows-per-chunk", "3000", .. way.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        options = way == "--atomic" ? ["--max-rejects", "1000", "--atomic"] : options;
        var job = await DoAsync(place, "update", "id,v\n" + records, 3, options);
        Assert.Equal("8990", await place.ScalarAsync("SELECT COUNT(*) FROM t WHERE v > 0;"));
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        Assert.StartsWith("all 8,990 rows ", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync("CHECKSUM TABLE t; SELECT COUNT(*) FROM t;"));

        job = await DoAsync(place, "delete", "id\n" + string.Concat(Enumerable.Range(0, 10_100).Select(id => $"{id}\n")), 3, options);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        Assert.StartsWith("all 9,998 rows ", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync("CHECKSUM TABLE t; SELECT COUNT(*) FROM t;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>A row that is changed twice goes back to what it was first; keys may find several rows, and --where few.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_first_image_counts_and_keys_of_any_kind_find_it(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (a INT, b VARCHAR(9) COLLATE utf8mb4_general_ci, g INT, v INT, PRIMARY KEY (a, b), KEY g (g));
            INSERT INTO t VALUES (1, 'x', 7, 0), (1, 'Y', 7, 1), (2, 'x', 8, 2), (3, 'z', 8, 3);
            """);
        var before = await place.QueryAsync("SELECT * FROM t ORDER BY a, b;");
        var job = await DoAsync(place, "update", "a,b,v\n1,X,10\n1,y,11\n1,x,12\n2,x,13\n1,Y,1\n", 0, ["--rows-per-chunk", "1"], "a,b");
        Assert.NotEqual(before, await place.QueryAsync("SELECT * FROM t ORDER BY a, b;"));
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync("SELECT * FROM t ORDER BY a, b;"));

        job = await DoAsync(place, "update", "g,v\n7,50\n8,51\n7,52\n", 0, ["--allow-multiple", "--where", "v > 0"], "g");
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync("SELECT * FROM t ORDER BY a, b;"));

        job = await DoAsync(place, "delete", "g\n7\n8\n", 0, ["--allow-multiple", "--ignore-missing", "--where", "v > 1"], "g");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(0);
        Assert.StartsWith("all 2 rows ", end.Output, StringComparison.Ordinal);
        Assert.Equal(before, await place.QueryAsync("SELECT * FROM t ORDER BY a, b;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_could_not_be_put_back_is_refused_before_a_row_is_sent(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE bare (id INT, v INT, UNIQUE KEY id (id));
            CREATE TABLE p (id INT PRIMARY KEY, u INT NOT NULL, v INT, UNIQUE KEY u (u));
            CREATE TABLE c (p INT, CONSTRAINT cascades FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE);
            CREATE TABLE d (u INT, CONSTRAINT follows FOREIGN KEY (u) REFERENCES p (u) ON UPDATE CASCADE);
            INSERT INTO bare VALUES (1, 1);
            INSERT INTO p VALUES (1, 1, 1);
            """);
        place.Write("t.csv", "id,v,u\n1,2,3\n");
        await ShouldRefuseAsync(
            "has no primary key", "update", "--table", "bare", "--key", "id", "--allow-multiple", "--columns", "id,v,@u");
        await ShouldRefuseAsync("foreign key follows of", "update", "--table", "p", "--key", "id");
        await ShouldRefuseAsync("foreign key cascades of", "delete", "--table", "p", "--key", "id", "--columns", "id,@v,@u");
        await ShouldRefuseAsync("'id' is changed, and finds the rows", "update", "--table", "p", "--key", "u");
        (await place.RunAsync("update", "t.csv", "--table", "p", "--key", "id", "--undoable", "--no-ledger")).ShouldExitWith(2);
        Assert.Equal("1\t1\t1", await place.ScalarAsync("SELECT * FROM p;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);

        async Task ShouldRefuseAsync(string why, string command, params string[] options)
        {
            var end = await place.RunAsync([command, "t.csv", "--undoable", .. options]);
            end.ShouldExitWith(9);
            end.ShouldSay(why);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Kept_rows_go_with_their_job_and_stay_with_the_same_one_again(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var first = await DoAsync(place, "update", "id,name\n1,uno\n", 0);

        // The same file again is another job: each is undone by itself, the last one first.
        await place.QueryAsync("UPDATE t SET name = 'eins' WHERE id = 1;");
        var second = await DoAsync(place, "update", "id,name\n1,uno\n", 0);
        Assert.NotEqual(first, second);
        (await place.RunAsync("undo", second)).ShouldExitWith(0);
        Assert.Equal("eins", await place.ScalarAsync("SELECT name FROM t WHERE id = 1;"));
        (await place.RunAsync("undo", first)).ShouldExitWith(3);

        // Where one of several jobs cannot be forgotten, none is, and what is kept stays.
        var third = await DoAsync(place, "update", "id,n\n2,22\n", 0, ["--undoable=1h"]);
        (await place.RunAsync("jobs", "forget", third, "nobody")).ShouldExitWith(9);
        (await place.RunAsync("undo", third, "--preview")).ShouldExitWith(0);
        (await place.RunAsync("jobs", "forget", third)).ShouldExitWith(0);
        await UndoTests.ShouldHaveNoOthersAsync(place);

        // A later start drops what is kept for too long, and the job stays.
        var old = await DoAsync(place, "update", "id,n\n3,33\n", 0, ["--undoable=0h"]);
        var end = await place.RunAsync("delete", "t.csv", "--table", "t", "--key", "id", "--columns", "id,@n", "--undoable");
        end.ShouldExitWith(0);
        UndoTests.ShouldReport(end, $"job {old} cannot be undone any more: ");
        Assert.Equal("1", await place.ScalarAsync(UndoTests.CountOthers));
        var refused = await place.RunAsync("undo", old);
        refused.ShouldExitWith(9);
        refused.ShouldSay("are dropped");
    }

    /// <summary>Two jobs are killed before their first COMMIT, and a third one takes the place of both.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_drops_the_tables_of_all_jobs_that_it_replaces(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("a.csv", "id,n\n1,7\n");
        place.Write("b.csv", "id,n\n1,8\n");
        await using (var blocker = await ServerSession.ConnectAsync(
            place.Server.AdminOptions() with { Database = place.Database }, default))
        {
            await blocker.ExecuteAsync("BEGIN", default);
            await blocker.QueryAsync("SELECT id FROM t WHERE id = 1 FOR UPDATE", default);
            await place.KillAsync(UndoTests.CountOthers, count => count == 2, "update", "a.csv", "--table", "t", "--undoable");
            await place.KillAsync(UndoTests.CountOthers, count => count == 4, "update", "b.csv", "--table", "t", "--undoable");
        }

        (await place.RunAsync("update", "a.csv", "b.csv", "--table", "t", "--undoable")).ShouldExitWith(0);
        Assert.Equal("8", await place.ScalarAsync("SELECT n FROM t WHERE id = 1;"));
        Assert.Equal("2", await place.ScalarAsync(UndoTests.CountOthers));
    }

    [Theory]
    [CombinatorialServers("update", "delete", "import")]
    public async Task Killed_jobs_and_killed_undos_take_each_row_back_once(string server, string command)
    {
        const int Count = 12_000;
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(90), n INT);");
        place.Write("rows.csv", "id,v,n\n" + string.Concat(Enumerable.Range(1, Count).Select(id => $"{id},old {id},{id % 7}\n")));
        (await place.RunAsync("import", "rows.csv", "--table", "t", "--no-ledger")).ShouldExitWith(0);
        var before = await place.QueryAsync("CHECKSUM TABLE t;");
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 52);
        place.Write("t.csv", command == "delete" ? "id\n" + string.Concat(Enumerable.Range(1, Count).Select(id => $"{id}\n"))
            : "id,v\n" + string.Concat(Enumerable.Range(1, Count).Select(id => $"{(command == "import" ? id + (Count / 2) : id)},new\n")));
        string[] ways = command == "import" ? ["--on-duplicate", "update"] : ["--key", "id"];
        string[] words = [command, "t.csv", "--table", "t", .. ways, "--undoable", "--rows-per-chunk", "500"];
        for (var round = 0; round < (TestVariables.Number("BULKLOAD_TEST_KILLS") ?? 2); round++)
        {
            // Killed once or twice, and resumed or not: an undo takes back what is committed.
            var isComplete = false;
            for (var tries = 0; tries <= round % 3 && !isComplete; tries++)
            {
                using var program = place.Start([.. words, "--max-rate", "5000"]);
                program.Input.Close();
                isComplete = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(300, 2500)));
                await program.EndAsync();
            }

            var isBegun = await place.ScalarAsync("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() "
                + "AND table_name = 'bulkload_ledger';") == "1"
                && await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE details LIKE '%\"images\":%';") == "1";
            if ((round % 2 == 1 || !isBegun) && !isComplete)
            {
                (await place.RunAsync(words)).ShouldExitWith(0);
            }

            var changed = await place.ScalarAsync("SELECT COUNT(*), SUM(v LIKE 'old%') FROM t;");
            var job = await UndoTests.JobAsync(place);
            for (var isDone = false; !isDone;)
            {
                using var program = place.Start("undo", job);
                program.Input.Close();
                isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(600, 4000)));
                var end = await program.EndAsync();
                if (isDone && !end.Error.Contains("knows no job", StringComparison.Ordinal))
                {
                    end.ShouldExitWith(0);
                }
            }

            Assert.Equal(before, await place.QueryAsync("CHECKSUM TABLE t;"));
            await UndoTests.ShouldHaveNoOthersAsync(place);
            TestContext.Current.TestOutputHelper?.WriteLine($"rows, and those as they were: {changed}");
        }
    }

    private static Task<string> DoAsync(Workplace place, string command, string records, int exit, params string[] options) =>
        DoAsync(place, command, records, exit, options, "id");

    private static async Task<string> DoAsync(
        Workplace place, string command, string records, int exit, string[] options, string key)
    {
        place.Write("t.csv", records);
        string[] keeps = options.Any(option => option.StartsWith("--undoable", StringComparison.Ordinal)) ? [] : ["--undoable"];
        (await place.RunAsync([command, "t.csv", "--table", "t", "--key", key, .. keeps, .. options])).ShouldExitWith(exit);
        return await UndoTests.JobAsync(place);
    }
}
