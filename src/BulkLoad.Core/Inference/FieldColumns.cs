using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Options;
using BulkLoad.Core.Values;

namespace BulkLoad.Core.Inference;

/// <summary>Which new column each field of one input fills: by <c>--columns</c>, by the field's name and <c>--map</c>, or c1, c2 and so on
/// where there are no names. Names are taken as they are; one that cannot be a column's is a fault, never repaired.</summary>
internal sealed class FieldColumns(SourceInfo look, LoadRequest request)
{
    /// <summary>InnoDB's (MySQL manual, "InnoDB Limits").</summary>
    private const int MostColumns = 1017;

    /// <summary>MySQL manual, "Identifier Length Limits", "Schema Object Names".</summary>
    private const int MostCharacters = 64;

    private readonly List<string?> _targets = [];
    private readonly Dictionary<string, int> _fields = new(StringComparer.OrdinalIgnoreCase);
    private FieldMap? _map;

    /// <summary>For each field its column; null: skipped.</summary>
    public IReadOnlyList<string?> Targets => _targets;

    /// <summary>Fields of <c>--map</c> that came, as they are typed there.</summary>
    public IEnumerable<string> Mapped => _map?.Found.Select(found => found.Key) ?? [];

    /// <summary>Takes in the fields from <see cref="Targets"/>' count on; names of JSON objects come up as they are read.</summary>
    /// <exception cref="MappingException">every fault of the new ones at once</exception>
    public void Extend(IReadOnlyList<string>? names, int count)
    {
        var faults = new FaultList();
        _map ??= new FieldMap(request.Map, names, count, isOrdered: look.Format != InputFormat.Jsonl);
        if (request.Columns is { Count: > 0 } columns && columns.Count != count)
        {
            throw Fault(
                [$"--columns names {columns.Count} {Plural.For(columns.Count, "field")}, the file has {count} (skip one with @name)"]);
        }

        for (var field = _targets.Count; field < count; field++)
        {
            var target = TargetOf(names, field);
            if (target is not null && _fields.Count == MostColumns && !_fields.ContainsKey(target))
            {
                throw new MappingException($"{look.Name}: has more than {MostColumns:N0} fields, and a table cannot have that many " +
                    "columns (name those to keep with --columns, or those to skip with --map field=@)");
            }

            if (target is not null && FindFault(target, field) is { } fault)
            {
                faults.Add(fault);
            }

            _targets.Add(target);
            if (target is not null)
            {
                _fields.TryAdd(target, field);
            }
        }

        if (faults.Count > 0)
        {
            throw Fault(faults.Lines);
        }
    }

    /// <summary>A name of the header is one, whatever it begins with.</summary>
    private string? TargetOf(IReadOnlyList<string>? names, int field) =>
        (request.Columns is { Count: > 0 } columns ? columns[field] : _map!.TargetOf(field, names?[field])) is { } said
            ? FieldMap.IsSkipped(said) ? null : said
            : names?[field] ?? $"c{field + 1}";

    private string? FindFault(string name, int field)
    {
        var twin = _fields.GetValueOrDefault(name, -1);
        var fault = name.Length == 0 ? "has no name"
            : twin >= 0 ? $"would be column {Show(name)} as field {twin + 1} is"
            : name.EnumerateRunes().Count() > MostCharacters ? $"has a name of more than {MostCharacters} characters, {Show(name)}"
            : name[^1] is ' ' or (>= '\t' and <= '\r') ? $"has a name that ends with a blank, {Show(name)}"
            : name.EnumerateRunes().Any(rune => rune.Value == 0 || !rune.IsBmp)
                ? $"has a character in its name that no column's can have, {Show(name)}"
            : null;
        var word = look.Format == InputFormat.Jsonl ? "FIELD" : $"{field + 1}";
        return fault is null ? null : $"field {field + 1} {fault} (rename it with --map {word}=column, skip it with --map {word}=@)";
    }

    private MappingException Fault(IEnumerable<string> faults) =>
        new($"{look.Name}: its fields cannot be columns\n{string.Join('\n', faults.Select(fault => $"  {fault}"))}");

    private static string Show(string name) => FieldText.Show(Encoding.UTF8.GetBytes(name));
}
