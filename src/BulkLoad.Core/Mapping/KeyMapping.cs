using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Mapping;

/// <summary>Which fields of an input hold the key; all others are passed over.</summary>
internal static class KeyMapping
{
    /// <summary>Decides by the header's names, by <c>--columns</c>, or, without either, by the order of the key's columns.</summary>
    /// <param name="source">the input's name, for messages</param>
    /// <param name="header">the fields' names, or null</param>
    /// <param name="fieldCount">fields of a record, where there is no header</param>
    /// <param name="table">the target</param>
    /// <param name="key">columns that find rows</param>
    /// <param name="request">what the user said of columns</param>
    /// <exception cref="MappingException">the input does not have the key</exception>
    public static ColumnMapping Create(
        string source, IReadOnlyList<string>? header, int fieldCount, TableFacts table, IReadOnlyList<TableColumn> key, LoadRequest request)
    {
        var count = header?.Count ?? fieldCount;
        var names = request.Columns is { Count: > 0 } columns ? columns
            : header is not null ? [.. header.Select(field => request.Map.FirstOrDefault(pair => pair.Key.Equals(field, StringComparison.OrdinalIgnoreCase)).Value ?? field)]
            : count == key.Count ? key.Select(column => column.Name).ToArray()
            : throw new MappingException(
                $"{source}: has {count} {Nouns.For(count, "field")} and no header, and the key of {table.DisplayName} has {key.Count} ({Join(key)}): name the fields with --columns, pass one over with @name");
        if (names.Count != count)
        {
            throw new MappingException($"{source}: --columns names {names.Count} fields, the file has {count}: pass one over with @name");
        }

        var fieldOf = key.Select(column => Find(names, column, source, table)).ToArray();
        var fields = Enumerable.Range(0, count).Select(field => (Field: field, Column: Array.IndexOf(fieldOf, field)))
            .Select(pair => new PlannedColumn(
                header is null ? $"{pair.Field + 1}" : header[pair.Field],
                pair.Column < 0 ? null : key[pair.Column].Name,
                pair.Column < 0 ? null : key[pair.Column].TypeText));
        return new ColumnMapping(key, fieldOf, [.. fields]) { KeyCount = key.Count };
    }

    private static int Find(IReadOnlyList<string> names, TableColumn column, string source, TableFacts table)
    {
        var found = Enumerable.Range(0, names.Count).Where(field => names[field].Equals(column.Name, StringComparison.OrdinalIgnoreCase)).ToArray();
        return found switch
        {
            [var field] => field,
            [] => throw new MappingException(
                $"{source}: has no field for column '{column.Name}', by which rows of {table.DisplayName} are found (it has {string.Join(", ", names)}): rename one with --map FIELD={column.Name}, or name another key with --key"),
            _ => throw new MappingException($"{source}: fields {found[0] + 1} and {found[1] + 1} are both for column '{column.Name}': name the fields with --columns, pass one over with @name"),
        };
    }

    private static string Join(IEnumerable<TableColumn> columns) => string.Join(", ", columns.Select(column => column.Name));
}
