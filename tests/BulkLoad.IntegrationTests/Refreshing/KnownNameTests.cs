using System.Text.Json.Nodes;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>Rows are loaded into a table beside the one that the user knows: what is said of refused rows has the names that the user
/// knows, those of the table and of its constraints.</summary>
public sealed class KnownNameTests
{
    private const string Partition = "p1";

    /// <summary>Every row behind the first one is refused, by another rule each.</summary>
    private const string Bad = """
        id,name,n,up,parent,doc
        1,one,1,1,,{}
        1,again,1,1,,{}
        2,one,1,1,,{}
        3,three,500,1,,{}
        4,muchtoolongname,1,1,,{}
        5,five,1,1,,{
        6,six,1,7,,{}
        7,seven,1,1,70,{}

        """;

    [Theory]
    [CombinatorialServers("swap", "diff", Partition)]
    public async Task Refused_rows_are_shown_with_the_names_of_the_table(string server, string way)
    {
        await using var place = await CreateAsync(server, way);

        // By diff only the last step, which all or nothing takes, sees the references of the table to itself.
        place.Write("t.csv", way == "diff" ? Bad.Replace("7,seven,1,1,70,{}\n", "", StringComparison.Ordinal) : Bad);
        string[] words = ["import", "t.csv", .. Words(way), "--max-rejects", "100"];
        var end = await place.RunAsync([
            .. words, "--verbose", "--reject-file", "rejects.csv", "--report", "report.json", "--events", "events.jsonl"]);
        end.ShouldExitWith(3);
        ShouldHaveNoOtherName($"{end}");
        foreach (var file in Directory.GetFiles(place.Folder))
        {
            var text = await File.ReadAllTextAsync(file);
            ShouldHaveNoOtherName(file.EndsWith("report.json", StringComparison.Ordinal) ? WithoutStatements(text) : text);
        }

        Assert.Contains($"Loading {place.Database}.t by ", end.Error, StringComparison.Ordinal);
        ShouldNameRules(end, place, "small");
        if (way == "swap")
        {
            ShouldTell(end, "column 'up': up has no row with id '7'");
            ShouldTell(end, "column 'parent': t has no row with id '70'");
        }

        // Without a file, and once more, when the names of the constraints have changed.
        end = await place.RunAsync(words);
        end.ShouldExitWith(3);
        ShouldHaveNoOtherName($"{end}", way == "swap" ? ["bulkload_new"] : ["bulkload_new", "__2"]);
        ShouldNameRules(end, place, way == "swap" && !place.Server.IsMariaDb ? "small__2" : "small");
    }

    [Theory]
    [CombinatorialServers("swap", Partition)]
    public async Task The_first_refused_row_ends_the_job_with_the_names_of_the_table(string server, string way)
    {
        await using var place = await CreateAsync(server, way);
        var lines = Bad.Split('\n');
        foreach (var bad in lines[2..^1].Where(line => way == "swap" || !NeedsSwap(line)))
        {
            place.Write("t.csv", $"{lines[0]}\n{lines[1]}\n{bad}\n");
            var end = await place.RunAsync(["import", "t.csv", .. Words(way)]);
            end.ShouldExitWith(4);
            ShouldHaveNoOtherName($"{end}");
            Assert.DoesNotContain("--on-duplicate", end.Error, StringComparison.Ordinal);
            Assert.Contains($"{place.Database}.t is as it was", end.Output, StringComparison.Ordinal);
        }

        place.Write("t.csv", "id,nobody\n1,one\n");
        var refused = await place.RunAsync(["import", "t.csv", .. Words(way)]);
        refused.ShouldExitWith(6);
        refused.ShouldSay($"its columns do not fit table {place.Database}.t");
        ShouldHaveNoOtherName($"{refused}");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_that_stays_has_its_own_name(string server)
    {
        await using var place = await CreateAsync(server, "swap");
        place.Write("t.csv", $"id,name,n,up,parent,doc\n{string.Concat(Enumerable.Range(1, 3_000).Select(
            id => $"{id},name {id},1,1,,{{}}\n"))}9999,name 1,1,1,,{{}}\n8888,last,500,1,,{{}}\n");
        string[] words = ["import", "t.csv", .. Words("swap"), "--rows-per-chunk", "1000"];
        var end = await place.RunAsync(words);
        end.ShouldExitWith(4);
        Assert.Contains($"; what was loaded is in {place.Database}.bulkload_new_", end.Output, StringComparison.Ordinal);
        end.ShouldSay($"3,000 rows are in {place.Database}.bulkload_new_");

        // The names of a table that is there already are known, too.
        end = await place.RunAsync([.. words, "--max-rejects", "1"]);
        end.ShouldExitWith(4);
        ShouldNameRules(end, place, "small");
    }

    private static Task<Workplace> CreateAsync(string server, string way) => Workplace.CreateAsync(Servers.Get(server), way == Partition
        ? """
            CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, n INT, up INT, parent INT, doc JSON,
              UNIQUE KEY name (id, name), CONSTRAINT small CHECK (n < 100))
              PARTITION BY RANGE (id) (PARTITION p1 VALUES LESS THAN (100), PARTITION p2 VALUES LESS THAN MAXVALUE);
            """
        : $"""
            CREATE TABLE up (id INT PRIMARY KEY);
            INSERT INTO up VALUES (1);
            CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, n INT, up INT, parent INT, doc JSON,
              UNIQUE KEY name (name), CONSTRAINT small CHECK (n < 100), CONSTRAINT up FOREIGN KEY (up) REFERENCES up (id),
              CONSTRAINT own FOREIGN KEY (parent) REFERENCES t (id));
            """);

    private static string[] Words(string way) =>
        way == Partition ? ["--full-refresh", "--partition", Partition] : [$"--full-refresh={way}"];

    /// <summary>A partitioned table has no foreign keys, and no unique key without its column.</summary>
    private static bool NeedsSwap(string line) => line[0] is '2' or '6' or '7';

    /// <summary>The statements of the plan are those that were really sent.</summary>
    private static string WithoutStatements(string report)
    {
        var node = JsonNode.Parse(report)!;
        Assert.True(node["plan"]!.AsObject().Remove("sql"));
        return node.ToJsonString();
    }

    /// <param name="check">the CHECK's name</param>
    private static void ShouldNameRules(ProgramEnd end, Workplace place, string check)
    {
        ShouldTell(end, place.Server.IsMariaDb ? "for key '" : "for key 't.");
        ShouldTell(end, place.Server.IsMariaDb
            ? $"CONSTRAINT `{check}` failed for `{place.Database}`.`t`" : $"Check constraint '{check}' is violated.");
    }

    private static void ShouldTell(ProgramEnd end, string expected) => Assert.Contains(expected, $"{end}", StringComparison.Ordinal);

    private static void ShouldHaveNoOtherName(string text, params string[] others)
    {
        foreach (var other in others.Length > 0 ? others : ["bulkload_new", "__2"])
        {
            Assert.DoesNotContain(other, text, StringComparison.Ordinal);
        }
    }
}
