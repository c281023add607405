using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Suggesting;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Jobs;

/// <summary>Notes on values that may mean something else: 3.500, in many countries 3500; dates that a new column keeps as text.</summary>
internal static class NotationNotes
{
    private const int MaxRecords = 1000;
    private const int MaxColumns = 10;

    /// <summary>Reads the first records of the first input that can be read again. Throws what reading throws: the job meets the same
    /// error, and its message says what was committed.</summary>
    /// <returns>sentences for people; none: no value may be misread</returns>
    public static IReadOnlyList<string> Of(LoadFacts facts, IReadOnlyList<LoadSource> sources, CancellationToken cancellationToken)
    {
        if (sources.FirstOrDefault(source => source.CanReadAgain) is not { } source || !source.Look.Format.IsCsv())
        {
            return [];
        }

        var made = (facts.NewTable?.Columns ?? facts.AddedColumns?.Columns ?? [])
            .Select(column => column.Column).ToHashSet(StringComparer.OrdinalIgnoreCase);
        var values = facts.Request.Values.In(source.Look.Format);
        var rules = RuleOptions.Of(values, facts.Server.Zone);
        List<(int Field, string Name, GroupStudy Study)> numbers = [];
        List<(int Field, FieldStudy Study)> texts = [];
        foreach (var (column, field) in source.Mapping.Columns.Zip(source.Mapping.FieldOf))
        {
            if (MayBeGrouped(column, facts.Request.Values.Formats, source.Look.Delimiter))
            {
                numbers.Add((field, column.Name, new GroupStudy()));
            }
            else if (column.IsCharacter && made.Contains(column.Name))
            {
                texts.Add((field, new FieldStudy(column.Name, null, rules, values)));
            }
        }

        if (numbers.Count + texts.Count == 0)
        {
            return [];
        }

        Read(source, facts.Request.Source, numbers, texts, cancellationToken);
        var kept = texts.Select(one => Describe(one.Study)).OfType<string>().Take(MaxColumns);
        return [.. Describe(numbers.FindAll(one => one.Study.Example is not null)), .. kept];
    }

    private static void Read(
        LoadSource source, SourceOptions options, List<(int Field, string Name, GroupStudy Study)> numbers,
        List<(int Field, FieldStudy Study)> texts, CancellationToken cancellationToken)
    {
        using var input = source.Open(options, cancellationToken);
        using var reader = source.CreateReader(input, options);
        for (var records = 0; records < MaxRecords && reader.Read(); records++)
        {
            if (reader.Fault is not null)
            {
                continue;
            }

            foreach (var (field, _, study) in numbers)
            {
                reader.GetField(field, out var value);
                study.Add(value);
            }

            foreach (var (field, study) in texts)
            {
                study.Add(reader.GetField(field, out var value), value, reader.RecordNumber, isJson: false);
            }
        }
    }

    /// <summary>Whether a column takes numbers with a point whose meaning no option says, and may have too few digits for them.</summary>
    private static bool MayBeGrouped(TableColumn column, IReadOnlyList<ValueFormat> formats, char? delimiter) =>
        column.Behaviour.Family == ColumnFamily.Fraction && (column is { Kind: ColumnKind.Decimal, Scale: < 3 } || delimiter == ';')
            && !formats.Any(format => IsOfNumbers(format, column.Name));

    private static bool IsOfNumbers(ValueFormat format, string column) =>
        format.Aspect is ValueAspect.DecimalPoint or ValueAspect.Thousands
            && (format.Column is null || format.Column.Equals(column, StringComparison.OrdinalIgnoreCase));

    private static IEnumerable<string> Describe(List<(int Field, string Name, GroupStudy Study)> found)
    {
        if (found.Count > 0)
        {
            yield return $"{string.Join(", ", found.Take(MaxColumns).Select(one => one.Name))}: "
                + $"{found[0].Study.Example} is read with a decimal point; "
                + "every point is before three digits, and may be between thousands: then add --decimal , --thousands .";
        }
    }

    /// <summary>A note on one column; the values of other columns do not matter for it.</summary>
    private static string? Describe(FieldStudy study)
    {
        if (study is { Values: 0 } or { IsPlain: true })
        {
            return null;
        }

        var composer = new Composer([study]);
        composer.Compose();
        if (composer.Unsolved.Count > 0 || composer.Formats is not [var format, ..]
            || format.Aspect is ValueAspect.True or ValueAspect.False)
        {
            return null;
        }

        var ways = composer.Choices is [var choice] ? choice.Alternatives.Where(way => way.Words.Count > 0) : composer.Options;
        var options = string.Join(" or ", ways.Select(way => way.Shell).Distinct().Take(3));
        return $"{study.Name}: values such as {study.Example} are kept as text; "
            + $"{(format.Aspect <= ValueAspect.Time ? "a date or time" : "a number")} with {options} "
            + "(where the table is made, drop it first)";
    }

    /// <summary>Tells whether the points in all values of a column may separate thousands.</summary>
    private sealed class GroupStudy
    {
        private bool _isOther;
        private string? _example;

        /// <summary>The first value with a point; null: there is none, or a value shows that points do not separate thousands.</summary>
        public string? Example => _isOther ? null : _example;

        public void Add(ReadOnlySpan<byte> value)
        {
            if (_isOther)
            {
                return;
            }

            var digits = value.Length > 0 && value[0] is (byte)'-' or (byte)'+' ? value[1..] : value;
            var point = digits.IndexOf((byte)'.');
            if (point < 0)
            {
                _isOther = digits.Length > 3 && digits.IndexOfAnyExceptInRange((byte)'0', (byte)'9') < 0;
                return;
            }

            _isOther = point is 0 or > 3 || digits[0] == '0' || digits.Length != point + 4
                || digits[(point + 1)..].IndexOfAnyExceptInRange((byte)'0', (byte)'9') >= 0;
            _example ??= Encoding.UTF8.GetString(value);
        }
    }
}

/// <summary>Suggests options at a refused record: for a key, one that says what happens to such a record; for a value, one that reads all
/// values of the column, if they have one form.</summary>
internal static class FormatHint
{
    private const int MaxRecords = 10_000;

    private static readonly HashSet<string> Codes = ["not-a-date", "not-a-time", "not-a-number", "not-an-integer", "impossible-date",
        "has-time"];

    /// <summary>Reasons, other than faults of the format, that an option for encodings or forms of values can remove.</summary>
    private static readonly HashSet<string> OtherForms =
        ["invalid-text", "not-a-date", "not-a-number", "not-a-time", "not-an-integer", "too-many-decimals"];

    /// <summary>No message asks which of two words means true.</summary>
    private static bool IsOfWords(SuggestedOption way) => way.Words[0] is "--true" or "--false";

    /// <summary>Reads the first records again, and puts first the commands that take the record, or show all refused ones.</summary>
    /// <param name="hasCommitted">whether the job is bound to its options already</param>
    public static void AddTo(
        RejectLimitException fault, Reject? reject, PreparedJob job, bool hasCommitted, CancellationToken cancellationToken)
    {
        var request = job.Request;
        if (!request.Mode.Writes)
        {
            return;
        }

        if (reject is { Code: "duplicate-key" } && request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Error })
        {
            // A table that becomes exactly the input has no row that a record could find.
            fault.Advise(request.Known is null ? DuplicateAdvice.Of(reject, job.Facts, hasCommitted) : []);
            return;
        }

        var (ways, isChoice) = hasCommitted ? ([], false)
            : DefaultOf(reject, job) is { } own ? ([own], false)
            : WaysOn(reject, job, cancellationToken);
        var check = CheckOf(reject, job) is { } found ? new[] { found } : [];
        fault.Advise(isChoice ? [.. check, .. ways] : [.. ways, .. check]);
    }

    /// <summary>For an empty field of a NOT NULL column that has a default; null: the reject is another one.</summary>
    private static WayOn? DefaultOf(Reject? reject, PreparedJob job) =>
        reject is { Code: "null-not-allowed", Column: { } column } && reject.Message.StartsWith("is empty", StringComparison.Ordinal)
            && job.Facts.Table.Find(column) is { Default: ColumnDefault.Constant or ColumnDefault.Expression }
            ? new WayOn("to leave such fields to the column's default") { Words = ["--empty", $"{column}=default"] }
            : null;

    /// <summary>The command that shows what else is refused; null: there is none, or it could not see this reject.</summary>
    private static WayOn? CheckOf(Reject? reject, PreparedJob job)
    {
        var request = job.Request;
        if (request.Kind != JobKind.Import || job.Facts is not { NewTable: null, AddedColumns: null } || !job.Sources.All(CanBeNamedAgain))
        {
            return null;
        }

        const string All = "to see all rejects at once, without writing";
        return request.OnDuplicate != DuplicateMode.Error ? new WayOn(All) { Words = ["--preview"] }
            : reject is not null && (OtherForms.Contains(reject.Code) || DirtPolicies.Find(reject.Code) is not null)
                ? new WayOn("to find the options that this file needs") { Command = "check", Words = ["--suggest"] }
            : new WayOn(All) { Command = "check" };
    }

    /// <summary>A second command would find a pipe empty.</summary>
    private static bool CanBeNamedAgain(LoadSource source) =>
        source is { CanReadAgain: true, Spool: null } && !source.Look.Name.StartsWith("/dev/", StringComparison.Ordinal);

    /// <summary>A command for each way to read the refused value.</summary>
    private static (WayOn[] Ways, bool IsChoice) WaysOn(Reject? reject, PreparedJob job, CancellationToken cancellationToken)
    {
        if (Find(reject, job, cancellationToken) is not { } found)
        {
            return ([], false);
        }

        WayOn With(IReadOnlyList<string> words) =>
            new($"with {ShellQuoting.Join(words)}{(found.Amount is null ? "" : $", which takes {found.Amount}")}") { Words = words };
        return found.IsChoice
            ? ([.. found.Options.Select(way => With(way.Words))], true)
            : ([With([.. found.Options.SelectMany(way => way.Words)])], false);
    }

    /// <returns>the options that can read values such as the refused one, and how many they take; null: there are none</returns>
    public static string? Of(Reject? reject, PreparedJob job, CancellationToken cancellationToken)
    {
        if (Find(reject, job, cancellationToken) is not { } found)
        {
            return null;
        }

        var ways = found.Options.Select(way => way.Shell);
        return found.Amount is null ? string.Join(' ', ways)
            : $"{string.Join(found.IsChoice ? " or " : " ", ways)}, which "
                + $"{(found.IsChoice ? "both take" : found.Options.Count == 1 ? "takes" : "together take")} {found.Amount}";
    }

    /// <param name="IsChoice">true: each option is enough by itself; false: all are needed together</param>
    /// <param name="Amount">how many values they take, for people; null: they are not about values</param>
    private sealed record Found(IReadOnlyList<SuggestedOption> Options, bool IsChoice, string? Amount);

    private static Found? Find(Reject? reject, PreparedJob job, CancellationToken cancellationToken)
    {
        // Options are for values of files.
        if (!Features.Files)
        {
            return null;
        }

        var source = job.Sources.FirstOrDefault(source => source.Look.Name == reject?.Source);
        if (reject?.Column is not { } column || source is not { CanReadAgain: true } || !Codes.Contains(reject.Code))
        {
            return null;
        }

        var survey = new Survey(job.Request, job.Facts.Server.Zone);
        survey.Read(source, column, MaxRecords, cancellationToken);
        var composer = new Composer(survey.Columns);
        composer.Compose();
        SuggestedOption[] ways = [.. composer.Options, .. composer.Choices is [var choice]
            ? choice.Alternatives.Where(way => way.Words.Count > 0 && !IsOfWords(way))
            : []];
        if (ways.Length is 0 or > 3 || composer.Unsolved.Count > 0 || !FitsTyped(composer.Formats, job.Request.Values.Formats))
        {
            return null;
        }

        var (values, records) = (survey.Columns.Sum(study => study.Values), survey.Records);
        var all = $"{Plural.All(values, "value")} of "
            + (records >= MaxRecords ? Plural.First(records, "record")
                : records == 1 ? "the one record" : $"the {Plural.Count(records, "record")}");
        return new Found(ways, composer.Choices.Count > 0, composer.Formats.Count == 0 ? null : all);
    }

    /// <summary>Whether an option can be used together with the typed ones.</summary>
    private static bool FitsTyped(IReadOnlyList<ValueFormat> found, IReadOnlyList<ValueFormat> typed)
    {
        try
        {
            new NotationSet([.. typed, .. found]).Validate();
            return true;
        }
        catch (RequestException)
        {
            return false;
        }
    }
}
