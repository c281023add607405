using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace BulkLoad.Generator;

/// <summary>The map of one type.</summary>
/// <param name="how">the attribute that asks for it</param>
/// <param name="isOwn">whether it is added to the type itself; otherwise it is a property of a class of maps</param>
internal sealed class MapText(INamedTypeSymbol type, AttributeData how, Problems problems, bool isOwn)
{
    private const string Map = "global::BulkLoad.BulkMap";

    private static readonly SymbolDisplayFormat Full = SymbolDisplayFormat.FullyQualifiedFormat;

    private readonly bool _isSnakeCase = Argument(how, "Naming")?.Value is 1;

    public void WriteTo(CodeText code)
    {
        var members = FindMembers();
        if (members.Count == 0)
        {
            problems.Add(Problems.NoMembers, type.Name);
            return;
        }

        var name = type.ToDisplayString(Full);
        code.Line("[global::System.CodeDom.Compiler.GeneratedCode(\"BulkLoad.Generator\", \"1.0\")]");
        code.Line(isOwn
            ? $"static {Map}<{name}> global::BulkLoad.IBulkRow<{name}>.BulkMap {{ get; }} = new("
            : $"public static {Map}<{name}> {type.Name} {{ get; }} = new(");
        code.Line("    [");
        var columns = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var member in members)
        {
            if (columns.TryGetValue(member.Column, out var other))
            {
                problems.Add(Problems.SameColumn, other, member.Name, member.Column);
            }

            columns[member.Column] = member.Name;
            var form = member.Form == 0 ? "" : $", (global::BulkLoad.BulkForm){member.Form}";
            code.Line($"        new({Literal(member.Name)}, {Literal(member.Column)}{form}),");
        }

        code.Line("    ],").Line("    static (writer, row) =>").Line("    {");
        foreach (var member in members)
        {
            foreach (var line in ValueText.Of(member, problems))
            {
                code.Line($"        {line}");
            }
        }

        code.Line("    });");
    }

    private List<MappedMember> FindMembers()
    {
        var ignored = Argument(how, "Ignore") is { IsNull: false, Kind: TypedConstantKind.Array } names
            ? new HashSet<string>(names.Values.Select(one => (string)one.Value!)) : [];
        var found = new List<MappedMember>();
        var chain = new Stack<INamedTypeSymbol>();
        for (var one = type; one is not null && one.SpecialType == SpecialType.None; one = one.BaseType)
        {
            chain.Push(one);
        }

        foreach (var symbol in chain.SelectMany(one => one.GetMembers()))
        {
            if (IsMember(symbol) && !ignored.Contains(symbol.Name))
            {
                found.RemoveAll(member => member.Name == symbol.Name);
                if (Describe(symbol) is { } member)
                {
                    found.Add(member);
                }
            }
        }

        return found;
    }

    private static bool IsMember(ISymbol symbol) => symbol switch
    {
        IPropertySymbol property => property is
        { IsStatic: false, IsIndexer: false, DeclaredAccessibility: Accessibility.Public }
            && property.GetMethod?.DeclaredAccessibility == Accessibility.Public,
        IFieldSymbol field => field is { IsStatic: false, IsImplicitlyDeclared: false, DeclaredAccessibility: Accessibility.Public },
        _ => false,
    };

    private MappedMember? Describe(ISymbol symbol)
    {
        // An attribute of a record's parameter is meant for its property.
        var attributes = symbol.GetAttributes().Concat(
            symbol.ContainingType.IsRecord
                ? symbol.ContainingType.InstanceConstructors.SelectMany(one => one.Parameters)
                    .Where(one => one.Name == symbol.Name).SelectMany(one => one.GetAttributes())
                : []).ToList();
        if (attributes.Exists(one => one.AttributeClass.Is(Names.BulkIgnore) || one.AttributeClass.Is(Names.NotMapped)))
        {
            return null;
        }

        var own = attributes.Find(one => one.AttributeClass.Is(Names.BulkColumn));
        var column = own?.ConstructorArguments.FirstOrDefault().Value as string
            ?? attributes.Find(one => one.AttributeClass.Is(Names.Column))?.ConstructorArguments.FirstOrDefault().Value as string
            ?? (_isSnakeCase ? SnakeCase(symbol.Name) : symbol.Name);
        return new MappedMember(
            symbol.Name, column, symbol is IPropertySymbol property ? property.Type : ((IFieldSymbol)symbol).Type,
            own is not null && Argument(own, "EnumName")?.Value is true,
            own is not null && Argument(own, "Form")?.Value is int form ? form : 0,
            own is null ? null : Argument(own, "Converter")?.Value as INamedTypeSymbol);
    }

    private static TypedConstant? Argument(AttributeData attribute, string name) =>
        attribute.NamedArguments.Where(one => one.Key == name).Select(one => (TypedConstant?)one.Value).FirstOrDefault();

    /// <summary><c>CreatedAt</c> is <c>created_at</c>, <c>HTTPStatus2</c> is <c>http_status2</c>.</summary>
    private static string SnakeCase(string name)
    {
        var text = new StringBuilder();
        for (var i = 0; i < name.Length; i++)
        {
            if (i > 0 && char.IsUpper(name[i]) && name[i - 1] != '_'
                && (!char.IsUpper(name[i - 1]) || (i + 1 < name.Length && char.IsLower(name[i + 1]))))
            {
                text.Append('_');
            }

            text.Append(char.ToLowerInvariant(name[i]));
        }

        return text.ToString();
    }

    private static string Literal(string text) => SymbolDisplay.FormatLiteral(text, quote: true);
}

internal sealed class MappedMember(string name, string column, ITypeSymbol type, bool isEnumName, int form, INamedTypeSymbol? converter)
{
    public string Name { get; } = name;

    public string Column { get; } = column;

    public ITypeSymbol Type { get; } = type;

    public bool IsEnumName { get; } = isEnumName;

    public int Form { get; } = form;

    /// <summary>Null: the value itself is written.</summary>
    public INamedTypeSymbol? Converter { get; } = converter;
}

/// <summary>Statements that write a member's value.</summary>
internal static class ValueText
{
    private const string Value = "value";

    private static readonly SymbolDisplayFormat Full = SymbolDisplayFormat.FullyQualifiedFormat;

    private static readonly HashSet<string> Plain =
    [
        "string", "byte[]", "bool", "char", "int", "long", "ulong", "float", "double", "decimal", "System.Guid", "System.DateOnly",
        "System.TimeOnly", "System.DateTime", "System.DateTimeOffset", "System.TimeSpan", "System.Text.Json.JsonElement",
        "System.ReadOnlyMemory<byte>", "System.Memory<byte>",
    ];

    private static readonly HashSet<string> Small = ["sbyte", "byte", "short", "ushort", "uint"];

    private static readonly HashSet<string> Formatted =
        ["System.Int128", "System.UInt128", "System.Numerics.BigInteger", "System.Half"];

    public static IEnumerable<string> Of(MappedMember member, Problems problems)
    {
        var name = $"row.@{member.Name}";
        if (member.Converter is null)
        {
            return Write(name, member.Type, member, problems);
        }

        var fits = member.Converter.AllInterfaces
            .Where(one => one.ConstructedFrom.ToDisplayString() == "BulkLoad.IBulkConverter<TFrom, TTo>")
            .FirstOrDefault(one => SymbolEqualityComparer.Default.Equals(
                one.TypeArguments[0].WithNullableAnnotation(NullableAnnotation.None),
                member.Type.WithNullableAnnotation(NullableAnnotation.None)));
        if (fits is null)
        {
            problems.Add(Problems.NoConverter, member.Converter.Name, member.Type.ToDisplayString(), member.Name);
            return [];
        }

        return Write($"{member.Converter.ToDisplayString(Full)}.Convert({name})", fits.TypeArguments[1], member, problems);
    }

    private static IEnumerable<string> Write(string name, ITypeSymbol type, MappedMember member, Problems problems)
    {
        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
        {
            var value = $"{Value}{member.Name}";
            return
            [
                $"if ({name} is {{ }} {value})", "{",
                .. Write(value, nullable.TypeArguments[0], member, problems).Select(line => $"    {line}"),
                "}", "else", "{", "    writer.WriteNull();", "}",
            ];
        }

        var known = type.WithNullableAnnotation(NullableAnnotation.None).ToDisplayString();
        if (type.TypeKind == TypeKind.Enum)
        {
            return [$"writer.Write({(member.IsEnumName ? EnumName(name, (INamedTypeSymbol)type) : Number(name, type))});"];
        }

        switch (known)
        {
            case "System.Memory<byte>":
                return [$"writer.Write((global::System.ReadOnlyMemory<byte>){name});"];
            case "System.Uri":
                return [$"writer.Write({name}?.OriginalString);"];
            case "System.Text.Json.JsonDocument":
                return [$"writer.Write({name}?.RootElement ?? default);"];
            case "System.Text.Json.Nodes.JsonNode" or "System.Text.Json.Nodes.JsonObject" or "System.Text.Json.Nodes.JsonArray":
                return [$"writer.Write({name}?.ToJsonString());"];
        }

        if (Plain.Contains(known))
        {
            return [$"writer.Write({name});"];
        }

        if (Small.Contains(known))
        {
            return [$"writer.Write((long){name});"];
        }

        if (Formatted.Contains(known))
        {
            return [$"writer.WriteFormatted({name});"];
        }

        problems.Add(Problems.NoForm, member.Name, type.ToDisplayString());
        return [];
    }

    private static string Number(string name, ITypeSymbol type) =>
        $"({(((INamedTypeSymbol)type).EnumUnderlyingType!.SpecialType == SpecialType.System_UInt64 ? "ulong" : "long")}){name}";

    /// <summary>Of two members with the same number the first one counts. A number without a name is written as it is, and refused by the
    /// column.</summary>
    private static string EnumName(string name, INamedTypeSymbol type)
    {
        var seen = new HashSet<object>();
        var arms = type.GetMembers().OfType<IFieldSymbol>().Where(one => one.HasConstantValue && seen.Add(one.ConstantValue!))
            .Select(one => $"{type.ToDisplayString(Full)}.@{one.Name} => \"{one.Name}\"");
        return $"{name} switch {{ {string.Join(", ", arms)}, var other => {Number("other", type)} + \"\" }}";
    }
}
