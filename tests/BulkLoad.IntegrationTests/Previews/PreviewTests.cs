using System.Text.Json;
using static BulkLoad.IntegrationTests.Previews.PreviewOutcome;

namespace BulkLoad.IntegrationTests.Previews;

/// <summary>A preview tells what the job then does, and changes nothing.</summary>
public abstract class PreviewTests(string server)
{
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
    [InlineData(
        "", "the command would stop at people.csv:4, and nothing would be committed; with --max-rejects 2 it would be: 4 rows inserted ")]
    [InlineData("--max-rejects 1",
        "the command would stop at people.csv:6, and nothing would be committed; with --max-rejects 2 it would be: 4 rows ")]
    [InlineData("--max-rejects 2", "it would be: 4 rows inserted into ")]
    [InlineData("--rows-per-chunk 1",
        "the command would stop at people.csv:4, and chunks 1-2, records 1-2, would stay committed; with --max-rejects 2 it")]
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
    [InlineData("update --columns id,@team --set team=@team+100", "id,team\n1,2\n", 2)]
    [InlineData("delete --key id --yes", "id\n1\n3\n4\n", 3)]
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

    /// <summary>The smallest cases in which a preview once counted what the command does not do.</summary>
    /// <param name="tables">with the table <c>t</c></param>
    [Theory]
    [InlineData("CREATE TABLE t(id INT PRIMARY KEY, v VARCHAR(9) DEFAULT 'd', UNIQUE(v)); INSERT INTO t VALUES (1,'d');", "id\n2\n",
        "error,ignore,update,replace")]
    [InlineData(
        "CREATE TABLE t(id INT PRIMARY KEY, a INT, b INT, UNIQUE(a,b)); INSERT INTO t VALUES (1,1,1),(2,2,1);", "id,a\n1,2\n", "update")]
    [InlineData("CREATE TABLE t(id INT PRIMARY KEY, v INT, w INT AS (v+1), UNIQUE(w)); INSERT INTO t(id,v) VALUES (1,1);", "id,v\n2,1\n",
        "error,ignore,update,replace")]
    [InlineData(
        "CREATE TABLE t(id INT PRIMARY KEY, v VARCHAR(9), UNIQUE(v(2))); INSERT INTO t VALUES (1,'abc');", "id,v\n2,abd\n", "error,ignore")]
    [InlineData(
        "CREATE TABLE t(id VARCHAR(8) PRIMARY KEY, v INT); CREATE TABLE c(t VARCHAR(8), FOREIGN KEY (t) REFERENCES t(id)); "
            + "INSERT INTO t VALUES ('k8',1); INSERT INTO c VALUES ('k8');", "id,v\nK8,2\nk8,3\n", "update,replace")]
    [InlineData(
        "CREATE TABLE p(pid INT PRIMARY KEY); INSERT INTO p VALUES (1); CREATE TABLE t(id INT, k VARCHAR(4), p INT, PRIMARY KEY(id,k), "
            + "FOREIGN KEY (p) REFERENCES p(pid)); INSERT INTO t VALUES (23,'A',NULL);", "id,k,p\n23,a,\n24,a,14\n",
        "update,replace,ignore")]
    [InlineData(
        "CREATE TABLE p(pid INT PRIMARY KEY); INSERT INTO p VALUES (1); CREATE TABLE t(id INT PRIMARY KEY, p INT, "
            + "FOREIGN KEY (p) REFERENCES p(pid)); INSERT INTO t VALUES (1,NULL);", "id,p\n1,14\n2,14\n2,1\n2,15\n",
        "ignore,update,replace")]
    [InlineData(
        "CREATE TABLE t(id INT, v INT, PRIMARY KEY(id)) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10)); INSERT INTO t "
            + "VALUES (1,1);",
        "id,v\n1,2\n12,1\n", "error,ignore,update")]
    [InlineData(
        "CREATE TABLE t(id INT AUTO_INCREMENT PRIMARY KEY, v INT UNIQUE); CREATE TABLE c(t INT, FOREIGN KEY (t) REFERENCES t(id)); "
            + "INSERT INTO t VALUES (1,1),(2,2); INSERT INTO c VALUES (1);", "id,v\n7,1\n8,2\n", "error,ignore,update,replace")]
    public async Task A_small_preview_is_exact(string tables, string text, string modes)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "");
        place.Write("people.csv", text);
        foreach (var mode in modes.Split(','))
        {
            await place.QueryAsync($"DROP TABLE IF EXISTS c, t, p, bulkload_ledger; {tables}");
            string[] words = ["import", "people.csv", "--table", "t", "--on-duplicate", mode, "--max-rejects", "9"];
            var preview = await RunAsync(place, [.. words, "--preview"]);
            var real = await RunAsync(place, words);
            Assert.True(IsExact(preview.Report), preview.Output);
            Assert.True(
                real.Exit == preview.Exit && Counts(real.Report) == Counts(preview.Report), $"{mode}\n{preview.Output}\n{real.Output}");
        }
    }

    [Theory]
    [InlineData("BEFORE INSERT ON t FOR EACH ROW SET NEW.v = NULL", "trigger tr (BEFORE INSERT) may change or refuse records")]
    [InlineData("AFTER INSERT ON t FOR EACH ROW INSERT INTO seen VALUES (NEW.id)", null)]
    public async Task Counts_that_may_be_others_say_so_first(string trigger, string? reason)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server),
            $"CREATE TABLE t(id INT PRIMARY KEY, v INT NOT NULL); CREATE TABLE seen(id INT); CREATE TRIGGER tr {trigger};");
        place.Write("people.csv", "id,v\n1,1\n");
        var preview = await RunAsync(place, ["import", "people.csv", "--table", "t", "--preview"]);
        Assert.Equal(reason is null, IsExact(preview.Report));
        Assert.Contains(
            reason is null ? "preview: nothing was written; it would be: 1 row"
                : $"preview: nothing was written; the counts are not exact, since {reason}; it would be about: 1 row", preview.Output,
            StringComparison.Ordinal);
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
        Assert.Contains(
            "all changes are in changes.csv, without the rows that --truncate deletes", preview.Output, StringComparison.Ordinal);
        var real = await RunAsync(place, words);
        Assert.Contains("\n3 rows deleted (--truncate), then 2 rows inserted into ", real.Output, StringComparison.Ordinal);
        Assert.Equal(Counts(real.Report), Counts(preview.Report));
    }

    [Fact]
    public async Task Of_a_table_without_a_key_there_are_counts()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE people (id INT, name VARCHAR(9), KEY (id)); INSERT INTO people VALUES (1, 'a'), (1, 'b'), (2, 'c');");
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
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbPreviewTests() : PreviewTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlPreviewTests() : PreviewTests(Servers.MySql);
