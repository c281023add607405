using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Looks at the beginning of an input: format, names, and size of records.</summary>
internal static class SourceProbe
{
    /// <summary>Peeks about 256 KiB, more if the first record is larger. Throws if the header cannot be read, or something necessary is
    /// unclear.</summary>
    public static SourceInfo Look(InputFile input, SourceOptions options, ValueOptions? values = null)
    {
        var guesses = new List<string>(input.Guesses);
        var format = SourceFormat.Resolve(input, options.Format, guesses);
        if (options.Format == InputFormat.Keys && format != InputFormat.Keys)
        {
            // The extension decided, as it does where nothing was said.
            options = options with { Format = InputFormat.Auto };
        }

        var detections = new List<DetectedSetting>(input.Detections);
        var head = new SourceHead(input, format);
        if (options.Encoding is null && input is { HasKnownEncoding: false } && (values ?? new()).In(format).Binary != BinaryForm.Raw
            && Utf8Detector.Judge(input.Name, head.Bytes, head.IsWhole, input.ContentOffset) is { } encoding)
        {
            detections.Add(encoding);
        }

        DumpDetector.RequireNone(head, options);
        var dump = DumpDetector.HintFor(head, options);
        var settled = SourceDetection.Settle(head, options, detections);
        var dialect = Dialect.Of(settled, format);

        // What is repaired must not change how many fields there are.
        var unrepaired = dialect.HasHeader ? null : head.TrySample(settled);
        var sample = head.SampleAsRead(settled, format.IsJson() ? 0 : unrepaired?.FieldCount ?? 0);
        var mayJudge = format.HasPlaces() && options.HasHeader is null && !options.IsPinned;
        var judged = mayJudge ? head.TrySample(format.IsEscaped() ? settled with { HasHeader = true } : settled) : null;
        var header = judged is null ? null : HeaderDetector.Judge(judged);
        if (header is not null && !format.IsEscaped())
        {
            detections.Add(header);
        }

        guesses.AddRange(detections.Where(found => !found.IsExpected).Select(found => found.ToString()));
        if (sample is { FieldNames: [], FirstFault: var (line, fault) })
        {
            // Without a single key there is nothing to map, and the fault says why.
            throw new InputException($"{input.Name}:{line}: {fault.Message}");
        }

        return new SourceInfo
        {
            Name = input.Name,
            Path = input.Path,
            Format = format,
            Delimiter = !format.HasPlaces() ? null : (char)dialect.Delimiter,
            FieldNames = sample.FieldNames,
            FieldLines = sample.FieldLines,
            FieldCount = sample.FieldCount,
            FirstKey = format == InputFormat.Keys ? sample.FirstField : null,
            Length = input.Length,
            Changed = input.Changed,
            Compression = input.Compression,
            EncodingName = input.EncodingName,
            SampleRecords = sample.Records,
            FaultySampleRecords = sample.Faulty,
            AverageRecordBytes = sample.AverageRecordBytes,
            EstimatedRecords = sample.EstimateRecords(input.ContentOffset + input.EstimatedContentLength),
            IsEmpty = sample.FieldCount == 0 && sample.Records == 0,
            HasMark = input.ContentOffset > 0,
            Head = sample.Head,
            Newline = sample.Newline,
            DumpHint = dump,
            HeaderHint = dump ?? HeaderHints.For(sample.FieldNames, dialect),
            HeaderDoubt = format.IsEscaped() ? (header?.Confidence >= HeaderDetector.ProvenConfidence ? header : null)
                : header?.Confidence < HeaderDetector.LeastConfidence ? header
                : null,
            LinesLikeHeader = judged is not null && dialect.HasHeader ? HeaderDetector.CountLike(judged) : null,
            MayHoldNothing = format.IsJson() || (format != InputFormat.Keys && !dialect.HasHeader),
            FirstRecord = format.IsJson() ? null : unrepaired?.FirstRecord,
            FieldCounts = unrepaired?.FieldCounts ?? sample.FieldCounts,
            Settled = settled,
            Detections = detections,
            Guesses = guesses,
        };
    }
}

/// <summary>Detects what no option says. Each decision has its own class.</summary>
internal static class SourceDetection
{
    /// <summary>The message of an exception names the possible values and the option.</summary>
    public static SourceOptions Settle(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (head.Format is not (InputFormat.Csv or InputFormat.Tsv) || options.IsPinned)
        {
            return options;
        }

        options = SeparatorLine.Apply(head, options, detections);
        CommentDetector.RequireNone(head, options);
        options = DelimiterDetector.Apply(head, options, detections);
        options = PreambleDetector.Apply(head, options, detections);
        options = QuoteDetector.Apply(head, options, detections);
        return EscapeDetector.Apply(head, options, detections);
    }

    public static bool MayLookForDelimiter(SourceHead head, SourceOptions options) =>
        head.Format == InputFormat.Csv && options.Format == InputFormat.Auto && options.Delimiter is null;

    /// <summary>Whether no option excludes lines before the header.</summary>
    public static bool MayLookForPreamble(SourceOptions options) => options.SkipLines is null && options.HasHeader != false;
}

/// <summary>Something that was found out about an input from its first bytes.</summary>
/// <param name="What">in the options' words: encoding, delimiter, quote, escape, header, preamble</param>
/// <param name="Value">what was found, such as the character itself (none: empty), or the count of lines</param>
/// <param name="Confidence">0 to 1; see <see cref="Share"/> and docs/input.md</param>
/// <param name="Reason">what speaks for it</param>
public sealed record DetectedSetting(string What, string Value, double Confidence, string Reason)
{
    /// <summary>Whether it is the format's default, which need not be reported.</summary>
    internal bool IsExpected { get; init; }

    /// <summary>For people, if that is another text.</summary>
    internal string Shown { private get; init; } = Value;

    internal static DetectedSetting OfCharacter(string what, char? character, double confidence, string reason) =>
        new(what, $"{character}", confidence, reason) { Shown = Show(character) };

    /// <summary>For people: what was found, and how sure that is.</summary>
    public override string ToString() => $"{What} {Shown} ({Reason}, confidence {Confidence:0.00})";

    /// <summary>One more observation counts against it for what the sample does not show: few observations are never sure.</summary>
    internal static double Share(long supporting, long opposing) => (double)supporting / (supporting + opposing + 1);

    internal static string Show(char? character) => character switch
    {
        null => "none",
        '\t' => "tab",
        '\'' => "\"'\"",
        { } other => $"'{other}'",
    };
}
