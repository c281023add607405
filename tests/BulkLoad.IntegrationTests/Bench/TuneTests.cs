using System.Text.Json;

namespace BulkLoad.IntegrationTests.Bench;

/// <summary>What bench tune has measured, and imports that are planned with it.</summary>
public sealed class TuneTests
{
    private const string TablesLeft =
        "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA=DATABASE() AND TABLE_NAME LIKE 'bulkload_bench%';";

    private const string People = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);";

    private static readonly string[] Shortest = ["--rows", "300", "--repeat", "1"];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_import_is_planned_with_what_was_measured(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People);
        place.Write("people.csv", "id,name\n1,Ada\n2,Bob\n");
        var end = await place.RunAsync(
            ["bench", "tune", "--profile", "server.json", "--json", "bench.json", "--html", "bench.html", .. Shortest]);
        end.ShouldExitWith(0);
        Assert.Contains("note: sessions: ", end.Output, StringComparison.Ordinal);
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
        var isMariaDb = Servers.Get(server).IsMariaDb;
        var profile = Json(place, "server.json");
        Assert.Equal(isMariaDb ? "MariaDB" : "MySQL", profile.GetProperty("server").GetProperty("kind").GetString());
        Assert.Equal(
            isMariaDb ? ["load-data", "bulk-execute", "multi-row-insert"] : ["load-data", "multi-row-insert"],
            profile.GetProperty("strategies").EnumerateArray().Select(strategy => strategy.GetProperty("strategy").GetString()));
        var sections = Json(place, "bench.json").GetProperty("sections").EnumerateArray().ToList();
        Assert.All(
            sections.SelectMany(section => section.GetProperty("measures").EnumerateArray()),
            measure => Assert.Equal(JsonValueKind.Null, measure.GetProperty("notMeasured").ValueKind));
        Assert.Equal(isMariaDb ? 8 : 6, sections.Count);

        var plan = await place.RunAsync("import", "people.csv", "--profile", "server.json", "--plan");
        plan.ShouldExitWith(0);
        Assert.Contains("  profile       server.json, measured on ", plan.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("was measured", plan.Output, StringComparison.Ordinal);
        (await place.RunAsync("import", "people.csv", "--profile", "server.json")).ShouldExitWith(0);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Files_of_ones_own_are_tuned_with_a_copy_of_the_table(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People + "INSERT INTO people VALUES (1, 'old');");
        place.Write("people.csv", "id,name\n1,Ada\n2,Bob\n3,Cy\n");
        var end = await place.RunAsync(
            "bench", "tune", "people.csv", "--table", "people", "--repeat", "1", "--profile", "server.json", "--run-time", "5m");
        end.ShouldExitWith(0);
        Assert.Contains("load-data: bytes-per-batch, 3 records of people.csv into a copy of people", end.Output, StringComparison.Ordinal);
        Assert.StartsWith("3 records of people.csv", Json(place, "server.json").GetProperty("with").GetString(), StringComparison.Ordinal);
        Assert.Equal("1 old", await place.ScalarAsync("SELECT CONCAT(id, ' ', name) FROM people;"));
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_goes_on_with_another_profile_than_it_was_begun_with(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People);
        var isMariaDb = Servers.Get(server).IsMariaDb;
        place.Write("server.json", ProfileOf(isMariaDb ? "MariaDB" : "MySQL"));
        string[] lines = ["id,name", .. Enumerable.Range(1, 500).Select(id => $"{id},n{id}")];
        place.Write("people.csv", string.Join('\n', [.. lines.Take(400), "x,bad", .. lines.Skip(401), ""]));
        string[] import = ["import", "people.csv", "--bytes-per-chunk", "500"];
        (await place.RunAsync(import)).ShouldExitWith(4);
        place.Write("people.csv", string.Join('\n', [.. lines, ""]));
        var end = await place.RunAsync([.. import, "--profile", "server.json", "--report", "report.json"]);
        end.ShouldExitWith(0);
        Assert.Contains("resumed after record ", end.Output, StringComparison.Ordinal);
        Assert.Equal("500 500", await place.ScalarAsync("SELECT CONCAT(COUNT(*), ' ', MAX(id)) FROM people;"));
        var plan = Json(place, "report.json").GetProperty("plan");
        Assert.Equal("multi-row-insert", plan.GetProperty("strategy").GetString());
        Assert.Equal(
            ["strategy", "rows-per-batch", "placeholders-per-statement"],
            plan.GetProperty("profile").GetProperty("decides").EnumerateArray().Select(decided => decided.GetString()));
        Assert.Contains("was measured on version 1.2.3", end.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_profile_of_the_other_kind_of_server_is_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), People);
        place.Write("people.csv", "id,name\n1,Ada\n");
        place.Write("server.json", ProfileOf(Servers.Get(server).IsMariaDb ? "MySQL" : "MariaDB"));
        var end = await place.RunAsync("import", "people.csv", "--profile", "server.json");
        end.ShouldExitWith(9);
        end.ShouldSay("--profile: 'server.json' was measured on ");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_profile_is_neither_replaced_nor_written_by_half(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        place.Write("server.json", "mine");
        var end = await place.RunAsync(["bench", "tune", "--profile", "server.json", .. Shortest]);
        end.ShouldExitWith(2);
        end.ShouldSay("--profile: 'server.json' already exists; --overwrite replaces it");
        end = await place.RunAsync(
            "bench", "tune", "--profile", "server.json", "--overwrite", "--rows", "300", "--repeat", "1000", "--run-time", "500ms");
        end.ShouldExitWith(8);
        end.ShouldSay("--profile: 'server.json' is not written, since not everything was measured");
        Assert.Equal("mine", await File.ReadAllTextAsync(Path.Combine(place.Folder, "server.json")));
        Assert.Equal("0", await place.ScalarAsync(TablesLeft));
    }

    private static JsonElement Json(Workplace place, string file)
    {
        using var json = JsonDocument.Parse(File.ReadAllText(Path.Combine(place.Folder, file)));
        return json.RootElement.Clone();
    }

    private static string ProfileOf(string kind) => $$"""
        {
          "bulkload-profile": 1, "server": {"kind": "{{kind}}", "version": "1.2.3", "endpoint": "db:1" }, "measured": "2026-11-21T20:30:05Z", "with": "rows", "sessions": 4,
          "strategies": [
            {"strategy": "load-data", "microseconds-per-row": 900, "sizes": {} }, {"strategy": "bulk-execute", "microseconds-per-row": 900, "sizes": {} },
            {"strategy": "multi-row-insert", "microseconds-per-row": 1, "sizes": {"rows-per-batch": 40, "placeholders-per-statement": 40} }
          ]
        }
        """;
}
