using System.Text.Unicode;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Core.Values.Notations;

namespace BulkLoad.Core.Inference;

/// <summary>Reads every record once, with the readers of the load, and keeps what decides the columns' types; memory does not grow with the
/// records. Skips records with faults, which the load will refuse, and fields with a column in <paramref name="table"/>.</summary>
internal sealed class SourceSurvey(
    LoadRequest request, ValueZone zone, IReadOnlyList<string> sources, GivenTypes? types = null, TableFacts? table = null)
{
    private readonly List<Field> _columns = [];
    private readonly Dictionary<string, Field> _byName = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _mapped = [];
    private long _records;
    private long _skipped;
    private bool _hasFields;
    private int _source = -1;

    public PassProgress? Progress { get; init; }

    /// <summary>The input must be unread; it stays the caller's.</summary>
    public long Read(SourceInfo look, InputFile input)
    {
        _source++;
        var isJson = look.Format.IsJson();
        var settled = isJson ? look with { FieldNames = JsonFields.NamedIn(request), Paths = JsonFields.PathsOf([], request) } : look;
        using var reader = settled.CreateReader(input, request.Source);

        // It is not known yet whether the last column is text: a repair that drops what it would join could make the text too long for it.
        reader.JoinsSurplus = true;
        var targets = new FieldColumns(look, request);
        var fields = new List<Field?>();
        Extend(targets, fields, reader.FieldNames, isJson ? reader.FieldNames!.Count : look.FieldCount);
        while (!IsAtLimit && reader.Read())
        {
            if ((_records + _skipped) % PassProgress.Records == 0)
            {
                Progress?.At(input.BytesRead);
            }

            if (isJson && reader.FieldCount > fields.Count)
            {
                Extend(targets, fields, reader.FieldNames, reader.FieldCount);
            }

            if (reader.Fault is null && IsText(reader, fields))
            {
                Add(reader, fields, isJson);
            }
            else
            {
                _skipped++;
            }
        }

        if (!IsAtLimit)
        {
            input.CheckUnchanged();
        }

        Progress?.End(input.BytesRead);
        _mapped.UnionWith(targets.Mapped);
        return reader.RecordNumber;
    }

    private bool IsAtLimit => _records + _skipped >= (request.Limit ?? long.MaxValue);

    public TableDesign Design()
    {
        var missing = request.Map.FirstOrDefault(pair => !FieldMap.IsOptional(pair.Key) && !_mapped.Contains(pair.Key));
        if (_records + _skipped > 0 && missing.Key is not null)
        {
            throw ColumnMapping.MissingField(missing.Key, missing.Value, "record");
        }

        if (_columns.Count == 0)
        {
            throw new MappingException(_hasFields || _records + _skipped > 0
                ? $"{sources[0]}: no field goes to a column"
                : $"{(sources.Count == 1 ? $"{sources[0]}: is" : "the inputs are")} empty, and there is nothing to make the table's " +
                    "columns from: name a file with a record or a header, or make the table by CREATE TABLE");
        }

        types?.Require([.. _columns.Select(column => column.Name)], "the new table");
        return TableDesign.Create(
            [.. Choose().Select(column => request.ExactTypes ? column : TypeRoom.Widen(column))],
            request.PrimaryKey, _records, _skipped)
        with
        {
            UniqueColumns = [.. _columns.Where(column => column is { Evidence.Shapes: ValueShapes.Integer, Key.IsUnique: true }
            && column.Key.Values == _records).Select(column => column.Name)]
        };
    }

    /// <summary>The columns that the table does not have. <paramref name="charset"/> is the table's.</summary>
    public TableAddition DesignAddition(string? charset) =>
        new([.. Choose().Select(column => TableAddition.Loosen(TypeRoom.Widen(column), charset))], _records, _skipped);

    private IEnumerable<InferredColumn> Choose()
    {
        var choice = new TypeChoice(_records, zone, sources);
        return _columns.Select(column => types?.Find(column.Name) is { } type
            ? choice.Take(type.Given, type.Column, column.Evidence)
            : choice.Choose(column.Name, column.Evidence));
    }

    /// <summary>Without <c>--columns</c>, the keys of the objects are the names.</summary>
    private void Extend(FieldColumns targets, List<Field?> fields, IReadOnlyList<string>? names, int count)
    {
        targets.Extend(names, count);
        _hasFields |= count > 0;
        while (fields.Count < count)
        {
            var target = targets.Targets[fields.Count];
            fields.Add(target is null || table?.Find(target) is not null ? null : ColumnOf(target));
        }

        if (_columns.Count > FieldColumns.Max)
        {
            throw FieldColumns.TooMany(sources[_source]);
        }
    }

    private Field ColumnOf(string name)
    {
        if (!_byName.TryGetValue(name, out var column))
        {
            column = new Field(name, request.Values);
            _columns.Add(column);
            _byName.Add(name, column);
        }

        return column;
    }

    /// <summary>Bytes that are no text are refused in every column.</summary>
    private static bool IsText(IRecordReader reader, List<Field?> fields)
    {
        if (Utf8.IsValid(reader.RawRecord))
        {
            return true;
        }

        for (var i = 0; i < fields.Count; i++)
        {
            if (fields[i] is not null)
            {
                reader.GetField(i, out var value);
                if (!Utf8.IsValid(value))
                {
                    return false;
                }
            }
        }

        return true;
    }

    private void Add(IRecordReader reader, List<Field?> fields, bool isJson)
    {
        _records++;
        var place = new Place(_source, reader.RecordNumber);
        for (var i = 0; i < fields.Count; i++)
        {
            fields[i]?.Add(reader.GetField(i, out var value), value, place, isJson);
        }
    }

    /// <summary>A column, and what its fields mean to <see cref="RowMapper"/>.</summary>
    private sealed class Field(string name, ValueOptions values)
    {
        private readonly bool _trims = values.Trim;
        private readonly bool _emptyIsText = values.EmptyOf(name) == EmptyMeaning.EmptyText;
        private readonly bool _nullQuoted = values.NullQuoted;

        private readonly NullMatcher _nullWords = new(values, name);

        public string Name { get; } = name;

        public KeyEvidence Key { get; } = new();

        public ColumnEvidence Evidence { get; } = new(values.ZeroDates, new NotationSet(values.Formats).ForUntyped(name));

        public void Add(FieldKind kind, ReadOnlySpan<byte> value, Place place, bool isJson)
        {
            if (kind is FieldKind.Null or FieldKind.Missing)
            {
                return;
            }

            if (!IsNull(kind, value, isJson))
            {
                Evidence.AddText(value, place);
            }

            var scalar = _trims ? value.Trim(" \t"u8) : value;
            if (!IsNull(kind, scalar, isJson))
            {
                Evidence.AddScalar(scalar, place, kind == FieldKind.JsonString ? JsonKind.Text
                    : isJson && kind == FieldKind.Quoted ? JsonKind.Literal : JsonKind.None);
                if (Evidence.Shapes == ValueShapes.Integer)
                {
                    Key.Add(scalar);
                }
            }
        }

        private bool IsNull(FieldKind kind, ReadOnlySpan<byte> value, bool isJson) =>
            (kind is not (FieldKind.Quoted or FieldKind.JsonString) || (_nullQuoted && kind == FieldKind.JsonString == isJson))
            && (_nullWords.Contain(value) || (value.IsEmpty && !_emptyIsText));
    }
}

/// <summary>The new column of each field: by <c>--columns</c>, by name and <c>--map</c>, or c1, c2 and so on. Names are never changed: a
/// name that no column can have is a fault.</summary>
internal sealed class FieldColumns(SourceInfo look, LoadRequest request)
{
    /// <summary>Limit of InnoDB (MySQL manual, "InnoDB Limits").</summary>
    public const int Max = 1017;

    /// <summary>MySQL manual, "Identifier Length Limits", "Schema Object Names".</summary>
    private const int MaxCharacters = 64;

    private const int MaxForNumber = 4;

    /// <summary>Nobody reads a command with more.</summary>
    private const int MaxPairs = 20;

    private readonly List<string?> _targets = [];
    private readonly Dictionary<string, int> _fields = new(StringComparer.OrdinalIgnoreCase);
    private readonly HashSet<string> _heads = look.Format.IsJson() ? JsonFields.HeadsOf(JsonFields.PathsOf([], request)) : [];
    private readonly HashSet<string> _mended = new(StringComparer.OrdinalIgnoreCase);
    private FieldMap? _map;

    /// <summary>By field; null: the field is skipped.</summary>
    public IReadOnlyList<string?> Targets => _targets;

    /// <summary>Fields of <c>--map</c> that were found, as typed.</summary>
    public IEnumerable<string> Mapped => _map?.Found.Select(found => found.Key) ?? [];

    /// <summary>Adds new fields; JSON objects may bring more. Throws all their faults at once.</summary>
    public void Extend(IReadOnlyList<string>? names, int count)
    {
        var faults = new FaultList();
        var pairs = new List<string>();
        _map ??= new FieldMap(request.Map, names, count, isOrdered: !look.Format.IsJson());
        if (request.Columns is { Count: > 0 } columns && columns.Count != count)
        {
            throw Fault([
                $"--columns names {columns.Count} {Plural.For(columns.Count, "field")}, the file has {count} (skip one with @name)"], []);
        }

        for (var field = _targets.Count; field < count; field++)
        {
            var target = TargetOf(names, field);
            if (target is not null && _fields.Count == Max && !_fields.ContainsKey(target))
            {
                throw TooMany(look.Name);
            }

            if (target is not null && FindFault(target, field) is { } fault)
            {
                faults.Add(fault);
                if (pairs.Count < MaxPairs)
                {
                    pairs.Add(Mend(target, field, field == count - 1));
                }
            }

            _targets.Add(target);
            if (target is not null)
            {
                _fields.TryAdd(target, field);
            }
        }

        if (faults.Count > 0)
        {
            throw Fault(faults.Lines, look.Format.HasPlaces() && faults.Count == pairs.Count ? pairs : []);
        }
    }

    public static MappingException TooMany(string input) => new(
        $"{input}: has more than {Max:N0} fields, and a table cannot have that many columns (name those to keep with --columns, " +
        "or those to skip with --map field=@)");

    private string? TargetOf(IReadOnlyList<string>? names, int field) =>
        (request.Columns is { Count: > 0 } columns ? columns[field] : _map!.TargetOf(field, names?[field])) is { } said
            ? FieldMap.IsSkipped(said) ? null : said
            : names is null ? $"c{field + 1}"
            : _heads.Contains(names[field]) ? null : names[field];

    /// <summary>A pair for <c>--map</c> that gives the field a possible name, or skips it.</summary>
    private string Mend(string name, int field, bool isLast)
    {
        var key = $"{field + 1}=";
        var plain = string.Concat(name.Where(letter => letter != ',' && !char.IsSurrogate(letter) && letter != '\0')).Trim();
        plain = plain[..Math.Min(plain.Length, MaxCharacters - MaxForNumber)].TrimEnd();
        if (plain.Length == 0)
        {
            return isLast ? $"{key}@" : $"{key}c{field + 1}";
        }

        for (var number = 1; ; number++)
        {
            var mended = number == 1 ? plain : $"{plain}_{number}";
            if (!_fields.ContainsKey(mended) && _mended.Add(mended))
            {
                return $"{key}{mended}";
            }
        }
    }

    private string? FindFault(string name, int field)
    {
        var twin = _fields.GetValueOrDefault(name, -1);
        var fault = name.Length == 0 ? "has no name"
            : twin >= 0 ? $"would be column {Show(name)} as field {twin + 1} is"
            : name.EnumerateRunes().Count() > MaxCharacters ? $"has a name of more than {MaxCharacters} characters, {Show(name)}"
            : name[^1] is ' ' or (>= '\t' and <= '\r') ? $"has a name that ends with a blank, {Show(name)}"
            : name.EnumerateRunes().Any(rune => rune.Value == 0 || !rune.IsBmp)
                ? $"has a character in its name that no column's can have, {Show(name)}"
            : null;
        var word = look.Format.IsJson() ? "FIELD" : $"{field + 1}";
        return fault is null ? null : $"field {field + 1} {fault} (rename it with --map {word}=column, skip it with --map {word}=@)";
    }

    private MappingException Fault(IEnumerable<string> faults, IReadOnlyList<string> pairs) =>
        new($"{look.Name}: its fields cannot be columns\n{string.Join('\n', faults.Select(fault => $"  {fault}"))}")
        {
            WaysOn =
            [
                .. look.HeaderHint is { Words.Count: > 0 } hint && request.Columns is null ? new[] { hint } : [],
                .. pairs.Count == 0 ? Array.Empty<WayOn>()
                    : [new WayOn("to name them so") { Words = [.. pairs.SelectMany(pair => new[] { "--map", pair })] }],
            ],
        };

    private static string Show(string name) => FieldText.Show(Encoding.UTF8.GetBytes(name));
}
