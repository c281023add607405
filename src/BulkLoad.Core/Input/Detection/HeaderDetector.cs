using System.Buffers;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Whether the first record of a csv or tsv file holds names, as the format says, or is plainly one of the values.</summary>
internal static class HeaderDetector
{
    /// <summary>Below this, a header is not taken for one unless its names are the table's.</summary>
    public const double LeastConfidence = 0.3;

    /// <summary>From this on, the first line of a file that should have no header is asked about: a name is above values, and nothing
    /// speaks against it.</summary>
    public const double ProvenConfidence = 0.75;

    /// <summary>So often the same line is no header that came again, but a value.</summary>
    private const int OftenRepeated = 2;

    /// <summary>Names of a header that messages show.</summary>
    private const int MostNames = 10;

    /// <summary>Where nothing else proves the names: that they look like names.</summary>
    /// <exception cref="InputException">they are plainly values</exception>
    public static void Require(SourceInfo look)
    {
        if (look.HeaderDoubt is { } doubt)
        {
            throw new InputException(look.FieldNames is null
                ? $"{look.Name}: the first line looks like a header ({doubt.Reason}, confidence {doubt.Confidence:0.00}), and the " +
                    $"{look.Format.ToString().ToLowerInvariant()} format has none by default: use --header if it has the names, " +
                    "--no-header if it is a record"
                : $"{look.Name}: the first line looks like values, not names ({doubt.Reason}, confidence {doubt.Confidence:0.00} that " +
                    "it is a header): use --no-header if it is a record, --header if it has the names");
        }
    }

    /// <summary>How many of the sample's lines are the header's, itself among them, where those are more than half; else null.</summary>
    /// <param name="sample">read with a header, repairing nothing</param>
    public static (int Same, int Lines)? CountLike(SourceSample sample)
    {
        var (same, lines) = (sample.RepeatedHeaders + 1, sample.Records + 1);
        return sample.RepeatedHeaders >= OftenRepeated && 2 * same > lines ? (same, lines) : null;
    }

    /// <summary>Where a header that comes again is dropped: that most lines are others.</summary>
    /// <exception cref="InputException">they are not</exception>
    public static void RequireOthers(SourceInfo look)
    {
        if (look is { LinesLikeHeader: var (same, lines), FieldNames: { } names })
        {
            throw new InputException(
                $"{look.Name}: is its first line, {Show(look, names)}, a header? {same} of the first {lines} lines are the same. "
                + "--no-header: it is a record; --header: it is a header, and --dirt repeated-header=repair drops the others");
        }
    }

    /// <summary>Where nothing else proves how many fields there are: that the header is not one name with a delimiter in it.</summary>
    /// <param name="look">at an input of which no option names the format or the delimiter</param>
    /// <exception cref="InputException">it is</exception>
    public static void RequireFields(SourceInfo look)
    {
        if (look is { Format: InputFormat.Csv or InputFormat.Tsv, Delimiter: { } delimiter, FieldNames: [var only] }
            && DelimiterIn(only, delimiter) is { } other)
        {
            throw new InputException(
                $"{look.Name}: the first line, {Show(look, [only])}, is one name with {DetectedSetting.Show(other)} in it: "
                + $"say {OptionOf(other)} if that separates fields, {OptionOf(delimiter)} if there is one column");
        }
    }

    /// <summary>What is taken for so where nothing proves it, for people: the first line for names, a line for one field.</summary>
    public static IEnumerable<string> Notes(SourceInfo look)
    {
        if (look is { FieldNames: { } names, Delimiter: not null }
            && look.Detections.Any(found => found.What == "header" && found.Confidence < ProvenConfidence))
        {
            var format = look.Format.ToString().ToLowerInvariant();
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

    /// <summary>The first character of a text that often separates fields, but not here.</summary>
    private static char? DelimiterIn(string text, char delimiter) =>
        ";\t|,".Where(candidate => candidate != delimiter && text.Contains(candidate, StringComparison.Ordinal))
            .Select(candidate => (char?)candidate).FirstOrDefault();

    private static string Show(SourceInfo look, IReadOnlyList<string> names) =>
        FieldText.Show(Encoding.UTF8.GetBytes(string.Join(look.Delimiter ?? ',', names.Take(MostNames))));

    private static string OptionOf(char delimiter) => delimiter switch
    {
        '\t' => "--delimiter tab",
        ',' => "--delimiter ,",
        _ => $"--delimiter '{delimiter}'",
    };

    /// <summary>How sure it is that the sample's header is one; null where it has none, or no names.</summary>
    /// <param name="sample">read with a header</param>
    public static DetectedSetting? Judge(SourceSample sample)
    {
        if (sample.FieldNames is not { Count: > 0 } names)
        {
            return null;
        }

        var (supporting, opposing, values) = (0, 0, 0);
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
            opposing += column is { SameAsName: > 0 } or { IsOfItsShape: true } || (isValue && column is { HoldsValues: true }) ? 1 : 0;
            values += isValue && column is not ({ SameAsName: > 0 } or { HoldsValues: true }) ? 1 : 0;
        }

        // A line that comes again and again under names of which none is above values is one of the records.
        var repeated = supporting == 0 && sample.RepeatedHeaders >= OftenRepeated ? sample.RepeatedHeaders : 0;
        opposing += values + repeated;
        var reason = new StringBuilder(
            $"columns with a name above values: {supporting}, that begin with one of their values: {opposing - values - repeated}");
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

/// <summary>What a header looks like when it was probably read in the wrong way.</summary>
internal static class HeaderHints
{
    /// <summary>What may be wrong and what to do, for people; null where nothing is seen.</summary>
    public static string? For(IReadOnlyList<string>? names, Dialect dialect)
    {
        if (names is null || dialect.Format.IsJson())
        {
            return null;
        }

        if (names.Any(name => name.Contains('\0', StringComparison.Ordinal)))
        {
            return "the first line holds NUL bytes: UTF-16 without a byte order mark is read with --encoding utf-16";
        }

        return (names is [var only] ? OtherDelimiter(only, dialect.Format) : null)
            ?? (names.Any(IsValue) ? "the first line looks like values, not names: --no-header takes it as a record" : null);
    }

    private static bool IsValue(string name) => name.Length > 0 && PlainValue.Is(Encoding.UTF8.GetBytes(name));

    private static string? OtherDelimiter(string line, InputFormat format) =>
        line.Contains('\t', StringComparison.Ordinal) ? "the first line looks tab-separated: --format tsv"
        : line.Contains(';', StringComparison.Ordinal) ? "the first line looks separated by semicolons: --delimiter ';'"
        : line.Contains('|', StringComparison.Ordinal) ? "the first line looks separated by bars: --delimiter '|'"
        : line.Contains(',', StringComparison.Ordinal)
            ? $"the first line looks comma-separated: {(format == InputFormat.Csv ? "--delimiter ','" : "--format csv")}"
        : null;
}

/// <summary>Tells values that nobody takes for a name: numbers, dates, times, e-mail and web addresses, UUIDs, NULL words,
/// booleans.</summary>
internal static class PlainValue
{
    private const int UuidLength = 36;

    /// <summary>What numbers, dates and times are made of.</summary>
    private static readonly SearchValues<byte> NumberBytes = SearchValues.Create("0123456789+-.,:/% TZEe"u8);

    private static readonly SearchValues<byte> UuidBytes = SearchValues.Create("0123456789abcdefABCDEF-"u8);

    private static readonly SearchValues<byte> Digits = SearchValues.Create("0123456789"u8);

    /// <param name="text">a field, not empty</param>
    public static bool Is(ReadOnlySpan<byte> text) => IsNumberOrTime(text) || IsWord(text) || IsAddress(text) || IsUuid(text);

    /// <summary>Whether it is a number that heads columns often enough: a year.</summary>
    public static bool IsYear(ReadOnlySpan<byte> text) =>
        text.Length == 4 && text[0] is (byte)'1' or (byte)'2' && text.IndexOfAnyExcept(Digits) < 0;

    private static bool IsNumberOrTime(ReadOnlySpan<byte> text) =>
        text.IndexOfAnyExcept(NumberBytes) < 0 && text.IndexOfAny(Digits) is >= 0 and <= 2
        && text[0] is not ((byte)'T' or (byte)'Z' or (byte)'E' or (byte)'e');

    private static bool IsWord(ReadOnlySpan<byte> text) =>
        text is [(byte)'\\', (byte)'N'] || text.SequenceEqual("NULL"u8)
        || System.Text.Ascii.EqualsIgnoreCase(text, "true"u8) || System.Text.Ascii.EqualsIgnoreCase(text, "false"u8);

    private static bool IsAddress(ReadOnlySpan<byte> text) =>
        text.StartsWith("http://"u8) || text.StartsWith("https://"u8)
        || (text.IndexOf((byte)'@') is > 0 and var at && text[at..].IndexOf((byte)'.') > 1 && !text.Contains((byte)' '));

    private static bool IsUuid(ReadOnlySpan<byte> text) =>
        text.Length == UuidLength && text[8] == '-' && text[13] == '-' && text.IndexOfAnyExcept(UuidBytes) < 0;
}
