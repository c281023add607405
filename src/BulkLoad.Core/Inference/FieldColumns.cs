using System.Globalization;
using System.Text;
using BulkLoad.Core.Reading;

namespace BulkLoad.Core.Inference;

/// <summary>
/// Which new column each field of one input fills: by <c>--columns</c>, by the field's name and <c>--map</c>, or c1, c2 and so on where
/// there are no names. Names are taken as they stand; one that cannot be a column's is a fault, never repaired.
/// </summary>
/// <param name="look">the input</param>
/// <param name="request">what the user said of columns</param>
internal sealed class FieldColumns(SourceLook look, LoadRequest request)
{
    /// <summary>MySQL manual, "Identifier Length Limits", "Schema Object Names".</summary>
    private const int MostCharacters = 64;

    private readonly List<string?> _targets = [];

    /// <summary>For each field its column; null: passed over.</summary>
    public IReadOnlyList<string?> Targets => _targets;

    /// <summary>Takes in the fields from <see cref="Targets"/>' count on; names of JSON objects come up as they are read.</summary>
    /// <param name="names">the fields' names so far; null: they have none</param>
    /// <param name="count">fields so far</param>
    /// <exception cref="MappingException">every fault of the new ones at once</exception>
    public void Extend(IReadOnlyList<string>? names, int count)
    {
        var faults = new List<string>();
        if (request.Columns is { Count: > 0 } columns && columns.Count != count)
        {
            throw Fault([$"--columns names {columns.Count} fields, the file has {count} (pass one over with @name)"]);
        }

        for (var field = _targets.Count; field < count; field++)
        {
            var target = TargetOf(names, field);
            target = target.StartsWith('@') ? null : target;
            if (target is not null && FindFault(target, field) is { } fault)
            {
                faults.Add(fault);
            }

            _targets.Add(target);
        }

        if (faults.Count > 0)
        {
            throw Fault(faults);
        }
    }

    private string TargetOf(IReadOnlyList<string>? names, int field)
    {
        if (request.Columns is { Count: > 0 } columns)
        {
            return columns[field];
        }

        if (names is null)
        {
            return string.Create(CultureInfo.InvariantCulture, $"c{field + 1}");
        }

        return request.Map.FirstOrDefault(pair => pair.Key.Equals(names[field], StringComparison.OrdinalIgnoreCase)).Value ?? names[field];
    }

    private string? FindFault(string name, int field)
    {
        var twin = _targets.FindIndex(target => name.Equals(target, StringComparison.OrdinalIgnoreCase));
        var fault = name.Length == 0 ? "has no name"
            : twin >= 0 ? $"would be column {Show(name)} as field {twin + 1} is"
            : name.EnumerateRunes().Count() > MostCharacters ? $"has a name of more than {MostCharacters} characters, {Show(name)}"
            : name[^1] is ' ' or (>= '\t' and <= '\r') ? $"has a name that ends with a blank, {Show(name)}"
            : name.EnumerateRunes().Any(rune => rune.Value == 0 || !rune.IsBmp) ? $"has a character in its name that no column's can have, {Show(name)}"
            : null;
        return fault is null ? null : $"field {field + 1} {fault} (name the fields with --columns, rename one with --map, pass one over with @name)";
    }

    private MappingException Fault(IEnumerable<string> faults) =>
        new($"{look.Name}: its fields cannot be columns\n{string.Join('\n', faults.Select(fault => $"  {fault}"))}");

    private static string Show(string name) => FieldText.Show(Encoding.UTF8.GetBytes(name));
}
