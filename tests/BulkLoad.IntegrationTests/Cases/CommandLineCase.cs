using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Cases;

/// <summary>A folder that says what is typed and what comes of it; <c>Cases/README.md</c> has the files' meaning.</summary>
/// <param name="name"><c>area/case</c>, or <c>area/case by strategy</c></param>
internal sealed partial class CommandLineCase(string name)
{
    private const string By = " by ";

    internal static readonly string Root = Path.Combine(Repository.Root, "tests", "BulkLoad.IntegrationTests", "Cases");

    private readonly string _folder = Path.Combine(Root, name.Split(By)[0]);
    private readonly string? _strategy = name.Split(By).ElementAtOrDefault(1);

    /// <summary>
    /// The names of all cases, in order; one for each strategy that a case names. <c>BULKLOAD_TEST_CASES</c> leaves fewer: <c>50</c> the 50
    /// smallest, <c>half</c> every second one, and any other text those that have it in their name.
    /// </summary>
    public static IEnumerable<string> Names => Environment.GetEnvironmentVariable("BULKLOAD_TEST_CASES") switch
    {
        null or "" => All,
        "half" => All.Where((_, place) => place % 2 == 0),
        var text when int.TryParse(text, CultureInfo.InvariantCulture, out var count) =>
            All.OrderBy(SizeOf).ThenBy(name => name, StringComparer.Ordinal).Take(count),
        var part => All.Where(name => name.Contains(part, StringComparison.Ordinal)),
    };

    private static IEnumerable<string> All => Directory.EnumerateFiles(Root, "args", SearchOption.AllDirectories)
        .Select(file => Path.GetRelativePath(Root, Path.GetDirectoryName(file)!).Replace('\\', '/'))
        .Order(StringComparer.Ordinal)
        .SelectMany(folder => new CommandLineCase(folder).Strategies is { Length: > 0 } strategies
            ? strategies.Select(line => $"{folder}{By}{line[0]}")
            : [folder]);

    /// <summary>The lines of <c>strategies</c>: a strategy, and the servers if not all that know it.</summary>
    private string[][] Strategies =>
        [.. Read("strategies")?.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(' ')) ?? []];

    /// <summary>The words of <c>servers</c>; null: all servers. A word that names no server would leave the case untried.</summary>
    private string[]? OnlyOn =>
        Read("servers")?.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) is not { } words ? null
        : words.All(word => word is Servers.MariaDb or Servers.MySql) ? words
        : throw new InvalidDataException(
            $"{_folder}/servers names {string.Join(' ', words)}: {Servers.MariaDb} and {Servers.MySql} are known.");

    /// <summary>Whether the case is one of this server's.</summary>
    public bool IsFor(string server) =>
        (OnlyOn is not { } servers || servers.Contains(server))
        && (_strategy is null || Servers.Knows(server, _strategy))
        && (Strategies.FirstOrDefault(line => line[0] == _strategy) is not [_, .. { Length: > 0 } named] || named.Contains(server));

    /// <summary>What is typed and what differs from the folder's expectations; null where nothing does.</summary>
    public async Task<string?> RunAsync(TestServer server)
    {
        await using var place = await Workplace.CreateAsync(server, $"{Read("table.sql")}\n{Read("setup.sql")}");
        CopyInto(place.Folder);
        var line = $"bulkload {Read("args")!.TrimEnd().Replace("$STRATEGY", _strategy, StringComparison.Ordinal)}";
        var end = await TypeAsync(place, line);
        var differences = new List<string?>
        {
            TextDifference.Find("exit", Read("exit") ?? "0\n", $"{end.ExitCode}\n"),
            TextDifference.Find("stderr", Read("stderr") ?? "", Neutral(end.Error, place)),
            Read("stdout") is { } stdout ? TextDifference.Find("stdout", stdout, Neutral(end.Output, place)) : null,
        };
        if (Read("expected.tsv") is { } expected)
        {
            differences.Add(TextDifference.Find("expected.tsv", expected, await place.QueryAsync(Query())));
        }

        var found = string.Concat(differences);
        return found.Length == 0 ? null : $"{name} on {server}: {line}\n{found}\n{end}";
    }

    private static async Task<ProgramEnd> TypeAsync(Workplace place, string line)
    {
        using var program = BulkLoadProcess.StartLine(place, line);
        program.Input.Close();
        return await program.EndAsync();
    }

    private static string Neutral(string text, Workplace place) => text.Replace(place.Database, "DB", StringComparison.Ordinal);

    private string Query() => Read("query.sql") ?? $"SELECT * FROM {TableName().Match(Read("table.sql")!).Groups[1].Value} ORDER BY 1;";

    private string? Read(string file)
    {
        var path = Path.Combine(_folder, file);
        return File.Exists(path) ? File.ReadAllText(path) : null;
    }

    private void CopyInto(string folder)
    {
        foreach (var file in Directory.EnumerateFiles(_folder, "*", SearchOption.AllDirectories))
        {
            var target = Path.Combine(folder, Path.GetRelativePath(_folder, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }

    private static long SizeOf(string name) =>
        new DirectoryInfo(new CommandLineCase(name)._folder).EnumerateFiles("*", SearchOption.AllDirectories).Sum(file => file.Length);

    [GeneratedRegex(@"CREATE TABLE\s+(`(?:[^`]|``)+`|\w+)", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex TableName();
}
