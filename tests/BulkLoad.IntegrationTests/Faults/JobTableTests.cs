namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What a start is, by what the ledger has: the rows of the table in docs/jobs.md.</summary>
public sealed class JobTableTests
{
    private const string Two = "id,name\n1,a\n2,b\n";

    private static readonly string[] Import = ["import", "people.csv", "--table", "people"];

    public static TheoryData<string> Both => Servers.Both;

    /// <summary>Whether the last record has a line end makes no other content.</summary>
    [Theory]
    [CombinatorialServers("1,a\n2,b|1,a\n2,b\n", "1,a\n2,b\n|1,a\n2,b", "1,a\r\n2,b\r\n|1,a\r\n2,b", "1,a\r\n2,b|1,a\r\n2,b\r\n")]
    public async Task The_last_line_end_does_not_count(string server, string example)
    {
        await using var place = await PlaceAsync(server);
        var records = example.Split('|');
        place.Write("people.csv", "id,name\n" + records[0]);
        await ShouldAsync(place, Import, 0, "inserted");
        place.Write("people.csv", "id,name\n" + records[1]);
        await ShouldAsync(place, Import, 0, "^nothing to do: people.csv was loaded on ");

        // What follows is new, and what grows is another record.
        place.Write("people.csv", $"id,name\n{records[0].TrimEnd()}\n3,c");
        await ShouldRefuseAsync(place, records[0].Contains('\r') && !records[0].EndsWith('b')
            ? "people.csv begins like people.csv" : "begins with all of people.csv", Import);
        place.Write("people.csv", $"id,name\n{records[0].TrimEnd()}b");
        await ShouldRefuseAsync(place, "people.csv begins like people.csv", Import);
        place.Write("people.csv", "id,name\n1,a");
        await ShouldRefuseAsync(place, "begins like", Import);
    }

    [Theory]
    [CombinatorialServers("", "--atomic", "--threads 2 --rows-per-chunk 1")]
    public async Task Content_that_a_complete_import_has_loaded_is_known_wherever_it_is(string server, string ways)
    {
        await using var place = await PlaceAsync(server);
        string[] import = [.. Import, .. ways.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        await ShouldAsync(place, import, 0, "inserted");

        // The same from another folder, by another way, and with another header, says so first.
        place.Write("people.csv", "\n");
        place.Write("copy/people.csv", Two);
        string[] copy = [.. import.Select(word => word == "people.csv" ? "copy/people.csv" : word)];
        var end = await place.RunAsync("import", "copy/people.csv", "--table", "people", "--quiet", "--report", "r.json");
        end.ShouldExitWith(0);
        Assert.Matches(
            @"^nothing to do: copy/people\.csv was loaded on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC "
                + @"\(job [0-9a-f]{16}: 2 records taken, 0 rejected\)\n$",
            end.Output);
        Assert.Contains("\"outcome\": \"already-complete\"", await ReadAsync(place, "r.json"), StringComparison.Ordinal);
        Assert.Contains("\"inserted\": 0", await ReadAsync(place, "r.json"), StringComparison.Ordinal);
        await ShouldRefuseAsync(place, "copy/people.csv was loaded without --null-value, and this run is with --null-value 'a'",
            [.. copy, "--null-value", "a"]);

        // Longer, and with others beside it.
        place.Write("copy/people.csv", Two + "3,c\n");
        await ShouldRefuseAsync(place, "copy/people.csv begins with all of people.csv, which was loaded on ", copy);
        await ShouldAsync(
            place, [.. copy, "--append"], 0, "the first 2 records of copy/people.csv were loaded before", "1 row inserted into ");
        await ShouldAsync(place, copy, 0, "nothing to do: copy/people.csv was loaded on ");
        place.Write("more.csv", "id,name\n4,d\n");
        await ShouldRefuseAsync(
            place, "copy/people.csv was loaded before (on ", "import", "more.csv", "copy/people.csv", "--table", "people");
        await ShouldAsync(place, ["import", "more.csv", "copy/people.csv", "--table", "people", "--append"], 0, "1 row inserted into ");
        await ShouldAsync(place, ["import", "copy/people.csv", "more.csv", "--table", "people"], 0,
            "nothing to do: copy/people.csv, more.csv were loaded on ");
        await ShouldBeAsync(place, "1\ta\n2\tb\n3\tc\n4\td\n");

        place.Write("copy/people.csv", "id,name\n1,a\n2,x\n");
        await ShouldRefuseAsync(place, "copy/people.csv begins like ", [.. copy, "--append"]);
        place.Write("copy/people.csv", "id,name\n5,e\n");
        await ShouldAsync(place, copy, 0, "1 row inserted into ");
        place.Write("copy/people.csv", Two);
        await ShouldAsync(place, [.. copy, "--job-id", "other"], 0, "2 rows inserted into ");
        await ShouldAsync(place, [.. copy, "--reload"], 0, "--reload: all of it is done again", "2 rows inserted into ");
        Assert.Equal("9", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        await place.QueryAsync("DELETE FROM people;");
        await ShouldRefuseAsync(place, "copy/people.csv was loaded on ", copy);
    }

    [Theory]
    [CombinatorialServers("import people.csv", "update people.csv --ignore-missing", "delete people.csv --key id --yes --ignore-missing",
        "import people.csv --on-duplicate update")]
    public async Task An_unfinished_job_goes_on_with_its_rules_and_its_beginning_only(string server, string line)
    {
        await using var place = await PlaceAsync(server, "PRIMARY KEY (id)");
        var isImport = line.StartsWith("import", StringComparison.Ordinal);
        await place.QueryAsync(isImport ? "SELECT 1;" : "INSERT INTO people VALUES (1,'z'),(2,'z'),(3,'z'),(4,'z');");
        string[] words = [.. line.Split(' '), "--table", "people", "--rows-per-chunk", "1"];
        place.Write("people.csv", "id,name\n1,a\n2,b\nx,c\n");
        (await place.RunAsync(words)).ShouldExitWith(4);
        Assert.Equal(line.StartsWith("delete", StringComparison.Ordinal) ? "2" : isImport ? "2" : "4",
            await place.ScalarAsync("SELECT COUNT(*) FROM people;"));

        await ShouldRefuseAsync(
            place, " was started without --trim, and this run is with --trim, and has committed 2 records", [.. words, "--trim"]);
        if (!isImport)
        {
            await place.QueryAsync("ALTER TABLE people MODIFY "
                + $"{(line.StartsWith("delete", StringComparison.Ordinal) ? "id BIGINT NOT NULL" : "name VARCHAR(30)")};");
            await ShouldRefuseAsync(place, "were altered since it has committed 2 records", words);
            await place.QueryAsync("ALTER TABLE people MODIFY "
                + $"{(line.StartsWith("delete", StringComparison.Ordinal) ? "id INT NOT NULL" : "name VARCHAR(20)")};");
        }

        // Where the file is does not matter, what it begins with does.
        File.Delete(Path.Combine(place.Folder, "people.csv"));
        place.Write("moved.csv", "id,name\n1,a\n3,c\n2,b\n");
        string[] moved = [.. words.Select(word => word == "people.csv" ? "moved.csv" : word)];
        if (line.EndsWith("--on-duplicate update", StringComparison.Ordinal))
        {
            await ShouldAsync(place, moved, 0, "the job started again with the first record; records of the earlier input that were not "
                + "committed were never sent", "1 row inserted into .*, 2 ");
            return;
        }

        await ShouldRefuseAsync(place, "moved.csv: has changed since job ", moved);
        place.Write("moved.csv", "id,name\n1,a\n2,b\n3,c\n");
        if (isImport)
        {
            await place.QueryAsync("DELETE FROM people WHERE id = 2;");
            await ShouldRefuseAsync(place, "has 1 row, and job ", moved);
            await place.QueryAsync("INSERT INTO people VALUES (2,'b'); ALTER TABLE people MODIFY name VARCHAR(30);");
            await ShouldAsync(place, moved, 0, "resumed after record 2", "the rest was checked against the columns as they are now");
        }
        else
        {
            await ShouldAsync(place, moved, 0, "resumed after record 2");
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task The_rest_of_a_file_that_was_stopped_goes_on(string server)
    {
        await using var place = await PlaceAsync(server);
        string[] import = [.. Import, "--rows-per-chunk", "1"];
        await ShouldAsync(place, import, 0);
        place.Write("people.csv", Two + "3,c\nx,d\n");
        (await place.RunAsync([.. import, "--append"])).ShouldExitWith(4);
        place.Write("people.csv", Two + "3,c\n4,d\n");
        await ShouldAsync(
            place, import, 0, "resumed after record 3", "1 row inserted \\(1 was there from an earlier run: 2 in all\\) into ");
        await ShouldBeAsync(place, "1\ta\n2\tb\n3\tc\n4\td\n");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_without_a_committed_record_is_replaced(string server)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("ALTER TABLE people ADD UNIQUE (id); INSERT INTO people (id, name) VALUES (1, 'x'), (2, 'x');");
        await ShouldAsync(place, [.. Import, "--max-rejects", "5"], 3, "2 records rejected ");
        await place.QueryAsync("DELETE FROM people;");
        await ShouldAsync(place, Import, 0, "2 rows inserted into ");
        await ShouldAsync(place, ["jobs"], 0, "(?s)^job [^\n]*\n[^\n]*complete[^\n]*\n$");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_job_that_can_be_repeated_runs_in_full_and_says_which_triggers_run_again(string server)
    {
        await using var place = await PlaceAsync(server, "PRIMARY KEY (id)");
        string[] upsert = [.. Import, "--on-duplicate", "update"];
        await ShouldAsync(place, upsert, 0, "2 rows inserted into ");
        await place.QueryAsync("UPDATE people SET name = 'by hand'; CREATE TRIGGER tr BEFORE UPDATE ON people FOR EACH ROW SET @x = 1;");
        await ShouldAsync(place, upsert, 0,
            @"^done again, since job [0-9a-f]{16} of the same input was complete on [^\n]*: triggers tr \(BEFORE UPDATE\) run again\n",
            "2 (rows? )?updated");
        place.Write("people.csv", "id,name\n1,a\n2,B\n3,c\n");
        await ShouldAsync(place, upsert, 0, "1 row inserted into ", "1 (rows? )?updated");
        Assert.Equal("1\t0", await place.ScalarAsync("SELECT SUM(source = -1), SUM(source >= 0) FROM bulkload_ledger;"));
        string[] update = ["update", "people.csv", "--table", "people"];
        await ShouldAsync(place, update, 0, " 3 unchanged");
        await place.QueryAsync("UPDATE people SET name = 'by hand';");
        await ShouldAsync(place, update, 0, "3 (rows? )?updated");
        await ShouldBeAsync(place, "1\ta\n2\tB\n3\tc\n");

        // What reads the row is not the same a second time.
        string[] adding = ["update", "people.csv", "--table", "people", "--map", "name=@", "--set", "name=concat(name,'!')"];
        await ShouldAsync(place, adding, 0, "3 (rows? )?updated");
        await ShouldAsync(place, adding, 0, "^nothing to do: people.csv was done on ");
        await ShouldBeAsync(place, "1\ta!\n2\tB!\n3\tc!\n");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_repeated_delete_counts_what_is_gone(string server)
    {
        await using var place = await PlaceAsync(server, "PRIMARY KEY (id)");
        await ShouldAsync(place, Import, 0);
        place.Write("ids.txt", "1\n2\n");
        string[] delete = ["delete", "--ids", "ids.txt", "--table", "people", "--yes"];
        await ShouldAsync(place, delete, 0, "2 rows? deleted from ");
        await place.QueryAsync("INSERT INTO people VALUES (1,'back');");
        await ShouldAsync(place, delete, 0, "1 rows? deleted from ",
            @"1 not found \(the same delete was complete on \d{4}-\d\d-\d\d [\d:]{8} UTC\), in ");
        place.Write("ids.txt", "1\n2\n3\n");
        await ShouldAsync(place, delete, 4);
    }

    [Theory]
    [CombinatorialServers("", "--atomic", "--threads 2")]
    public async Task Truncate_empties_once_a_job_and_only_what_may_be_emptied(string server, string ways)
    {
        await using var place = await PlaceAsync(server);
        await place.QueryAsync("INSERT INTO people VALUES (9,'old');");
        string[] import = [.. Import, "--rows-per-chunk", "1", "--truncate"];
        import = ways == "--atomic"
            ? [.. Import, "--atomic", "--truncate"] : [.. import, .. ways.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        await ShouldRefuseAsync(place, $"--allow-database {place.Database} allows its tables to be emptied", import);
        import = [.. import, "--allow-database", place.Database];
        await ShouldAsync(place, [.. import, "--plan"], 0, $"--truncate: 1 rows of {place.Database}\\.people would be lost");
        await ShouldAsync(place, import, 0, "--truncate: all rows of ", "2 rows inserted into ");
        await ShouldBeAsync(place, "1\ta\n2\tb\n");

        // Done again on purpose, and stopped behind its first chunk: what goes on does not empty again.
        place.Write("people.csv", "id,name\n1,A\nx,b\n");
        (await place.RunAsync(import)).ShouldExitWith(4);
        await ShouldBeAsync(place, ways == "--atomic" ? "1\ta\n2\tb\n" : "1\tA\n");
        await place.QueryAsync("INSERT INTO people VALUES (7,'other');");
        place.Write("people.csv", "id,name\n1,A\n2,B\n");
        await ShouldAsync(place, import, 0);
        await ShouldBeAsync(place, ways == "--atomic" ? "1\tA\n2\tB\n" : "1\tA\n2\tB\n7\tother\n");
        await ShouldAsync(place, Import, 0, "^nothing to do");

        // No record is a table without rows.
        place.Write("people.csv", "id,name\n");
        await ShouldAsync(place, import, 0, "0 rows inserted into ");
        await ShouldBeAsync(place, "");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_table_that_rows_refer_to_is_not_emptied(string server)
    {
        await using var place = await PlaceAsync(server, "PRIMARY KEY (id)");
        await place.QueryAsync("INSERT INTO people VALUES (1,'a'); CREATE TABLE pets (owner INT, FOREIGN KEY (owner) REFERENCES people "
            + "(id) ON DELETE CASCADE); INSERT INTO pets VALUES (1);");
        string[] import = [.. Import, "--truncate", "--allow-database", place.Database];
        await ShouldRefuseAsync(place, $"--truncate: rows of {place.Database}.pets refer to {place.Database}.people", import);
        await place.QueryAsync("UPDATE pets SET owner = NULL;");
        await ShouldAsync(place, import, 0, "2 rows inserted into ");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_pipe_without_a_name_is_not_known_again_and_says_so(string server)
    {
        await using var place = await PlaceAsync(server);
        for (var i = 0; i < 2; i++)
        {
            using var program = BulkLoadProcess.StartLine(place, "bulkload import - --table people < people.csv");
            program.Input.Close();
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Contains("note  standard input without --job-id is not recognized later", end.Output, StringComparison.Ordinal);
        }

        Assert.Equal("4", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        for (var i = 0; i < 2; i++)
        {
            using var program = BulkLoadProcess.StartLine(place, "bulkload import - --table people --job-id daily < people.csv");
            program.Input.Close();
            var end = await program.EndAsync();
            end.ShouldExitWith(0);
            Assert.Equal(i == 1, end.Output.StartsWith("nothing to do: ", StringComparison.Ordinal));
        }
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Complete_jobs_are_forgotten_by_their_age(string server)
    {
        await using var place = await PlaceAsync(server);
        await ShouldAsync(place, Import, 0, "note  the ledger .*bulkload_ledger was created: it records what is committed");
        await ShouldAsync(place, ["jobs", "--state", "stopped"], 0, "^no such jobs\n$");
        await ShouldAsync(place, ["jobs", "--state", "running"], 0, "^no such jobs\n$");
        await ShouldAsync(place, ["jobs", "--table", "peopl_"], 0, "^no such jobs\n$");
        await ShouldAsync(
            place, ["jobs", "--table", "people", "--state", "complete", "--json"], 0, "(?s)\"count\": 1,.*\"state\": \"complete\"");
        await ShouldAsync(place, ["jobs", "forget", "--complete", "--older-than", "1d"], 0, "^0 complete jobs forgotten\n$");
        await ShouldAsync(place, ["jobs", "forget", "--complete"], 0, "^1 complete job forgotten\n$");
        await ShouldAsync(place, ["jobs"], 0, "^no jobs\n$");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM bulkload_ledger WHERE content <> '';"));
        (await place.RunAsync("jobs", "forget", "--older-than", "1d")).ShouldExitWith(2);
    }

    [Theory]
    [CombinatorialServers("ENGINE=MyISAM|is a table of engine MyISAM", "ADD COLUMN more INT|has other columns",
        "MODIFY taken INT NOT NULL|has other columns")]
    public async Task A_ledger_that_cannot_be_relied_on_is_refused(string server, string change)
    {
        await using var place = await PlaceAsync(server);
        await ShouldAsync(place, Import, 0);
        await place.QueryAsync($"ALTER TABLE bulkload_ledger {change.Split('|')[0]};");
        await ShouldRefuseAsync(place, change.Split('|')[1], [.. Import, "--job-id", "n"]);
    }

    private static async Task<Workplace> PlaceAsync(string server, string key = "INDEX (name)")
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), $"CREATE TABLE people (id INT NOT NULL, name VARCHAR(20), {key});");
        place.Write("people.csv", Two);
        return place;
    }

    private static async Task ShouldAsync(Workplace place, string[] words, int exit, params string[] patterns)
    {
        var end = await place.RunAsync(words);
        end.ShouldExitWith(exit);
        foreach (var pattern in patterns)
        {
            Assert.Matches(pattern, end.Output);
        }
    }

    private static async Task ShouldRefuseAsync(Workplace place, string message, params string[] words)
    {
        var end = await place.RunAsync(words);
        end.ShouldExitWith(9);
        end.ShouldSay(message);
    }

    private static async Task ShouldBeAsync(Workplace place, string rows) =>
        Assert.Equal(rows, string.Concat((await place.QueryAsync("SELECT id, name FROM people ORDER BY id, name;"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1).Select(line => $"{line}\n")));

    private static Task<string> ReadAsync(Workplace place, string file) =>
        File.ReadAllTextAsync(Path.Combine(place.Folder, file), Encoding.UTF8, TestContext.Current.CancellationToken);
}
