using System.Buffers;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>What the beginning of an input tells about the whole; nothing of it has been consumed.</summary>
internal sealed record SourceInfo
{
    public required string Name { get; init; }

    /// <summary>The path as the user typed it; null for a stream.</summary>
    public string? Path { get; init; }

    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>Separates fields; null for JSON.</summary>
    public char? Delimiter { get; init; }

    /// <summary>The header's names as they are there; JSON: the sample's keys, by first appearance. Null where there is no
    /// header.</summary>
    public IReadOnlyList<string>? FieldNames { get; init; }

    /// <summary>JSON: those of <see cref="FieldNames"/> that are found within values.</summary>
    public IReadOnlyList<JsonPath> Paths { get; init; } = [];

    /// <inheritdoc cref="SourceSample.FieldLines"/>
    public IReadOnlyDictionary<string, long>? FieldLines { get; init; }

    /// <summary>Whether the first line is a header; null: as the options and the format have it.</summary>
    public bool? HasHeader { get; init; }

    /// <summary>keys: the first one, as it is; null: there is none, or it is no text.</summary>
    public string? FirstKey { get; init; }

    /// <summary>Fields of a record: of the header, else of the first record; 0 where there is neither.</summary>
    public int FieldCount { get; init; }

    /// <summary>Bytes on disk; null for pipes and devices.</summary>
    public long? Length { get; init; }

    /// <summary>When the file had last been written to; null for pipes and devices.</summary>
    public DateTime? Changed { get; init; }

    public InputCompression Compression { get; init; }

    /// <summary>.NET name of the input's encoding.</summary>
    public required string EncodingName { get; init; }

    public int SampleRecords { get; init; }

    /// <summary>Those of them that have a fault.</summary>
    public int FaultySampleRecords { get; init; }

    /// <summary>Mean bytes of a record in the sample, with its line end, as UTF-8; 0 without records.</summary>
    public double AverageRecordBytes { get; init; }

    /// <summary>Records in the whole input: counted where the sample holds all of it, else judged by the sample; null where nothing is
    /// known.</summary>
    public long? EstimatedRecords { get; init; }

    /// <summary>keys: whether the blanks around one belong to it. Known once the key's column is.</summary>
    public bool KeepsBlanks { get; init; }

    /// <summary>Whether the input starts with a byte order mark.</summary>
    public bool HasMark { get; init; }

    /// <summary>What is before the first record, decoded to UTF-8: skipped lines, header.</summary>
    public byte[] Head { get; init; } = [];

    /// <summary>How the first line ends, decoded to UTF-8; a line feed where none does.</summary>
    public byte[] Newline { get; init; } = [];

    /// <summary>How a file of the input's refused records is written.</summary>
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

    /// <summary>Whether there is nothing at all: not even a header.</summary>
    public bool IsEmpty { get; init; }

    /// <summary>Whether an input without anything is one without records: no header is missing.</summary>
    public bool MayHoldNothing { get; init; }

    /// <summary>JSON: no fields. Else the fields of the first record, where that is good; null: there is none, or a header was
    /// read.</summary>
    public IReadOnlyList<string>? FirstRecord { get; init; }

    /// <summary>For each number of fields, how many records of the sample have so many; empty with a header.</summary>
    public IReadOnlyDictionary<int, int> FieldCounts { get; init; } = new Dictionary<int, int>();

    /// <summary>What may be wrong where the names do not fit the table, with what to do; null where nothing was seen.</summary>
    public string? HeaderHint { get; init; }

    /// <summary>The user's options with what was found out filled in; null where nobody looked.</summary>
    public SourceOptions? Settled { private get; init; }

    /// <summary>Why the header may be none; null where it looks like one, or the user said so.</summary>
    public DetectedSetting? HeaderDoubt { get; init; }

    /// <summary>How many lines of the first ones are the header's, itself among them, where those are the most; null: they are not, or the
    /// user said that it is one.</summary>
    public (int Same, int Lines)? LinesLikeHeader { get; init; }

    /// <summary>What was found out by the content, with how sure it is.</summary>
    public IReadOnlyList<DetectedSetting> Detections { get; init; } = [];

    /// <summary>Whether another input has the same delimiter, quotes and escapes.</summary>
    public bool IsWrittenAs(SourceInfo other) =>
        Delimiter == other.Delimiter && (Settled?.DelimiterTail, Settled?.Quote, Settled?.Escape)
            == (other.Settled?.DelimiterTail, other.Settled?.Quote, other.Settled?.Escape);

    /// <summary>Options with what was found out filled in.</summary>
    public SourceOptions Settle(SourceOptions options) => Settled ?? options;

    /// <summary>What was guessed and from what, such as <c>format csv (by extension)</c>.</summary>
    public required IReadOnlyList<string> Guesses { get; init; }
}
