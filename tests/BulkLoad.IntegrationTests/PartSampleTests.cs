using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests;

/// <summary>The samples that start each part of a file elsewhere: their commands are run here, with what their starters set.</summary>
public sealed partial class PartSampleTests
{
    [Theory]
    [CombinatorialServers("kubernetes.yaml", "slurm.sh")]
    public async Task All_parts_are_the_file(string name, string sample)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        using var reader = new PageReader(server, database.Name, Repository.Root);
        var text = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "samples/parts", sample), TestContext.Current.CancellationToken);
        var command = CommandPattern().Match(text).Groups["command"].Value;
        Assert.Contains("--part", command, StringComparison.Ordinal);
        var parts = int.Parse(PartsPattern().Match(text).Groups["parts"].Value, CultureInfo.InvariantCulture);
        var starts = Enumerable.Range(0, parts).Select(part =>
            $"JOB_COMPLETION_INDEX={part} PARTS={parts} SLURM_ARRAY_TASK_ID={part + 1} SLURM_ARRAY_TASK_COUNT={parts}; "
            + command.Replace("/data/", "", StringComparison.Ordinal));
        const string Input = "{ echo id,name,newsletter,joined_at; for i in {1..200}; do echo $i,n,true,2026-11-01; done; } > people.csv";
        await reader.RunAsync([Input, "mysql shop < samples/table.sql", .. starts]);
        Assert.Equal("200", await database.ScalarAsync("SELECT COUNT(*) FROM people"));
    }

    [GeneratedRegex(@"(?<command>bulkload import[^\n\\]*(\\\n[^\n]*)*)$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex CommandPattern();

    [GeneratedRegex(@"(completions: |--array=1-)(?<parts>\d+)", RegexOptions.CultureInvariant)]
    private static partial Regex PartsPattern();
}
