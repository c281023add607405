using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Finds fields whose names are nearly those of columns: another case, blanks, signs, or accents.</summary>
internal static class NameGuesses
{
    /// <summary>Pairs for <c>--map</c>, in the fields' order: fields without a column, each with the one column that has nearly its name
    /// and no field.</summary>
    /// <param name="isOrdered">whether each field has its place in a record, which JSON's fields do not have</param>
    public static IReadOnlyList<KeyValuePair<string, string>> For(
        IReadOnlyList<string> header, TableFacts table, LoadRequest request, bool isOrdered = true)
    {
        if (request.Columns is { Count: > 0 })
        {
            return [];
        }

        var map = new FieldMap(request.Map, header, header.Count, isOrdered);
        var targets = header.Select((name, field) => map.TargetOf(field, name)).ToList();
        var names = table.Columns.Select(column => column.Name).ToHashSet(StringComparer.OrdinalIgnoreCase);
        var taken = targets.OfType<string>().Concat(header.Where((_, field) => targets[field] is null))
            .ToHashSet(StringComparer.OrdinalIgnoreCase);
        var open = table.Columns.Where(column => !column.IsGenerated && !taken.Contains(column.Name) && !request.Assigns(column.Name))
            .ToLookup(column => NameForm.Reduce(column.Name), column => column.Name);
        var fields = Enumerable.Range(0, header.Count)
            .Where(field => targets[field] is null && !names.Contains(header[field]))
            .GroupBy(field => NameForm.Reduce(header[field]));
        return
        [
            .. fields.Where(group => group.Key.Length > 0 && group.Count() == 1 && open[group.Key].Count() == 1)
                .Select(group => (Key: FieldMap.KeyOf(header[group.First()], group.First(), isOrdered), Column: open[group.Key].Single()))
                .Where(pair => pair.Key is not null && !pair.Column.Contains(',', StringComparison.Ordinal))
                .Select(pair => KeyValuePair.Create(pair.Key!, pair.Column)),
        ];
    }

    public static IReadOnlyList<string> WordsOf(IEnumerable<KeyValuePair<string, string>> pairs) =>
        [.. pairs.SelectMany(pair => new[] { "--map", $"{pair.Key}={pair.Value}" })];
}
