using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Finds the fields of an input that are the key; all others are skipped.</summary>
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

        // A name of the header is a name, whatever it begins with.
        string?[] names = request.Columns is { Count: > 0 } columns ? [.. columns.Select(Target)]
            : header is not null ? [.. header.Select((field, i) => map.TargetOf(i, field) is { } target ? Target(target) : field)]
            : count == key.Count ? [.. key.Select((column, i) => map.TargetOf(i, null) is { } target ? Target(target) : column.Name)]
            : throw new MappingException(
                $"{source}: has {count} {Plural.For(count, "field")} and no header, and the key of {table.DisplayName} has {key.Count} " +
                $"({Join(key)}): name the fields with --columns, skip one with @name");
        if (map.Missing.FirstOrDefault(field => mapped?.Contains(field) != true) is { } unknown)
        {
            throw new MappingException(
                $"{source}: --map names field '{unknown}', which the file does not have (it has {FaultList.JoinShort(header ?? [])})");
        }

        if (names.Length != count)
        {
            throw new MappingException(
                $"{source}: --columns names {names.Length} {Plural.For(names.Length, "field")}, the file has {count}: skip one with @name");
        }

        var fieldOf = key.Select(column => Find(names, column, source, table, Guessed)).ToArray();
        var fields = Enumerable.Range(0, count).Select(field => (Field: field, Column: Array.IndexOf(fieldOf, field)))
            .Select(pair => new PlannedColumn(
                header is null ? $"{pair.Field + 1}" : header[pair.Field], pair.Column < 0 ? null : key[pair.Column].Name,
                pair.Column < 0 ? null : key[pair.Column].TypeText));
        return new ColumnMapping(key, fieldOf, [.. fields]) { KeyCount = key.Count, Mapped = map.Found };

        IReadOnlyList<WayOn> Guessed() => header is not null
            && NameGuesses.For(header, table, request, lines is null).Where(pair => key.Any(column => column.Name == pair.Value)).ToList()
                is { Count: > 0 } pairs
            ? [new WayOn("to take the field of nearly the same name") { Words = NameGuesses.WordsOf(pairs) }] : [];
    }

    private static string? Target(string name) => FieldMap.IsSkipped(name) ? null : name;

    private static int Find(
        string?[] names, TableColumn column, string source, TableFacts table, Func<IReadOnlyList<WayOn>> ways)
    {
        var found = Enumerable.Range(0, names.Length).Where(field => column.Name.Equals(names[field], StringComparison.OrdinalIgnoreCase))
            .ToArray();
        return found switch
        {
            [var field] => field,
            [] => throw new MappingException(
                $"{source}: has no field for column '{column.Name}', by which rows of {table.DisplayName} are found (it has " +
                $"{FaultList.JoinShort([.. names.OfType<string>()])}): rename one with --map FIELD={column.Name}, or name another key " +
                "with --key")
            { WaysOn = ways() },
            _ => throw new MappingException($"{source}: fields {found[0] + 1} and {found[1] + 1} are both for column '{column.Name}': " +
                "name the fields with --columns, skip one with @name"),
        };
    }

    private static string Join(IEnumerable<TableColumn> columns) => string.Join(", ", columns.Select(column => column.Name));
}

/// <summary>Finds the fields that find rows, and those that change them.</summary>
internal static class ChangedRows
{
    public static IReadOnlyList<int> FindKeys(
        IReadOnlyList<TableColumn> key, IReadOnlyList<TableColumn?> found, IReadOnlyList<string>? header, FaultList faults)
    {
        var fields = new List<int>();
        foreach (var column in key)
        {
            var having = Enumerable.Range(0, found.Count).Where(field => found[field] == column).ToArray();

            // The field of the column's own name finds the row; one that is renamed to it, by --map id2=id, has the new value.
            var own = having.Where(field => header is not null && header[field].Equals(column.Name, StringComparison.OrdinalIgnoreCase))
                .ToArray();
            if (having is [var only])
            {
                fields.Add(only);
            }
            else if (having.Length == 0)
            {
                faults.Add($"column '{column.Name}', by which rows are found, has no field (rename one with --map FIELD={column.Name}, " +
                    "or name another key with --key)");
            }
            else if (having.Length == 2 && own is [var named])
            {
                fields.Add(named);
            }
            else
            {
                faults.Add($"column '{column.Name}', by which rows are found, is the target of fields " +
                    $"{string.Join(" and ", having.Select(field => field + 1))} (skip one; a field of another name that --map sends " +
                    "there is its new value)");
            }
        }

        return fields;
    }

    /// <summary>Refuses an input that changes nothing, or the same column twice.</summary>
    /// <param name="isEmpty">whether there is no record that could change anything</param>
    public static void FindNothing(
        IReadOnlyList<TableColumn?> found, IReadOnlyList<int> keyFields, LoadRequest request, bool isEmpty, FaultList faults)
    {
        var set = Enumerable.Range(0, found.Count).Where(field => found[field] is not null && !keyFields.Contains(field)).ToArray();
        if (!isEmpty && faults.Count == 0 && set.Length == 0 && request.Assignments.Count == 0)
        {
            faults.Add("no field goes to a column that could be changed: only the key is there");
        }

        foreach (var field in set.Where(field => keyFields.Any(other => found[other] == found[field])))
        {
            if (found[field]!.IsGenerated)
            {
                faults.Add($"column '{found[field]!.Name}' is generated: its value cannot be set");
            }
            else if (request.Assigns(found[field]!.Name))
            {
                faults.Add($"column '{found[field]!.Name}' is the target of field {field + 1} and of --set");
            }
        }
    }
}
