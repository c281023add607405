using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests;

/// <summary>
/// Runs pages as a reader would: every command of their <c>sh</c> and <c>console</c> blocks, in order, in one folder and one
/// database for each page. Under <c>sh</c> each command must succeed; a <c>console</c> block must also show what comes.
/// A block that only one of the servers can do is below a line <c>&lt;!-- only MySQL --&gt;</c>.
/// </summary>
public sealed partial class ReadmeTests
{
    /// <summary>Lines that build, test or start servers themselves: a run of the tests has done so already.</summary>
    private static readonly string[] NotRun = ["./quickstart.sh", "./test.sh", "eng/", "dotnet ", "export PATH="];

    [Theory]
    [CombinatorialServers("README.md", "docs/start.md", "docs/recipes.md", "docs/scale.md")]
    public async Task Commands_of_a_page_do_what_it_says(string name, string page)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        var root = Repository.Root;
        using var reader = new PageReader(server, database.Name, root);
        await using var second = new SecondDatabase(reader);
        var blocks = Blocks(await File.ReadAllTextAsync(Path.Combine(root, page), TestContext.Current.CancellationToken));
        Assert.NotEmpty(blocks);
        foreach (var block in blocks.Where(block => block.Only.Length == 0 || block.Only == name))
        {
            if (block.IsConsole)
            {
                Assert.Equal(Masked(block.Text), Masked(await reader.ShowAsync(block.Commands)), ignoreLineEndingDifferences: true);
            }
            else
            {
                await reader.RunAsync(block.Commands);
            }
        }
    }

    private static List<Block> Blocks(string page) => [.. BlockPattern().Matches(page).Select(match =>
    {
        var isConsole = match.Groups["kind"].Value == "console";
        var text = match.Groups["text"].Value;
        var lines = text.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        var commands = isConsole ? lines.Where(line => line.StartsWith("$ ", StringComparison.Ordinal)).Select(line => line[2..]) : lines;
        return new Block(
            match.Groups["only"].Value,
            isConsole,
            [.. commands.Where(command => !NotRun.Any(start => command.StartsWith(start, StringComparison.Ordinal)))],
            text);
    })];

    /// <summary>Without what differs from one machine, server or minute to the next.</summary>
    private static string Masked(string text) => VaryingPattern().Replace(SpeedLinePattern().Replace(text, ""), "VARIES");

    [GeneratedRegex(
        @"^(<!-- only (?<only>\w+) -->\n)?```(?<kind>sh|console)\n(?<text>.*?)^```$",
        RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex BlockPattern();

    /// <summary>What a report says only of a run that took longer than a second.</summary>
    [GeneratedRegex(@"^[\d,]+ records read, .*\n", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex SpeedLinePattern();

    /// <summary>The server and its address, durations, speeds, times of day, names of jobs; MySQL names a key with its table.</summary>
    [GeneratedRegex(
        @"\bon (MariaDB|MySQL) \S+( at \S+ as \S+)? \([^)]*\)| *\b\d+\.\d+ s\b|\([^()]+ records/s, [^()]+/s\)"
            + @"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|\bjob [0-9a-f]{16}\b|for key '[^']+'",
        RegexOptions.CultureInvariant)]
    private static partial Regex VaryingPattern();

    /// <summary>A page may make one more database, <c>shop_test</c>: it is dropped whatever happens.</summary>
    private sealed class SecondDatabase(PageReader reader) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() => await reader.RunAsync(["mysql -e 'DROP DATABASE IF EXISTS shop_test'"]);
    }

    private sealed record Block(string Only, bool IsConsole, IReadOnlyList<string> Commands, string Text);
}
