using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

internal sealed record SourceSample
{
    /// <summary>Bytes of the longest column name: 64 characters (MySQL manual, "Identifier Length Limits").</summary>
    private const int LongestName = 256;

    /// <summary>Names of the header, or keys of the sample's objects; null without a header.</summary>
    public IReadOnlyList<string>? FieldNames { get; private init; }

    /// <summary>JSON: the line in which each of <see cref="FieldNames"/> appears first.</summary>
    public IReadOnlyDictionary<string, long>? FieldLines { get; private init; }

    /// <summary>Of the header or the first good record; 0: neither.</summary>
    public int FieldCount { get; private init; }

    public (long Line, RecordFault Fault)? FirstFault { get; private init; }

    public int Records { get; private init; }

    public int Faulty { get; private init; }

    public int QuoteFaults { get; private init; }

    /// <summary>From good records; empty for JSON.</summary>
    public IReadOnlyList<ColumnTally> Columns { get; private init; } = [];

    /// <summary>With line ends; 0 without records.</summary>
    public double AverageRecordBytes { get; private init; }

    public bool HoldsAll { get; private init; }

    /// <summary>Skipped lines, comments and header, without refused lines. Empty without records.</summary>
    public byte[] Head { get; private init; } = [];

    /// <summary>The end of the first line; by default a line feed.</summary>
    public byte[] Newline { get; private init; } = [];

    /// <summary>Of the first record, if it is good and short.</summary>
    public string? FirstField { get; private init; }

    public int RepeatedHeaders { get; private init; }

    /// <summary>Without a header: records by number of fields.</summary>
    public IReadOnlyDictionary<int, int> FieldCounts { get; private init; } = new Dictionary<int, int>();

    /// <summary>The first good record, if there is no header.</summary>
    public IReadOnlyList<string>? FirstRecord { get; private init; }

    /// <summary>Behind the header.</summary>
    private long FirstOffset { get; init; }

    /// <summary>If the bytes are not the whole content, the last record may be cut off.</summary>
    public static SourceSample Of(ReadOnlyMemory<byte> bytes, bool isWhole, ReaderStart start, Dialect dialect, int maxRecords)
    {
        var sample = Read(bytes, isWhole, start, dialect, maxRecords);

        // Without a header, the most frequent number of fields counts, not the first record's.
        return start.FieldCount > 0 || sample.MostFrequentFieldCount == sample.FieldCount || sample.MostFrequentFieldCount == 0 ? sample
            : Read(bytes, isWhole, start with { FieldCount = sample.MostFrequentFieldCount }, dialect, maxRecords);
    }

    /// <summary>The most frequent number of fields; of several, the first record's. 0 with a header.</summary>
    private int MostFrequentFieldCount => FieldCounts.Count == 0 ? 0
        : FieldCounts.Values.Max() is var most && FieldCounts.GetValueOrDefault(FieldCount) == most ? FieldCount
            : FieldCounts.First(pair => pair.Value == most).Key;

    private static SourceSample Read(ReadOnlyMemory<byte> bytes, bool isWhole, ReaderStart start, Dialect dialect, int maxRecords)
    {
        using var content = new LookAheadStream(new MemoryStream(bytes.ToArray()));
        using var reader = RecordReaders.Create(content, start, dialect, keys: null);
        var begun = 0;
        var fieldCount = 0;
        var hasGood = false;
        var (faulty, lastFaulty) = (0, 0);
        (long, RecordFault)? firstFault = null;
        string? firstField = null;
        var firstOffset = start.ByteOffset + bytes.Length;
        var endOffset = firstOffset;
        var isCutOff = false;
        var quoteFaults = 0;
        var columns = new List<ColumnTally>();
        var (repeated, lastRepeated) = (0, 0);
        List<string>? firstRecord = null;
        var counts = new Dictionary<int, int>();
        var fieldLines = dialect.Format.IsJson() ? new Dictionary<string, long>() : null;
        while (begun <= maxRecords && !isCutOff && Reads(reader, isWhole))
        {
            if (begun == 0 && reader.Fault is { } fault)
            {
                firstFault = (reader.LineNumber, fault);
            }
            else if (begun == 0 && reader.FieldCount > 0)
            {
                reader.GetField(0, out var first);
                firstField = first.Length <= LongestName ? Encoding.UTF8.GetString(first) : null;
            }

            if (fieldLines is null && reader.FieldNames is null)
            {
                firstRecord ??= begun == 0 && reader.Fault is null ? FieldsOf(reader) : null;
                Count(reader, counts);
            }

            // The first good record counts, if there is one.
            fieldCount = fieldCount == 0 || (reader.Fault is null && !hasGood) ? reader.FieldCount : fieldCount;
            hasGood |= reader.Fault is null;
            faulty += lastFaulty;
            repeated += lastRepeated;
            lastRepeated = reader.Fault?.Code == RecordFaults.RepeatedHeaderCode ? 1 : 0;
            lastFaulty = reader.Fault is null ? 0 : 1;
            firstOffset = Math.Min(firstOffset, reader.ByteOffset);
            endOffset = reader.ByteOffset;
            begun++;
            quoteFaults += reader.Fault?.Code
                is RecordFaults.StrayQuoteCode or RecordFaults.TextAfterQuoteCode or RecordFaults.UnclosedQuoteCode ? 1 : 0;
            if (reader.Fault is null && fieldLines is null)
            {
                Tally(reader, columns, dialect.Quote);
            }
            else if (reader.Fault is null)
            {
                for (var i = fieldLines!.Count; i < reader.FieldCount; i++)
                {
                    fieldLines[reader.FieldNames![i]] = reader.LineNumber;
                }
            }

            // Where the sample cuts a quoted field off, its lines look like records.
            isCutOff = !isWhole && reader.Fault?.Code == RecordFaults.UnclosedQuoteCode;
        }

        var holdsAll = isWhole && begun <= maxRecords;
        if (holdsAll)
        {
            endOffset = start.ByteOffset + bytes.Length;
        }

        // Else the last record may be cut off: it only tells where the one before it ends.
        var records = holdsAll ? begun : Math.Max(0, begun - 1);
        return new SourceSample
        {
            FieldNames = reader.FieldNames,
            FieldLines = fieldLines,
            FieldCount = reader.FieldNames?.Count ?? (start.FieldCount > 0 ? start.FieldCount : fieldCount),
            FirstFault = firstFault,
            RepeatedHeaders = holdsAll ? repeated + lastRepeated : repeated,
            FirstRecord = firstRecord,
            FieldCounts = counts,
            FirstField = firstField,
            Records = records,
            Faulty = holdsAll ? faulty + lastFaulty : faulty,
            QuoteFaults = quoteFaults,
            Columns = columns,
            AverageRecordBytes = records == 0 ? 0 : (double)(endOffset - firstOffset) / records,
            HoldsAll = holdsAll,
            Head = !dialect.Format.Behaviour().IsText ? RecordText.Header(reader.FieldNames)
                : begun == 0 ? []
                : HeadOf(bytes[..(int)(firstOffset - start.ByteOffset)], dialect),
            Newline = dialect.Newline ?? NewlineOf(bytes.Span),
            FirstOffset = firstOffset,
        };
    }

    /// <summary>False: the sample ends, perhaps within an array.</summary>
    private static bool Reads(IRecordReader reader, bool isWhole)
    {
        try
        {
            return reader.Read();
        }
        catch (InputException e) when (e.IsCutOff && !isWhole)
        {
            return false;
        }
    }

    /// <summary><paramref name="endOffset"/> is the end of the content, at least roughly.</summary>
    public long? EstimateRecords(long? endOffset) =>
        HoldsAll ? Records
        : endOffset is { } end && AverageRecordBytes > 0 ? (long)Math.Round((end - FirstOffset) / AverageRecordBytes)
        : null;

    /// <summary>Refused lines are rejects, and not part of the head.</summary>
    private static byte[] HeadOf(ReadOnlyMemory<byte> bytes, Dialect dialect)
    {
        if (dialect.Format == InputFormat.Json)
        {
            // Refused objects are written one after the other, without the array and what is around it.
            if (dialect.JsonPath.Count > 0)
            {
                return [];
            }

            var before = bytes.Span.TrimEnd(" \t\r\n"u8);
            return before is [.., (byte)'['] ? before[..^1].ToArray() : bytes.ToArray();
        }

        if (dialect.PreambleLines == 0 || dialect.Dirt[DirtKind.Preamble] != DirtAction.Reject)
        {
            return bytes.ToArray();
        }

        using var content = new LookAheadStream(new MemoryStream(bytes.ToArray()));
        var lineEnds = new LineEnds(dialect.Newline);
        var separatorLines = SeparatorLine.Find(bytes.Span) is null ? 0 : 1;
        var kept = (int)LineSkipper.Skip(content, separatorLines, lineEnds);
        var refused = (int)LineSkipper.Skip(content, dialect.PreambleLines - separatorLines, lineEnds);
        return [.. bytes[..kept].Span, .. bytes[(kept + refused)..].Span];
    }

    /// <summary>A record whose only fault is its number of fields counts.</summary>
    private static void Count(IRecordReader reader, Dictionary<int, int> counts)
    {
        if (reader.FieldCount > 0 && reader.Fault?.Code is null or RecordFaults.FewFieldsCode or RecordFaults.ManyFieldsCode)
        {
            counts[reader.FieldCount] = counts.GetValueOrDefault(reader.FieldCount) + 1;
        }
    }

    private static List<string> FieldsOf(IRecordReader reader)
    {
        var fields = new List<string>();
        for (var i = 0; i < reader.FieldCount; i++)
        {
            reader.GetField(i, out var value);
            fields.Add(Encoding.UTF8.GetString(value[..Math.Min(value.Length, LongestName)]));
        }

        return fields;
    }

    private static void Tally(IRecordReader reader, List<ColumnTally> columns, byte? quote)
    {
        while (columns.Count < reader.FieldCount)
        {
            columns.Add(new ColumnTally(reader.FieldNames?.ElementAtOrDefault(columns.Count)));
        }

        for (var i = 0; i < reader.FieldCount; i++)
        {
            columns[i].Add(reader.GetField(i, out var value), value, quote);
        }
    }

    private static byte[] NewlineOf(ReadOnlySpan<byte> bytes)
    {
        var end = bytes.IndexOfAny((byte)'\r', (byte)'\n');
        return end < 0 || bytes[end] == '\n' ? [(byte)'\n']
            : bytes[(end + 1)..].StartsWith("\n"u8) ? [(byte)'\r', (byte)'\n']
            : [(byte)'\r'];
    }
}
