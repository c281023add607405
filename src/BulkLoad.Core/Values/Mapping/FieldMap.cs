namespace BulkLoad.Core.Values.Mapping;

/// <summary><c>--map</c> for one input's fields. The left side of a pair is a field's name, whatever it begins with; where no field has
/// that name, a number is a field's place, counted from 1, and a <c>?</c> at the end says that the field may be missing.</summary>
internal sealed class FieldMap
{
    /// <summary>No column has a longer name (MySQL manual, "Identifier Length Limits").</summary>
    private const int LongestTyped = 64;

    private readonly IReadOnlyList<KeyValuePair<string, string>> _pairs;
    private readonly Dictionary<string, int> _byName = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<int, int> _byPlace = [];
    private readonly int[] _fields;

    /// <param name="isOrdered">whether each field has its place in a record, which JSON's fields do not have</param>
    public FieldMap(IReadOnlyList<KeyValuePair<string, string>> pairs, IReadOnlyList<string>? names, int count, bool isOrdered = true)
    {
        _pairs = pairs;
        _fields = [.. Enumerable.Repeat(-1, pairs.Count)];
        if (pairs.Count == 0)
        {
            return;
        }

        var known = names?.ToHashSet(StringComparer.OrdinalIgnoreCase) ?? [];
        for (var pair = 0; pair < pairs.Count; pair++)
        {
            var key = NameIn(pairs[pair].Key, known);
            if (!known.Contains(key) && isOrdered && PlaceOf(key, count) is >= 0 and var place)
            {
                _byPlace.TryAdd(place, pair);
            }
            else
            {
                _byName.TryAdd(key, pair);
            }
        }
    }

    /// <summary>Pairs whose field must appear, but has not appeared yet.</summary>
    public IEnumerable<string> Missing => _pairs.Where((pair, i) => _fields[i] < 0 && !IsOptional(pair.Key)).Select(pair => pair.Key);

    /// <summary>Pairs whose field has appeared or must appear, with the field.</summary>
    public IReadOnlyList<(string Key, int Field)> Found => [
        .. _pairs.Select((pair, i) => (pair.Key, _fields[i])).Where(found => found.Item2 >= 0)];

    /// <summary>Null: no pair names the field.</summary>
    public string? TargetOf(int field, string? name)
    {
        // A place means one field; several fields can have the same name.
        if (!_byPlace.TryGetValue(field, out var pair) && !(name is not null && _byName.TryGetValue(name, out pair)))
        {
            return null;
        }

        _fields[pair] = field;
        return _pairs[pair].Value;
    }

    /// <summary>The name that the left side of a pair means.</summary>
    /// <param name="known">names that exist: one that ends with a <c>?</c> itself is meant as it is</param>
    public static string NameIn(string key, IReadOnlySet<string> known) => IsOptional(key) && !known.Contains(key) ? key[..^1] : key;

    /// <summary>How a pair names a field: by its name, or by its place where the name cannot be typed. Null: it cannot be named.</summary>
    /// <param name="isOrdered">whether each field has its place in a record, which JSON's fields do not have</param>
    public static string? KeyOf(string name, int field, bool isOrdered, bool isUnique = true)
    {
        var isTyped = name.Length is > 0 and <= LongestTyped && name.Trim().Length == name.Length
            && !name.Any(letter => letter == ',' || char.IsControl(letter)) && !NameForm.HasMarks(name) && isUnique;
        return isTyped ? name : isOrdered ? $"{field + 1}" : name.Length > 0 && NameForm.HasMarks(name) ? name : null;
    }

    public static bool IsOptional(string key) => key.EndsWith('?');

    /// <summary>Whether the right side of a pair, or a name of <c>--columns</c>, sends a field to no column.</summary>
    public static bool IsSkipped(string target) => SetFields.IsField(target);

    /// <summary>0-based; -1: the text is no place.</summary>
    private static int PlaceOf(string key, int count) =>
        int.TryParse(key, NumberStyles.None, CultureInfo.InvariantCulture, out var place) && place >= 1 && place <= count && key[0] != '0'
            ? place - 1 : -1;
}
