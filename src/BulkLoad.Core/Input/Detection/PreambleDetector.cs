using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds lines before the header of a csv or tsv file, such as titles, if the file does not read well otherwise.</summary>
internal static class PreambleDetector
{
    private const int MaxPreamble = 50;
    private const int MaxLines = 1000;

    /// <summary>At least a header and one record with as many fields.</summary>
    private const double Enough = 0.6;

    private static readonly char[] Delimiters = [',', ';', '\t', '|'];

    /// <summary>Throws if several delimiters leave the same number of lines.</summary>
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (!SourceHead.MayLookForPreamble(options))
        {
            return options;
        }

        var found = IsHeaderFirst(EscapeDetector.TryBest(head, options)) ? [] : FindAll(head, options, detections);
        if (found.Count > 1)
        {
            var ways = found.Select(
                one => $"with {DetectedSetting.Show((char)one.Options.Delimiter!)} it has {one.Sample.FieldCount} fields");
            throw new InputException($"{head.Name}: its header is ambiguous: {string.Join(", ", ways)}, on line " +
                $"{found[0].Options.PreambleLines + 1}; name --delimiter, or the lines before it with --skip-lines");
        }

        if (found is not [var (settled, sample)])
        {
            return AddDetection(options, "by its line sep=", 1, detections);
        }

        if (settled.Delimiter is { } delimiter && options.Delimiter is null)
        {
            // The decision about commas was made on the lines before the header.
            detections.RemoveAll(earlier => earlier.What == "delimiter");
            detections.Add(DelimiterDetector.Found(delimiter, sample) with { IsExpected = delimiter == ',' });
        }

        return AddDetection(
            settled,
            $"the header after it has {Plural.Count(sample.FieldCount, "field")}, as " +
            $"{Plural.OfFirst(sample.Records - sample.Faulty, sample.Records, "record")}",
            DelimiterDetector.ConfidenceOf(sample),
            detections);
    }

    /// <summary>Possible numbers of lines before the header. The header is the first line with the usual number of fields that another such
    /// line follows; or, if it has empty fields, the first full one. <paramref name="known"/> lines are before it in any case.</summary>
    public static IEnumerable<int> Find(ReadOnlySpan<byte> bytes, Dialect dialect, int known)
    {
        var lines = Lines(bytes, dialect);
        var counts = lines.Skip(known).Where(line => line.Fields > 0).GroupBy(line => line.Fields);
        if (counts.OrderByDescending(group => group.Count()).ThenByDescending(group => group.Key)
            .FirstOrDefault() is not { Key: > 1 and var usual })
        {
            return [];
        }

        var first = lines.FindIndex(known, line => line.Fields == usual && !line.IsMostlyEmpty);
        var full = lines.FindIndex(known, line => line.Fields == usual && line.Filled == usual);
        return new[] { first, full }.Distinct().Where(at =>
            at > known && at <= MaxPreamble && lines.Skip(at + 1).FirstOrDefault(line => line.Fields > 0).Fields == usual);
    }

    private static bool IsHeaderFirst(SourceSample? sample) => sample is not null
        && DelimiterDetector.Fits(sample, maxFaulty: 0.5)
        && sample.FieldNames is { } names && 2 * names.Count(name => name.Length == 0) < names.Count;

    private static SourceOptions AddDetection(SourceOptions options, string reason, double confidence, List<DetectedSetting> detections)
    {
        if (options.PreambleLines > 0)
        {
            var lines = options.PreambleLines;
            detections.Add(new DetectedSetting("preamble", lines.ToString(), confidence, reason)
            {
                Shown = $"of {lines} {Plural.For(lines, "line")}",
            });
        }

        return options;
    }

    private static List<(SourceOptions Options, SourceSample Sample)> FindAll(
        SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        var isOpen = head.MayLookForDelimiter(options)
            && !detections.Exists(found => found.What == "delimiter" && !found.IsExpected);
        var found = new List<(SourceOptions Options, SourceSample Sample)>();
        foreach (var delimiter in isOpen ? Delimiters.Select(delimiter => (char?)delimiter) : [options.Delimiter])
        {
            var tried = options with { Delimiter = delimiter };
            if (head.TryDialect(tried) is not { } dialect)
            {
                continue;
            }

            found.AddRange(Find(head.Bytes, dialect, options.PreambleLines)
                .Select(lines => tried with { PreambleLines = lines })
                .Select(reading => (Options: reading, Sample: EscapeDetector.TryBest(head, reading)!))
                .Where(one => one.Sample is { FieldCount: > 1 } sample && DelimiterDetector.ConfidenceOf(sample) >= Enough
                    && IsHeader(one.Sample, head.Bytes, dialect, one.Options.PreambleLines))
                .OrderByDescending(one => HeaderConfidence(one.Sample))
                .Take(1));
        }

        return found.FindAll(one => one.Options.PreambleLines == found.Min(other => other.Options.PreambleLines));
    }

    /// <summary>A header with another number of fields than its records looks like a preamble too. So if lines before have several fields,
    /// the names must be likely.</summary>
    private static bool IsHeader(SourceSample sample, ReadOnlySpan<byte> bytes, Dialect dialect, int preamble)
    {
        var mayBeNames = Lines(bytes, dialect).Take(preamble).Any(line => line.Fields > 1 && !line.IsMostlyEmpty);
        return mayBeNames ? HeaderConfidence(sample) > 0.5 : HeaderConfidence(sample) >= 0.5;
    }

    private static double HeaderConfidence(SourceSample sample) => HeaderDetector.Evaluate(sample)?.Confidence ?? 0;

    /// <summary>Each line counts as one record. Comments and empty lines have no fields.</summary>
    private static List<Line> Lines(ReadOnlySpan<byte> bytes, Dialect dialect)
    {
        var ends = new LineEnds(dialect.Newline);
        var lines = new List<Line>();
        while (!bytes.IsEmpty && lines.Count < MaxLines)
        {
            var length = ends.IndexIn(bytes, isAll: true, out var end);
            lines.Add(LineOf(bytes[..length], dialect));
            bytes = bytes[(length + end)..];
        }

        return lines;
    }

    private static Line LineOf(ReadOnlySpan<byte> bytes, Dialect dialect)
    {
        if (bytes.IsEmpty || bytes[0] == dialect.Comment)
        {
            return default;
        }

        var (fields, filled, isQuoted, start) = (1, 0, false, 0);
        for (var i = 0; i <= bytes.Length; i++)
        {
            if (i == bytes.Length || (bytes[i] == dialect.Delimiter && !isQuoted && bytes[i..].StartsWith(dialect.WholeDelimiter)))
            {
                filled += i > start ? 1 : 0;
                fields += i == bytes.Length ? 0 : 1;
                i += i == bytes.Length ? 0 : dialect.WholeDelimiter.Length - 1;
                start = i + 1;
            }
            else if (bytes[i] == dialect.Quote)
            {
                isQuoted = !isQuoted;
            }
        }

        return new Line(fields, filled);
    }

    /// <summary>0 fields: not a record.</summary>
    private readonly record struct Line(int Fields, int Filled)
    {
        /// <summary>Whether the line looks like a title that a spreadsheet has filled with delimiters.</summary>
        public bool IsMostlyEmpty => Fields > 2 && 2 * Filled <= Fields;
    }
}

/// <summary>Takes the delimiter from a line <c>sep=;</c>.</summary>
internal static class SeparatorDetector
{
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (!SourceHead.MayLookForPreamble(options) || SeparatorLine.Find(head.Bytes) is not { } delimiter)
        {
            return options;
        }

        options = options with { PreambleLines = 1 };
        if (!head.MayLookForDelimiter(options))
        {
            return options;
        }

        detections.Add(DetectedSetting.OfCharacter("delimiter", delimiter, 1, "by its line sep="));
        return options with { Delimiter = delimiter };
    }
}
