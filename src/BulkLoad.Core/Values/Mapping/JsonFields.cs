using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Decides which keys of JSON objects are read: a sample does not show all of them.</summary>
internal static class JsonFields
{
    /// <summary>The names of <c>--map</c> that can be paths into values. A key of such a name comes before the path.</summary>
    public static IReadOnlyList<JsonPath> PathsOf(IReadOnlyList<string> keys, LoadRequest request)
    {
        if (request.Map.Count == 0)
        {
            return [];
        }

        var known = keys.ToHashSet(StringComparer.OrdinalIgnoreCase);
        return [.. request.Map.Select(pair => JsonPath.Find(FieldMap.NameIn(pair.Key, known))).OfType<JsonPath>()];
    }

    /// <summary>Keys that paths begin with: they need not be columns themselves.</summary>
    public static HashSet<string> HeadsOf(IEnumerable<JsonPath> paths) => [.. paths.Select(path => path.Head)];

    /// <summary>The keys named by <c>--columns</c>; null: all that appear.</summary>
    public static IReadOnlyList<string>? NamedIn(LoadRequest request) =>
        request.Columns is { Count: > 0 } columns ? [.. columns.Select(name => name.TrimStart('@'))] : null;

    /// <summary>The keys named by <c>--columns</c>, or those of the sample, those of <c>--map</c>, and the table's columns that a later
    /// object may still name. A column whose default only the server can compute is not added: every row would have to ask for it; nor is
    /// one that has a key's name: that key is mapped elsewhere. Where unknown keys are ignored, those of the sample are left out.</summary>
    public static IReadOnlyList<string> Choose(IReadOnlyList<string> sampleKeys, TableFacts table, LoadRequest request)
    {
        if (NamedIn(request) is { } named)
        {
            return named;
        }

        var names = table.Columns.Select(column => column.Name).ToHashSet(StringComparer.OrdinalIgnoreCase);
        var mapped = MappedKeys(sampleKeys, request);
        var keys = sampleKeys.Where(key => !request.Source.IgnoreUnknown || names.Contains(key) || mapped.Contains(key)).ToList();
        keys.AddRange(mapped.Except(keys, StringComparer.OrdinalIgnoreCase));
        keys.AddRange(HeadsOf(PathsOf(sampleKeys, request)).Except(keys, StringComparer.OrdinalIgnoreCase));
        var map = new FieldMap(request.Map, keys, keys.Count, isOrdered: false);
        var targets = keys.Select((key, field) => map.TargetOf(field, key) ?? key);
        var taken = keys.Concat(targets).ToHashSet(StringComparer.OrdinalIgnoreCase);

        // If no object had a key, nothing is known of what the objects lack.
        keys.AddRange(table.Columns.Where(column => (sampleKeys.Count == 0 ? IsTarget(column, request) : CanStillCome(column, request))
            && !taken.Contains(column.Name)).Select(column => column.Name));
        return keys;
    }

    /// <summary>The keys of objects that find rows: those named by <c>--columns</c>, or those of the sample, those of <c>--map</c>, and the
    /// key's columns.</summary>
    public static IReadOnlyList<string> ChooseKeys(IReadOnlyList<string> sampleKeys, IReadOnlyList<TableColumn> key, LoadRequest request)
    {
        if (NamedIn(request) is { } named)
        {
            return named;
        }

        var keys = sampleKeys.Concat(MappedKeys(sampleKeys, request)).Distinct(StringComparer.OrdinalIgnoreCase).ToList();
        if (sampleKeys.Count == 0)
        {
            keys.AddRange(key.Select(column => column.Name).Except(keys, StringComparer.OrdinalIgnoreCase));
        }

        return keys;
    }

    private static bool IsTarget(TableColumn column, LoadRequest request) =>
        column is { IsGenerated: false, Kind: not ColumnKind.Unsupported }
        && (request.Kind == JobKind.Update ? column.CanUpdate : column.CanInsert) && !request.Assigns(column.Name);

    /// <summary>In an existing row, a column that no object names stays as it is.</summary>
    private static bool CanStillCome(TableColumn column, LoadRequest request) => IsTarget(column, request) && !column.IsInvisible
        && (request.Kind == JobKind.Update
        || column.Default is ColumnDefault.Null or ColumnDefault.Constant or ColumnDefault.AutoIncrement);

    /// <summary>The names of <c>--map</c>, as existing or later fields spell them.</summary>
    private static HashSet<string> MappedKeys(IReadOnlyList<string> sampleKeys, LoadRequest request)
    {
        if (request.Map.Count == 0)
        {
            return [];
        }

        var known = sampleKeys.ToHashSet(StringComparer.OrdinalIgnoreCase);
        return request.Map.Select(pair => FieldMap.NameIn(pair.Key, known)).ToHashSet(StringComparer.OrdinalIgnoreCase);
    }
}
