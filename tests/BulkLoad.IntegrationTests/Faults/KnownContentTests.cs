namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What a start does with content that is known in part, with rows that are gone, and with jobs that ended early.</summary>
public sealed class KnownContentTests
{
    private static readonly string[] Import = ["import", "people.csv", "--table", "people"];

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_has_committed_nothing_leaves_no_row_and_no_note(string server)
    {
        await using var place = await PlaceAsync(server);
        place.Write("people.csv", "id,name\nx,a\n");
        (await place.RunAsync(Import)).ShouldExitWith(4);
        (await place.RunAsync([.. Import, "--job-id", "n"])).ShouldExitWith(4);
        await ShouldAsync(place, ["jobs"], 0, "^no jobs\n$");
        place.Write("others.csv", "id,name\n1,a\n");
        var end = await place.RunAsync("import", "others.csv", "--table", "people");
        end.ShouldExitWith(0);
        Assert.DoesNotContain("running", end.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("in part", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers("", "--job-id n")]
    public async Task A_reload_that_fails_has_forgotten_nothing(string server, string name)
    {
        await using var place = await PlaceAsync(server, "INDEX (id)");
        string[] import = [.. Import, .. name.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        place.Write("people.csv", "id,name\n1,a\n2,b\n");
        await ShouldAsync(place, import, 0, "2 rows inserted");
        place.Write("other.csv", "id,name\n1,a\nx,b\n");
        string[] other = [.. import.Select(word => word == "people.csv" ? "other.csv" : word)];
        (await place.RunAsync([.. other, "--reload"])).ShouldExitWith(4);
        await ShouldAsync(place, import, 0, "^nothing to do: ");
        await ShouldAsync(place, [.. import, "--reload"], 0, "is forgotten when that is complete", "2 rows inserted");
        await ShouldAsync(place, import, 0, "^nothing to do: ");
        Assert.Equal("4", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Create_never_adds_to_a_table(string server)
    {
        await using var place = await PlaceAsync(server);
        string[] create = ["import", "new.csv", "--create"];
        place.Write("new.csv", "id,name\n1,a\n2,b\n");
        await ShouldAsync(place, create, 0, "2 rows inserted");
        await ShouldAsync(place, create, 0, "^nothing to do: ");
        (await place.RunAsync([.. create, "--no-header"])).ShouldExitWith(9);
        place.Write("new.csv", "id,name\n3,c\n4,d\n");
        (await place.RunAsync(create)).ShouldExitWith(9);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM new;"));
    }

    /// <summary>Of a file that shares its beginning with a known one.</summary>
    [Theory]
    [CombinatorialServers("PRIMARY KEY (id)", "INDEX (id)")]
    public async Task A_file_that_begins_like_a_known_one_is_loaded_where_its_keys_are_gone(string server, string key)
    {
        await using var place = await PlaceAsync(server, key);
        place.Write("monday.csv", "id,name\n1,a\n2,b\n3,c\n");
        place.Write("tuesday.csv", "id,name\n1,a\n2,b\n4,d\n");
        string[] tuesday = ["import", "tuesday.csv", "--table", "people"];
        await ShouldAsync(place, ["import", "monday.csv", "--table", "people"], 0, "3 rows inserted");
        var end = await place.RunAsync(tuesday);
        end.ShouldExitWith(9);
        end.ShouldSay("tuesday.csv begins like monday.csv, which was loaded on ");
        end.ShouldSay("nothing was loaded");
        if (key[0] == 'P')
        {
            end.ShouldSay("--on-duplicate update");
            await place.QueryAsync("DELETE FROM people WHERE id = 1;");
            (await place.RunAsync(tuesday)).ShouldExitWith(4);
            await place.QueryAsync("DELETE FROM people;");
            await ShouldAsync(place, tuesday, 0, "^tuesday.csv has records of monday.csv, .*: 2 of the 2 of them that were looked for are "
                + "not in the table any more", "3 rows inserted");
            await ShouldAsync(place, [.. tuesday, "--on-duplicate", "update"], 0, "3 unchanged");
            return;
        }

        await place.QueryAsync("DELETE FROM people;");
        end = await place.RunAsync(tuesday);
        end.ShouldExitWith(9);
        end.ShouldSay("--reload");
        await ShouldAsync(place, [.. tuesday, "--reload"], 0, "3 rows inserted");
    }

    [Theory]
    [CombinatorialServers("log.csv", "log.csv.gz")]
    public async Task A_file_that_grows_at_its_beginning_is_known(string server, string name)
    {
        await using var place = await PlaceAsync(server, "INDEX (id)");
        string[] import = ["import", name, "--table", "people"];
        Write("1,a\n2,b\n");
        await ShouldAsync(place, import, 0, "2 rows inserted");
        Write("3,c\n1,a\n2,b\n");
        var end = await place.RunAsync(import);
        end.ShouldExitWith(9);
        end.ShouldSay($"{name} ends with all of {name}, which was loaded on ");
        end.ShouldSay("--append");
        await ShouldAsync(place, [.. import, "--append"], 0, "1 row inserted");
        await ShouldAsync(place, import, 0, "^nothing to do: ");
        Assert.Equal("1,2,3", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM people;"));

        void Write(string records)
        {
            var path = Path.Combine(place.Folder, name);
            using Stream file = File.Create(path);
            using var packed = name.EndsWith(".gz", StringComparison.Ordinal)
                ? new System.IO.Compression.GZipStream(file, System.IO.Compression.CompressionLevel.Fastest) : file;
            packed.Write(Encoding.UTF8.GetBytes("id,name\n" + records));
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_corrected_file_of_rejects_is_a_new_job(string server)
    {
        await using var place = await PlaceAsync(server);
        place.Write("people.csv", "id,name\n1,a\nx,b\n");
        await ShouldAsync(place, [.. Import, "--max-rejects", "1", "--reject-file", "bad.csv"], 3, "1 row inserted");
        place.Write("bad.csv", "id,name\n2,b\n");
        await ShouldAsync(place, ["import", "bad.csv", "--table", "people"], 0, "1 row inserted");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Rows_that_are_gone_are_noticed_with_a_key_and_without(string server)
    {
        foreach (var key in new[] { "PRIMARY KEY (id)", "INDEX (id)" })
        {
            await using var place = await PlaceAsync(server, key);
            place.Write("people.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 1000).Select(id => $"{id},n\n")));
            await ShouldAsync(place, Import, 0, "1,000 rows inserted");
            await place.QueryAsync("DELETE FROM people WHERE id >= 500 AND id < 600;");
            var end = await place.RunAsync(Import);
            end.ShouldExitWith(9);
            end.ShouldSay(key[0] == 'P' ? " rows that were looked for by key are gone" : "but the table has only 900 rows now");
            end.ShouldSay("--reload");
            await ShouldAsync(place, [.. Import, "--append"], 0, "^nothing to do: ");
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Old_jobs_are_forgotten_when_one_is_complete(string server)
    {
        await using var place = await PlaceAsync(server, "INDEX (id)");
        place.Write("people.csv", "id,name\n1,a\n");
        await ShouldAsync(place, Import, 0, "1 row inserted");
        place.Write("more.csv", "id,name\n2,b\n");
        await ShouldAsync(place, ["import", "more.csv", "--table", "people", "--job-history", "90d"], 0, "1 row inserted");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1;"));

        // As if the two were a hundred days old.
        await place.QueryAsync("UPDATE bulkload_ledger SET first_record = first_record - 100 * 86400 * 1000000 WHERE source = -3 AND job "
            + "LIKE '/%d' AND LENGTH(job) = 18; "
            + "UPDATE bulkload_ledger SET details = REGEXP_REPLACE(details, '\"completed\":\"20[0-9]{2}', '\"completed\":\"2020') WHERE "
            + "source = -1;");
        place.Write("new.csv", "id,name\n3,c\n");
        await ShouldAsync(place, ["import", "new.csv", "--table", "people", "--job-history", "90d"], 0, "1 row inserted");
        await ShouldAsync(place, ["jobs"], 0, "import new.csv");
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE source = -1;"));
        await ShouldAsync(place, Import, 0, "1 row inserted");
    }

    /// <summary>Jobs by the thousand that have the same first record: a start reads the rows that it names, and no others.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_look_up_does_not_grow_with_the_ledger(string server)
    {
        await using var place = await PlaceAsync(server, "INDEX (id)");
        place.Write("people.csv", "id,name\n1,a\n2,b\n");
        await ShouldAsync(place, Import, 0, "2 rows inserted");
        await place.QueryAsync(
            "CREATE TABLE numbers (n INT PRIMARY KEY); INSERT INTO numbers WITH RECURSIVE d AS (SELECT 1 n UNION ALL SELECT n + 1 FROM d "
                + "WHERE n < 900) SELECT n FROM d; "
            + "INSERT INTO bulkload_ledger SELECT CONCAT('j', n), l.source, l.first_record, l.last_record, l.first_offset, l.last_offset, "
            + "l.content, l.taken, l.rejected, l.details, l.program, l.changed FROM bulkload_ledger l, numbers WHERE l.source >= -1; "
            + "INSERT INTO bulkload_ledger SELECT l.job, l.source, l.first_record + n, l.last_record, l.first_offset, l.last_offset, "
            + "CONCAT('j', n), l.taken, l.rejected, l.details, l.program, l.changed FROM bulkload_ledger l, numbers WHERE l.source IN (-2, "
            + "-3) AND l.first_record > 0; "
            + "ANALYZE TABLE bulkload_ledger;");
        var ledger = new Core.Sql.LedgerSql(place.Database);
        var sql = ledger.Index;
        var keys = (await place.QueryAsync("SELECT DISTINCT job FROM bulkload_ledger WHERE source = -3;"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)[1..];
        foreach (var question in new[]
        {
            sql.FindKeys(keys),
            sql.FindRows(keys.Select(key => new Core.Sql.IndexRange(key, 1, long.MaxValue, 5))),
            sql.ReadJobs(["j1", "j2", "none"]),
            ledger.ReadLastChunk("j1"),
            ledger.FindTaken("j1"),
        })
        {
            Assert.InRange(await ReadRowsAsync(place, question), 0, 150);
        }

        await ShouldAsync(place, Import, 0, "^nothing to do: ");
        place.Write("copy.csv", "id,name\n1,a\n2,b\n");
        (await place.RunAsync("import", "copy.csv", "--table", "people")).ShouldExitWith(9);
    }

    /// <summary>Rows that a question makes the server read.</summary>
    private static async Task<long> ReadRowsAsync(Workplace place, string question)
    {
        var status = place.Server.IsMariaDb ? "information_schema.SESSION_STATUS" : "performance_schema.session_status";
        var sum = $"SELECT SUM(VARIABLE_VALUE) FROM {status} WHERE VARIABLE_NAME IN ('Handler_read_key', 'Handler_read_next', "
            + "'Handler_read_prev', 'Handler_read_rnd_next', 'Handler_read_first', 'Handler_read_last')";
        var text = await place.QueryAsync($"SET @a = ({sum}); CREATE TEMPORARY TABLE answer AS SELECT COUNT(*) FROM ({question}) q; SET @b "
            + $"= ({sum}); SELECT @a a; SELECT @b b;");
        double[] numbers = [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => char.IsAsciiDigit(line[0]))
            .Select(line => double.Parse(line, CultureInfo.InvariantCulture))];

        // The first question's own rows, of which there are some hundreds on both servers, are asked for by a question of nothing.
        text = await place.QueryAsync($"SET @a = ({sum}); CREATE TEMPORARY TABLE answer AS SELECT COUNT(*) FROM (SELECT 1) q; SET @b = "
            + $"({sum}); SELECT @a a; SELECT @b b;");
        double[] nothing = [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => char.IsAsciiDigit(line[0]))
            .Select(line => double.Parse(line, CultureInfo.InvariantCulture))];
        return (long)(numbers[1] - numbers[0] - (nothing[1] - nothing[0]));
    }

    private static Task<Workplace> PlaceAsync(string server, string key = "PRIMARY KEY (id)") =>
        Workplace.CreateAsync(Servers.Get(server), $"CREATE TABLE people (id INT NOT NULL, name VARCHAR(20), {key});");

    private static async Task ShouldAsync(Workplace place, string[] words, int exit, params string[] patterns)
    {
        var end = await place.RunAsync(words);
        end.ShouldExitWith(exit);
        foreach (var pattern in patterns)
        {
            Assert.Matches(pattern, end.Output);
        }
    }
}
