using System.Buffers;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

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

    /// <summary>Null: the options and the format decide.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>keys: the first one. Null: none, or no text.</summary>
    public string? FirstKey { get; init; }

    /// <summary>Of the header or the first record; 0: neither.</summary>
    public int FieldCount { get; init; }

    /// <summary>Bytes on disk; null for pipes and devices.</summary>
    public long? Length { get; init; }

    /// <summary>Null for pipes and devices.</summary>
    public DateTime? Changed { get; init; }

    /// <summary>The part of the file that is the input; null: all of it.</summary>
    public FilePart? Part { get; init; }

    public InputCompression Compression { get; init; }

    public required string EncodingName { get; init; }

    public int SampleRecords { get; init; }

    /// <summary>In the order of the fields; empty for JSON.</summary>
    public IReadOnlyList<ColumnTally> Fields { get; init; } = [];

    public bool HasWholeSample { get; init; }

    public int FaultySampleRecords { get; init; }

    /// <summary>With the line end, as UTF-8; 0 without records.</summary>
    public double AverageRecordBytes { get; init; }

    /// <summary>Counted if the sample has all, otherwise estimated. Null: unknown.</summary>
    public long? EstimatedRecords { get; init; }

    /// <summary>keys: whether blanks around a key belong to it. Known once its column is.</summary>
    public bool KeepsBlanks { get; init; }

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

    public DetectedSetting? HeaderDoubt { get; init; }

    /// <summary>Number of first lines that are the header, if they are most; null: they are not, or the user said that the first line is a
    /// header.</summary>
    public (int Same, int Lines)? LinesLikeHeader { get; init; }

    public IReadOnlyList<DetectedSetting> Detections { get; init; } = [];

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

    /// <summary>Whether it has the header of another input, so that fields have the same places. Both must have gone through
    /// <see cref="With"/>.</summary>
    public bool HasFieldsOf(SourceInfo other) => FieldNames is not null && ReferenceEquals(FieldNames, other.FieldNames)
        && FieldLines is null && other.FieldLines is null
        && (Format, FieldCount, IsEmpty) == (other.Format, other.FieldCount, other.IsEmpty);

    /// <summary>A part of it.</summary>
    public SourceInfo In(FilePart part) => this with
    {
        Part = part,
        Length = part.Length,
        EstimatedRecords = EstimatedRecords is { } records && part.HeadEnd < part.FileLength
            ? (long)Math.Round(records * ((double)(part.To - part.From) / (part.FileLength - part.HeadEnd))) : 0,
        HasWholeSample = false,
    };

    public bool IsWrittenAs(SourceInfo other) =>
        Delimiter == other.Delimiter && (Settled?.DelimiterTail, Settled?.Quote, Settled?.Escape)
            == (other.Settled?.DelimiterTail, other.Settled?.Quote, other.Settled?.Escape);

    public SourceOptions Settle(SourceOptions options) => Settled ?? options;

    /// <summary>Such as <c>format csv (by extension)</c>.</summary>
    public required IReadOnlyList<string> Guesses { get; init; }

    /// <summary>Opens the file, or the part of it that is the input, for a pass.</summary>
    public InputFile Open(SourceOptions options, ContentTap? tap, CancellationToken cancellationToken) =>
        InputFile.Open(Path!, InPart(options), tap, Part, cancellationToken);

    /// <summary>The same, not decoded. A spool replaces the path.</summary>
    public InputFile OpenUndecoded(Spool? spool, SourceOptions options, CancellationToken cancellationToken) =>
        InputFile.OpenUndecoded(Path ?? Name, spool, InPart(options), Part, cancellationToken);

    /// <summary>Where a record of this offset, or one behind it, is among the bytes that a pass reads.</summary>
    public long InStream(long offset) => offset - (Part?.Shift ?? 0);

    /// <summary>A part has the encoding that the whole file's beginning has.</summary>
    private SourceOptions InPart(SourceOptions options) =>
        Part is null ? options : options with { Encoding = EncodingName, Compression = InputCompression.None };

    /// <summary>The reader is before the first record, behind skipped lines and header. Throws if the header has changed since it was
    /// seen.</summary>
    public IRecordReader CreateReader(InputFile input, SourceOptions options)
    {
        var dialect = DialectOf(options);
        var start = new ReaderStart(
            input.Name, input.ContentOffset, FieldCount: FieldNames is null ? FieldCount : 0, Origin: input.Origin)
        {
            LacksLines = Part is { LinesBefore: null },
            LineNumber = 1 + (Part?.LinesBefore ?? 0),
        };
        start = RecordReaders.SkipLines(input.Content, start, dialect);
        if (dialect.PreambleLines == 0)
        {
            return CreateAfterPreamble(input, start, dialect);
        }

        var lines = RecordReaders.TakePreamble(input.Content, start, dialect, out start);
        return lines.Count > 0 && dialect.Dirt[DirtKind.Preamble] == DirtAction.Fail
            ? throw new InputException(
                $"{input.Name}:{lines[0].Line}: {RecordFaults.Preamble.Message} (--dirt {RecordFaults.PreambleCode}=fail)")
            : new PreambleReader(lines, dialect, FieldNames, () => CreateAfterPreamble(input, start, dialect));
    }

    /// <summary>The same, but a range of keys is one record: it has one line, and means any number of records.</summary>
    public IRecordReader CreateLineReader(InputFile input, SourceOptions options) =>
        (this with { Settled = Settle(options) with { ReadsRanges = false } }).CreateReader(input, options);

    /// <summary>See <see cref="Dialect.Undivided"/>.</summary>
    public string? FindUndivided(SourceOptions options) => DialectOf(options).Undivided;

    /// <summary>See <see cref="Dialect.PartObstacle"/>.</summary>
    public string? FindPartObstacle(SourceOptions options) => DialectOf(options).PartObstacle;

    /// <summary>See <see cref="Dialect.LineEndObstacle"/>.</summary>
    public string? FindLineEndObstacle(SourceOptions options) => DialectOf(options).LineEndObstacle;

    private Dialect DialectOf(SourceOptions options)
    {
        var settled = Settle(options);
        return Dialect.Of(settled with { HasHeader = HasHeader ?? settled.HasHeader }, Format) with { KeepsBlanks = KeepsBlanks };
    }

    private IRecordReader CreateAfterPreamble(InputFile input, ReaderStart start, Dialect dialect)
    {
        var reader = RecordReaders.CreateAfterPreamble(input.Content, start, dialect, new JsonFieldNames(FieldNames, Paths));
        if (reader.FieldNames is { } names && !names.SequenceEqual(FieldNames ?? []))
        {
            reader.Dispose();
            throw new InputException(
                $"{input.Name}: the header has changed since the file was first looked at; run the command again when nothing writes to " +
                "it");
        }

        return reader;
    }
}
