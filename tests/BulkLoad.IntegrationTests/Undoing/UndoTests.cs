using System.Text.Json;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>What an import has inserted goes again, and nothing else: rows that were changed since, that others refer to, or that were
/// there before stay.</summary>
public sealed class UndoTests
{
    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n INT NOT NULL DEFAULT 3, UNIQUE KEY name (name), CHECK (id > 0));
        INSERT INTO t VALUES (1, 'one', 1), (9, 'nine', 9);
        """;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_job_has_inserted_goes_and_can_be_imported_again(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await ImportAsync(place, "id,name\n2,two\n3,\n4,four\n");
        var full = await place.QueryAsync("SELECT * FROM t ORDER BY id;");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(0);
        Assert.StartsWith($"all 3 rows that job {job} had inserted into {place.Database}.t would be reversed, in ", preview.Output,
            StringComparison.Ordinal);
        Assert.Equal(full, await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
        await ShouldHaveNoOthersAsync(place);

        var end = await place.RunAsync("undo", job, "--report", "report.json");
        end.ShouldExitWith(0);
        Assert.StartsWith($"all 3 rows that job {job} had inserted into {place.Database}.t are reversed, in ", end.Output,
            StringComparison.Ordinal);
        ShouldReport(end, $"note  job {job} is forgotten: t.csv can be imported again into {place.Database}.t");
        Assert.Equal("1\tone\t1\n9\tnine\t9", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        await ShouldHaveNoOthersAsync(place);
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var undo = report.RootElement.GetProperty("undo");
        Assert.Equal((3, 0, true), (undo.GetProperty("reversed").GetInt32(), undo.GetProperty("keptChanged").GetInt32(),
            undo.GetProperty("complete").GetBoolean()));

        (await place.RunAsync("undo", job)).ShouldExitWith(9);
        (await place.RunAsync("import", "t.csv")).ShouldExitWith(0);
        Assert.Equal(full, await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    /// <summary>The records are loaded again, into a table beside the one that the user knows.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refused_record_is_told_with_the_names_of_the_table(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, n INT, CONSTRAINT small CHECK (n < 100));");
        place.Write("t.csv", "id,n\n1,1\n2,500\n");
        (await place.RunAsync("import", "t.csv", "--job-id", "mine", "--max-rejects", "1")).ShouldExitWith(3);
        var end = await place.RunAsync("undo", "mine", "--verbose");
        end.ShouldExitWith(0);
        end.ShouldSay(place.Server.IsMariaDb
            ? $"CONSTRAINT `small` failed for `{place.Database}`.`t`" : "Check constraint 'small' is violated.");
        Assert.DoesNotContain("bulkload_undo", $"{end}", StringComparison.Ordinal);
    }

    /// <summary>By bytes: a collation, a display width or a sign hides such changes.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_that_were_changed_since_stay(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $$"""
            CREATE TABLE t (
              id VARCHAR(9) PRIMARY KEY, v VARCHAR(20), c CHAR(9) CHARACTER SET latin1, x TEXT, f FLOAT, d DOUBLE, n DECIMAL(20,6),
              b BIT(5), s TIMESTAMP(3) NULL, y VARBINARY(9), j JSON, e ENUM('a','b'), day DATE, more INT DEFAULT 5,
              twice INT AS (more * 2) STORED, seen TIMESTAMP NULL ON UPDATE CURRENT_TIMESTAMP, bits BIT(2) NOT NULL DEFAULT b'10');
            SET time_zone='+00:00';
            """);
        (string Column, string From, string To)[] changes =
        [
            ("v", "abc", "'ABC'"), ("v", "a", "'a '"), ("v", "abc", "NULL"), ("c", "e", "'é'"), ("x", "strasse", "'STRASSE'"),
            ("f", "0.1", "0.1000001"), ("f", "0", "1e-40"), ("d", "0.1", "0.10000000000000002"), ("n", "1.5", "1.500001"),
            ("b", "1", "b'11'"), ("s", "2026-01-01 00:00:00", "'2026-01-01 00:00:00.001'"), ("y", "YQ==", "'a '"),
            ("j", "{\"\"a\"\":1}", "'{\"a\": 2}'"), ("e", "a", "'b'"), ("day", "2026-01-01", "'2026-01-02'"), ("more", "5", "6"),
        ];
        const string Header = "id,v,c,x,f,d,n,b,s,y,j,e,day";
        var columns = Header.Split(',');
        var records = changes.Select((change, i) => string.Join(',', columns.Select(column =>
            column == "id" ? $"k{i}" : column == change.Column ? column == "j" ? $"\"{change.From}\"" : change.From : "")));
        var job = await ImportAsync(place, $"{Header}\n{string.Join('\n', records)}\nsame,v,c,x,1.5,1.5,1.5,3,2026-03-01 10:00:00,YQ==,"
            + "\"{\"\"k\"\": [1, 2.50]}\",b,2026-01-01\nnull,,,,,,,,,,,,\n", "--binary", "base64", "--time-zone", "UTC");
        var stay = string.Join(' ', changes.Select((change, i) => $"UPDATE t SET {change.Column} = {change.To} WHERE id = 'k{i}';"));
        await place.QueryAsync($"SET NAMES utf8mb4; SET time_zone='+00:00'; {stay} UPDATE t SET id = 'NULL' WHERE id = 'null';");
        var end = await place.RunAsync("undo", job, "--binary", "base64", "--time-zone", "UTC");
        end.ShouldExitWith(3);
        Assert.StartsWith($"1 of the {changes.Length + 2} rows that job {job} had inserted into {place.Database}.t is reversed, "
            + $"{changes.Length + 1} kept, in ", end.Output, StringComparison.Ordinal);
        ShouldReport(end, $"kept: changed since: {changes.Length + 1} rows, with key k0; k1; k10, ...");
        Assert.Equal(changes.Length + 1, int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture));
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t WHERE id = 'same';"));
        await ShouldHaveNoOthersAsync(place);
    }

    /// <summary>The catalogue of MySQL has no literals, and a TIMESTAMP as it was written, whatever the time zone was then.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Constants_that_the_server_has_filled_in_are_compared(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            SET time_zone='+05:00';
            CREATE TABLE t (
              id INT PRIMARY KEY, ts TIMESTAMP NOT NULL DEFAULT '2020-01-01 00:00:00',
              ts3 TIMESTAMP(3) NULL DEFAULT '2020-07-01 00:00:00.125',
              v VARCHAR(20) DEFAULT 'why?', b VARBINARY(9) DEFAULT 'a b', f FLOAT DEFAULT 1.5, dt DATETIME DEFAULT '2020-01-01 00:00:00');
            """);
        var job = await ImportAsync(place, "id\n1\n2\n3\n4\n5\n");
        Assert.Equal("2019-12-31 19:00:00\t2020-06-30 19:00:00.125", await place.ScalarAsync(
            "SET time_zone='+00:00'; SELECT ts, ts3 FROM t WHERE id = 1;"));
        await place.QueryAsync("UPDATE t SET ts = ts + INTERVAL 5 HOUR WHERE id = 2; UPDATE t SET ts3 = NULL WHERE id = 3; "
            + "UPDATE t SET v = 'WHY?' WHERE id = 4;");
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        ShouldReport(end, "kept: changed since: 3 rows, with key 2; 3; 4\n");
        Assert.Equal("2\n3\n4", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    /// <summary>On MySQL 1.5 may be a DOUBLE or a DECIMAL; MariaDB keeps the text.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Json_that_differs_in_its_types_has_changed_since(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id VARCHAR(9) PRIMARY KEY, j JSON);");
        (string From, string To)[] changes = place.Server.IsMariaDb
            ? [("1", "'1.0'"), ("[1]", "'[ 1]'"), ("{\"a\":1,\"b\":2}", "'{\"b\":2,\"a\":1}'"), ("\"a\"", "'\"A\"'")]
            :
            [
                ("1", "'1.0'"), ("[1]", "'[1.0]'"), ("-0.0", "'0.0'"), ("\"a\"", "'\"A\"'"), ("1", "CAST(CAST(1 AS UNSIGNED) AS JSON)"),
                ("1.5", "CAST(1.5 AS JSON)"), ("\"2020-01-01\"", "CAST(DATE'2020-01-01' AS JSON)"), ("[1.5]", "JSON_ARRAY(1.5)"),
                ("{\"a\": {\"b\": [2.25]}}", "JSON_OBJECT('a', JSON_OBJECT('b', JSON_ARRAY(2.25)))"),
                ("[\"2020-01-01\"]", "JSON_ARRAY(DATE'2020-01-01')"), ("[\"10:00:00.000000\"]", "JSON_ARRAY(TIME'10:00:00')"),
                ("[\"base64:type253:YWJj\"]", "JSON_ARRAY(CAST('abc' AS BINARY))"),
            ];
        var depth = place.Server.IsMariaDb ? 30 : 100;
        var deep = new string('[', depth) + new string(']', depth);
        var records = changes.Select((change, i) => $"k{i},{Csv(change.From)}\n");
        var job = await ImportAsync(place, $"id,j\n{string.Concat(records)}same,{Csv("{\"a\": \"a longer text\", \"b\": [1, 1.5]}")}\n"
            + $"deep,{deep}\nnull,\nnone,null\n");
        var all = string.Join(' ', changes.Select((change, i) => $"UPDATE t SET j = {change.To} WHERE id = 'k{i}';"));

        // MySQL changes a value in its place, and leaves a gap behind a shorter one.
        await place.QueryAsync($$"""
            {{all}}
            UPDATE t SET j = JSON_SET(j, '$.a', 'short') WHERE id = 'same';
            UPDATE t SET j = JSON_SET(j, '$.a', 'a longer text') WHERE id = 'same';
            UPDATE t SET j = '{"a": "a longer text", "b": [1, 1.5]}' WHERE id = 'same' AND VERSION() LIKE '%MariaDB%';
            """);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        Assert.Equal(string.Join('\n', changes.Select((_, i) => $"k{i}").Order(StringComparer.Ordinal)),
            await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));

        static string Csv(string text) => $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_that_others_refer_to_stay_and_those_that_are_gone_are_counted(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, u INT NOT NULL, UNIQUE KEY u (u));
            CREATE TABLE a (p INT, FOREIGN KEY restricts (p) REFERENCES t (id));
            CREATE TABLE b (p INT, CONSTRAINT cascades FOREIGN KEY (p) REFERENCES t (u) ON DELETE CASCADE);
            CREATE TABLE c (p INT, CONSTRAINT nulls FOREIGN KEY (p) REFERENCES t (id) ON DELETE SET NULL);
            """);
        var job = await ImportAsync(place, "id,u\n1,11\n2,12\n3,13\n4,14\n5,15\n6,16\n");
        await place.QueryAsync("INSERT INTO a VALUES (1); INSERT INTO b VALUES (12), (12); INSERT INTO c VALUES (3), (NULL); "
            + "DELETE FROM t WHERE id = 4; UPDATE t SET u = 55 WHERE id = 5;");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(3);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        Assert.StartsWith($"1 of the 6 rows that job {job} had inserted into {place.Database}.t is reversed, 4 kept, 1 already gone, in ",
            end.Output, StringComparison.Ordinal);
        Assert.StartsWith($"1 of the 6 rows that job {job} had inserted into {place.Database}.t would be reversed, 4 kept, 1 already gone",
            preview.Output, StringComparison.Ordinal);
        foreach (var output in new[] { preview, end })
        {
            ShouldReport(output, "kept: changed since: 1 row, with key 5\n");
            ShouldReport(output, "already gone: 1 row, with key 4\n");
            ShouldReport(output, $"kept: referred to by {place.Database}.a (");
            ShouldReport(output, $"kept: referred to by {place.Database}.b (cascades): 1 row, with key 2\n");
            ShouldReport(output, $"kept: referred to by {place.Database}.c (nulls): 1 row, with key 3\n");
        }

        Assert.Equal("1\n2\n3\n5", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
        Assert.Equal("1\t2\t2", await place.ScalarAsync("SELECT (SELECT COUNT(*) FROM a), (SELECT COUNT(*) FROM b), COUNT(*) FROM c;"));
        await ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("RESTRICT", "CASCADE", "SET NULL")]
    public async Task Rows_that_refer_to_each_other_go_unless_one_that_stays_needs_them(string server, string rule)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            CREATE TABLE t (id INT PRIMARY KEY, p INT, v INT, FOREIGN KEY (p) REFERENCES t (id) ON DELETE {rule});
            """);

        // Two trees, a chain whose end is changed, one that a stranger hangs on, a row that refers to itself, and children before parents.
        var job = await ImportAsync(place, "id,p,v\n1,,0\n2,1,0\n3,1,0\n4,3,0\n10,,0\n11,10,0\n12,11,0\n20,,0\n21,20,0\n30,30,0\n50,,0\n"
            + "49,50,0\n48,49,0\n47,48,0\n");
        await place.QueryAsync("UPDATE t SET v = 1 WHERE id = 12; INSERT INTO t VALUES (100, 20, 0);");
        var preview = await place.RunAsync("undo", job, "--preview");
        preview.ShouldExitWith(3);
        var end = await place.RunAsync("undo", job);
        end.ShouldExitWith(3);
        Assert.Equal("10\tNULL\n11\t10\n12\t11\n20\tNULL\n100\t20", await place.ScalarAsync("SELECT id, p FROM t ORDER BY id;"));
        Assert.StartsWith($"10 of the 14 rows that job {job} had inserted into {place.Database}.t are reversed, 4 kept, in ", end.Output,
            StringComparison.Ordinal);
        Assert.StartsWith("10 of the 14 rows ", preview.Output, StringComparison.Ordinal);
        ShouldReport(end, "kept: referred to by rows of the same table that stay: 3 rows, with key 10; 11; 20\n");
        await ShouldHaveNoOthersAsync(place);
    }

    /// <summary>What other jobs have loaded of the same file stays.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Only_the_jobs_own_records_of_a_file_go(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, v INT);");
        var first = await ImportAsync(place, "id,v\n1,1\n2,2\n");
        var rest = await ImportAsync(place, "id,v\n1,1\n2,2\n3,3\n4,4\n", "--append");
        (await place.RunAsync("undo", first, "t.csv")).ShouldExitWith(0);
        Assert.Equal("3\n4", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
        (await place.RunAsync("undo", rest)).ShouldExitWith(0);
        Assert.Equal("", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));

        (await place.RunAsync("import", "t.csv", "--part", "1/2")).ShouldExitWith(0);
        (await place.RunAsync("import", "t.csv", "--part", "2/2")).ShouldExitWith(0);
        var part = await JobAsync(place);
        Assert.EndsWith("#2/2", part, StringComparison.Ordinal);
        (await place.RunAsync("undo", part)).ShouldExitWith(0);
        Assert.Equal("1\n2", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_pipe_is_undone_from_a_file_and_triggers_are_named(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE `a.b` (`k ``'AUTO_INCREMENT` INT AUTO_INCREMENT COMMENT ' ON UPDATE CURRENT_TIMESTAMP', v VARCHAR(40)
              DEFAULT ' AUTO_INCREMENT', PRIMARY KEY (`k ``'AUTO_INCREMENT`)) COMMENT 'AUTO_INCREMENT';
            CREATE TABLE log (id INT);
            CREATE TRIGGER comes AFTER INSERT ON `a.b` FOR EACH ROW INSERT INTO log VALUES (1);
            CREATE TRIGGER goes AFTER DELETE ON `a.b` FOR EACH ROW INSERT INTO log VALUES (-1);
            """);
        using (var program = place.Start("import", "-", "--table", "`a.b`", "--format", "csv", "--job-id", "mine"))
        {
            await program.Input.WriteAsync("k `'AUTO_INCREMENT\n7\n"u8.ToArray());
            program.Input.Close();
            (await program.EndAsync()).ShouldExitWith(0);
        }

        var show = await place.RunAsync("jobs", "show", "mine");
        ShouldReport(
            show, "undo         bulkload undo mine, with the import's options for reading and values; --preview shows what would go");
        var unnamed = await place.RunAsync("undo", "mine", "--format", "csv");
        unnamed.ShouldSay("which cannot be read again: name a file with the same content");
        var moved = place.Write("moved [1].txt", "k `'AUTO_INCREMENT\n7\n");
        var end = await place.RunAsync("undo", "mine", moved, "--format", "csv");
        end.ShouldExitWith(0);
        ShouldReport(
            end, "note  not undone is what triggers do: comes (AFTER INSERT), goes (AFTER DELETE); those of DELETE run for each row");
        Assert.Equal("0\t2", await place.ScalarAsync("SELECT (SELECT COUNT(*) FROM `a.b`), COUNT(*) FROM log;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_ledger_may_be_in_another_schema(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY);");
        await using var ledger = await Workplace.CreateAsync(Servers.Get(server));
        string[] schema = ["--ledger-schema", ledger.Database];
        place.Write("t.csv", "id\n7\n");
        (await place.RunAsync(["import", "t.csv", .. schema])).ShouldExitWith(0);
        (await place.RunAsync(["undo", await JobAsync(ledger), .. schema])).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await ShouldHaveNoOthersAsync(place);
    }

    internal static async Task<string> ImportAsync(Workplace place, string records, params string[] options)
    {
        place.Write("t.csv", records);
        (await place.RunAsync(["import", "t.csv", .. options])).ShouldExitWith(0);
        return await JobAsync(place);
    }

    internal static async Task<string> JobAsync(Workplace place) =>
        await place.ScalarAsync("SELECT job FROM bulkload_ledger WHERE source = -1 AND job NOT LIKE '/%' "
            + "ORDER BY JSON_VALUE(details, '$.runner.started') DESC LIMIT 1;");

    internal static void ShouldReport(ProgramEnd end, string text) =>
        Assert.True(end.Output.Contains(text, StringComparison.Ordinal), $"expected: {text}\n{end}");

    /// <summary>How many tables jobs and their undo have beside others.</summary>
    internal const string CountOthers =
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'bulkload\\_undo\\_%';";

    internal static async Task ShouldHaveNoOthersAsync(Workplace place) =>
        Assert.Equal("0", await place.ScalarAsync(CountOthers));
}
