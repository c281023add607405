using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Decides whether the first record of a csv or tsv file has names, or is one of the records.</summary>
internal static class HeaderDetector
{
    /// <summary>Below this, only names of the table's columns prove a header.</summary>
    public const double MinConfidence = 0.3;

    /// <summary>From here on, the first line of a file without a header looks like one.</summary>
    public const double ProvenConfidence = 0.75;

    /// <summary>A line that occurs so often is no repeated header, but a record.</summary>
    private const int OftenRepeated = 2;

    private const int MaxNames = 10;

    public static WayOn IfRecord => new("if the first line is a record") { Words = ["--no-header"] };

    public static WayOn IfHeader => new("if it has the names") { Words = ["--header"] };

    /// <summary>Throws if the names look like values. Called if nothing else proves them.</summary>
    public static void Require(SourceInfo look)
    {
        if (look.HeaderDoubt is { } doubt)
        {
            throw look.FieldNames is null
                ? new InputException(
                    $"{look.Name}: the first line looks like a header ({doubt.Reason}, confidence {doubt.Confidence:0.00}), and the " +
                    $"{look.Format.Word()} format has none by default")
                { WaysOn = [IfHeader, IfRecord] }
                : new InputException(
                    $"{look.Name}: the first line looks like values, not names ({doubt.Reason}, confidence {doubt.Confidence:0.00} that " +
                    "it is a header)")
                { WaysOn = [IfRecord, IfHeader] };
        }

        if (look is { DumpHint: { } hint, FieldNames: { } names } && IsUnproven(look))
        {
            throw new InputException(
                $"{look.Name}: is its first line, {Show(look, names)}, a header? {char.ToUpperInvariant(hint.Text[0])}{hint.Text[1..]}")
            {
                WaysOn = [.. hint.WaysOn, IfHeader],
            };
        }
    }

    /// <summary>Number of lines that are the header, if they are more than half of the sample, which has a header and no repairs.</summary>
    public static (int Same, int Lines)? CountLike(SourceSample sample)
    {
        var (same, lines) = (sample.RepeatedHeaders + 1, sample.Records + 1);
        return sample.RepeatedHeaders >= OftenRepeated && 2 * same > lines ? (same, lines) : null;
    }

    /// <summary>Throws if most lines are the header. Called if repeated headers are dropped.</summary>
    public static void RequireOthers(SourceInfo look)
    {
        if (look is { LinesLikeHeader: var (same, lines), FieldNames: { } names })
        {
            throw new InputException(
                $"{look.Name}: is its first line, {Show(look, names)}, a header? {same} of the first {lines} lines are the same")
            {
                WaysOn = [IfRecord, new WayOn("if it is a header, to drop the others") { Words = ["--header"] }],
            };
        }
    }

    /// <summary>Throws if another delimiter splits all records of a file of one column, or the header is one name with a delimiter in it.
    /// Called if no option names format or delimiter.</summary>
    public static void RequireFields(SourceInfo look)
    {
        if (!look.Format.IsCsv() || look is not { Delimiter: { } delimiter, FieldCount: 1 })
        {
            return;
        }

        if (look.OtherDelimiters is { Count: > 0 } others)
        {
            throw new InputException(
                $"{look.Name}: would be a table of one column, and {string.Join(", ", others.Select(other => other.ToString()))}")
            {
                WaysOn = [
                    .. others.Select(other => new WayOn($"to split fields at {DelimiterDetector.Show(other.Delimiter)}")
                    {
                        Words = ["--delimiter", DelimiterDetector.WordOf(other.Delimiter), .. other.Words],
                    }),
                    OneColumn(delimiter)],
            };
        }

        if (look.FieldNames is [var only] && DelimiterIn(only, delimiter) is { } inName)
        {
            throw new InputException(
                $"{look.Name}: the first line, {Show(look, [only])}, is one name with {DetectedSetting.Show(inName)} in it")
            {
                WaysOn = [
                    new WayOn("if that separates fields") { Words = ["--delimiter", DelimiterDetector.WordOf($"{inName}")] },
                    OneColumn(delimiter)],
            };
        }
    }

    private static WayOn OneColumn(char delimiter) =>
        new("if there is one column") { Words = ["--delimiter", DelimiterDetector.WordOf($"{delimiter}")] };

    /// <summary>Notes on what is assumed without proof.</summary>
    public static IEnumerable<string> Notes(SourceInfo look)
    {
        if (look is { FieldNames: { } names, Delimiter: not null } && IsUnproven(look))
        {
            var format = look.Format.Word();
            yield return $"the first line, {Show(look, names)}, is taken for a header, as {format} has one "
                + "(--no-header: it is a record; --header: it is a header)";
        }
        else if (look is { FieldNames: null, Delimiter: { } only, FirstRecord: [var first] }
            && DelimiterIn(first, only) is { } other and not ',')
        {
            yield return $"a record is one field, and the first one holds {DetectedSetting.Show(other)} "
                + $"({OptionOf(other)}: it separates fields; {OptionOf(only)}: there is one column)";
        }
    }

    /// <summary>Whether nothing proves that the first line is a header.</summary>
    private static bool IsUnproven(SourceInfo look) =>
        look.Detections.Any(found => found.What == "header" && found.Confidence < ProvenConfidence);

    private static char? DelimiterIn(string text, char delimiter) =>
        ";\t|,".Where(candidate => candidate != delimiter && text.Contains(candidate, StringComparison.Ordinal))
            .Select(candidate => (char?)candidate).FirstOrDefault();

    private static string Show(SourceInfo look, IReadOnlyList<string> names) =>
        FieldText.Show(Encoding.UTF8.GetBytes(string.Join(look.Delimiter ?? ',', names.Take(MaxNames))));

    private static string OptionOf(char delimiter) => delimiter switch
    {
        '\t' => "--delimiter tab",
        ',' => "--delimiter ,",
        _ => $"--delimiter '{delimiter}'",
    };

    /// <summary>Whether they are like Q1, Q2 and Q3, which are no values.</summary>
    private static bool AreNumbered(IReadOnlyList<string> names) =>
        names.Where(name => name.Length > 0 && char.IsAsciiDigit(name[^1])).GroupBy(name => name.TrimEnd("0123456789".ToCharArray()))
            .Any(group => group.Key.Length > 0 && group.Distinct().Count() > 1);

    /// <summary>Null: there is no header, or it has no names.</summary>
    public static DetectedSetting? Evaluate(SourceSample sample)
    {
        if (sample.FieldNames is not { Count: > 0 } names)
        {
            return null;
        }

        var (supporting, opposing, values, alike) = (0, 0, 0, 0);
        var isNumbered = AreNumbered(names);
        for (var i = 0; i < names.Count; i++)
        {
            var name = Encoding.UTF8.GetBytes(names[i]);
            var column = i < sample.Columns.Count ? sample.Columns[i] : null;
            if (name.Length == 0 || (sample.Records > 0 && PlainValue.IsYear(name)))
            {
                continue;
            }

            var isValue = PlainValue.Is(name);
            supporting += column is { HoldsValues: true } && !isValue ? 1 : 0;
            alike += column is { IsMadeLikeIt: true, SameAsName: 0, IsOfItsShape: false } && !isNumbered && !isValue ? 1 : 0;
            opposing += column is { SameAsName: > 0 } or { IsOfItsShape: true } || (isValue && column is { HoldsValues: true }) ? 1 : 0;
            values += isValue && column is not ({ SameAsName: > 0 } or { HoldsValues: true }) ? 1 : 0;
        }

        // A repeated line is one of the records if no name in it is above values.
        var repeated = supporting == 0 && sample.RepeatedHeaders >= OftenRepeated ? sample.RepeatedHeaders : 0;
        opposing += values + repeated + alike;
        var reason = new StringBuilder(
            $"columns with a name above values: {supporting}, that begin with one of their values: " +
            $"{opposing - values - repeated - alike}");
        if (alike > 0)
        {
            reason.Append($", that are written as each of their values is: {alike}");
        }

        if (values > 0)
        {
            reason.Append($", names that are a number, date, time or address: {values}");
        }

        if (repeated > 0)
        {
            reason.Append($", the same line again: {repeated}");
        }

        return new DetectedSetting("header", "yes", (supporting + 0.5) / (supporting + opposing + 1), reason.ToString())
        {
            IsExpected = true,
        };
    }
}

internal static class HeaderHints
{
    public static WayOn? For(IReadOnlyList<string>? names, Dialect dialect)
    {
        if (names is null || dialect.Format.IsJson())
        {
            return null;
        }

        if (names is [var first, ..] && Utf16Of(first) is { } encoding)
        {
            return new WayOn("every second byte of the first line is NUL: the file may be UTF-16 without a byte order mark")
            {
                Words = ["--encoding", encoding],
            };
        }

        return (names is [var only] ? OtherDelimiter(only, dialect.Format) : null)
            ?? (IsDoubled(names) && dialect.WholeDelimiter is [var one]
                ? new WayOn("each second name is empty: the delimiter may be two characters")
                {
                    Words = ["--delimiter", $"{(char)one}{(char)one}"],
                }
                : null)
            ?? (names.Any(IsValue) ? new WayOn("the first line looks like values, not names") { Words = ["--no-header"] } : null);
    }

    /// <summary>The UTF-16 encoding of a name in which every second byte is NUL; null: not every second one is.</summary>
    private static string? Utf16Of(string name)
    {
        return name.Length < 2 ? null : IsNulAt(1) ? "utf-16le" : IsNulAt(0) ? "utf-16be" : null;

        bool IsNulAt(int place) => name.Index().All(one => one.Item == '\0' == (one.Index % 2 == place));
    }

    /// <summary>Whether names are like those of <c>a||b||c</c> with one bar for a delimiter.</summary>
    private static bool IsDoubled(IReadOnlyList<string> names) =>
        names.Count >= 3 && names.Count % 2 == 1 && names.Index().All(name => name.Item.Length == 0 == (name.Index % 2 == 1));

    private static bool IsValue(string name) => name.Length > 0 && PlainValue.Is(Encoding.UTF8.GetBytes(name));

    private static WayOn? OtherDelimiter(string line, InputFormat format) =>
        line.Contains('\t', StringComparison.Ordinal) ? Hint("tab-separated", "--format", "tsv")
        : line.Contains(';', StringComparison.Ordinal) ? Hint("separated by semicolons", "--delimiter", ";")
        : line.Contains('|', StringComparison.Ordinal) ? Hint("separated by bars", "--delimiter", "|")
        : !line.Contains(',', StringComparison.Ordinal) ? null
        : format == InputFormat.Csv ? Hint("comma-separated", "--delimiter", ",") : Hint("comma-separated", "--format", "csv");

    private static WayOn Hint(string form, params string[] words) => new($"the first line looks {form}") { Words = words };
}
