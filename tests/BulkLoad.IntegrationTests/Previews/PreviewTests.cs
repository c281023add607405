using System.Text.Json;

namespace BulkLoad.IntegrationTests.Previews;

/// <summary>A preview tells what the job then does, and changes nothing: random tables, files and jobs.</summary>
public abstract class PreviewTests(string server)
{
    private const int Usual = 12;

    private static readonly string[][] Jobs =
    [
        ["import", "--on-duplicate", "error"], ["import", "--on-duplicate", "ignore"], ["import", "--on-duplicate", "replace"],
        ["import", "--on-duplicate", "update"], ["update"], ["update", "--key", "code"],
        ["update", "--set", "n=n+1"], ["delete", "--yes", "--key", "id"], ["delete", "--yes", "--key", "code", "--ignore-missing"],
        ["import", "--truncate", "--allow-database", "*"],
    ];

    /// <summary>Those of a table without a primary key or unique key.</summary>
    private static readonly string[][] JobsWithoutKey =
    [
        ["import"], ["delete", "--yes", "--key", "id", "--allow-multiple"], ["update", "--key", "id", "--allow-multiple"],
        ["delete", "--yes", "--key", "code", "--allow-multiple", "--ignore-missing"],
    ];

    /// <summary>More cases where somebody asks for them.</summary>
    private static int Cases => int.TryParse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_PREVIEWS"), out var many) ? many : Usual;

    [Fact]
    public async Task A_preview_tells_what_the_job_then_does()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        List<string> different = [];
        for (var seed = 1; seed <= Cases; seed++)
        {
            try
            {
                await CompareAsync(place, seed);
            }
            catch (Xunit.Sdk.XunitException fault)
            {
                different.Add(fault.Message);
            }
        }

        Assert.True(different.Count == 0, $"{different.Count} of {Cases} cases\n{string.Join("\n\n", different)}");
    }

    [Fact]
    public async Task A_file_that_is_there_is_replaced_only_with_overwrite()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE people (id INT NOT NULL PRIMARY KEY);");
        place.Write("people.csv", "id\n1\n");
        place.Write("keep.csv", "precious\n");
        string[] words = ["import", "people.csv", "--preview", "--preview-file", "keep.csv"];
        using (var refused = place.Start(words))
        {
            var end = await refused.EndAsync();
            end.ShouldExitWith(2);
            end.ShouldSay("--preview-file: 'keep.csv' already exists; --overwrite replaces it");
        }

        Assert.Equal("precious\n", File.ReadAllText(Path.Combine(place.Folder, "keep.csv")));
        using var program = place.Start([.. words, "--overwrite"]);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("change,key,column,before,after\ninserted,\"1\",,,\n", File.ReadAllText(Path.Combine(place.Folder, "keep.csv")));
    }

    /// <summary>Found by a newcomer: the preview counted what was behind the first reject, and the command stopped there.</summary>
    [Theory]
    [InlineData("", "the command would stop at people.csv:4, and nothing would be committed; with --max-rejects 2 it would be: 4 rows inserted ")]
    [InlineData("--max-rejects 1", "the command would stop at people.csv:6, and nothing would be committed; with --max-rejects 2 it would be: 4 rows ")]
    [InlineData("--max-rejects 2", "it would be: 4 rows inserted into ")]
    [InlineData("--rows-per-chunk 1", "the command would stop at people.csv:4, and chunks 1-2, records 1-2, would stay committed; with --max-rejects 2 it")]
    public async Task A_preview_says_where_the_command_would_stop(string options, string said)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE people (id INT NOT NULL PRIMARY KEY);");
        place.Write("people.csv", "id\n1\n2\nx\n4\ny\n6\n");
        string[] words = ["import", "people.csv", .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
        var preview = await RunAsync(place, [.. words, "--preview"]);
        Assert.Contains($"preview: nothing was written; {said}", preview.Output, StringComparison.Ordinal);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        var real = await RunAsync(place, words);
        Assert.Equal(real.Exit, preview.Exit);
        var stop = StopOf(preview.Report);
        Assert.Equal(real.Exit == 4, stop.ValueKind == JsonValueKind.Object);
        if (stop.ValueKind == JsonValueKind.Object)
        {
            Assert.Contains($"people.csv:{stop.GetProperty("line").GetInt64()}: ", real.Output, StringComparison.Ordinal);
            Assert.Equal(stop.GetProperty("line").GetInt64() - 1, stop.GetProperty("record").GetInt64());
            Assert.Equal("people.csv", stop.GetProperty("file").GetString());
            Assert.Equal($"{stop.GetProperty("committedRecords").GetInt64()}", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        }
    }

    /// <summary>Found by a newcomer: what a foreign key refuses was counted as inserted.</summary>
    /// <param name="line">where the command stops, with a limit of 0; 0: the preview does not know it</param>
    [Theory]
    [InlineData("import --on-duplicate error", "id,team\n11,1\n12,77\n13,\n14,78\n", 3)]
    [InlineData("import --on-duplicate update", "id,team\n1,2\n2,77\n12,77\n12,2\n", 3)]
    [InlineData("import --on-duplicate ignore", "id,team\n1,2\n12,77\n13,1\n", null)]
    [InlineData("import --on-duplicate replace", "id,team\n1,2\n3,2\n4,77\n5,1\n", null)]
    [InlineData("update", "id,team\n1,2\n2,77\n3,78\n", 3)]
    [InlineData("update --columns id,@team --set team=@team+100", "id,team\n1,2\n", 0)]
    [InlineData("delete --key id --yes", "id\n1\n3\n4\n", 0)]
    public async Task Rows_that_a_foreign_key_refuses_are_rejects(string job, string text, int? line)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "");
        const string Setup = "DROP TABLE IF EXISTS children, people, bulkload_ledger; DROP TABLE IF EXISTS teams; "
            + "CREATE TABLE teams (id INT NOT NULL PRIMARY KEY); "
            + "CREATE TABLE people (id INT NOT NULL PRIMARY KEY, team INT, CONSTRAINT team FOREIGN KEY (team) REFERENCES teams (id)); "
            + "CREATE TABLE children (id INT PRIMARY KEY, parent INT, CONSTRAINT parent FOREIGN KEY (parent) REFERENCES people (id)); "
            + "INSERT INTO teams VALUES (1), (2); INSERT INTO people VALUES (1, 1), (2, 1), (3, 1), (4, 2), (5, 2); "
            + "INSERT INTO children VALUES (1, 3), (2, 3);";
        place.Write("people.csv", text);
        var kind = job.Split(' ');
        foreach (var limit in new[] { "0", "100" })
        {
            await place.QueryAsync(Setup);
            string[] words = [kind[0], "people.csv", "--table", "people", .. kind.Skip(1), "--max-rejects"];
            var preview = await RunAsync(place, [.. words, limit, "--preview"]);
            var real = await RunAsync(place, [.. words, limit]);
            Assert.True(real.Exit == preview.Exit, $"{preview.Output}\n{real.Output}");
            if (limit == "0")
            {
                Assert.Equal(4, real.Exit);
                var stop = StopOf(preview.Report);
                Assert.Equal(0, stop.GetProperty("committedRecords").GetInt64());
                if (line is not null)
                {
                    var said = stop.GetProperty("line");
                    Assert.True(line == 0 ? said.ValueKind == JsonValueKind.Null : said.GetInt32() == line, preview.Output);
                    Assert.Contains(line == 0 ? "people.csv:" : $"people.csv:{line}: ", real.Output, StringComparison.Ordinal);
                }
                else if (stop.GetProperty("line").ValueKind == JsonValueKind.Number)
                {
                    // The servers differ in what they look at first.
                    Assert.Contains($"people.csv:{stop.GetProperty("line").GetInt32()}: ", real.Output, StringComparison.Ordinal);
                }

                await place.QueryAsync(Setup);
                real = await RunAsync(place, [.. words, "100"]);
            }

            var (expected, counted) = (Counts(real.Report), Counts(preview.Report));
            Assert.True(expected == counted, $"{preview.Output}\n{counted}\n{real.Output}\n{expected}");
            Assert.Equal(Rejects(real.Report), Rejects(preview.Report));
        }
    }

    /// <summary>Found by a newcomer: the preview of a delete that was done before ended with 4, and the delete with 0.</summary>
    [Fact]
    public async Task A_delete_that_was_done_before_is_no_mistake()
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE people (id INT NOT NULL PRIMARY KEY); INSERT INTO people VALUES (1), (2), (3);");
        place.Write("people.csv", "id\n1\n2\n77\n");
        string[] words = ["delete", "people.csv", "--table", "people", "--key", "id", "--yes"];
        await RunAsync(place, [.. words, "--max-rejects", "1"]);
        await place.QueryAsync("INSERT INTO people VALUES (2);");
        var preview = await RunAsync(place, [.. words, "--preview"]);
        Assert.Equal(0, preview.Exit);
        Assert.Contains(", 2 not found (the same delete was complete on ", preview.Output, StringComparison.Ordinal);
        var real = await RunAsync(place, words);
        Assert.Equal(0, real.Exit);
        Assert.Contains(", 2 not found (the same delete was complete on ", real.Output, StringComparison.Ordinal);
        Assert.Equal(Counts(real.Report), Counts(preview.Report));
    }

    [Fact]
    public async Task Rows_that_a_truncate_deletes_are_counted_first()
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE people (id INT NOT NULL PRIMARY KEY); INSERT INTO people VALUES (1), (2), (3);");
        place.Write("people.csv", "id\n3\n4\n");
        string[] words = ["import", "people.csv", "--truncate", "--allow-database", place.Database];
        var preview = await RunAsync(place, [.. words, "--preview"]);
        Assert.Contains("it would be: 3 rows deleted (--truncate), then 2 rows inserted into ", preview.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("more row", preview.Output, StringComparison.Ordinal);
        preview = await RunAsync(place, [.. words, "--preview", "--preview-file", "changes.csv"]);
        Assert.Contains("all changes are in changes.csv, without the rows that --truncate deletes", preview.Output, StringComparison.Ordinal);
        var real = await RunAsync(place, words);
        Assert.Contains("\n3 rows deleted (--truncate), then 2 rows inserted into ", real.Output, StringComparison.Ordinal);
        Assert.Equal(Counts(real.Report), Counts(preview.Report));
    }

    [Fact]
    public async Task Of_a_table_without_a_key_there_are_counts()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE people (id INT, name VARCHAR(9), KEY (id)); INSERT INTO people VALUES (1, 'a'), (1, 'b'), (2, 'c');");
        place.Write("people.csv", "id,name\n1,x\n7,y\n");
        var import = await RunAsync(place, ["import", "people.csv", "--preview"]);
        Assert.Contains("2 rows inserted into ", import.Output, StringComparison.Ordinal);
        Assert.Contains("the table has no key that tells its rows apart: no row is shown", import.Output, StringComparison.Ordinal);
        place.Write("ids.txt", "id\n1\n");
        string[] words = ["delete", "--ids", "ids.txt", "--table", "people", "--key", "id", "--allow-multiple", "--yes", "--preview"];
        var delete = await RunAsync(place, words);
        Assert.Contains("2 rows deleted from ", delete.Output, StringComparison.Ordinal);
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private static async Task CompareAsync(Workplace place, int seed)
    {
        var random = new Random(seed);
        var (hasKey, hasParents, hasChildren) = (random.Next(4) > 0, random.Next(2) == 0, random.Next(3) == 0);
        var job = hasKey ? Jobs[seed % Jobs.Length] : JobsWithoutKey[seed % JobsWithoutKey.Length];
        var setup = Setup(random, hasKey, hasParents, hasKey && hasChildren && !job.Contains("--truncate"));
        var isDelete = job[0] == "delete";
        var header = isDelete ? job.Contains("id") ? "id" : "code" : job.Contains("n=n+1") ? "id,born" : "id,code,n";
        var lines = Enumerable.Range(0, random.Next(1, 40)).Select(_ => Line(random, header));
        place.Write("people.csv", $"{header}\n{string.Concat(lines.Select(line => $"{line}\n"))}");
        string[] words = [job[0], "people.csv", "--table", "people", .. job.Skip(1).Select(word => word == "*" ? place.Database : word)];
        string[] limits = random.Next(3) switch { 0 => [], 1 => ["--max-rejects", "2"], _ => ["--max-rejects", "100"] };
        string[] chunks = [.. random.Next(2) == 0 ? Array.Empty<string>() : ["--rows-per-chunk", $"{random.Next(1, 6)}"]];

        await place.QueryAsync(setup);
        var before = await RowsAsync(place);
        var preview = await RunAsync(place, [.. words, .. limits, .. chunks, "--preview", "--preview-file", "changes.csv"]);
        var input = File.ReadAllText(Path.Combine(place.Folder, "people.csv"));
        var what = $"case {seed}: {string.Join(' ', [.. words, .. limits, .. chunks])}\n{setup}\n{input}\n{preview.Output}";
        Assert.True(before.SequenceEqual(await RowsAsync(place)), $"changed by the preview: {what}");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM information_schema.TABLES "
            + $"WHERE TABLE_SCHEMA = '{place.Database}' AND TABLE_NAME NOT IN ('people', 'amounts', 'children')"));

        var real = await RunAsync(place, [.. words, .. limits, .. chunks]);
        Assert.True(real.Exit == preview.Exit, $"{what}\nexit {preview.Exit}, and then {real.Exit}\n{real.Output}");
        var stop = StopOf(preview.Report);
        Assert.True((stop.ValueKind == JsonValueKind.Object) == (real.Exit == 4), $"{what}\nreal\n{real.Output}");
        if (stop.ValueKind == JsonValueKind.Object)
        {
            if (stop.GetProperty("line").ValueKind == JsonValueKind.Number)
            {
                var where = $"people.csv:{stop.GetProperty("line").GetInt64()}: ";
                Assert.True(real.Output.Contains(where, StringComparison.Ordinal), $"{what}\nreal\n{real.Output}");
            }

            if (stop.GetProperty("committedRecords").ValueKind == JsonValueKind.Number)
            {
                var records = stop.GetProperty("committedRecords").GetInt64();
                Assert.True(records == Taken(real.Report), $"{what}\nreal\n{real.Output}\n{Counts(real.Report)}");
            }

            await place.QueryAsync(setup);
            real = await RunAsync(place, [.. words, "--max-rejects", "1000", .. chunks]);
        }

        if (job[0] == "update" && preview.Output.Contains("note  which records the refused rows are of is not known", StringComparison.Ordinal))
        {
            // Several records may change such a row, and whether one of them is refused may depend on those before it.
            return;
        }

        Assert.True(Counts(real.Report) == Counts(preview.Report), $"{what}\nreal\n{real.Output}\n{Counts(preview.Report)}\n{Counts(real.Report)}");
        if (job.Contains("--truncate") || !hasKey)
        {
            return;
        }

        var after = await RowsAsync(place);
        var (old, now) = (before.ToDictionary(KeyOf), after.ToDictionary(KeyOf));
        string[] expected =
        [
            .. now.Where(row => !old.ContainsKey(row.Key)).Select(row => $"inserted,{row.Key}"),
            .. now.Where(row => old.TryGetValue(row.Key, out var then) && then != row.Value).Select(row => $"updated,{row.Key}"),
            .. old.Where(row => !now.ContainsKey(row.Key)).Select(row => $"deleted,{row.Key}"),
        ];
        var said = File.ReadLines(Path.Combine(place.Folder, "changes.csv")).Skip(1)
            .Select(line => string.Join(',', line.Split(',').Take(2)).Replace("\"", "", StringComparison.Ordinal)).Distinct();
        Assert.True(
            expected.Order().SequenceEqual(said.Order()),
            $"{what}\nexpected\n{string.Join('\n', expected.Order())}\nsaid\n{string.Join('\n', said.Order())}\nreal\n{real.Output}");
    }

    /// <summary>The table, with thirty rows, and the tables that its foreign keys, and those to it, are about.</summary>
    private static string Setup(Random random, bool hasKey, bool hasParents, bool hasChildren)
    {
        var keys = !hasKey ? "KEY (id), KEY (code), KEY (n)" : $"PRIMARY KEY (id), UNIQUE (code), {(random.Next(2) == 0 ? "UNIQUE" : "KEY")} (n)";
        var reference = hasParents ? ", CONSTRAINT amount FOREIGN KEY (n) REFERENCES amounts (n)" : "";
        var rule = random.Next(3) switch { 0 => " ON DELETE CASCADE", 1 => " ON DELETE SET NULL", _ => "" };
        return "DROP TABLE IF EXISTS children, people, bulkload_ledger; DROP TABLE IF EXISTS amounts; "
            + "CREATE TABLE amounts (n INT NOT NULL PRIMARY KEY); "
            + $"INSERT INTO amounts VALUES {string.Join(", ", Enumerable.Range(1, 45).Select(n => $"({n * 100})"))}; "
            + "CREATE TABLE people (id INT NOT NULL, code VARCHAR(10) COLLATE utf8mb4_general_ci NOT NULL, n INT, "
            + $"born DATE DEFAULT '2000-01-01', {keys}, CHECK (n <> 13){reference}); "
            + "INSERT INTO people VALUES "
            + $"{string.Join(", ", Enumerable.Range(1, 30).Select(id => $"({id}, 'c{id}', {id * 100}, '1990-01-{id:00}')"))};"
            + (hasChildren ? " CREATE TABLE children (id INT PRIMARY KEY, parent INT, "
                + $"CONSTRAINT parent FOREIGN KEY (parent) REFERENCES people (id){rule}); "
                + "INSERT INTO children VALUES (1, 3), (2, 3), (3, 7), (4, 20), (5, NULL);" : "");
    }

    /// <summary>Records that are committed.</summary>
    private static long Taken(string report)
    {
        using var read = JsonDocument.Parse(report);
        var counts = read.RootElement.GetProperty("counts");
        string[] taken = ["inserted", "updated", "unchanged", "ignored", "deleted", "superseded", "notFound"];
        return taken.Sum(name => counts.GetProperty(name).GetInt64());
    }

    private static string Line(Random random, string header) => string.Join(',', header.Split(',').Select(column => column switch
    {
        "id" => random.Next(20) == 0 ? "x" : $"{random.Next(1, 50)}",
        "code" => $"{(random.Next(2) == 0 ? 'c' : 'C')}{random.Next(1, 50)}",
        "n" => random.Next(6) switch { 0 => "", 1 => "13", _ => $"{random.Next(1, 50) * 100}" },
        _ => $"1990-01-{random.Next(1, 29):00}",
    }));

    private static string KeyOf(string row) => row.Split('\t')[0];

    private static async Task<List<string>> RowsAsync(Workplace place) =>
        [.. (await place.QueryAsync("SELECT id, code, IFNULL(n, 'NULL'), born FROM people ORDER BY id;")).Split('\n').Skip(1).Where(line => line.Length > 0)];

    private static string Counts(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("counts").GetRawText();
    }

    /// <summary>Where a preview says that the command stops, or null.</summary>
    private static JsonElement StopOf(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("preview").GetProperty("stop").Clone();
    }

    private static string Rejects(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("rejectsByReason").GetRawText();
    }

    private static async Task<(string Report, string Output, int Exit)> RunAsync(Workplace place, string[] words)
    {
        using var program = place.Start([.. words, "--overwrite", "--report", "report.json"]);
        program.Input.Close();
        var end = await program.EndAsync();
        var path = Path.Combine(place.Folder, "report.json");
        Assert.True(File.Exists(path), $"{string.Join(' ', words)}: {end}");
        var report = File.ReadAllText(path);
        using var read = JsonDocument.Parse(report);
        var hasFailed = read.RootElement.GetProperty("failure") is { ValueKind: JsonValueKind.Object } failure
            && failure.GetProperty("kind").GetString() != "reject-limit";
        Assert.False(hasFailed, $"{string.Join(' ', words)}: {end}\n{File.ReadAllText(Path.Combine(place.Folder, "people.csv"))}");
        return (report, $"{end}", end.ExitCode);
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbPreviewTests() : PreviewTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlPreviewTests() : PreviewTests(Servers.MySql);
