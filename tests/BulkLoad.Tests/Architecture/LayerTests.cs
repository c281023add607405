using System.Text.RegularExpressions;

namespace BulkLoad.Tests.Architecture;

/// <summary>The layers of the library, as docs/design.md lists them: a file uses its own layer and those before it.</summary>
public sealed partial class LayerTests
{
    private const string Core = "src/BulkLoad.Core/";

    /// <summary>The lowest one first.</summary>
    private static readonly string[] Layers =
    [
        "Common", "Protocol", "Sorting", "Schema", "Rows", "Input", "Options", "Reports", "Values", "Facts", "Keys", "Sql", "Rejects", "Strategies",
        "Planning", "Inference", "Server", "Feed", "Ledger", "Sending", "Suggesting", "Jobs", "Seeding", "Diagnosis",
    ];

    [Fact]
    public void Every_file_is_in_a_layer() =>
        Assert.All(SourceText.Code(Core), file => Assert.Contains(LayerOf(file.Path), Layers));

    [Fact]
    public void A_file_uses_no_layer_above_its_own() => Assert.Empty(
        from file in SourceText.Code(Core)
        let own = Array.IndexOf(Layers, LayerOf(file.Path))
        from Match match in Use().Matches(SourceText.WithoutComments(file.Text))
        let used = match.Groups[1].Value
        where Array.IndexOf(Layers, used) > own
        select $"{file.Path} uses {used}");

    /// <summary>Least of all the benches and the program, which are built upon it.</summary>
    [Fact]
    public void The_library_uses_no_other_project() =>
        Assert.DoesNotContain("<ProjectReference", File.ReadAllText(Path.Combine(Repository.Root, Core, "BulkLoad.Core.csproj")));

    [Fact]
    public void Each_layer_is_in_the_design()
    {
        var design = File.ReadAllText(Path.Combine(Repository.Root, "docs", "design.md"));
        Assert.Equal(Layers, Listed().Matches(design).Select(match => match.Groups[1].Value));
    }

    private static string LayerOf(string path) => path[Core.Length..].Split('/')[0];

    [GeneratedRegex(@"\bBulkLoad\.Core\.([A-Z]\w+)", RegexOptions.CultureInvariant)]
    private static partial Regex Use();

    [GeneratedRegex(@"^ {4}([A-Z]\w+)/ ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Listed();
}
