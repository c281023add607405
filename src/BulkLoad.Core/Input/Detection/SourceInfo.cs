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

    /// <summary>A hint for names that do not fit the table.</summary>
    public string? HeaderHint { get; init; }

    /// <summary>Why a database may have written the input, without a header.</summary>
    public string? DumpHint { get; init; }

    /// <summary>The user's options with the detected ones; null: nobody looked.</summary>
    public SourceOptions? Settled { private get; init; }

    /// <summary>Why the first line may be no header.</summary>
    public DetectedSetting? HeaderDoubt { get; init; }

    /// <summary>How many of the first lines are the header, if they are most; null: they are not, or the user said that it is
    /// one.</summary>
    public (int Same, int Lines)? LinesLikeHeader { get; init; }

    public IReadOnlyList<DetectedSetting> Detections { get; init; } = [];

    /// <summary>Whether delimiter, quotes and escapes are the same.</summary>
    public bool IsWrittenAs(SourceInfo other) =>
        Delimiter == other.Delimiter && (Settled?.DelimiterTail, Settled?.Quote, Settled?.Escape)
            == (other.Settled?.DelimiterTail, other.Settled?.Quote, other.Settled?.Escape);

    public SourceOptions Settle(SourceOptions options) => Settled ?? options;

    /// <summary>Such as <c>format csv (by extension)</c>.</summary>
    public required IReadOnlyList<string> Guesses { get; init; }
}
