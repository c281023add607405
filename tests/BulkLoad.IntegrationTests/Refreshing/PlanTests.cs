using System.Text.Json;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>The plan of a full refresh has what is sent, in order: what passes on the way to the server tells.</summary>
public sealed class PlanTests
{
    private const string Plain = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(10), UNIQUE KEY name (name)); "
        + "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');";

    private const string Parted = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10)) PARTITION BY RANGE (id) "
        + "(PARTITION p1 VALUES LESS THAN (100), PARTITION p2 VALUES LESS THAN MAXVALUE); INSERT INTO t VALUES (1, 'a'), (200, 'b');";

    private const string Tree = "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(10), up INT, FOREIGN KEY (up) REFERENCES t (id)); "
        + "INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 1);";

    private const string Making = "CREATE TABLE";
    private const string Comparing = "SELECT COUNT(*)|SELECT COUNT(*)|SELECT COUNT(*)";
    private const string Beginning = "ROLLBACK|SET TRANSACTION|START TRANSACTION";

    [Theory]
    [CombinatorialServers("swap", "kept", "diff", "tree", "partition", "preview")]
    public async Task A_plan_shows_what_is_sent_in_order(string server, string kind)
    {
        var (table, words, before, behind) = kind switch
        {
            "swap" => (Plain, "--full-refresh=swap", $"{Making}|RENAME|RENAME",
                $"{Comparing}|ALTER TABLE|ANALYZE|RENAME|DROP TABLE"),
            "kept" => (Plain, "--full-refresh=swap --keep-old", $"{Making}|RENAME|RENAME",
                $"{Comparing}|ALTER TABLE|ANALYZE|RENAME|RENAME"),
            "diff" => (Plain, "--full-refresh=diff", Making, $"{Comparing}|{Beginning}|DELETE|UPDATE|INSERT|COMMIT|DROP TABLE"),
            "tree" => (Tree, "--full-refresh=diff", Making, $"{Comparing}|{Beginning}|INSERT|UPDATE|UPDATE|DELETE|COMMIT|DROP TABLE"),
            "partition" => (Parted, "--full-refresh --partition p1", $"{Making}|ALTER TABLE",
                $"{Comparing}|RENAME|ALTER TABLE|DROP TABLE"),
            _ => (Plain, "--full-refresh --preview", $"{Making}|RENAME|RENAME", $"{Comparing}|DROP TABLE"),
        };
        await using var place = await Workplace.CreateAsync(Servers.Get(server), table);
        place.Write("t.csv", "id,name\n1,a\n2,x\n4,d\n");
        string[] command = ["import", "t.csv", .. words.Split(' '), "--min-rows", "0%", "--ssl-mode", "disabled"];
        List<string> planned = [];
        if (kind != "preview")
        {
            var plan = await place.RunAsync([.. command, "--plan-json"]);
            plan.ShouldExitWith(0);
            using var json = JsonDocument.Parse(plan.Output);
            planned = StatementsOf(json.RootElement);
        }

        await using var counter = new ByteCounter(place.Server);
        using var program = BulkLoadProcess.Start(place, counter.UrlOf(place), [.. command, "--report", "report.json"]);
        program.Input.Close();
        (await program.EndAsync()).ShouldExitWith(0);
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var reported = StatementsOf(report.RootElement.GetProperty("plan"));
        planned = kind == "preview" ? reported : planned;
        Assert.Equal(planned.Select(WithoutTime), reported.Select(WithoutTime));

        var load = planned.FindIndex(one => one.StartsWith("SAVEPOINT", StringComparison.Ordinal));
        var compare = planned.FindIndex(one => one.StartsWith("SELECT COUNT(*) FROM", StringComparison.Ordinal)
            && !one.Contains("WHERE", StringComparison.Ordinal));
        Assert.True(load > 0 && compare > load, string.Join('\n', planned));
        ShouldBegin(before, planned[..load]);
        ShouldBegin(behind, planned[compare..]);
        Assert.All(planned[load..compare], one => Assert.DoesNotContain("`.`t`", one, StringComparison.Ordinal));
        Assert.Contains(planned[load..compare], one => one.Contains($"`{place.Database}`.`bulkload_new_", StringComparison.Ordinal));

        var (sent, at) = (Encoding.UTF8.GetString(counter.Sent), 0);
        foreach (var one in planned[..load].Concat(planned[compare..]))
        {
            // What the digest of the former rows is, and the time of the exchange, is known only then.
            var form = one.Split("<digest>")[0];
            form = form.Split("_before_")[0];
            var found = sent.IndexOf(form, at, StringComparison.Ordinal);
            Assert.True(found >= 0, $"not sent behind the one before: {one}");
            at = found + form.Length;
        }
    }

    private static List<string> StatementsOf(JsonElement plan) =>
        [.. plan.GetProperty("sql").EnumerateArray().Select(one => one.GetString()!)];

    private static string WithoutTime(string statement) => statement.Split("_before_")[0];

    private static void ShouldBegin(string kinds, List<string> statements)
    {
        var expected = kinds.Split('|');
        Assert.True(expected.Length == statements.Count && expected.Zip(statements).All(
            pair => pair.Second.StartsWith(pair.First, StringComparison.Ordinal)), $"{kinds}: {string.Join('\n', statements)}");
    }
}
