using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds the delimiter of a file that is CSV by its name or by default, if it does not read well with commas. A file that only
/// commas read well is always read with commas.</summary>
internal static class DelimiterDetector
{
    private static readonly char[] Others = [';', '\t', '|'];

    /// <summary>Throws if several delimiters fit.</summary>
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (!head.MayLookForDelimiter(options))
        {
            return options;
        }

        if (EscapeDetector.TryBest(head, options) is { } commas && Fits(commas, maxFaulty: 0.5))
        {
            RequireNoneBetter(head, options, commas);
            detections.Add(Found(',', commas) with { IsExpected = true });
            return options;
        }

        var found = FindOthers(head, options);
        if (found.Count > 1)
        {
            throw Undecided(head, found);
        }

        if (found is not [var only])
        {
            return options;
        }

        detections.Add(Found(only.Delimiter, only.Sample));
        return options with { Delimiter = only.Delimiter };
    }

    public static string Show(string delimiter) => delimiter switch
    {
        "\t" => "tab",
        " " => "blanks",
        _ => $"'{(delimiter.Any(char.IsControl) ? WordOf(delimiter) : delimiter)}'",
    };

    /// <summary>As it is typed behind <c>--delimiter</c>.</summary>
    public static string WordOf(string delimiter) => delimiter == "\t" ? "tab"
        : string.Concat(delimiter.Select(one => char.IsControl(one) ? $"\\x{(int)one:x2}" : $"{one}"));

    public static DetectedSetting Found(char delimiter, SourceSample sample) => DetectedSetting.OfCharacter(
        "delimiter",
        delimiter,
        ConfidenceOf(sample),
        sample.Records == 0
            ? "by the header"
            : $"{Plural.OfFirst(sample.Records - sample.Faulty, sample.Records, "record")} " +
                $"{Plural.For(sample.Records - sample.Faulty, "has", "have")} {Plural.Count(sample.FieldCount, "field")} with it");

    /// <summary>The header and good records count for it, records with a fault against it.</summary>
    public static double ConfidenceOf(SourceSample sample) =>
        DetectedSetting.Share(sample.Records - sample.Faulty + (sample.FieldNames is null ? 0 : 1), sample.Faulty);

    /// <summary>Whether the header has several fields, and most records have as many.</summary>
    public static bool Fits(SourceSample sample, double maxFaulty) =>
        sample.FieldCount > 1 && sample.Faulty <= maxFaulty * sample.Records;

    private static List<(char Delimiter, SourceSample Sample)> FindOthers(SourceHead head, SourceOptions options)
    {
        var found = new List<(char Delimiter, SourceSample Sample)>();
        foreach (var candidate in Others)
        {
            var tried = options with { Delimiter = candidate };
            if (EscapeDetector.TryBest(head, tried) is { } sample
                && (Fits(sample, maxFaulty: 0.05) || FitsWithoutQuotes(head, tried, sample)))
            {
                found.Add((candidate, sample));
            }
        }

        return found;
    }

    private static bool FitsWithoutQuotes(SourceHead head, SourceOptions options, SourceSample sample) =>
        options.Quote is null && sample.QuoteFaults > 0 && sample.FieldCount > 1
        && head.TrySample(options with { Quote = '\0' }) is { } bare && bare.FieldCount == sample.FieldCount
        && Fits(bare, maxFaulty: 0.05);

    /// <summary>Throws if another delimiter makes more fields than the comma: decimal commas make fields too.</summary>
    private static void RequireNoneBetter(SourceHead head, SourceOptions options, SourceSample commas)
    {
        var first = head.Bytes;
        var end = first.IndexOfAny((byte)'\r', (byte)'\n');
        if ((end < 0 ? first : first[..end]).IndexOfAny((byte)';', (byte)'\t', (byte)'|') < 0)
        {
            return;
        }

        var better = FindOthers(head, options).FindAll(one => one.Sample.Records > 0 && one.Sample.FieldCount > commas.FieldCount);
        if (better.Count > 0)
        {
            throw Undecided(head, [(',', commas), .. better]);
        }
    }

    private static InputException Undecided(SourceHead head, IReadOnlyList<(char Delimiter, SourceSample Sample)> found) => new(
        $"{head.Name}: its delimiter is ambiguous: " +
        string.Join(", ", found.Select(one => $"{DetectedSetting.Show(one.Delimiter)} makes {one.Sample.FieldCount} fields")))
    {
        Delimiters = [.. found.Select(one => one.Delimiter)],
        WaysOn = [
            .. found.OrderByDescending(one => one.Sample.FieldCount).Select(one => $"{one.Delimiter}")
                .Select(delimiter => new WayOn($"to split fields at {Show(delimiter)}") { Words = ["--delimiter", WordOf(delimiter)] })],
    };
}

/// <summary>Finds lines that begin with <c>#</c> in a csv or tsv file that reads well only without them. Such a line can be a record, so
/// the user has to decide.</summary>
internal static class CommentDetector
{
    private static readonly char?[] Delimiters = [null, ';', '\t', '|'];

    public static void RequireNone(SourceHead head, SourceOptions options)
    {
        if (options.Comment is not null || options.Format != InputFormat.Auto || CountAfterFirst(head.Bytes) is not (> 0 and var lines)
            || EscapeDetector.TryBest(head, options) is { FieldCount: > 1 })
        {
            return;
        }

        var delimiters = head.MayLookForDelimiter(options) ? Delimiters : [options.Delimiter];
        if (delimiters.Any(delimiter =>
            EscapeDetector.TryBest(head, options with { Delimiter = delimiter, Comment = '#' }) is { Records: > 0 } sample
            && DelimiterDetector.Fits(sample, maxFaulty: 0.05)))
        {
            throw new InputException($"{head.Name}: {lines} {Plural.For(lines, "line")} after the first record " +
                $"{(lines == 1 ? "begins" : "begin")} with #: use --comment '#' if they are comments, --format " +
                $"{head.Format.Word()} if they are records");
        }
    }

    /// <summary>Lines before the first line without <c>#</c> count as lines before the header.</summary>
    private static int CountAfterFirst(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.StartsWith("#"u8) && bytes.IndexOf("\n#"u8) < 0 && bytes.IndexOf("\r#"u8) < 0)
        {
            return 0;
        }

        var (found, isBehind) = (0, false);
        while (!bytes.IsEmpty)
        {
            var length = LineEnds.Any.IndexIn(bytes, isAll: true, out var end);
            found += isBehind && bytes[0] == '#' ? 1 : 0;
            isBehind |= length > 0 && bytes[0] != '#';
            bytes = bytes[(length + end)..];
        }

        return found;
    }
}
