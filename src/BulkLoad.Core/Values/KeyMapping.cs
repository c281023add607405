using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values;

/// <summary>Which fields of an input hold the key; all others are skipped.</summary>
internal static class KeyMapping
{
    /// <summary>Decides by the header's names, by <c>--columns</c>, or, without either, by the order of the key's columns.</summary>
    /// <exception cref="MappingException">the input does not have the key</exception>
    public static ColumnMapping Create(
        string source, IReadOnlyList<string>? header, int fieldCount, TableFacts table, IReadOnlyList<TableColumn> key, LoadRequest request,
        IReadOnlyDictionary<string, long>? lines = null, IReadOnlySet<string>? mapped = null)
    {
        var count = header?.Count ?? fieldCount;
        var map = new FieldMap(request.Map, header, count, isOrdered: lines is null);

        // A name of the header is one, whatever it begins with.
        string?[] names = request.Columns is { Count: > 0 } columns ? [.. columns.Select(Target)]
            : header is not null ? [.. header.Select((field, i) => map.TargetOf(i, field) is { } target ? Target(target) : field)]
            : count == key.Count ? [.. key.Select((column, i) => map.TargetOf(i, null) is { } target ? Target(target) : column.Name)]
            : throw new MappingException(
                $"{source}: has {count} {Plural.For(count, "field")} and no header, and the key of {table.DisplayName} has {key.Count} " +
                $"({Join(key)}): name the fields with --columns, skip one with @name");
        if (map.Missing.FirstOrDefault(field => mapped?.Contains(field) != true) is { } unknown)
        {
            throw new MappingException(
                $"{source}: --map names field '{unknown}', which the file does not have (it has {FaultList.Join(header ?? [])})");
        }

        if (names.Length != count)
        {
            throw new MappingException(
                $"{source}: --columns names {names.Length} {Plural.For(names.Length, "field")}, the file has {count}: skip one with @name");
        }

        var fieldOf = key.Select(column => Find(names, column, source, table)).ToArray();
        var fields = Enumerable.Range(0, count).Select(field => (Field: field, Column: Array.IndexOf(fieldOf, field)))
            .Select(pair => new PlannedColumn(
                header is null ? $"{pair.Field + 1}" : header[pair.Field],
                pair.Column < 0 ? null : key[pair.Column].Name,
                pair.Column < 0 ? null : key[pair.Column].TypeText));
        return new ColumnMapping(key, fieldOf, [.. fields]) { KeyCount = key.Count, Mapped = map.Found };
    }

    private static string? Target(string name) => FieldMap.IsSkipped(name) ? null : name;

    private static int Find(string?[] names, TableColumn column, string source, TableFacts table)
    {
        var found = Enumerable.Range(0, names.Length).Where(field => column.Name.Equals(names[field], StringComparison.OrdinalIgnoreCase))
            .ToArray();
        return found switch
        {
            [var field] => field,
            [] => throw new MappingException(
                $"{source}: has no field for column '{column.Name}', by which rows of {table.DisplayName} are found (it has " +
                $"{FaultList.Join([.. names.OfType<string>()])}): rename one with --map FIELD={column.Name}, or name another key with " +
                "--key"),
            _ => throw new MappingException($"{source}: fields {found[0] + 1} and {found[1] + 1} are both for column '{column.Name}': " +
                "name the fields with --columns, skip one with @name"),
        };
    }

    private static string Join(IEnumerable<TableColumn> columns) => string.Join(", ", columns.Select(column => column.Name));
}
