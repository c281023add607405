using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Which field of an input goes to which column of the table.</summary>
/// <param name="Columns">target columns in the order of a row's values</param>
/// <param name="FieldOf">for each target column its 0-based field</param>
internal sealed record ColumnMapping(IReadOnlyList<TableColumn> Columns, IReadOnlyList<int> FieldOf, IReadOnlyList<PlannedColumn> Fields)
{
    private bool? _endsWithText { get; init; }

    /// <summary>Fields that expressions of <c>--set</c> read: in a row, their values follow those of the columns.</summary>
    public IReadOnlyList<TableColumn> SetFields { get; init; } = [];

    /// <summary>For each of <see cref="SetFields"/> its 0-based field.</summary>
    public IReadOnlyList<int> FieldOfSet { get; init; } = [];

    /// <summary>Number of first columns that find rows: a record must have a value for each.</summary>
    public int KeyCount { get; init; }

    /// <summary>Whether the other columns change existing rows: a column that a record does not have stays as it is.</summary>
    public bool ChangesRows { get; init; }

    /// <summary>Columns that a record must have a valid value for, which is not stored; with their fields.</summary>
    public IReadOnlyList<(TableColumn Column, int Field)> Judged { get; init; } = [];

    /// <summary>Fields that <c>--map</c> names, as they are typed there.</summary>
    public IReadOnlyList<(string Key, int Field)> Mapped { get; init; } = [];

    /// <summary>The same records with the key only.</summary>
    /// <param name="judgesAll">whether a record that is refused for another column has no key</param>
    public ColumnMapping ToKeys(bool judgesAll) => ToColumns([.. Columns.Take(KeyCount)], judgesAll);

    /// <summary>The same records with some of their columns only.</summary>
    /// <param name="columns">the key's before others</param>
    /// <param name="judgesAll">whether a record that is refused for another column is left out</param>
    public ColumnMapping ToColumns(IReadOnlyList<TableColumn> columns, bool judgesAll)
    {
        var pairs = Columns.Zip(FieldOf).ToList();
        var chosen = columns.Select(column => pairs.First(pair => pair.First == column)).ToList();
        return this with
        {
            Columns = columns,
            FieldOf = [.. chosen.Select(pair => pair.Second)],
            _endsWithText = EndsWithText,
            SetFields = [],
            FieldOfSet = [],
            Judged = judgesAll ? [.. pairs.Except(chosen), .. SetFields.Zip(FieldOfSet)] : [],
        };
    }

    public bool EndsWithText =>
        _endsWithText ?? (FieldOf.ToList().IndexOf(Fields.Count - 1) is >= 0 and var last && Columns[last].IsCharacter);

    /// <summary>Decides by the header's names, compared without regard to case, by <c>--columns</c>, or, without either, by the order of
    /// the table's columns as LOAD DATA does.</summary>
    /// <param name="fieldCount">fields of a record, where there is no header</param>
    /// <param name="hint">what else could explain a header that does not fit, or null</param>
    /// <param name="key">columns that find rows; null: each record makes one</param>
    /// <param name="lines">by field, the line in which it appears first; null: all are in the header</param>
    /// <param name="mapped">fields of <c>--map</c> that another input has, or may have; null: none</param>
    /// <param name="isEmpty">whether there is no record, so that it does not matter that none could change a row</param>
    /// <exception cref="MappingException">every mismatch at once</exception>
    /// <exception cref="PlanException">a column that cannot be a target</exception>
    public static ColumnMapping Create(
        string source, IReadOnlyList<string>? header, int fieldCount, TableFacts table, LoadRequest request, WayOn? hint,
        IReadOnlyList<TableColumn>? key = null,
        IReadOnlyDictionary<string, long>? lines = null, IReadOnlySet<string>? mapped = null, bool isEmpty = false)
    {
        var faults = new FaultList();
        var map = new FieldMap(request.Map, header, header?.Count ?? fieldCount, isOrdered: lines is null);
        var targets = request.Columns is { Count: > 0 } columns
            ? ByPosition(columns, header?.Count ?? fieldCount, faults)
            : header is null ? ByTableOrder(fieldCount, map, table, request, faults)
            : ByName(
                header, map, table, request, faults, lines, lines is null ? [] : JsonFields.HeadsOf(JsonFields.PathsOf(header, request)));
        foreach (var field in map.Missing.Where(field => mapped?.Contains(field) != true))
        {
            faults.Add(
                $"--map names field '{field}', which the file does not have (if it is optional, write --map {MapWord($"{field}?")})");
        }

        IReadOnlyList<string?> said = request.Columns is { Count: > 0 } ? [.. request.Columns]
            : [.. targets.Select((_, field) => map.TargetOf(field, header?[field]))];
        var set = new BoundFields(said, request, faults);
        var found = Resolve(targets, table, request, faults, key, set);
        var keyFields = key is null ? [] : ChangedRows.FindKeys(key, found, header, faults);
        if (key is not null)
        {
            ChangedRows.FindNothing(found, keyFields, request, isEmpty, faults);
        }
        else if (request.Mode != JobMode.Verify && targets.Count == (header?.Count ?? fieldCount))
        {
            FindMissing(found, table, request, faults);
        }

        if (faults.Count > 0)
        {
            throw new MappingException(Describe(source, header, lines, fieldCount, table, faults, hint))
            {
                WaysOn = [.. MappingWays.After(header, lines is null, table, request, hint)],
            };
        }

        Refuse(found, keyFields, table, request);
        var fields = targets.Select((target, field) => new PlannedColumn(
            header is null ? $"{field + 1}" : header[field], found[field]?.Name ?? set.NameOf(field), found[field]?.TypeText
                ?? (set.NameOf(field) is null ? null : BoundFields.Use)));
        int[] order = [
            .. keyFields, .. Enumerable.Range(0, found.Count).Where(field => found[field] is not null && !keyFields.Contains(field))];
        return new ColumnMapping([.. order.Select(field => found[field]!)], order, [.. fields])
        {
            KeyCount = keyFields.Count,
            ChangesRows = key is not null,
            SetFields = set.Columns,
            FieldOfSet = set.Fields,
            Mapped = map.Found,
        };
    }

    /// <summary>The same targets in the same order as another input's mapping, so that their rows can share blocks.</summary>
    /// <exception cref="MappingException">the inputs do not have the same columns</exception>
    public ColumnMapping InOrderOf(ColumnMapping first, string source, string firstSource)
    {
        var (others, firstOthers) = (Columns.Skip(KeyCount).ToList(), first.Columns.Skip(KeyCount).ToList());
        var lacking = firstOthers.Except(others).Select(column => $"column '{column.Name}' is in {firstSource}, not in {source}");
        var surplus = others.Except(firstOthers).Select(column => $"column '{column.Name}' is in {source}, not in {firstSource}");
        var unread = first.SetFields.Where(field => SetPlace(field) < 0)
            .Select(field => $"field {field.Name} of --set is in {firstSource}, not in {source}");
        var faults = new FaultList();
        faults.AddRange(lacking.Concat(surplus).Concat(unread));
        if (faults.Count > 0)
        {
            throw new MappingException(
                $"{source}: does not have the same columns as {firstSource}; import them one at a " +
                $"time\n{string.Join('\n', faults.Lines.Select(fault => $"  {fault}"))}");
        }

        // Keys are in the key's order in every mapping.
        var fieldOf = firstOthers.Select(column => FieldOf[KeyCount + others.IndexOf(column)]);
        return this with
        {
            Columns = first.Columns,
            FieldOf = [.. FieldOf.Take(KeyCount), .. fieldOf],
            SetFields = first.SetFields,
            FieldOfSet = [.. first.SetFields.Select(field => FieldOfSet[SetPlace(field)])],
        };
    }

    private int SetPlace(TableColumn field) => SetFields.ToList()
        .FindIndex(own => own.Name.Equals(field.Name, StringComparison.OrdinalIgnoreCase));

    private static List<string?> ByPosition(IReadOnlyList<string> columns, int fieldCount, FaultList faults)
    {
        if (columns.Count != fieldCount)
        {
            faults.Add(
                $"--columns names {columns.Count} {Plural.For(columns.Count, "field")}, the file has {fieldCount} (skip one with @name)");
        }

        return [.. columns.Select(name => FieldMap.IsSkipped(name) ? null : name)];
    }

    /// <summary>Number of fields that a record without a header should have.</summary>
    public static int CountWithoutHeader(TableFacts table, LoadRequest request, IReadOnlyList<TableColumn>? key) =>
        request.Columns is { Count: > 0 } columns ? columns.Count
        : request.Kind == JobKind.Delete ? key!.Count
        : InTableOrder(table, request).Count();

    private static IEnumerable<string> InTableOrder(TableFacts table, LoadRequest request) =>
        table.Columns.Where(column => column is { IsGenerated: false, IsInvisible: false } && !request.Assigns(column.Name))
            .Select(column => column.Name);

    private static List<string?> ByTableOrder(int fieldCount, FieldMap map, TableFacts table, LoadRequest request, FaultList faults)
    {
        var columns = InTableOrder(table, request).ToList();
        if (columns.Count != fieldCount)
        {
            faults.Add($"without a header the fields go to the table's {columns.Count} {Plural.For(columns.Count, "column")} in order, " +
                $"but the file has {fieldCount} " +
                $"{Plural.For(fieldCount, "field")} (name their columns with --columns)");
        }

        return [.. columns.Select(
            (column, field) => map.TargetOf(field, null) is not { } mapped ? column : FieldMap.IsSkipped(mapped) ? null : mapped)];
    }

    private static List<string?> ByName(
        IReadOnlyList<string> header, FieldMap map, TableFacts table, LoadRequest request, FaultList faults,
        IReadOnlyDictionary<string, long>? lines, HashSet<string> heads)
    {
        var names = ByName(table);
        var guesses = new Lazy<IReadOnlyList<KeyValuePair<string, string>>>(
            () => NameGuesses.For(header, table, request, lines is null));
        var targets = new List<string?>();
        foreach (var field in header)
        {
            var mapped = map.TargetOf(targets.Count, field);
            var target = mapped is null ? field : FieldMap.IsSkipped(mapped) ? null : mapped;
            if (mapped is null && !names.ContainsKey(field) && heads.Contains(field))
            {
                target = null;
            }
            else if (mapped is null && !names.ContainsKey(field))
            {
                var place = targets.Count + 1;
                faults.Add(() => names.ContainsKey(field.Trim(' ', '\t')) && lines is null
                    ? $"field {Show(field)} is a column's name with blanks around it"
                    : field.Length > 0 ? $"field {Show(field)}{FirstLine(field, lines)} has no column of that " +
                        $"name{Like(field, table)}{MapAdvice(header, place - 1, lines is null, guesses.Value)}"
                    : lines is null
                        ? $"field {place} has no name (send it to a column with --map {place}=column, skip it with --map {place}=@)"
                    : $"a field has no name{FirstLine(field, lines)} (send it to a column with --map =column, skip it with --map =@)");
                target = null;
            }

            targets.Add(target);
        }

        return targets;
    }

    private static Dictionary<string, TableColumn> ByName(TableFacts table)
    {
        var names = new Dictionary<string, TableColumn>(StringComparer.OrdinalIgnoreCase);
        foreach (var column in table.Columns)
        {
            names.TryAdd(column.Name, column);
        }

        return names;
    }

    private static List<TableColumn?> Resolve(
        List<string?> targets, TableFacts table, LoadRequest request, FaultList faults, IReadOnlyList<TableColumn>? key, BoundFields set)
    {
        var names = ByName(table);
        var first = new Dictionary<TableColumn, int>(ReferenceEqualityComparer.Instance);
        var found = new List<TableColumn?>();
        foreach (var target in targets)
        {
            var column = target is null ? null : names.GetValueOrDefault(target);
            if (target is not null && column is null)
            {
                faults.Add(
                    () => $"column '{target}' is not in the table{Names.DidYouMean(target, table.Columns.Select(known => known.Name))}");
            }
            else if (column is not null && key?.Contains(column) == true)
            {
                // A second field for the column is its new value.
            }
            else if (column is { IsGenerated: true })
            {
                faults.Add($"column '{column.Name}' is generated: its value cannot be set (skip the field: @{column.Name} in --columns, " +
                    $"or --map {MapWord(column.Name, "@")})");
            }
            else if (column is not null && request.Assigns(column.Name))
            {
                faults.Add($"column '{column.Name}' is the target of field {found.Count + 1} and of --set (skip the field: " +
                    $"@{column.Name} in --columns, or --map {MapWord(column.Name, "@")})");
            }
            else if (column is not null && !first.TryAdd(column, found.Count))
            {
                faults.Add($"column '{column.Name}' is the target of fields {first[column] + 1} and {found.Count + 1} (name the fields " +
                    "with --columns, skip one with @name)");
            }

            found.Add(column);
        }

        if (faults.Count == 0 && set.Fields.Count == 0 && found.All(column => column is null))
        {
            faults.Add("no field goes to a column");
        }

        return found;
    }

    private static void FindMissing(List<TableColumn?> found, TableFacts table, LoadRequest request, FaultList faults) =>
        faults.AddRange(table.Columns
            .Where(column => column is { IsGenerated: false, Default: ColumnDefault.None } && !found.Contains(column)
                && !request.Assigns(column.Name))
            .Select(column => $"column '{column.Name}' is NOT NULL without a default, and the file does not have it"));

    private static void Refuse(List<TableColumn?> found, IReadOnlyList<int> keyFields, TableFacts table, LoadRequest request)
    {
        foreach (var column in found.Where((_, field) => !keyFields.Contains(field)).OfType<TableColumn>())
        {
            if (column.Kind == ColumnKind.Unsupported)
            {
                throw new PlanException(
                    $"column '{column.Name}' of {table.DisplayName}: type {column.TypeText} is not supported yet; skip the field: " +
                    $"@{column.Name} in --columns, or --map {MapWord(column.Name, "@")}");
            }

            if (request.Mode != JobMode.Verify && RequestedColumns.FindRefusal(column, table, request.Kind) is { } refusal)
            {
                throw new PlanException(refusal);
            }
        }
    }

    private static string FirstLine(string field, IReadOnlyDictionary<string, long>? lines) =>
        lines?.TryGetValue(field, out var line) == true ? $" (first in line {line})" : "";

    private static string Show(string name) => FieldText.Show(Encoding.UTF8.GetBytes(name));

    /// <summary>The name that may be meant, unless it looks the same.</summary>
    private static string Like(string field, TableFacts table) => NameForm.HasMarks(field) ? ""
        : Names.DidYouMean(field, table.Columns.Select(column => column.Name));

    private static string MapAdvice(
        IReadOnlyList<string> header, int field, bool isOrdered, IReadOnlyList<KeyValuePair<string, string>> guesses) =>
        FieldMap.KeyOf(
            header[field], field, isOrdered,
            header.Count(name => name.Equals(header[field], StringComparison.OrdinalIgnoreCase)) == 1) is not { } key ? ""
        : guesses.FirstOrDefault(guess => guess.Key == key).Value is { } column ? $" (--map {MapWord(key, column)} sends it there)"
        : $" (send it elsewhere with --map {MapWord(key)}, skip it with --map {MapWord(key, "@")})";

    /// <summary>A field of <c>--map</c> that never appeared.</summary>
    /// <param name="inputs">where it did not appear, for people, as <c>record of people.jsonl</c></param>
    public static MappingException MissingField(string key, string target, string inputs)
    {
        var (message, pair) = ($"--map names field '{key}', which no {inputs} has", MapWord($"{key}?", target));
        return new MappingException($"{message} (if it is optional, write --map {pair})") { Missing = (message, pair) };
    }

    /// <summary>A pair for <c>--map</c>, quoted where a shell would split it.</summary>
    public static string MapWord(string field, string target = "column")
    {
        var pair = $"{field}={target}";
        return pair.All(character => char.IsLetterOrDigit(character) || character is '=' or '@' or '_' or '-' or '.')
            ? pair
            : ShellQuoting.Enclose(pair);
    }

    private static string Describe(
        string source, IReadOnlyList<string>? header, IReadOnlyDictionary<string, long>? lines, int fieldCount, TableFacts table,
        FaultList faults, WayOn? hint)
    {
        var text = faults.Lines.Select(fault => $"  {fault}").ToList();
        var has = header is null
            ? $"{fieldCount} {Plural.For(fieldCount, "field")}, no header"
            : FaultList.Join([.. NamesOf(header, lines)]);
        text.Add($"  the file has:  {has}");
        text.Add($"  the table has: {FaultList.Join([.. table.Columns.SkipLast(table.NewColumns).Select(column => column.Name)])}");
        if (table.NewColumns > 0)
        {
            text.Add($"  it would get:  {FaultList.Join([.. table.Columns.TakeLast(table.NewColumns).Select(column => column.Name)])}");
        }

        if (hint is not null)
        {
            text.Insert(0, $"  {hint.Purpose}");
        }

        return $"{source}: its columns do not fit table {table.DisplayName}\n{string.Join('\n', text)}";
    }

    /// <summary>For people. The fields of JSON lines are more than the file's: columns that it may still name.</summary>
    private static IEnumerable<string> NamesOf(IReadOnlyList<string> header, IReadOnlyDictionary<string, long>? lines) =>
        (lines?.Keys ?? header).Select(name => name.Length == 0 ? "(no name)" : Show(name)[1..^1]);
}

/// <summary>The errors in an input's columns: the first ones are kept and the others counted, since an input can have more than anybody
/// reads.</summary>
internal sealed class FaultList
{
    /// <summary>Limit of faults, and of names in lists, that are shown.</summary>
    public const int MaxShown = 10;

    /// <summary>Names are all shown up to this many.</summary>
    private const int MaxNames = 20;

    private readonly List<string> _first = [];

    public int Count { get; private set; }

    /// <summary>The first ones, and how many more there are.</summary>
    public IEnumerable<string> Lines => Count <= MaxShown ? _first : _first.Append($"and {Count - MaxShown:N0} more");

    public void Add(string fault)
    {
        Count++;
        if (_first.Count < MaxShown)
        {
            _first.Add(fault);
        }
    }

    /// <summary>Creates the fault's text only where it is shown.</summary>
    public void Add(Func<string> fault) => Add(_first.Count < MaxShown ? fault() : "");

    public void AddRange(IEnumerable<string> faults)
    {
        foreach (var fault in faults)
        {
            Add(fault);
        }
    }

    /// <summary>Names of any length.</summary>
    public static string JoinShort(IReadOnlyCollection<string> names) =>
        Join([.. names.Select(name => FieldText.Show(Encoding.UTF8.GetBytes(name))[1..^1])]);

    /// <summary>Separated by commas; of many names only the first ones.</summary>
    public static string Join(IReadOnlyCollection<string> names) => names.Count <= MaxNames
        ? string.Join(", ", names)
        : $"{string.Join(", ", names.Take(MaxShown))} and {names.Count - MaxShown:N0} more";
}
