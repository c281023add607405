using System.Text.Json;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Tables whose engine cannot roll back: counts and rejects are exact all the same, and what is in the table is what is
/// told.</summary>
public sealed class NoTransactionsTests
{
    private const int Rows = 3000;

    [Theory]
    [CombinatorialServers("MyISAM", "MyISAM without a key", "Aria", "MEMORY")]
    public async Task Every_record_is_a_row_or_a_reject(string server, string engine)
    {
        if (engine == "Aria" && !Servers.Get(server).IsMariaDb)
        {
            return;
        }

        var key = engine.EndsWith("key", StringComparison.Ordinal) ? "" : ", PRIMARY KEY (id)";
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        await place.QueryAsync($"CREATE TABLE t (id INT NOT NULL, name VARCHAR(20){key}) ENGINE={engine.Split(' ')[0]};");
        place.Write("t.csv", Records());
        var end = await place.RunAsync("import", "t.csv", "--no-ledger", "--rows-per-chunk", "450", "--max-rejects", "100", "--reject-file",
            "bad.csv", "--report", "report.json");
        end.ShouldExitWith(3);

        // Every 300th has no number, and every 700th, which the 2100th is no more, the key of the one before.
        var refused = Rows / 300;
        var doubled = key.Length == 0 ? 0 : (Rows / 700) - 1;
        Assert.Equal($"{Rows - refused - doubled}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.Equal(refused + doubled + 1, (await File.ReadAllLinesAsync(Path.Combine(place.Folder, "bad.csv"))).Length);
        Assert.Equal((Rows - refused - doubled, refused + doubled), await place.CountsAsync("inserted"));
        Assert.Equal(doubled, (await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.jsonl"))).Split('\n')
            .Count(line => line.Contains("1062", StringComparison.Ordinal)));
    }

    [Theory]
    [CombinatorialServers("ignore", "replace", "update")]
    public async Task Duplicates_are_counted_as_with_transactions(string server, string mode)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 300).Select(id => $"{(id % 50 == 0 ? id - 1 : id)},n{id}\n")));
        var outcomes = new List<string>();
        foreach (var (table, engine, options) in new (string, string, string[])[] { ("a", "InnoDB", []), ("b", "MyISAM", ["--no-ledger"]) })
        {
            await place.QueryAsync($"CREATE TABLE {table} (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE={engine}; INSERT INTO {table} "
                + "VALUES (7, 'seven'), (8, 'n8');");
            (await place.RunAsync(["import", "t.csv", "--table", table, "--on-duplicate", mode, "--report", $"{table}.json", .. options]))
                .ShouldExitWith(0);
            using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, $"{table}.json")));
            outcomes.Add(
                report.RootElement.GetProperty("counts").GetRawText() + await place.QueryAsync($"SELECT * FROM {table} ORDER BY id;"));
        }

        Assert.Equal(outcomes[0], outcomes[1]);
    }

    /// <summary>What may be a duplicate goes by INSERT, which says which it was: rows in an order of their own, and where the table has
    /// rows in between.</summary>
    [Theory]
    [CombinatorialServers("MyISAM", "MEMORY")]
    public async Task Load_data_takes_only_what_can_be_no_duplicate(string server, string engine)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20)) ENGINE={engine}; INSERT INTO t VALUES "
                + "(1450, 'there'), (18446744073709551615, 'last');");
        long[] ids = [.. Enumerable.Range(1, 2000), 2000, .. Enumerable.Range(3001, 400).Reverse(), .. Enumerable.Range(4001, 600)];
        place.Write("t.csv", "id,name\n" + Lines(ids) + "18446744073709551614,big\n18446744073709551615,too many\n");
        var end = await place.RunAsync(
            "import", "t.csv", "--no-ledger", "--strategy", "load-data", "--rows-per-batch", "200", "--max-rejects", "10", "--reject-file",
            "bad.csv", "--report", "report.json");
        end.ShouldExitWith(3);
        Assert.Equal("id,name\n1450,n1450\n2000,n2000\n18446744073709551615,too many\n",
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv")));
        Assert.Equal((3000, 3), await place.CountsAsync("inserted"));
        Assert.Equal("3002", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.Equal("there", await place.ScalarAsync("SELECT name FROM t WHERE id=1450;"));
    }

    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert")]
    public async Task A_job_that_ends_early_tells_what_stands_in_the_table(string server, string strategy)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            $"CREATE TABLE t (id INT NOT NULL, name VARCHAR(20){(strategy == "load-data" ? "" : ", PRIMARY KEY (id)")}) ENGINE=MyISAM;");
        place.Write("t.csv", Records());
        var end = await place.RunAsync("import", "t.csv", "--no-ledger", "--strategy", strategy, "--rows-per-batch", "200", "--max-rejects",
            "3", "--report", "report.json");
        end.ShouldExitWith(4);
        var (inserted, _) = await place.CountsAsync("inserted");
        Assert.Equal($"{inserted}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        // The fourth reject: where keys are compared the 700th record is the third. All that is before it is in the table, and nothing
        // behind it.
        var last = strategy == "load-data" ? 1199 : 899;
        Assert.Contains($": {inserted:N0} rows are in {place.Database}.t\n", end.Error, StringComparison.Ordinal);
        Assert.Equal(last - 3, inserted);
        Assert.Contains("note  engine MyISAM cannot roll back", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers("update", "delete")]
    public async Task Rows_are_changed_and_removed_one_by_one(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, n INT, UNIQUE KEY (n)) ENGINE=MyISAM; INSERT INTO t VALUES (1, 1), "
                + "(2, 2), (3, 3), (4, 4), (5, 5);");
        string[] words = ["--table", "t", "--no-ledger", "--max-rejects", "5", "--reject-file", "bad.csv", "--report", "report.json"];
        if (kind == "update")
        {
            // A value that another row has, one that is there already, a key that is not.
            place.Write("t.csv", "id,n\n1,11\n2,3\n4,4\n9,9\n5,55\n");
            (await place.RunAsync(["update", "t.csv", .. words])).ShouldExitWith(3);
            Assert.Equal((2, 2), await place.CountsAsync("updated"));
            Assert.Equal("id\tn\n1\t11\n2\t2\n3\t3\n4\t4\n5\t55\n", await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
            Assert.Equal("id,n\n2,3\n9,9\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv")));
        }
        else
        {
            place.Write("ids.txt", "1\n9\n3\n3\n");
            (await place.RunAsync(["delete", "--ids", "ids.txt", "--yes", .. words])).ShouldExitWith(3);
            Assert.Equal((2, 1), await place.CountsAsync("deleted"));
            Assert.Equal("id\n2\n4\n5\n", await place.QueryAsync("SELECT id FROM t ORDER BY id;"));
        }
    }

    /// <summary>Whoever finds the rejects before it: nothing behind the one that is too many is sent, though it is in the same
    /// block.</summary>
    [Theory]
    [CombinatorialServers("import", "update")]
    public async Task Nothing_behind_a_reject_too_many_is_sent(string server, string kind)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=MyISAM;");
        if (kind == "update")
        {
            await place.QueryAsync(
                $"INSERT INTO t VALUES {string.Join(',', Ids(1, 20).Select(id => $"({id},'old')"))}; DELETE FROM t WHERE id=6;");
        }

        // The server refuses the sixth: its key is there, or is not.
        place.Write("t.csv", "id,name\n" + Lines(Ids(1, 20)).Replace("6,n6\n", kind == "import" ? "5,n6\n" : "6,n6\n",
            StringComparison.Ordinal).Replace("10,n10", "x,n10", StringComparison.Ordinal));
        var end = await place.RunAsync(kind, "t.csv", "--table", "t", "--no-ledger", "--max-rejects", "1", "--report", "report.json");
        end.ShouldExitWith(4);
        Assert.StartsWith("error: t.csv:11: ", end.Error, StringComparison.Ordinal);
        Assert.Contains(kind == "import" ? $": 8 rows are in {place.Database}.t\n" : $": 8 rows of {place.Database}.t are updated\n",
            end.Error, StringComparison.Ordinal);
        Assert.Equal("8\t0", await place.QueryAsync("SELECT SUM(id<10 AND name<>'old'), SUM(id>10 AND name<>'old') FROM t;") is { } sums
            ? sums.Split('\n')[1].Replace("NULL", "0", StringComparison.Ordinal) : "");
        Assert.Equal((8, 2), await place.CountsAsync(kind == "import" ? "inserted" : "updated"));
    }

    /// <summary>A share is judged where the input says, as in a table with transactions.</summary>
    [Theory]
    [CombinatorialServers("InnoDB", "MyISAM")]
    public async Task A_share_of_rejects_is_judged_at_the_ends_of_chunks(string server, string engine)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), $"CREATE TABLE t (id INT NOT NULL, name VARCHAR(20)) ENGINE={engine};");
        place.Write(
            "t.csv", "id,name\n" + string.Concat(Ids(1, 700_000).Select(id => $"{(id < 20_000 && id % 2 == 0 ? "x" : "")}{id},n{id}\n")));
        var end = await place.RunAsync("import", "t.csv", "--no-ledger", "--strategy", "load-data", "--threads", "1", "--max-rejects", "1%",
            "--report", "report.json");
        end.ShouldExitWith(4);
        var (inserted, _) = await place.CountsAsync("inserted");
        Assert.Equal($"{inserted}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        Assert.InRange(inserted, 0, 600_000);
    }

    /// <summary>Whether the job may wait between batches or not.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_that_may_wait_comes_to_the_same_table(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE a (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), KEY (name)) ENGINE=MyISAM; CREATE TABLE b LIKE a;");
        place.Write("t.csv", Records());
        string[] words = ["import", "t.csv", "--strategy", "load-data", "--no-ledger", "--rows-per-batch", "100", "--max-rejects", "100",
            "--overwrite", "--reject-file"];
        (await place.RunAsync([.. words, "a.rejects", "--table", "a"])).ShouldExitWith(3);
        (await place.RunAsync([.. words, "b.rejects", "--table", "b", "--max-rate", "1M"])).ShouldExitWith(3);
        Assert.Equal(await place.QueryAsync("SELECT * FROM b ORDER BY id;"), await place.QueryAsync("SELECT * FROM a ORDER BY id;"));
        Assert.Equal(await File.ReadAllTextAsync(Path.Combine(place.Folder, "b.rejects")),
            await File.ReadAllTextAsync(Path.Combine(place.Folder, "a.rejects")));
        Assert.EndsWith("OK\n", await place.QueryAsync("CHECK TABLE a EXTENDED;"), StringComparison.Ordinal);
    }

    /// <summary>What a statement has taken that did not come to its end is not known, and so not told as taken.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Of_a_load_that_the_server_gives_up_it_is_told_what_is_known(string server)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=MyISAM MAX_ROWS=100 AVG_ROW_LENGTH=100;");
        place.Write("t.csv", "id,name\n" + Lines(Ids(1, 10_000)));
        var end = await place.RunAsync(
            "import", "t.csv", "--no-ledger", "--strategy", "load-data", "--rows-per-batch", "1000", "--report", "report.json");
        end.ShouldExitWith(1);
        Assert.Contains("is full", end.Error, StringComparison.Ordinal);
        var (taken, _) = await place.CountsAsync("inserted");
        Assert.EndsWith($"; any other up to record {taken + 1000} may be, since the statement that carried them did not come to its end\n  "
            + "look at the table before you continue\n", end.Error, StringComparison.Ordinal);
        Assert.Contains("note  engine MyISAM cannot roll back", end.Output, StringComparison.Ordinal);
        Assert.Equal(0, taken % 1000);
        Assert.InRange(int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture), taken, taken + 999);
    }

    /// <summary>The server waits for the rest of a file no longer than its net_read_timeout.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_input_that_says_nothing_for_a_while_keeps_no_statement_open(string server)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=MyISAM;");
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", "--no-ledger", "--strategy", "load-data",
            "--rows-per-batch", "10", "--report", "report.json");
        await WriteAsync(program, "id,name\n" + Lines(Ids(1, 60_000)));
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) > 100 FROM t;") == "1");
        await WriteAsync(program, Lines(Ids(60_001, 20_000)));
        program.Input.Close();
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal((80_000, 0), await place.CountsAsync("inserted"));
        Assert.Equal("80000", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert")]
    public async Task A_stopped_job_tells_what_stands_in_the_table(string server, string strategy)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE=MyISAM;");
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", "--no-ledger", "--strategy", strategy,
            "--rows-per-batch", "10", "--rows-per-chunk", "1M", "--report", "report.json");
        await WriteAsync(program, "id,name\n");
        var (written, isEnough) = (0, false);
        var writing = Task.Run(async () =>
        {
            for (; !isEnough; written += 500)
            {
                await WriteAsync(program, Lines(Ids(written + 1, 500)));
                await Task.Delay(20);
            }
        });
        await Wait.ForAsync(async () => await place.ScalarAsync("SELECT COUNT(*) > 100 FROM t;") == "1");
        program.Signal("TERM");
        (await program.EndAsync()).ShouldExitWith(143);
        isEnough = true;
        await Task.WhenAny(writing);
        var (inserted, _) = await place.CountsAsync("inserted");
        Assert.InRange(inserted, 100, written);
        Assert.Equal($"{inserted}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    /// <summary>An engine that is not known is tried with a row of NULLs and a row of values.</summary>
    [Fact]
    public async Task An_engine_that_keeps_no_rows_is_found_before_a_row_is_sent()
    {
        const string Columns = """
            (id INT NOT NULL, a INT, b BIGINT UNSIGNED NOT NULL, d DECIMAL(20,5), f FLOAT, c CHAR(5), v VARCHAR(9) CHARACTER SET latin1,
            x TEXT, y YEAR, da DATE, dt DATETIME(6), ts TIMESTAMP NULL, ti TIME(3), e ENUM('a','b'), s SET('a','b'), bi BIT(9),
            bn BINARY(4), bl BLOB, j JSON)
            """;
        await using var place = await Workplace.CreateAsync(
            Servers.Get("MySql"), $"CREATE TABLE gone {Columns} ENGINE=BLACKHOLE; CREATE TABLE kept {Columns} ENGINE=ARCHIVE;");
        place.Write("t.csv", "id,a,b\n1,,2\n");
        var end = await place.RunAsync("import", "t.csv", "--table", "gone", "--no-ledger");
        end.ShouldExitWith(9);
        end.ShouldSay("uses engine BLACKHOLE, which keeps no rows");
        end = await place.RunAsync("import", "t.csv", "--table", "kept", "--no-ledger");
        end.ShouldExitWith(0);
        Assert.DoesNotContain("engine ARCHIVE stores", end.Error + end.Output, StringComparison.Ordinal);
        Assert.Equal("1\tNULL\t2\tNULL", await place.ScalarAsync("SELECT id, a, b, j FROM kept;"));
    }

    private static string Records() => "id,name\n"
        + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{(id % 300 == 0 ? "x" : "")}{(id % 700 == 0 ? id - 1 : id)},n{id}\n"));

    private static IEnumerable<long> Ids(long first, int count) => Enumerable.Range(0, count).Select(place => first + place);

    private static string Lines(IEnumerable<long> ids) => string.Concat(ids.Select(id => $"{id},n{id}\n"));

    private static async Task WriteAsync(BulkLoadProcess program, string lines)
    {
        await program.Input.WriteAsync(Encoding.UTF8.GetBytes(lines));
        await program.Input.FlushAsync();
    }
}
