using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests;

/// <summary>The walk of one record in docs/design.md is that of an import which was recorded: two sessions, a ledger, 100 chunks. A record
/// crosses a file where a method that ran often takes or gives its block, its batch, the answer to it, or bytes of the input or of the
/// wire. What is all the same for every record, such as facts, counts and options, is left out.</summary>
public sealed partial class RecordedWalkTests
{
    private const int MostFiles = 32;
    private const int Records = 40_000;

    /// <summary>Enough that each method which runs for every chunk is compiled once more.</summary>
    private const int Chunks = 100;

    /// <summary>Looks at the head of a file, which is before the walk.</summary>
    private const string Detection = "Input/Detection/";

    private static readonly string Design = File.ReadAllText(Path.Combine(Repository.Root, "docs", "design.md"));

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task The_page_names_what_ran(string name)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY);");
        place.Write("t.csv", "id\n" + string.Concat(Enumerable.Range(1, Records).Select(id => $"{id}\n")));
        var methods = await RecordAsync(
            place, "import", "t.csv", "--table", "t", "--strategy", "load-data", "--threads", "2", "--rows-per-chunk",
            $"{Records / Chunks}",
            "--rows-per-batch", $"{Records / Chunks / 4}");

        foreach (Match step in Step().Matches(Design))
        {
            var (file, method) = (step.Groups["file"].Value, step.Groups["method"].Value);
            Assert.True(methods.Any(one => one.File == file && one.IsOf(method)), $"{step.Value} did not run");
        }

        string[] crossed = [.. methods.Where(one => one.HasRecord).Select(one => one.File).Distinct().Order(StringComparer.Ordinal)];
        Assert.True(crossed.Length is > 20 and <= MostFiles, $"{crossed.Length} files: {string.Join(", ", crossed)}");
        var walk = Design[Design.IndexOf("## The walk of one record", StringComparison.Ordinal)..Design.IndexOf(
            "## Where to change", StringComparison.Ordinal)];
        Assert.DoesNotContain(crossed, file => !walk.Contains($"`{Path.GetFileNameWithoutExtension(file)}`", StringComparison.Ordinal)
            && !walk.Contains($"`{file}: ", StringComparison.Ordinal));
    }

    /// <summary>Runs the program as it is compiled for tests, in a folder of its own.</summary>
    private static async Task<IReadOnlyList<Method>> RecordAsync(Workplace place, params string[] words)
    {
        var folder = Directory.CreateDirectory(Path.Combine(place.Folder, "program")).FullName;
        foreach (var file in Directory.EnumerateFiles(AppContext.BaseDirectory, "*.dll")
            .Append(Path.Combine(AppContext.BaseDirectory, "bulkload.deps.json")))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        }

        var library = Path.Combine(folder, "BulkLoad.Core.dll");
        var settings = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "bulkload.runtimeconfig.json")))!;
        var properties = settings["runtimeOptions"]!["configProperties"]!;
        properties["System.StartupHookProvider.IsSupported"] = true;
        properties["System.Diagnostics.Tracing.EventSource.IsSupported"] = true;
        await File.WriteAllTextAsync(Path.Combine(folder, "bulkload.runtimeconfig.json"), settings.ToJsonString());
        var recorded = Path.Combine(place.Folder, "methods.txt");
        using var program = BulkLoadProcess.StartCopy(
            place,
            [Path.Combine(folder, "bulkload.dll"), .. words],
            ("DOTNET_STARTUP_HOOKS", Path.Combine(folder, "BulkLoad.IntegrationTests.dll")),
            (StartupHook.File, recorded),
            ("DOTNET_TC_CallCountingDelayMs", "0"));
        program.Input.Close();
        (await program.EndAsync()).ShouldExitWith(0);
        var files = FilesOf(library);
        return [.. (await File.ReadAllLinesAsync(recorded)).Select(line => Method.Of(line.Split('\t'), files)).OfType<Method>()];
    }

    /// <summary>The source file of each method that has code, by its token.</summary>
    private static Dictionary<int, string> FilesOf(string library)
    {
        using var image = new PEReader(File.OpenRead(library));
        var entry = image.ReadDebugDirectory().Single(one => one.Type == DebugDirectoryEntryType.EmbeddedPortablePdb);
        using var provider = image.ReadEmbeddedPortablePdbDebugDirectoryData(entry);
        var symbols = provider.GetMetadataReader();
        var files = new Dictionary<int, string>();
        foreach (var handle in symbols.MethodDebugInformation)
        {
            var points = symbols.GetMethodDebugInformation(handle).GetSequencePoints();
            if (points.FirstOrDefault() is { Document.IsNil: false } point)
            {
                var path = symbols.GetString(symbols.GetDocument(point.Document).Name).Replace('\\', '/');
                files[MetadataTokens.GetToken(handle.ToDefinitionHandle())] =
                    path[(path.IndexOf("BulkLoad.Core/", StringComparison.Ordinal) + "BulkLoad.Core/".Length)..];
            }
        }

        return files;
    }

    [GeneratedRegex(@"^\d+\. `(?<file>[\w/]+\.cs): (?<type>\w+)\.(?<method>\w+)` ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Step();

    private sealed record Method(int Tier, string File, string Type, string Name, string Signature)
    {
        private static readonly string[] Blocks = ["RowBlock", "EncodedBatch", "BatchAnswer", "BatchOutcome"];
        private static readonly string[] Bytes = ["Span`1<unsigned int8>", "Memory`1<unsigned int8>"];
        private static readonly string[] WithBytes = ["Input/", "Protocol/"];

        /// <summary>Whether it ran often, and a record goes through it.</summary>
        public bool HasRecord =>
            Tier is StartupHook.Often or StartupHook.OftenInLoop && !File.StartsWith(Detection, StringComparison.Ordinal)
                && (Blocks.Any(Signature.Contains) || (WithBytes.Any(File.StartsWith) && Bytes.Any(Signature.Contains)));

        /// <summary>Whether it is the code of the method of that name.</summary>
        public bool IsOf(string method) => Name == method || Type.Contains($"<{method}>", StringComparison.Ordinal);

        public static Method? Of(string[] told, Dictionary<int, string> files) =>
            files.TryGetValue(int.Parse(told[1], CultureInfo.InvariantCulture), out var file)
                ? new Method(int.Parse(told[0], CultureInfo.InvariantCulture), file, told[2], told[3], told[4]) : null;
    }
}
