using System.Text.Json;
using static BulkLoad.IntegrationTests.Previews.PreviewOutcome;

namespace BulkLoad.IntegrationTests.Previews;

/// <summary>A preview tells what the job then does, and changes nothing: random tables, files and jobs.</summary>
public abstract class RandomPreviewTests(string server)
{
    private const int Usual = 14;

    /// <summary>At most one preview in so many says that its counts may be others.</summary>
    private const int ExactOfOne = 50;

    /// <summary>Other cases where somebody asks for them: how many, or the first and the last, such as <c>1001-2000</c>.</summary>
    private static (int First, int Last) Cases =>
        Environment.GetEnvironmentVariable("BULKLOAD_TEST_PREVIEWS")?.Split('-').Select(int.Parse).ToArray() switch
        {
            [var first, var last] => (first, last),
            [var many] => (1, many),
            _ => (1, Usual),
        };

    [Fact]
    public async Task A_preview_tells_what_the_job_then_does()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server));
        var (first, last) = Cases;
        var inexact = new List<string>();
        List<string> different = [];
        for (var seed = first; seed <= last; seed++)
        {
            try
            {
                await CompareAsync(place, seed, inexact);
            }
            catch (Exception fault) when (fault is Xunit.Sdk.XunitException or InvalidOperationException)
            {
                different.Add($"case {seed}: {fault.Message}\n{new PreviewCase(seed).Setup}");
            }
        }

        var all = last - first + 1;
        var figures = $"{all} cases, {different.Count} different, {inexact.Count} not exact\n{string.Join('\n', inexact)}";
        TestContext.Current.TestOutputHelper?.WriteLine(figures);
        Assert.True(different.Count == 0, $"{figures}\n\n{string.Join("\n\n", different)}");
        Assert.True(all < ExactOfOne * 10 || inexact.Count <= all / ExactOfOne, figures);
    }

    private static async Task CompareAsync(Workplace place, int seed, List<string> inexact)
    {
        var one = new PreviewCase(seed);
        place.Write("people.csv", one.Text);
        string[] words =
        [
            one.Job[0], "people.csv", "--table", "people", .. one.Job.Skip(1)
                .Select(word => word == "*" ? place.Database : word), .. one.Chunks,
        ];
        await place.QueryAsync(one.Setup);
        var before = await RowsAsync(place);
        var preview = await RunAsync(place, [.. words, .. one.Limits, "--preview", "--preview-file", "changes.csv"]);
        var what = $"{string.Join(' ', [.. words, .. one.Limits])}\n{one.Setup}\n{one.Text}\n{preview.Output}";
        Assert.True(before.SequenceEqual(await RowsAsync(place)), $"changed by the preview: {what}");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM information_schema.TABLES "
            + $"WHERE TABLE_SCHEMA = '{place.Database}' AND TABLE_NAME NOT IN ('people', 'amounts', 'children', 'log')"));
        Assert.DoesNotContain("before this start", preview.Output, StringComparison.Ordinal);
        if (!IsExact(preview.Report))
        {
            Assert.Contains("preview: nothing was written; the counts are not exact, since ", preview.Output, StringComparison.Ordinal);
            inexact.Add($"case {seed}: {preview.Output.Split('\n').First(line => line.Contains("not exact", StringComparison.Ordinal))}");
            return;
        }

        var real = await RunAsync(place, [.. words, .. one.Limits]);
        Assert.True(real.Exit == preview.Exit, $"{what}\nexit {preview.Exit}, and then {real.Exit}\n{real.Output}");
        var stop = StopOf(preview.Report);
        Assert.True((stop.ValueKind == JsonValueKind.Object) == (real.Exit == 4), $"{what}\nreal\n{real.Output}");
        if (stop.ValueKind == JsonValueKind.Object)
        {
            ShouldStopThere(stop, real, what);
            await place.QueryAsync(one.Setup);
            real = await RunAsync(place, [.. words, "--max-rejects", "1000"]);
        }

        Assert.True(
            Counts(real.Report) == Counts(preview.Report),
            $"{what}\nreal\n{real.Output}\n{Counts(preview.Report)}\n{Counts(real.Report)}");
        if (!one.IsTruncate && one.HasKey && !one.MakesKeys)
        {
            await ShouldHaveChangedAsync(place, before, $"{what}\nreal\n{real.Output}");
        }
    }

    private static void ShouldStopThere(JsonElement stop, (string Report, string Output, int Exit) real, string what)
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
    }

    private static async Task ShouldHaveChangedAsync(Workplace place, List<string> before, string what)
    {
        var after = await RowsAsync(place);
        var (old, now) = (before.ToDictionary(KeyOf), after.ToDictionary(KeyOf));
        string[] expected =
        [
            .. now.Where(row => !old.ContainsKey(row.Key)).Select(row => $"inserted,{row.Key}"),
            .. now.Where(row => old.TryGetValue(row.Key, out var then) && then != row.Value).Select(row => $"updated,{row.Key}"),
            .. old.Where(row => !now.ContainsKey(row.Key)).Select(row => $"deleted,{row.Key}"),
        ];
        var said = File.ReadLines(Path.Combine(place.Folder, "changes.csv")).Skip(1)
            .Select(line => string.Join(',', line.Split(',').Take(2)).Replace("\"", "", StringComparison.Ordinal).ToLowerInvariant())
            .Distinct();
        Assert.True(
            expected.Order().SequenceEqual(said.Order()),
            $"{what}\nexpected\n{string.Join('\n', expected.Order())}\nsaid\n{string.Join('\n', said.Order())}");
    }

    /// <summary>Records that are committed.</summary>
    private static long Taken(string report)
    {
        using var read = JsonDocument.Parse(report);
        var counts = read.RootElement.GetProperty("counts");
        string[] taken = ["inserted", "updated", "unchanged", "ignored", "deleted", "superseded", "notFound"];
        return taken.Sum(name => counts.GetProperty(name).GetInt64());
    }

    private static string KeyOf(string row) => row.Split('\t')[0].ToLowerInvariant();

    private static async Task<List<string>> RowsAsync(Workplace place) =>
    [
        .. (await place.QueryAsync("SELECT id, code, IFNULL(n, 'NULL'), IFNULL(tag, 'NULL'), born FROM people ORDER BY 1, 2, 3, 4;"))
            .Split('\n').Skip(1).Where(line => line.Length > 0),
    ];
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbRandomPreviewTests() : RandomPreviewTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlRandomPreviewTests() : RandomPreviewTests(Servers.MySql);
