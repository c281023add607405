using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>The beginning of an input, which can be read with several options. Consumes nothing.</summary>
internal sealed class SourceHead(InputFile input, InputFormat format)
{
    private const int SampleRecords = 1000;

    private static readonly DirtPolicies Unrepaired = DirtPolicies.None.With(DirtKind.Padding, DirtAction.Repair);

    private readonly Dictionary<SourceOptions, SourceSample> _samples = [];

    public string Name => input.Name;

    public bool HasPath => input.Path is not null;

    public InputFormat Format => format;

    public ReaderStart Start => new(input.Name, input.ContentOffset);

    /// <summary>About 256 KiB, valid until a sample is taken.</summary>
    public ReadOnlySpan<byte> Bytes
    {
        get
        {
            var bytes = input.Content.Peek(LookAheadStream.SampleBytes + 1).Span;
            return bytes.Length <= LookAheadStream.SampleBytes ? bytes : bytes[..LookAheadStream.SampleBytes];
        }
    }

    public bool IsWhole => input.Content.Peek(LookAheadStream.SampleBytes + 1).Length <= LookAheadStream.SampleBytes;

    /// <summary>The first records, read with these options; more bytes if the first record is larger. Blanks around fields are skipped, and
    /// other dirt is a fault: so results do not depend on repairs. Throws if not even the header can be read.</summary>
    public SourceSample Sample(SourceOptions options)
    {
        options = options with { Dirt = Unrepaired };
        if (!_samples.TryGetValue(options, out var sample))
        {
            _samples[options] = sample = Take(Dialect.Of(options, format), fields: 0);
        }

        return sample;
    }

    /// <summary>The first records with repairs. <paramref name="fields"/> is for records without a header; 0: unknown.</summary>
    public SourceSample SampleAsRead(SourceOptions options, int fields) => Take(Dialect.Of(options, format), fields);

    /// <summary>Null: the header cannot be read, or one character has two meanings.</summary>
    public SourceSample? TrySample(SourceOptions options)
    {
        try
        {
            return Sample(options);
        }
        catch (Exception fault) when (fault is InputException or RequestException)
        {
            return null;
        }
    }

    /// <summary>Whether neither an option nor the format sets the delimiter.</summary>
    public bool MayLookForDelimiter(SourceOptions options) =>
        format == InputFormat.Csv && options.Format == InputFormat.Auto && options.Delimiter is null;

    /// <summary>Whether no option excludes lines before the header.</summary>
    public static bool MayLookForPreamble(SourceOptions options) => options.SkipLines is null && options.HasHeader != false;

    /// <summary>Null: one character has two meanings.</summary>
    public Dialect? TryDialect(SourceOptions options)
    {
        try
        {
            return Dialect.Of(options, format);
        }
        catch (RequestException)
        {
            return null;
        }
    }

    public bool MayEnclose(Dialect dialect, byte quote) =>
        Bytes is var bytes && (bytes.StartsWith([quote]) || bytes.IndexOf([dialect.WholeDelimiter[^1], quote]) >= 0
        || bytes.IndexOf([(byte)'\n', quote]) >= 0 || bytes.IndexOf([(byte)'\r', quote]) >= 0);

    /// <summary>The good records of <see cref="Bytes"/> by offset; a NULL has a null value.</summary>
    public Dictionary<long, List<(bool IsQuoted, byte[]? Value)>> Read(SourceOptions options)
    {
        var records = new Dictionary<long, List<(bool, byte[]?)>>();
        using var content = new LookAheadStream(new MemoryStream(Bytes.ToArray()));
        try
        {
            using var reader = RecordReaders.Create(content, Start, Dialect.Of(options with { Dirt = Unrepaired }, format), keys: null);
            long? last = null;
            while (records.Count < SampleRecords && reader.Read())
            {
                last = reader.ByteOffset;
                if (reader.Fault is null)
                {
                    records[reader.ByteOffset] = FieldsOf(reader);
                }
            }

            if (!IsWhole && last is { } cut)
            {
                // It may be cut off.
                records.Remove(cut);
            }
        }
        catch (InputException)
        {
            // Neither header nor records can be read so.
        }

        return records;
    }

    private static List<(bool IsQuoted, byte[]? Value)> FieldsOf(IRecordReader reader)
    {
        var fields = new List<(bool, byte[]?)>(reader.FieldCount);
        for (var i = 0; i < reader.FieldCount; i++)
        {
            var kind = reader.GetField(i, out var value);
            var isNull = kind == FieldKind.Null || (kind == FieldKind.Bare && value.SequenceEqual(@"\N"u8));
            fields.Add((kind == FieldKind.Quoted, isNull ? null : value.ToArray()));
        }

        return fields;
    }

    private SourceSample Take(Dialect dialect, int fields)
    {
        var largest = Math.Min((long)dialect.MaxRecordBytes + LookAheadStream.SampleBytes, Array.MaxLength - 1);
        var size = LookAheadStream.SampleBytes;
        while (true)
        {
            // One byte more tells whether the sample is all there is.
            var bytes = input.Content.Peek(size + 1);
            var isLast = bytes.Length <= size || size >= largest;
            try
            {
                var sample = SourceSample.Of(
                    bytes, isWhole: bytes.Length <= size, Start with { FieldCount = fields }, dialect, SampleRecords);
                if (isLast || sample.Records > 0)
                {
                    return sample;
                }
            }
            catch (InputException) when (!isLast)
            {
                // A header that the sample cut off, maybe.
            }

            size = (int)Math.Min(size * 4L, largest);
        }
    }
}
