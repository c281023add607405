using System.Collections.Concurrent;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace BulkLoad.Tests.Architecture;

/// <summary>Which file of a project uses which: it names a type that the other declares, as the compiler understands the name.</summary>
internal sealed class FileGraph
{
    private static readonly ConcurrentDictionary<string, Lazy<FileGraph>> Graphs = new();

    private FileGraph(string project)
    {
        var compilation = Compile(project);
        var types = compilation.GetSymbolsWithName(_ => true, SymbolFilter.Type).Select(type => type.Name).ToHashSet();
        Uses = compilation.SyntaxTrees.Where(tree => tree.FilePath.Length > 0).AsParallel().Select(tree =>
        {
            var model = compilation.GetSemanticModel(tree);
            var used = from name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>()
                       where types.Contains(name.Identifier.ValueText)
                       let symbol = model.GetSymbolInfo(name).Symbol
                       let type = symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } made ? made.ContainingType
                           : symbol as INamedTypeSymbol
                       where type is not null
                       from declaration in type.OriginalDefinition.DeclaringSyntaxReferences
                       where declaration.SyntaxTree != tree
                       select declaration.SyntaxTree.FilePath;
            return (tree.FilePath, used.ToHashSet());
        }).ToDictionary();
    }

    /// <summary>The files that each file uses, by paths below the project's folder.</summary>
    public IReadOnlyDictionary<string, HashSet<string>> Uses { get; }

    /// <param name="project">its name, which is its folder's below <c>src</c></param>
    public static FileGraph Of(string project) => Graphs.GetOrAdd(project, new Lazy<FileGraph>(() => new FileGraph(project))).Value;

    /// <summary>Sets of files in which each uses each other, be it through others (Tarjan's strongly connected components).</summary>
    public IReadOnlyList<string[]> Rings()
    {
        var rings = new List<string[]>();
        var (number, low, open) = (new Dictionary<string, int>(), new Dictionary<string, int>(), new Stack<string>());
        foreach (var file in Uses.Keys.Where(file => !number.ContainsKey(file)))
        {
            Visit(file);
        }

        return rings;

        void Visit(string file)
        {
            number[file] = low[file] = number.Count;
            open.Push(file);
            foreach (var used in Uses[file])
            {
                if (!number.TryGetValue(used, out var reached))
                {
                    Visit(used);
                    reached = low[used];
                }
                else if (!open.Contains(used))
                {
                    continue;
                }

                low[file] = Math.Min(low[file], reached);
            }

            if (low[file] == number[file])
            {
                var ring = open.TakeWhile(other => other != file).Append(file).ToArray();
                Array.ForEach(ring, _ => open.Pop());
                if (ring.Length > 1)
                {
                    rings.Add(ring);
                }
            }
        }
    }

    /// <summary>Without the packages that only the project has, and without what is generated: a name is understood without them.</summary>
    private static CSharpCompilation Compile(string project)
    {
        var folder = $"src/{project}/";
        var options = new CSharpParseOptions(LanguageVersion.Latest);
        var settings = XDocument.Load(Path.Combine(Repository.Root, folder, $"{project}.csproj"));
        var assembly = settings.Descendants("AssemblyName").FirstOrDefault()?.Value ?? project;
        string[] usings =
        [
            "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Threading", "System.Threading.Tasks",
            .. settings.Descendants("Using").Select(one => one.Attribute("Include")!.Value),
        ];
        return CSharpCompilation.Create(
            assembly,
            [
                CSharpSyntaxTree.ParseText(string.Concat(usings.Select(name => $"global using {name};\n")), options),
                .. SourceText.Code(folder).Select(file => CSharpSyntaxTree.ParseText(file.Text, options, file.Path[folder.Length..])),
            ],
            ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
                .Where(path => Path.GetFileNameWithoutExtension(path) != assembly).Select(path => MetadataReference.CreateFromFile(path)),
            // Whether a value can be null takes half of the time, and decides about no name.
            new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Disable));
    }
}
