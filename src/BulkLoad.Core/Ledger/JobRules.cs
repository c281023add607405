using System.Security.Cryptography;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// The rules of a job as they were resolved: what the options of <see cref="OptionRole.Rule"/> came to, by their names. What is usual is
/// left out, so that an option that a later version adds changes no job.
/// </summary>
internal static class JobRules
{
    /// <summary>
    /// Options that are no members of the rules, since something else has them: <c>--spec</c> is read as the options that it has,
    /// and lines before the first record are no part of the content.
    /// </summary>
    public static IReadOnlyList<string> ResolvedElsewhere { get; } = ["--spec", "--skip-lines", "--header", "--no-header"];

    /// <summary>Names that <see cref="Of(LoadFacts)"/> and <see cref="Of(LoadSource, LoadRequest)"/> can give.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        "--null-value", "--empty", "--trim", "--round", "--zero-dates", "--time-zone", "--where", "--ignore-unknown", "--dirt", "--ranges",
        "--max-quoted-lines",
        "--type",
        "--format", "--delimiter", "--quote", "--escape", "--newline", "--comment", "--encoding", "--binary",
        .. ValueFormat.Options.Select(option => option.Option),
    ];

    /// <summary>Those of the job.</summary>
    public static IReadOnlyDictionary<string, string> Of(LoadFacts facts)
    {
        var request = facts.Request;
        var values = request.Values;
        var rules = new SortedDictionary<string, string>(StringComparer.Ordinal);
        Set("--null-value", string.Join(' ',
            values.NullTexts.Select(text => text.Column is null ? $"'{text.Text}'" : $"{text.Column}='{text.Text}'")
            .Order(StringComparer.Ordinal)));
        Set("--empty", values.Empty switch
        {
            EmptyMeaning.Auto => "",
            EmptyMeaning.EmptyText => "string",
            var other => other.ToString().ToLowerInvariant(),
        });
        Set("--trim", values.Trim ? "on" : "");
        Set("--round", values.Round ? "on" : "");
        Set("--zero-dates", values.ZeroDates ? "on" : "");
        foreach (var option in values.Formats.GroupBy(format => format.Aspect))
        {
            Set(ValueFormat.OptionOf(option.Key), string.Join(' ', option.Select(format => format.Value).Order(StringComparer.Ordinal)));
        }

        Set("--where", request.Key.Where ?? "");
        Set("--ignore-unknown", request.Source.IgnoreUnknown ? "on" : "");
        Set("--dirt", string.Join(',',
            Enum.GetValues<DirtKind>().Where(request.Source.Dirt.Names)
            .Select(kind => $"{DirtPolicies.NameOf(kind)}={request.Source.Dirt[kind].ToString().ToLowerInvariant()}")));
        var types = request.ColumnTypes.Select(type => $"{type.Column.ToLowerInvariant()}={NewColumn.Describe(type.Read())}");
        Set("--type", string.Join(' ', types.Order(StringComparer.Ordinal)));
        Set("--ranges", request.Source.ReadsRanges ? "on" : "");
        Set("--max-quoted-lines", request.Source.MaxQuotedLines == new SourceOptions().MaxQuotedLines
            ? ""
            : request.Source.MaxQuotedLines.ToString());
        if (facts.Assignments.Count > 0
            || facts.Columns.Any(
            column => column.Kind is ColumnKind.Date or ColumnKind.DateTime or ColumnKind.Timestamp or ColumnKind.Time))
        {
            // Where nothing is a time, a server that has another zone by now stores the same.
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

    /// <summary>Those by which one input is read.</summary>
    public static IReadOnlyDictionary<string, string> Of(LoadSource source, LoadRequest request)
    {
        var rules = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var look = source.Look;
        rules["--format"] = look.Format.ToString().ToLowerInvariant();
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

        if (source.Mapping.Columns.Any(column => column.IsBinary))
        {
            var own = request.Values.BinaryColumns.Select(one => $" {one.Column}={one.Form}").Order(StringComparer.Ordinal);
            rules["--binary"] = $"{request.Values.In(look.Format).Binary}{string.Concat(own)}".ToLowerInvariant();
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

    /// <summary>One word for rules.</summary>
    public static string Digest(IReadOnlyDictionary<string, string> rules) => Convert.ToHexStringLower(
        SHA256.HashData(Encoding.UTF8.GetBytes(
            string.Join('\0', rules.OrderBy(rule => rule.Key, StringComparer.Ordinal).Select(rule => $"{rule.Key}\0{rule.Value}")))))[..32];

    /// <summary>
    /// The rules that are not the same, for people, such as <c>with --time-zone UTC, and this run is with --time-zone +02:00</c>; null: all
    /// are.
    /// </summary>
    public static string? FindDifference(IReadOnlyDictionary<string, string> before, IReadOnlyDictionary<string, string> now)
    {
        if (Digest(before) == Digest(now))
        {
            return null;
        }

        string[] names =
        [
            .. before.Keys.Union(now.Keys).Order(StringComparer.Ordinal)
                .Where(name => before.GetValueOrDefault(name) != now.GetValueOrDefault(name)),
        ];
        return $"{Describe(names, before)}, and this run is {Describe(names, now)}";
    }

    private static string Describe(IEnumerable<string> names, IReadOnlyDictionary<string, string> rules) => string.Join(", ", names.Select(
        name => !rules.TryGetValue(name, out var value) ? $"without {name}" : value == "on" ? $"with {name}" : $"with {name} {value}"));
}

/// <summary>
/// The columns that a job uses, in one word: whether they are the ones by which the values of an earlier start were judged. It is the same
/// on every server of a cluster, as the time at which a table was made is not.
/// </summary>
internal static class UsedColumns
{
    public static string Digest(LoadFacts facts)
    {
        var assigned = facts.Assignments.Select(assignment => facts.Table.Find(assignment.Column)).OfType<TableColumn>();
        var words = facts.Columns.Concat(assigned).DistinctBy(column => column.Name).OrderBy(column => column.Name, StringComparer.Ordinal)
            .Select(column => $"{column.Name}\0{column.TypeText}\0{column.Charset}\0{column.Collation}\0{column.IsNullable}\0"
                + $"{column.Default}\0{column.DefaultText}\0{column.Srid}");
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\n', words))))[..32];
    }
}
