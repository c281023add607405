using System.Text.Json;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>One file that several processes load side by side: <c>--part</c>.</summary>
public abstract class PartTests(string server)
{
    private const int Rows = 12_000;

    private static string[] Words => ["import", "a.csv", "--table", "t", "--rows-per-chunk", "300", "--rows-per-batch", "100"];

    /// <summary>Four processes, of which two are killed at random moments and started again. Without a key over id nothing but the ledger
    /// keeps a record from being there twice.</summary>
    [Theory]
    [InlineData("multiline", 1)]
    [InlineData("no-multiline", 2)]
    [InlineData("utf-16", 3)]
    [InlineData("delete", 4)]
    public async Task Each_record_comes_once_whoever_is_killed(string kind, int seed)
    {
        var isDelete = kind == "delete";
        await using var place = await Workplace.CreateAsync(Servers.Get(server), isDelete
            ? "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t WITH RECURSIVE n AS (SELECT 1 i UNION ALL SELECT i + 1 FROM n WHERE i < "
                + "1000) SELECT a.i + 1000 * (b.i - 1) FROM n a, n b WHERE b.i <= 13;"
            : "CREATE TABLE t (id INT NOT NULL, name VARCHAR(40));");
        var text = isDelete
            ? string.Concat(Enumerable.Range(1, Rows).Select(i => $"{i}\n"))
            : "id,name\n" + string.Concat(Enumerable.Range(1, Rows).Select(i =>
                $"{i},\"{(kind == "no-multiline" || i % 3 > 0 ? "ä, b" : "a\nb,\"\"c\"\"\n1,x")}\"\r\n"));
        var path = Path.Combine(place.Folder, isDelete ? "ids.txt" : "a.csv");
        await File.WriteAllTextAsync(path, text, kind == "utf-16" ? Encoding.Unicode : new UTF8Encoding(false));
        string[] words = isDelete
            ? ["delete", "--ids", "ids.txt", "--table", "t", "--yes", "--rows-per-chunk", "300"]
            : kind == "no-multiline" ? [.. Words, "--no-multiline"] : Words;

        var random = new Random(seed);
        await Task.WhenAll(Enumerable.Range(1, 4).Select(number => RunAsync(number, number % 2 == 0 ? random.Next(150, 900) : null)));
        Assert.Equal(
            isDelete ? "1000" : $"{Rows} {Rows} {Rows * (Rows + 1L) / 2}",
            await place.ScalarAsync(isDelete
                ? "SELECT COUNT(*) FROM t" : "SELECT CONCAT_WS(' ', COUNT(*), COUNT(DISTINCT id), SUM(id)) FROM t"));
        if (!isDelete)
        {
            var first = await place.RunAsync([.. words, "--part", "3/4"]);
            first.ShouldExitWith(0);
            Assert.StartsWith("nothing to do", first.Output, StringComparison.Ordinal);
        }

        async Task RunAsync(int number, int? killed)
        {
            string[] all = [.. words, "--part", $"{number}/4"];
            if (killed is { } moment)
            {
                using var program = place.Start([.. all, "--max-rate", "4000"]);
                program.Input.Close();
                await Task.Delay(moment);
                program.Signal("KILL");
                await program.EndAsync();
            }

            (await place.RunAsync(all)).ShouldExitWith(0);
        }
    }

    [Fact]
    public async Task What_would_come_twice_is_refused()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT NOT NULL, name VARCHAR(40));");
        place.Write("a.csv", "id,name\n" + string.Concat(Enumerable.Range(1, 100).Select(i => $"{i},n\n")));
        (await place.RunAsync([.. Words, "--part", "2/4"])).ShouldExitWith(0);
        await RefuseAsync("was loaded in 4 parts, such as by job ", "--part", "1/3");
        await RefuseAsync("was loaded in parts, such as by job ");
        await RefuseAsync("was loaded in parts, such as by job ", "--append");

        // The advice is a command that continues.
        var refused = await place.RunAsync([.. Words, "--part", "1/3"]);
        Assert.Contains("--part 2/4", refused.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("--part 1/3 ", refused.Error, StringComparison.Ordinal);

        await File.AppendAllTextAsync(Path.Combine(place.Folder, "a.csv"), "101,n\n", TestContext.Current.CancellationToken);
        await RefuseAsync("when job ", "--part", "3/4");

        (await place.RunAsync([.. Words, "--job-id", "whole"])).ShouldExitWith(0);
        await RefuseAsync("was loaded as a whole, by job whole", "--job-id", "whole", "--part", "1/2");
        (await place.RunAsync("jobs", "forget", "whole")).ShouldExitWith(0);
        (await place.RunAsync([.. Words, "--job-id", "whole", "--part", "1/2"])).ShouldExitWith(0);
        await RefuseAsync("was loaded in parts, such as by job whole#1/2", "--job-id", "whole");

        async Task RefuseAsync(string why, params string[] more)
        {
            var end = await place.RunAsync([.. Words, .. more]);
            end.ShouldExitWith(9);
            end.ShouldSay(why);
        }
    }

    [Theory]
    [InlineData(9, "the last one counts", "update", "a.csv", "--table", "t", "--part", "1/2")]
    [InlineData(9, "depends on those before it", "import", "a.csv", "--table", "t", "--on-duplicate", "update", "--part", "1/2")]
    [InlineData(9, "trigger ", "import", "a.csv", "--table", "triggered", "--part", "1/2")]
    [InlineData(9, "refers to the table itself", "import", "a.csv", "--table", "tree", "--part", "1/2")]
    [InlineData(9, "is compressed", "import", "b.csv.gz", "--table", "t", "--part", "1/2")]
    [InlineData(2, "--truncate", "import", "a.csv", "--table", "t", "--truncate", "--part", "1/2")]
    [InlineData(2, "'3/2' is not a part", "import", "a.csv", "--table", "t", "--part", "3/2")]
    [InlineData(2, "of one file", "import", "a.csv", "a.csv", "--table", "t", "--part", "1/2")]
    public async Task Where_the_order_or_the_file_forbids_it_parts_are_refused(int code, string why, params string[] words)
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server),
            "CREATE TABLE t (id INT PRIMARY KEY, parent INT); CREATE TABLE triggered LIKE t; "
                + "CREATE TRIGGER counts BEFORE INSERT ON triggered FOR EACH ROW SET NEW.parent = 1; "
                + "CREATE TABLE tree (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES tree (id));");
        place.Write("a.csv", "id,parent\n1,\n2,1\n");
        await using (var packed = new System.IO.Compression.GZipStream(
            File.Create(Path.Combine(place.Folder, "b.csv.gz")), System.IO.Compression.CompressionLevel.Fastest))
        {
            packed.Write("id,parent\n1,\n"u8);
        }

        var end = await place.RunAsync(words);
        end.ShouldExitWith(code);
        end.ShouldSay(why);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    /// <summary>A reject has its line in the file, or its place in bytes where nobody has counted lines; report and plan name the
    /// part.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reject_of_a_part_has_its_place_in_the_file(bool isQuick)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT NOT NULL, name VARCHAR(40));");
        var text = "id,name\n" + string.Concat(Enumerable.Range(1, 1000).Select(i => $"{(i == 800 ? "x" : "")}{i},n\n"));
        place.Write("a.csv", text);
        string[] words = [.. Words, "--part", "2/2", .. isQuick ? new[] { "--no-multiline" } : []];
        Assert.Contains("part 2/2: bytes ", (await place.RunAsync([.. words, "--plan"])).Output, StringComparison.Ordinal);
        var end = await place.RunAsync([.. words, "--max-rejects", "1", "--reject-file", "bad.csv"]);
        end.ShouldExitWith(3);
        Assert.Contains("from part 2/2 of a.csv", end.Output, StringComparison.Ordinal);
        var cancellation = TestContext.Current.CancellationToken;
        Assert.Equal("id,name\nx800,n\n", await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.csv"), cancellation));
        using var reason = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "bad.jsonl"), cancellation));
        var offset = text.IndexOf("x800", StringComparison.Ordinal);
        Assert.Equal(offset, reason.RootElement.GetProperty("byteOffset").GetInt32());
        if (isQuick)
        {
            Assert.False(reason.RootElement.TryGetProperty("line", out _));
            Assert.Contains($"a.csv, byte {offset:N0}", end.Output, StringComparison.Ordinal);
        }
        else
        {
            Assert.Equal(801, reason.RootElement.GetProperty("line").GetInt32());
            Assert.Contains("a.csv:801", end.Output, StringComparison.Ordinal);
        }
    }

    /// <summary>Options that a part cannot have are no advice.</summary>
    [Fact]
    public async Task A_part_that_meets_a_duplicate_is_told_what_it_can_do()
    {
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (2);");
        place.Write("a.csv", "id\n1\n2\n");
        var end = await place.RunAsync("import", "a.csv", "--table", "t", "--part", "1/1");
        end.ShouldExitWith(4);
        Assert.DoesNotContain("--on-duplicate", end.Error, StringComparison.Ordinal);
        Assert.Contains("--on-duplicate", (await place.RunAsync("import", "a.csv", "--table", "t")).Error, StringComparison.Ordinal);
        Assert.DoesNotContain(
            "--create", (await place.RunAsync("import", "a.csv", "--table", "none", "--part", "1/1")).Error, StringComparison.Ordinal);
    }

    /// <summary>A part in which no record begins is complete, and says so.</summary>
    [Fact]
    public async Task A_part_may_have_no_record()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id INT NOT NULL, name VARCHAR(40));");
        place.Write("a.csv", "id,name\n1,n\n2,n");
        for (var number = 1; number <= 5; number++)
        {
            (await place.RunAsync([.. Words, "--part", $"{number}/5"])).ShouldExitWith(0);
        }

        Assert.Equal("2 3", await place.ScalarAsync("SELECT CONCAT_WS(' ', COUNT(*), SUM(id)) FROM t"));
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbPartTests() : PartTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlPartTests() : PartTests(Servers.MySql);
