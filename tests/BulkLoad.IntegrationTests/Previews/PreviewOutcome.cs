using System.Text.Json;

namespace BulkLoad.IntegrationTests.Previews;

/// <summary>What a preview, or the command itself, has come to.</summary>
internal static class PreviewOutcome
{
    public static string Counts(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("counts").GetRawText();
    }

    /// <summary>Where a preview says that the command stops, or null.</summary>
    public static JsonElement StopOf(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("preview").GetProperty("stop").Clone();
    }

    public static string Rejects(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("rejectsByReason").GetRawText();
    }

    public static async Task<(string Report, string Output, int Exit)> RunAsync(Workplace place, string[] words)
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

    /// <summary>Whether a preview says that its counts may be others.</summary>
    public static bool IsExact(string report)
    {
        using var read = JsonDocument.Parse(report);
        return read.RootElement.GetProperty("preview").GetProperty("notExact").GetArrayLength() == 0;
    }
}
