using System.Reflection;
using System.Text.RegularExpressions;
using BulkLoad.Core.Jobs;

namespace BulkLoad.Tests.Architecture;

/// <summary>The walk of one record in docs/design.md: its files, types and methods are there, and it is short. That they are what runs is
/// another test, with the servers (RecordedWalkTests). The paths that CONTRIBUTING.md names are there too.</summary>
public sealed partial class WalkTests
{
    private const string Core = "src/BulkLoad.Core";
    private const int MostFiles = 15;
    private const int MaxLines = 150;

    private static readonly string Design = File.ReadAllText(Path.Combine(Repository.Root, "docs", "design.md"));

    /// <summary>All files and folders of the sources, the tests and the documentation.</summary>
    private static readonly Lazy<string[]> Paths = new(() =>
    [
        .. new[] { "src", "tests", "docs", "eng", ".ci", ".github" }.SelectMany(folder =>
            Directory.EnumerateFileSystemEntries(Path.Combine(Repository.Root, folder), "*", SearchOption.AllDirectories)),
        .. Directory.EnumerateFiles(Repository.Root),
    ]);

    public static TheoryData<string, string, string> Steps =>
        [.. Step().Matches(Design).Select(match => (match.Groups["file"].Value, match.Groups["type"].Value, match.Groups["method"].Value))];

    [Theory]
    [MemberData(nameof(Steps))]
    public void Each_step_names_a_method_that_its_file_has(string file, string type, string method)
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, Core, file));
        Assert.Matches($@"\b(class|record|struct|interface) {type}\b", text);
        Assert.Matches($@"[ .]{method}(<\w+>)?\(", text);
        var name = $"BulkLoad.Core.{Path.GetDirectoryName(file)!.Replace('/', '.')}.{type}";
        var found = typeof(LoadJob).Assembly.GetType(name);
        Assert.True(found is not null, $"there is no type {name}");
        var methods = found.GetMethods(
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly);
        Assert.Contains(method, methods.Select(one => one.Name));
    }

    [Fact]
    public void The_walk_begins_with_the_job_and_has_fifteen_files_at_most()
    {
        var files = Steps.Select(step => step.Data.Item1).ToArray();
        Assert.Equal("Jobs/LoadJob.cs", files[0]);
        Assert.InRange(files.Distinct().Count(), 2, MostFiles);
        Assert.Equal(Numbered().Count(Section("The walk of one record")), files.Length);
    }

    [Fact]
    public void The_design_is_short() => Assert.InRange(Design.Split('\n').Length - 1, 1, MaxLines);

    [Theory]
    [InlineData("CONTRIBUTING.md")]
    [InlineData("docs/design.md")]
    public void Each_path_that_a_page_for_developers_names_is_there(string page)
    {
        var named = NamedPath().Matches(File.ReadAllText(Path.Combine(Repository.Root, page)))
            .Select(match => match.Groups["path"].Value.TrimEnd('/')).ToArray();
        Assert.True(named.Length > 10, "the pages name paths in backticks");
        Assert.DoesNotContain(named, path => path.Length > 0 && !path.Contains('<') && !path.Contains("My", StringComparison.Ordinal)
            && !Paths.Value.Any(known => known == path || known.EndsWith($"/{path}", StringComparison.Ordinal)));
    }

    private static string Section(string title)
    {
        var begin = Design.IndexOf($"## {title}\n", StringComparison.Ordinal);
        return Design[begin..Design.IndexOf("\n## ", begin, StringComparison.Ordinal)];
    }

    [GeneratedRegex(@"^\d+\. `(?<file>[\w/]+\.cs): (?<type>\w+)\.(?<method>\w+)` ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Step();

    /// <summary>A text in backticks that has a folder in it, or is the name of a file.</summary>
    [GeneratedRegex(@"`(?:\./)?(?<path>[\w.<>-]*(?:/[\w.<>-]*)+|[\w<>-]+\.(?:cs|md|sh))(?:: [\w.]+)?`", RegexOptions.CultureInvariant)]
    private static partial Regex NamedPath();

    [GeneratedRegex(@"^\d+\. ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Numbered();
}
