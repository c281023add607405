using System.Text.Json;
using BulkLoad.IntegrationTests.Undoing;

namespace BulkLoad.IntegrationTests.Ids;

/// <summary>The ids that the server generates are saved with the numbers of their records, and rows can be taken back by them.</summary>
public sealed class IdsFileTests
{
    internal const string Numbered = "CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, n INT CHECK (n <> 77), v VARCHAR(9));"
        + "INSERT INTO t (n) VALUES (-1);";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Each_row_has_its_id_behind_refused_records_in_each_file(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Numbered);
        var bad = new HashSet<int> { 1, 77, 500, 501, 999 };
        place.Write("a.csv", "n\n" + string.Concat(Enumerable.Range(1, 999).Select(n => $"{(bad.Contains(n) && n != 77 ? "x" : n)}\n")));
        place.Write("b,c.csv", "n\n1001\n1002\n");
        var end = await place.RunAsync(
            "import", "a.csv", "b,c.csv", "--table", "t", "--max-rejects", "9", "--ids-file", "ids.csv", "--rows-per-batch", "40",
            "--report", "report.json");
        end.ShouldExitWith(3);
        Assert.Contains($"note  ids that the server has generated for the rows are in {Path.Combine(place.Folder, "ids.csv")}", end.Output,
            StringComparison.Ordinal);
        var lines = await File.ReadAllLinesAsync(Path.Combine(place.Folder, "ids.csv"));
        Assert.Equal("file,record,id", lines[0]);
        var expected = (await place.ScalarAsync("SELECT IF(n > 1000, CONCAT('\"b,c.csv\",', n - 1000), CONCAT('a.csv,', n)), id FROM t "
            + "WHERE n > 0 ORDER BY id;")).Replace('\t', ',').Split('\n');
        Assert.Equal(expected, lines[1..]);
        Assert.Equal(996, expected.Length);
        await ShouldReportAsync(place, 996);
    }

    [Theory]
    [CombinatorialServers("usual", "no-ledger", "atomic")]
    public async Task Killed_and_started_again_the_file_has_each_id_once(string server, string kind)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Numbered);
        place.Write("t.csv", "n\n" + string.Concat(Enumerable.Range(100, 6_000).Select(n => $"{n}\n")));
        string[] words = ["import", "t.csv", "--ids-file", "ids.csv", "--rows-per-chunk", "300", "--rows-per-batch", "100"];
        if (kind == "usual")
        {
            await place.KillAsync(count => count > 900, [.. words, "--max-rate", "3000"]);
            Assert.InRange(int.Parse(await place.ScalarAsync("SELECT COUNT(*) FROM t;"), CultureInfo.InvariantCulture), 900, 5_900);

            // A chunk that was not committed may have left lines.
            await File.AppendAllTextAsync(Path.Combine(place.Folder, "ids.csv"), "t.csv,9999,9999\n");
        }
        else
        {
            words = kind == "atomic" ? [.. words[..4], "--atomic"] : [.. words, "--no-ledger"];
        }

        (await place.RunAsync([.. words, "--report", "report.json"])).ShouldExitWith(0);
        await ShouldHaveIdsAsync(place, "n - 99");
        await ShouldReportAsync(place, 6_000);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_has_no_ids_of_its_own_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Numbered + """
            CREATE TABLE plain (n INT PRIMARY KEY);
            CREATE TABLE triggered (id INT AUTO_INCREMENT PRIMARY KEY, n INT);
            CREATE TRIGGER sets BEFORE INSERT ON triggered FOR EACH ROW SET NEW.id = NEW.n;
            CREATE TABLE mine (id INT AUTO_INCREMENT PRIMARY KEY, n INT) ENGINE=MyISAM;
            """);
        place.Write("t.csv", "n\n1\n");
        place.Write("own.csv", "id,n\n5,5\n");
        await RefuseAsync(9, "has no AUTO_INCREMENT column", "t.csv", "--table", "plain");
        await RefuseAsync(9, "trigger sets (BEFORE INSERT) may give the rows other ids", "t.csv", "--table", "triggered");
        await RefuseAsync(9, "engine MyISAM of ", "t.csv", "--table", "mine", "--no-ledger");
        await RefuseAsync(9, "the input has the values of 'id'", "own.csv", "--table", "t");
        await RefuseAsync(2, "--ids-file with --on-duplicate: ", "t.csv", "--on-duplicate", "ignore");
        await RefuseAsync(2, "--ids-file with --full-refresh: ", "t.csv", "--full-refresh");
        await RefuseAsync(2, "--ids-file with --preview: ", "t.csv", "--preview");
        await RefuseAsync(9, "--ids-file: only an INSERT tells the ids of its rows", "t.csv", "--strategy", "load-data");
        place.Write("ids.csv", "mine\n");
        await RefuseAsync(2, "--ids-file: 'ids.csv' already exists; --overwrite replaces it", "t.csv");
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));

        async Task RefuseAsync(int code, string why, params string[] words)
        {
            var end = await place.RunAsync(["import", .. words, "--ids-file", "ids.csv"]);
            end.ShouldExitWith(code);
            end.ShouldSay(why);
        }
    }

    /// <summary>What the program says is typed: the file that the job has saved.</summary>
    [Theory]
    [CombinatorialServers("PRIMARY KEY (id)", "PRIMARY KEY (n, id), KEY (id)", "PRIMARY KEY (n), UNIQUE KEY (id)")]
    public async Task A_job_is_taken_back_by_the_ids_that_it_has_saved(string server, string keys)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            $"CREATE TABLE t (n INT CHECK (n <> 77), id INT NOT NULL AUTO_INCREMENT, v VARCHAR(9), l INT AS (n + 1), {keys});");
        place.Write("t.csv", "n,v\n" + string.Concat(Enumerable.Range(1, 500).Select(n => $"{n},a{n % 7}\n")));
        (await place.RunAsync("import", "t.csv", "--ids-file", "ids.csv", "--max-rejects", "2", "--rows-per-chunk", "60"))
            .ShouldExitWith(3);

        // The same records again, as rows of others.
        await place.QueryAsync("INSERT INTO t (n, v) SELECT n + 1000, v FROM t WHERE n < 100; UPDATE t SET v = 'new' WHERE n IN (5, 6); "
            + "DELETE FROM t WHERE n = 7;");
        var job = await UndoTests.JobAsync(place);
        var refused = await place.RunAsync("undo", job);
        refused.ShouldExitWith(9);
        refused.ShouldSay($"the job has saved them in {Path.Combine(place.Folder, "ids.csv")}: if it is still the same, name it with "
            + "--ids-file");
        Assert.Contains($"bulkload undo {job} --ids-file {Path.Combine(place.Folder, "ids.csv")}, with the import's options",
            (await place.RunAsync("jobs", "show", job)).Output, StringComparison.Ordinal);
        var lines = await File.ReadAllLinesAsync(Path.Combine(place.Folder, "ids.csv"));
        place.Write("less.csv", string.Join('\n', lines[..^1]) + "\n");
        await RefuseAsync("less.csv", "it has 498 ids, and the job has inserted 499 rows");
        place.Write("moved.csv", string.Join('\n', [lines[0], .. lines[2..], lines[1]]) + "\n");
        await RefuseAsync("moved.csv", "line 2 has id ");
        var preview = await place.RunAsync("undo", job, "--ids-file", "ids.csv", "--preview");
        preview.ShouldExitWith(3);
        Assert.StartsWith($"496 of the 499 rows that job {job} had inserted into {place.Database}.t would be reversed, 2 kept, 1 already "
            + "gone, in ", preview.Output, StringComparison.Ordinal);
        var end = await place.RunAsync("undo", job, "--ids-file", "ids.csv");
        end.ShouldExitWith(3);
        Assert.StartsWith($"496 of the 499 rows that job {job} had inserted into {place.Database}.t are reversed, 2 kept, 1 already gone, "
            + "in ", end.Output, StringComparison.Ordinal);
        Assert.Equal("2\t98", await place.ScalarAsync("SELECT SUM(n < 1000), SUM(n > 1000) FROM t;"));
        await UndoTests.ShouldHaveNoOthersAsync(place);

        async Task RefuseAsync(string file, string why)
        {
            var other = await place.RunAsync("undo", job, "--ids-file", file);
            other.ShouldExitWith(9);
            other.ShouldSay($"--ids-file: '{file}' has not the ids of job {job}: {why}");
            await UndoTests.ShouldHaveNoOthersAsync(place);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_ids_of_each_start_a_job_is_not_taken_back(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Numbered);
        place.Write("t.csv", "n\n" + string.Concat(Enumerable.Range(100, 6_000).Select(n => $"{n}\n")));
        string[] words = ["import", "t.csv", "--rows-per-chunk", "300"];
        await place.KillAsync(count => count > 900, [.. words, "--max-rate", "3000", "--ids-file", "ids.csv"]);
        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Contains("ids.csv, and those of this start nowhere: it has no --ids-file", end.Output, StringComparison.Ordinal);
        var job = await UndoTests.JobAsync(place);
        var refused = await place.RunAsync("undo", job, "--ids-file", "ids.csv");
        refused.ShouldExitWith(9);
        refused.ShouldSay($"--ids-file: job {job} has not saved the ids of all of its rows");
        place.Write("own.csv", "id,n\n70000,1\n");
        (await place.RunAsync("import", "own.csv", "--table", "t", "--job-id", "own")).ShouldExitWith(0);
        refused = await place.RunAsync("undo", "own", "--ids-file", "ids.csv");
        refused.ShouldExitWith(9);
        refused.ShouldSay("--ids-file: the server has generated no ids for the rows of job own: leave it out");
    }

    /// <summary>Nothing that was typed is passed by in silence.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Jobs_whose_undo_reads_no_file_refuse_the_ids(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Numbered);
        place.Write("t.csv", "id,v\n1,new\n");
        place.Write("ids.csv", "file,record,id\n");
        (await place.RunAsync("update", "t.csv", "--table", "t", "--undoable", "--job-id", "changed")).ShouldExitWith(0);
        (await place.RunAsync("import", "t.csv", "--full-refresh", "--keep-old")).ShouldExitWith(0);
        var kept = await place.ScalarAsync("SELECT job FROM bulkload_ledger WHERE job LIKE 'refresh.%' AND source = -1;");
        await RefuseAsync("changed", "has kept its rows, and no file is read to undo it: leave out --ids-file ids.csv");
        await RefuseAsync(kept, "is a full refresh, whose undo reads no file: leave --ids-file ids.csv out");

        async Task RefuseAsync(string job, string why)
        {
            var end = await place.RunAsync("undo", job, "--ids-file", "ids.csv");
            end.ShouldExitWith(2);
            end.ShouldSay($"job {job} {why}");
        }
    }

    private static async Task ShouldReportAsync(Workplace place, long ids)
    {
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        Assert.Equal("ids.csv", report.RootElement.GetProperty("idsFile").GetString());
        Assert.Equal(ids, report.RootElement.GetProperty("idsInFile").GetInt64());
    }

    /// <param name="record">the record's number, by SQL</param>
    internal static async Task ShouldHaveIdsAsync(Workplace place, string record)
    {
        var lines = await File.ReadAllLinesAsync(Path.Combine(place.Folder, "ids.csv"));
        var rows = (await place.ScalarAsync($"SELECT CONCAT('t.csv,', {record}), id FROM t WHERE n > 0 ORDER BY id;")).Replace('\t', ',');
        Assert.Equal(rows.Split('\n').Prepend("file,record,id"), lines);
    }
}
