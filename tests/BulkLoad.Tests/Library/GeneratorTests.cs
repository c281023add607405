using BulkLoad.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace BulkLoad.Tests.Library;

public sealed class GeneratorTests
{
    private static readonly MetadataReference[] References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path) is var name
                && (name.StartsWith("System.", StringComparison.Ordinal) || name is "netstandard.dll" or "BulkLoad.Core.dll"))
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    [Fact]
    public void A_map_has_the_public_members_in_their_order_and_names_their_columns()
    {
        var code = Generate("""
            namespace Shop;
            public class Base { public long Id { get; set; } public string Secret { private get; set; } = ""; }
            [BulkLoad.BulkRow(Naming = BulkLoad.BulkNaming.SnakeCase)]
            public partial class Person : Base
            {
                public string FullName { get; init; } = "";
                [System.ComponentModel.DataAnnotations.Schema.Column("born")] public System.DateOnly? BornOn;
                [BulkLoad.BulkIgnore] public object Tag { get; set; } = "";
                [System.ComponentModel.DataAnnotations.Schema.NotMapped] public object Other { get; set; } = "";
                public static int Count { get; set; }
                internal int Hidden { get; set; }
                public int this[int index] => index;
                public int HTTPStatus2 => 200;
            }
            """);

        Assert.Contains("partial class Person : global::BulkLoad.IBulkRow<Person>", code);
        Assert.Contains(
            """
                    [
                        new("Id", "id"),
                        new("FullName", "full_name"),
                        new("BornOn", "born"),
                        new("HTTPStatus2", "http_status2"),
                    ],
            """.ReplaceLineEndings("\n"), code);
    }

    [Fact]
    public void Types_of_others_are_maps_of_a_class_and_records_parameters_have_attributes()
    {
        var code = Generate("""
            using BulkLoad;
            public sealed record Point(int X, [BulkColumn("why")] double Y, [BulkIgnore] object Tag);
            public sealed class Line { public int Length { get; set; } public System.Type? Kind { get; set; } }
            public static partial class Outer
            {
                [BulkMap(typeof(Point))]
                [BulkMap(typeof(Line), Ignore = new[] { "Kind" })]
                public static partial class Maps;
            }
            """);

        Assert.Contains("BulkMap<global::Point> Point { get; }", code);
        Assert.Contains("new(\"Y\", \"why\")", code);
        Assert.Contains("BulkMap<global::Line> Line { get; }", code);
        Assert.DoesNotContain("Tag", code);
        Assert.DoesNotContain("Kind", code);
    }

    [Theory]
    [InlineData("[BulkRow] public partial class A { public object B { get; set; } }", "BULK001")]
    [InlineData("[BulkRow] public class A { public int B { get; set; } }", "BULK002")]
    [InlineData("[BulkRow] public partial class A { }", "BULK003")]
    [InlineData("[BulkRow] public partial class A<T> { public int B { get; set; } }", "BULK004")]
    [InlineData("[BulkRow] public partial class A { public int B { get; set; } [BulkColumn(\"b\")] public int C; }", "BULK005")]
    [InlineData("[BulkRow] public partial class A { [BulkColumn(Converter = typeof(string))] public object B; }", "BULK006")]
    public void What_cannot_be_mapped_is_an_error_of_the_compiler(string code, string expected)
    {
        var problems = Run($"using BulkLoad; {code}", out _);

        Assert.Equal([expected], problems.Where(one => one.Id.StartsWith("BULK", StringComparison.Ordinal)).Select(one => one.Id));
    }

    [Fact]
    public void What_is_written_compiles_for_structs_generics_inside_and_words_of_the_language() => Generate("""
        #nullable enable
        using BulkLoad;
        public enum E : ulong { A = 1, B = 1, @class = 2 }
        public sealed class Text : IBulkConverter<(int, int)?, string?> { public static string? Convert((int, int)? value) => $"{value}"; }
        [BulkRow] public readonly partial record struct Small(int? Id, E? Kind, [BulkColumn(EnumName = true)] E Name, char? Letter)
        {
            public uint @event { get; init; }
            [BulkColumn(Converter = typeof(Text))] public (int, int)? Pair { get; init; }
            public System.Memory<byte> Bytes { get; init; }
            public System.Text.Json.JsonDocument? Json { get; init; }
        }
        """);

    private static string Generate(string code)
    {
        var problems = Run(code, out var output);
        Assert.DoesNotContain(problems, one => one.Severity == DiagnosticSeverity.Error);
        return string.Join('\n', output.SyntaxTrees.Skip(1));
    }

    private static List<Diagnostic> Run(string code, out Compilation output)
    {
        var options = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Latest);
        var compilation = CSharpCompilation.Create(
            "shop", [CSharpSyntaxTree.ParseText(code, options, cancellationToken: TestContext.Current.CancellationToken)], References,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        CSharpGeneratorDriver.Create([new BulkMapGenerator().AsSourceGenerator()], parseOptions: options)
            .RunGeneratorsAndUpdateCompilation(compilation, out output, out var problems, TestContext.Current.CancellationToken);
        return [.. problems, .. output.GetDiagnostics(TestContext.Current.CancellationToken)];
    }
}
