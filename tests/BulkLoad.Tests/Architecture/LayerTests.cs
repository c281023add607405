using System.Text.RegularExpressions;

namespace BulkLoad.Tests.Architecture;

/// <summary>The layers of library and program, as docs/design.md lists them: a file uses its own layer and those before it.</summary>
public sealed partial class LayerTests
{
    private const string Core = "BulkLoad.Core";
    private const string Cli = "BulkLoad.Cli";

    /// <summary>Of a project, or of a layer that has layers of its own: the lowest first. Files of such a layer itself are below
    /// these.</summary>
    private static readonly (string Project, string Within, string[] Layers)[] All =
    [
        (Core, "",
        [
            "Common", "Protocol", "Sorting", "Schema", "Rows", "Input", "Options", "Reports", "Values", "Facts", "Keys", "Sql", "Rejects",
            "Strategies", "Planning", "Inference", "Server", "Feed", "Ledger", "Sending", "Suggesting", "Jobs", "Refresh", "Undo",
            "Library", "Diagnosis",
        ]),
        (Core, "Input/", ["Streams", "Formats", "Detection"]),
        (Core, "Values/", ["Notations", "Rules", "Mapping"]),
        (Cli, "", ["Host", "Connecting", "Options", "Output", "Ci", "Commands", "Completion", "App"]),
    ];

    [Fact]
    public void Every_file_is_in_a_layer() => Assert.Empty(
        from one in All
        from file in FileGraph.Of(one.Project).Uses.Keys
        where file.StartsWith(one.Within, StringComparison.Ordinal) && LayerOf(file, one.Within) is var layer
            && !one.Layers.Contains(layer) && !(one.Within.Length > 0 && layer.EndsWith(".cs", StringComparison.Ordinal))
        select $"{one.Project}/{file}");

    [Fact]
    public void A_file_uses_no_layer_above_its_own() => Assert.Empty(
        from one in All
        from file in FileGraph.Of(one.Project).Uses
        where file.Key.StartsWith(one.Within, StringComparison.Ordinal)
        let own = Array.IndexOf(one.Layers, LayerOf(file.Key, one.Within))
        from used in file.Value
        where used.StartsWith(one.Within, StringComparison.Ordinal) && Array.IndexOf(one.Layers, LayerOf(used, one.Within)) > own
        select $"{one.Project}/{file.Key} uses {used}");

    /// <summary>Least of all the benches and the program, which are built upon it. The generator is in its package only.</summary>
    [Fact]
    public void The_library_uses_no_other_project() =>
        Assert.All(
            File.ReadLines(Path.Combine(Repository.Root, "src", Core, $"{Core}.csproj"))
                .Where(line => line.Contains("<ProjectReference", StringComparison.Ordinal)),
            line => Assert.Contains("BulkLoad.Generator.csproj\" ReferenceOutputAssembly=\"false\"", line, StringComparison.Ordinal));

    [Fact]
    public void Each_layer_is_in_the_design()
    {
        var design = File.ReadAllText(Path.Combine(Repository.Root, "docs", "design.md"));
        Assert.Equal(
            All.Where(one => one.Within.Length == 0).SelectMany(one => one.Layers),
            Listed().Matches(design).Select(match => match.Groups[1].Value));
    }

    private static string LayerOf(string file, string within) => file[within.Length..].Split('/')[0];

    [GeneratedRegex(@"^ {4}([A-Z]\w+)/ ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Listed();
}
