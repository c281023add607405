using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values.Mapping;

namespace BulkLoad.Core.Ledger;

/// <summary>What makes a job the same when it is started again: table, command, mapping and the content of its inputs.</summary>
/// <param name="Id">its name in the ledger; before that is decided, the likely one</param>
/// <param name="IsLasting">whether another start has the same name; false: an input is a pipe, and the user named no job</param>
internal sealed record JobIdentity(string Id, bool IsLasting)
{
    private const int IdDigits = 16;

    /// <summary>A hash of table and command: jobs of one family are looked at together. Empty: other starts are not looked at.</summary>
    public string Family { get; init; } = "";

    /// <summary>The name of the row that starts of the same first record or the same job name lock before they look.</summary>
    public string Slot { get; init; } = "";

    public bool IsNamed { get; init; }

    /// <summary>The name that a job of the whole file would have; those of its parts begin with it. Empty: nobody can ask for parts of the
    /// input.</summary>
    public string Whole { get; init; } = "";

    /// <summary>The name of a part's job.</summary>
    public static string PartOf(string whole, PartOfFile part) => $"{whole}#{part}";

    /// <summary>The part of a job, by its name; null: it is no part's job.</summary>
    public static PartOfFile? FindPart(string id) =>
        id.LastIndexOf('#') is >= 0 and var at ? PartOfFile.Find(id[(at + 1)..]) : null;

    public static JobIdentity Of(LoadFacts facts, IReadOnlyList<LoadSource> sources)
    {
        var request = facts.Request;
        var family = FamilyOf(facts);
        if (sources is [{ Look.Part: { } part } source])
        {
            var whole = request.JobId ?? SlotOf(family, $"{MappingOf(source, request)} {part.FirstRecord}");
            var name = PartOf(whole, part.Asked);
            return new JobIdentity(name, IsLasting: true) { Family = family, Slot = name, IsNamed = true, Whole = whole };
        }

        if (request.JobId is { } id)
        {
            return new JobIdentity(id, IsLasting: true) { Family = family, Slot = id, IsNamed = true, Whole = id };
        }

        if (!sources.All(source => source.Look is { Path: not null, Length: not null }))
        {
            return new JobIdentity($"pipe-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(IdDigits / 2))}", IsLasting: false)
            {
                Family = family,
            };
        }

        var first = sources.Select(source => $"{MappingOf(source, request)} {source.Content?.First}").Min(StringComparer.Ordinal);
        var slot = SlotOf(family, first);
        return new JobIdentity(slot, IsLasting: true) { Family = family, Slot = slot, Whole = sources.Count == 1 ? slot : "" };
    }

    private static string SlotOf(string family, string? first) => Hash([family, first])[..IdDigits];

    /// <summary>Where an input's fields go, by their places: their names do not count, but in JSON lines, which have nothing else. Whether
    /// a field of <c>--map</c> must be there does not count either.</summary>
    public static string MappingOf(LoadSource source, LoadRequest request)
    {
        var columns = request.Columns ?? [];
        var known = source.Look.FieldNames?.ToHashSet(StringComparer.OrdinalIgnoreCase) ?? [];
        (string Field, string Target)[] map = [.. request.Map.Select(pair => (FieldMap.NameIn(pair.Key, known), pair.Value))];
        return Hash(source.Look.Format.IsJson()
            ? ["json", .. map.Select(pair => $"{pair.Field} to {pair.Target}").Order(StringComparer.Ordinal), .. columns]
            : source.Mapping.Fields.Select((field, place) => field.Column
                ?? (columns.ElementAtOrDefault(place) is ['@', ..] variable
                    ? variable
                    : map.FirstOrDefault(pair => pair.Field == field.Field).Target)))[..IdDigits];
    }

    /// <summary>The first job of a slot has the slot's name.</summary>
    public string Nth(int number) => number == 0 ? Slot : Hash([Slot, $"{number}"])[..IdDigits];

    private static string FamilyOf(LoadFacts facts) => FamilyOf(
        facts.Request.Kind, facts.Table.Database, facts.Table.Name, facts.Request.OnDuplicate, ChangesOf(facts));

    /// <summary>The family of imports that compute no column.</summary>
    public static string FamilyOf(string database, string table, DuplicateMode mode) =>
        FamilyOf(JobKind.Import, database, table, mode, []);

    private static string FamilyOf(JobKind kind, string database, string table, DuplicateMode mode, IEnumerable<string> changes) =>
        Hash([CommandOf(kind), database, table, mode.ToString(), .. changes])[..IdDigits];

    /// <summary>What finds rows, and what is assigned to them.</summary>
    private static IEnumerable<string> ChangesOf(LoadFacts facts) =>
    [
        .. facts.Key?.Columns.Select(column => $"key {column.Name}") ?? [],
        .. facts.Assignments.Select(assignment => $"set {assignment.Column}={assignment.Expression}"),
    ];

    public static string CommandOf(LoadRequest request) => CommandOf(request.Kind);

    private static string CommandOf(JobKind kind) => kind.ToString().ToLowerInvariant();

    private static string Hash(IEnumerable<string?> words) =>
        Convert.ToHexStringLower(
            SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\0', words.Select(word => $"{word?.Length}:{word}")))));
}

/// <summary>The rules of a job after all options were resolved, by option: those that must be the same at each start. Default values are
/// left out, so that an option that a later version adds changes no job.</summary>
internal static class JobRules
{
    private const string Types = "--type";

    /// <summary>Options that are no rules of their own: <c>--spec</c> is read as the options that it contains, <c>--no-multiline</c> as a
    /// value of another one, and lines before the first record are no part of the content.</summary>
    public static IReadOnlyList<string> ResolvedElsewhere { get; } =
        ["--spec", "--skip-lines", "--header", "--no-header", "--no-multiline"];

    /// <summary>Names that <see cref="Of(LoadFacts)"/> and <see cref="Of(LoadSource, LoadRequest)"/> can give.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        .. ValueOptions.Rules.Select(rule => rule.Option), .. SourceOptions.Rules.Select(rule => rule.Option),
        "--time-zone", "--where", "--undoable", Types,
        "--format", "--delimiter", "--quote", "--escape", "--newline", "--comment", "--encoding", "--binary",
    ];

    public static IReadOnlyDictionary<string, string> Of(LoadFacts facts)
    {
        var request = facts.Request;
        var rules = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var rule in ValueOptions.Rules)
        {
            Set(rule.Option, rule.Text(request.Values));
        }

        foreach (var rule in SourceOptions.Rules)
        {
            Set(rule.Option, rule.Text(request.Source));
        }

        Set("--where", request.Key.Where ?? "");
        Set("--undoable", request.Undoable is null ? "" : "on");
        var types = request.ColumnTypes.Select(type => $"{type.Column.ToLowerInvariant()}={NewColumn.Describe(type.Read())}");
        Set(Types, string.Join(' ', types.Order(StringComparer.Ordinal)));
        if (facts.Assignments.Count > 0 || facts.Columns.Any(column => column.IsTime))
        {
            // Where no value is a time, a server that has another zone by now stores the same.
            Set("--time-zone", facts.Server.Zone.Name);
        }

        return rules;

        void Set(string name, string value)
        {
            if (value.Length > 0)
            {
                rules[name] = value;
            }
        }
    }

    public static IReadOnlyDictionary<string, string> Of(LoadSource source, LoadRequest request)
    {
        var rules = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var look = source.Look;
        rules["--format"] = look.Format.Word();
        rules["--encoding"] = look.EncodingName;
        if (look.Format.HasPlaces())
        {
            var dialect = Dialect.Of(look.Settle(request.Source), look.Format);
            rules["--delimiter"] = string.Concat(dialect.WholeDelimiter.Select(one => Text((char)one)));
            rules["--quote"] = Text((char)(dialect.Quote ?? 0));
            rules["--escape"] = Text((char)(dialect.Escape ?? 0));
        }

        if (request.Source.Newline is { } newline)
        {
            rules["--newline"] = string.Concat(newline.Select(Text));
        }

        if (request.Source.Comment is { } comment)
        {
            rules["--comment"] = Text(comment);
        }

        var values = source.ValuesIn(request.Values);
        if (source.Mapping.Columns.Any(column => column.IsBinary || values.HasRawBits(column.Name)))
        {
            var own = values.BinaryColumns.Select(one => $" {one.Column}={one.Form}").Order(StringComparer.Ordinal);
            rules["--binary"] = $"{values.Binary}{string.Concat(own)}".ToLowerInvariant();
        }

        return rules;

        static string Text(char letter) => letter switch
        {
            '\0' => "none",
            '\t' => "tab",
            '\n' => "\\n",
            '\r' => "\\r",
            _ => letter.ToString(),
        };
    }

    public static string Digest(IReadOnlyDictionary<string, string> rules) => Convert.ToHexStringLower(
        SHA256.HashData(Encoding.UTF8.GetBytes(
            string.Join('\0', rules.OrderBy(rule => rule.Key, StringComparer.Ordinal).Select(rule => $"{rule.Key}\0{rule.Value}")))))[..32];

    /// <summary>The rules that differ, for people, such as <c>with --time-zone UTC, and this run is with --time-zone +02:00</c>; null:
    /// none. A later run need not say the types of columns that exist.</summary>
    public static string? FindDifference(IReadOnlyDictionary<string, string> before, IReadOnlyDictionary<string, string> now)
    {
        string[] names =
        [
            .. before.Keys.Union(now.Keys).Order(StringComparer.Ordinal)
                .Where(name => before.GetValueOrDefault(name) != now.GetValueOrDefault(name) && !(name == Types && !now.ContainsKey(name))),
        ];
        return names.Length == 0 ? null : $"{Describe(names, before)}, and this run is {Describe(names, now)}";
    }

    private static string Describe(IEnumerable<string> names, IReadOnlyDictionary<string, string> rules) => string.Join(", ", names.Select(
        name => !rules.TryGetValue(name, out var value) ? $"without {name}" : value == "on" ? $"with {name}" : $"with {name} {value}"));
}

/// <summary>A hash of the columns that a job uses: it is the same as long as values are judged in the same way. Unlike the time at which
/// the table was made, it is the same on every server of a cluster.</summary>
internal static class UsedColumns
{
    public static string Digest(LoadFacts facts)
    {
        var assigned = facts.Assignments.Select(assignment => facts.Table.Find(assignment.Column)).OfType<TableColumn>();
        var words = facts.Columns.Concat(assigned).DistinctBy(column => column.Name).OrderBy(column => column.Name, StringComparer.Ordinal)
            .Select(column => $"{column.Name}\0{column.TypeText}\0{column.Charset}\0{column.Collation}\0{column.IsNullable}\0"
                + $"{column.Default}\0{column.DefaultText}\0{column.Srid}");
        return TextDigest.Of(string.Join('\n', words), digits: 32);
    }
}
