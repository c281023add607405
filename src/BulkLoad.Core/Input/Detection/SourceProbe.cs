using System.Buffers;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Looks at the beginning of an input: format, names, and size of records.</summary>
internal static class SourceProbe
{
    /// <summary>Peeks about 256 KiB, more if the first record is larger. Throws if the header cannot be read, or something necessary is
    /// unclear.</summary>
    public static SourceInfo Look(InputFile input, SourceOptions options, ValueOptions? values = null)
    {
        var guesses = new List<string>(input.Guesses);
        var format = options.JsonPath is null ? SourceFormat.Resolve(input, options.Format, guesses) : InputFormat.Json;
        if (options.Format == InputFormat.Keys && format != InputFormat.Keys)
        {
            // The extension decided, as it does where nothing was said.
            options = options with { Format = InputFormat.Auto };
        }

        var detections = new List<DetectedSetting>(input.Detections);
        var head = new SourceHead(input, format);
        OtherContent.RequireNone(head, options);

        // Before the encoding: a server's own text has the bytes of BLOBs as they are.
        DumpDetector.RequireNone(head, options);
        BatchDetector.RequireNone(head, options);
        if (options.Encoding is null && input is { HasKnownEncoding: false } && (values ?? new()).In(format).Binary != BinaryForm.Raw
            && Utf8Detector.Evaluate(input.Name, head.Bytes, head.IsWhole) is { } encoding)
        {
            detections.Add(encoding);
        }

        var shape = JsonShape.Find(head, options);
        var dump = DumpDetector.HintFor(head, options);
        var settled = SourceDetection.Settle(head, options, detections);
        var dialect = Dialect.Of(settled, format);

        // What is repaired must not change how many fields there are.
        var unrepaired = dialect.HasHeader ? null : head.TrySample(settled);
        var sample = head.SampleAsRead(settled, format.IsJson() ? 0 : unrepaired?.FieldCount ?? 0);
        var mayJudge = format.HasPlaces() && options.HasHeader is null && !options.IsPinned;
        var judged = mayJudge ? head.TrySample(format.IsEscaped() ? settled with { HasHeader = true } : settled) : null;
        var header = judged is null ? null : HeaderDetector.Evaluate(judged);
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
            Fields = sample.Columns,
            HasWholeSample = sample.HoldsAll,
            FaultySampleRecords = sample.Faulty,
            AverageRecordBytes = sample.AverageRecordBytes,
            EstimatedRecords = sample.EstimateRecords(input.ContentOffset + input.EstimatedContentLength),
            IsEmpty = sample.FieldCount == 0 && sample.Records == 0,
            HasMark = input.ContentOffset > 0,
            Head = sample.Head,
            Newline = sample.Newline,
            DumpHint = dump,
            JsonShape = shape,
            HeaderHint = shape is not null ? shape.Hint : dump is null ? HeaderHints.For(sample.FieldNames, dialect) : dump.AsSentence,
            HeaderDoubt = format.IsEscaped() ? (header?.Confidence >= HeaderDetector.ProvenConfidence ? header : null)
                : header?.Confidence < HeaderDetector.LeastConfidence ? header
                : null,
            LinesLikeHeader = judged is not null && dialect.HasHeader ? HeaderDetector.CountLike(judged) : null,
            OtherDelimiters = sample.FieldCount == 1 && SourceDetection.MayLookForDelimiter(head, options)
                && settled.Delimiter is null ? LoneColumn.Find(head, settled) : [],
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

/// <summary>What the beginning of an input shows. Consumes nothing.</summary>
internal sealed record SourceInfo
{
    public required string Name { get; init; }

    /// <summary>As typed; null for a stream.</summary>
    public string? Path { get; init; }

    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>Null for JSON.</summary>
    public char? Delimiter { get; init; }

    /// <summary>The header's names. JSON: the sample's keys, in order of appearance. Null: no header.</summary>
    public IReadOnlyList<string>? FieldNames { get; init; }

    /// <summary>JSON: names in <see cref="FieldNames"/> of nested values.</summary>
    public IReadOnlyList<JsonPath> Paths { get; init; } = [];

    public IReadOnlyDictionary<string, long>? FieldLines { get; init; }

    /// <summary>Null: by options and format.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>keys: the first one. Null: none, or no text.</summary>
    public string? FirstKey { get; init; }

    /// <summary>Of the header or the first record; 0: neither.</summary>
    public int FieldCount { get; init; }

    /// <summary>Bytes on disk; null for pipes and devices.</summary>
    public long? Length { get; init; }

    /// <summary>When it was last written; null for pipes and devices.</summary>
    public DateTime? Changed { get; init; }

    public InputCompression Compression { get; init; }

    public required string EncodingName { get; init; }

    public int SampleRecords { get; init; }

    /// <summary>What the sample's fields look like, in their order; empty for JSON.</summary>
    public IReadOnlyList<ColumnTally> Fields { get; init; } = [];

    /// <summary>Whether the sample has every record.</summary>
    public bool HasWholeSample { get; init; }

    /// <summary>Records with a fault.</summary>
    public int FaultySampleRecords { get; init; }

    /// <summary>With the line end, as UTF-8; 0 without records.</summary>
    public double AverageRecordBytes { get; init; }

    /// <summary>Counted if the sample has all, otherwise estimated. Null: unknown.</summary>
    public long? EstimatedRecords { get; init; }

    /// <summary>keys: whether blanks around a key belong to it. Known once its column is.</summary>
    public bool KeepsBlanks { get; init; }

    /// <summary>A byte order mark.</summary>
    public bool HasMark { get; init; }

    /// <summary>Skipped lines and header, as UTF-8.</summary>
    public byte[] Head { get; init; } = [];

    /// <summary>The end of the first line, as UTF-8; by default a line feed.</summary>
    public byte[] Newline { get; init; } = [];

    public RejectForm RejectForm
    {
        get
        {
            var encoding = InputEncoding.Find(EncodingName);
            var mark = HasMark ? encoding.GetPreamble() : [];
            return encoding.CodePage == Encoding.UTF8.CodePage
                ? new RejectForm([.. mark, .. Head], Newline, null)
                : new RejectForm([.. mark, .. Original(Head, encoding)], Original(Newline, encoding), encoding);
        }
    }

    private static byte[] Original(byte[] decoded, Encoding encoding)
    {
        var original = new ArrayBufferWriter<byte>();
        OriginalText.Write(decoded, encoding, original);
        return original.WrittenSpan.ToArray();
    }

    /// <summary>Not even a header.</summary>
    public bool IsEmpty { get; init; }

    /// <summary>Whether an empty input has no records, rather than no header.</summary>
    public bool MayHoldNothing { get; init; }

    /// <summary>The fields of the first good record; null for JSON and with a header.</summary>
    public IReadOnlyList<string>? FirstRecord { get; init; }

    /// <summary>Records by number of fields; empty with a header.</summary>
    public IReadOnlyDictionary<int, int> FieldCounts { get; init; } = new Dictionary<int, int>();

    /// <summary>The fault, if only the table can tell how fields are separated.</summary>
    public InputException? Undecided { get; init; }

    /// <summary>What a file of one JSON object may be instead of a record.</summary>
    public JsonShape? JsonShape { get; init; }

    /// <summary>Of a file of one column: delimiters that split all its records.</summary>
    public IReadOnlyList<OtherDelimiter> OtherDelimiters { get; init; } = [];

    /// <summary>What may help if the names do not fit the table.</summary>
    public WayOn? HeaderHint { get; init; }

    /// <summary>Why a database may have written the input, without a header.</summary>
    public DumpHint? DumpHint { get; init; }

    /// <summary>The user's options with the detected ones; null: nobody looked.</summary>
    public SourceOptions? Settled { private get; init; }

    /// <summary>Why the first line may be no header.</summary>
    public DetectedSetting? HeaderDoubt { get; init; }

    /// <summary>How many of the first lines are the header, if they are most; null: they are not, or the user said that it is
    /// one.</summary>
    public (int Same, int Lines)? LinesLikeHeader { get; init; }

    public IReadOnlyList<DetectedSetting> Detections { get; init; } = [];

    /// <summary>The same, with parts that other inputs have too.</summary>
    public SourceInfo With(SharedParts parts) => this with
    {
        EncodingName = parts.OfOne(EncodingName)!,
        FieldNames = FieldNames is null ? null : parts.Of(FieldNames),
        Fields = parts.Of(Fields),
        FieldCounts = parts.Of(FieldCounts),
        Head = parts.Of(Head),
        Newline = parts.Of(Newline),
        Settled = parts.OfOne(Settled),
        HeaderDoubt = parts.OfOne(HeaderDoubt),
        Detections = parts.Of(Detections),
        Guesses = parts.Of(Guesses),
    };

    /// <summary>Whether it has the header of another input, so that fields go where those of the other one go. Of both the parts are
    /// shared.</summary>
    public bool HasFieldsOf(SourceInfo other) => FieldNames is not null && ReferenceEquals(FieldNames, other.FieldNames)
        && FieldLines is null && other.FieldLines is null
        && (Format, FieldCount, IsEmpty) == (other.Format, other.FieldCount, other.IsEmpty);

    /// <summary>Whether delimiter, quotes and escapes are the same.</summary>
    public bool IsWrittenAs(SourceInfo other) =>
        Delimiter == other.Delimiter && (Settled?.DelimiterTail, Settled?.Quote, Settled?.Escape)
            == (other.Settled?.DelimiterTail, other.Settled?.Quote, other.Settled?.Escape);

    public SourceOptions Settle(SourceOptions options) => Settled ?? options;

    /// <summary>Such as <c>format csv (by extension)</c>.</summary>
    public required IReadOnlyList<string> Guesses { get; init; }
}
