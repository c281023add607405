namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>What cannot be undone exactly is refused with its reason, before anything changes.</summary>
public sealed class UndoRefusalTests
{
    private const string Usual = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO t VALUES (1, 'one');";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Another_kind_of_job_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        await RefuseAsync(place, "knows no job nothing: 'bulkload jobs' lists them", "nothing");
        await RefuseNextAsync(place, "is an update that has not kept its rows as they were: --undoable does", "id,name\n1,uno\n", "update");
        await RefuseNextAsync(place, "was started with --on-duplicate ignore: a row that was there before it may be equal to a record",
            "id,name\n1,uno\n2,two\n", "import", "--on-duplicate", "ignore");
        await RefuseNextAsync(place, "was started with --on-duplicate update, and has not kept its rows as they were: --undoable does",
            "id,name\n2,zwei\n3,drei\n", "import", "--on-duplicate", "update");
        await RefuseNextAsync(place, "was started with --on-duplicate replace, and has not kept ", "id,name\n2,deux\n4,quatre\n", "import",
            "--on-duplicate", "replace");
        await RefuseNextAsync(place, "by SQL (--set), which the input does not tell", "id\n5\n", "import", "--set", "name=USER()");
        await RefuseNextAsync(place, "is a delete that has not kept its rows as they were: ", "id\n5\n", "delete");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_whose_rows_are_not_known_from_the_input_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE keyless (id INT NOT NULL UNIQUE);
            CREATE TABLE numbered (n INT AUTO_INCREMENT PRIMARY KEY, id INT);
            CREATE TABLE stamped (id INT PRIMARY KEY, at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
            CREATE TABLE computed (id INT PRIMARY KEY, r DOUBLE DEFAULT (RAND()));
            CREATE TABLE triggered (id INT PRIMARY KEY, v INT);
            CREATE TRIGGER sets BEFORE INSERT ON triggered FOR EACH ROW SET NEW.v = 5;
            """);
        await RefuseAsync("keyless", "has no primary key");
        await RefuseAsync("numbered", "the server has made the values of 'n'");
        await RefuseAsync("stamped", "the server has computed the values of 'at' (");
        await RefuseAsync("computed", "the server has computed the values of 'r' (rand()");
        await RefuseAsync("triggered", "trigger sets (BEFORE INSERT) may have changed the rows");
        if (place.Server.IsMariaDb)
        {
            await place.QueryAsync("CREATE TABLE versioned (id INT PRIMARY KEY) WITH SYSTEM VERSIONING;");
            await RefuseAsync("versioned", "is system-versioned: its own history has the rows as they were");
        }

        async Task RefuseAsync(string table, string why)
        {
            place.Write($"{table}.csv", "id\n7\n");
            (await place.RunAsync("import", $"{table}.csv")).ShouldExitWith(0);
            await UndoRefusalTests.RefuseAsync(place, why, await LastAsync(place, table));
            Assert.Equal("1", await place.ScalarAsync($"SELECT COUNT(*) FROM {table};"));
        }
    }

    /// <summary>The server makes the key of some records only: of those nobody knows it.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_record_without_its_key_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) COMMENT 'no AUTO_INCREMENT');");
        await RefuseNextAsync(place, "had 0 records refused for null-not-allowed, and the input alone would have 1",
            "id,name\n5,five\n,six\n", "import");
        var job = await UndoTests.ImportAsync(place, "id,name\n50,fifty\n0,zero\n");
        (await place.RunAsync("undo", job)).ShouldExitWith(0);
        Assert.Equal("five,six", await place.ScalarAsync("SELECT GROUP_CONCAT(name ORDER BY id) FROM t;"));
    }

    /// <summary>What the server has refused for a row that was there may be equal to that row.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Records_that_were_refused_for_other_rows_are_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        (await place.RunAsync("import", "t.csv", "--max-rejects", "5")).ShouldExitWith(3);
        await RefuseAsync(
            place, "had 1 record refused for duplicate-key: the row that was there may be equal", await UndoTests.JobAsync(place));
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        // The input alone tells these.
        place.Write("t.csv", "id,name\n3,three\nx,none\n4,a name that is too long for it\n5,five\n");
        (await place.RunAsync("import", "t.csv", "--max-rejects", "5")).ShouldExitWith(3);
        var end = await place.RunAsync("undo", await UndoTests.JobAsync(place));
        end.ShouldExitWith(0);
        Assert.Equal("1\n2", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));

        // So does a CHECK.
        await place.QueryAsync("ALTER TABLE t ADD CONSTRAINT short CHECK (CHAR_LENGTH(name) < 6);");
        (await place.RunAsync("import", "t.csv", "--max-rejects", "5")).ShouldExitWith(3);
        place.Write("t.csv", "id,name\n6,sixteen\n7,seven\n");
        (await place.RunAsync("import", "t.csv", "--max-rejects", "5")).ShouldExitWith(3);
        (await place.RunAsync("undo", await UndoTests.JobAsync(place))).ShouldExitWith(0);
        Assert.Equal("1\n2\n3\n5", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    /// <summary>A row was there before and was refused; a second record with a key of the file takes its place in the counts.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refused_record_is_not_taken_for_another_one(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, a INT); INSERT INTO t VALUES (50, 1);");
        place.Write("t.csv", "id,a\n1,1\n2,1\n50,1\n1,1\n9,1\n");
        (await place.RunAsync("import", "t.csv", "--rows-per-chunk", "1")).ShouldExitWith(4);
        await place.QueryAsync("DELETE FROM t WHERE id = 1;");
        (await place.RunAsync("import", "t.csv", "--rows-per-chunk", "1", "--max-rejects", "5")).ShouldExitWith(3);
        await RefuseAsync(place, "had 1 record refused for duplicate-key", await UndoTests.JobAsync(place));
        Assert.Equal("1\n2\n9\n50", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_path_of_the_ledger_chooses_no_other_file(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await UndoTests.ImportAsync(place, "id,name\n2,two\n");
        var secret = place.Write("secret", "root:hash\n");
        foreach (var (path, bytes) in new[] { (secret, 10), ("/dev/zero", 0), ("/dev/zero", 16) })
        {
            await place.QueryAsync("UPDATE bulkload_ledger SET details = JSON_SET(details, '$.sources[0].path', "
                + $"'{path}', '$.sources[0].bytes', {bytes}) WHERE source = -1;");
            var end = await place.RunAsync("undo", job);
            end.ShouldExitWith(6);
            Assert.DoesNotContain("root:hash", end.Error, StringComparison.Ordinal);
        }

        Assert.Equal("1\n2", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Other_options_another_file_and_an_altered_table_are_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        var job = await UndoTests.ImportAsync(place, "id;name\n2;NA\n3;three\n", "--delimiter", ";", "--null-value", "NA");
        string[] options = ["--delimiter", ";", "--null-value", "NA"];
        await RefuseAsync(place, "was started with --null-value 'NA', and this run is without --null-value", job, "--delimiter", ";");
        await RefuseAsync(place, "its fields go to other columns than in job", job, [.. options, "--columns", "id,@skip", "--header"]);
        await RefuseAsync(place, "has loaded ", job, [.. options, "--table", "other"]);
        place.Write("t.csv", "id;name\n2;NA\n3;threE\n");
        var written = await place.RunAsync(["undo", job, .. options]);
        written.ShouldExitWith(6);
        written.ShouldSay($"t.csv: was written to since job {job} has loaded it: if its first records are still the same, name it");
        await RefuseAsync(place, $"t.csv: is not what job {job} has loaded: records 1-2 differ", job, ["t.csv", .. options]);
        place.Write("t.csv", "id;name\n2;NA\n");
        await RefuseAsync(place, $"t.csv: is not what job {job} has loaded: records 1-2 differ", job, ["t.csv", .. options]);
        File.Delete(Path.Combine(place.Folder, "t.csv"));
        (await place.RunAsync(["undo", job, .. options])).ShouldSay("is not there any more, and job ");
        place.Write("two.csv", "id;name\n2;NA\n3;three\n");
        await RefuseAsync(place, "has loaded 1 file, and 2 files are named", job, ["two.csv", "./two.csv", .. options]);
        await place.QueryAsync("ALTER TABLE t MODIFY name VARCHAR(30);");
        await RefuseAsync(place, "were altered since, and so its rows may be", job, ["two.csv", .. options]);
        await place.QueryAsync("ALTER TABLE t MODIFY name VARCHAR(20), ADD more INT DEFAULT 4;");
        (await place.RunAsync(["undo", job, "two.csv", .. options])).ShouldExitWith(0);
        Assert.Equal("1\tone\t4", await place.ScalarAsync("SELECT * FROM t;"));
    }

    private static async Task RefuseNextAsync(Workplace place, string why, string records, params string[] words)
    {
        place.Write("t.csv", records);
        (await place.RunAsync([words[0], "t.csv", "--table", "t", .. words[1..]])).ShouldExitWith(0);
        await RefuseAsync(place, why, await LastAsync(place, "t"));
    }

    private static async Task<string> LastAsync(Workplace place, string table) => await place.ScalarAsync(
        $"SELECT job FROM bulkload_ledger WHERE source = -1 AND job NOT LIKE '/%' AND details LIKE '%.{table}\"%' "
            + "ORDER BY JSON_VALUE(details, '$.runner.started') DESC LIMIT 1;");

    private static async Task RefuseAsync(Workplace place, string why, string job, params string[] options)
    {
        var tables = await place.QueryAsync("SHOW TABLES; SELECT * FROM bulkload_ledger ORDER BY job, source, first_record;")
            .ContinueWith(answer => answer.IsFaulted ? "" : answer.Result, TaskScheduler.Default);
        var end = await place.RunAsync(["undo", job, .. options]);
        end.ShouldExitWith(9);
        end.ShouldSay(why);
        Assert.Equal(tables, await place.QueryAsync("SHOW TABLES; SELECT * FROM bulkload_ledger ORDER BY job, source, first_record;")
            .ContinueWith(answer => answer.IsFaulted ? "" : answer.Result, TaskScheduler.Default));
    }
}
