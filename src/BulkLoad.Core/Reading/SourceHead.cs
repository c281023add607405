namespace BulkLoad.Core.Reading;

/// <summary>The beginning of an input, to be read in as many ways as it takes to tell the right one. Consumes nothing.</summary>
/// <param name="input">stays where it is</param>
/// <param name="format">that was found</param>
internal sealed class SourceHead(InputFile input, InputFormat format)
{
    /// <summary>Bytes that are looked at, unless the first record is larger.</summary>
    public const int SampleBytes = 256 * 1024;

    private const int SampleRecords = 1000;

    private readonly Dictionary<SourceOptions, SourceSample> _samples = [];

    /// <summary>The input's name in messages.</summary>
    public string Name => input.Name;

    public InputFormat Format => format;

    /// <summary>Where the content begins.</summary>
    public ReaderStart Start => new(input.Name, input.ContentOffset);

    /// <summary>The first bytes of the content, about 256 KiB. Valid until a sample is taken.</summary>
    public ReadOnlySpan<byte> Bytes
    {
        get
        {
            var bytes = input.Content.Peek(SampleBytes + 1).Span;
            return bytes.Length <= SampleBytes ? bytes : bytes[..SampleBytes];
        }
    }

    /// <summary>Whether <see cref="Bytes"/> are all there are.</summary>
    public bool IsWhole => input.Content.Peek(SampleBytes + 1).Length <= SampleBytes;

    /// <summary>The first records, read in one way; looks further ahead where the first is larger than 256 KiB.</summary>
    /// <exception cref="InputException">not even the header can be read so</exception>
    /// <exception cref="RequestException">the options contradict each other</exception>
    public SourceSample Sample(SourceOptions options)
    {
        if (!_samples.TryGetValue(options, out var sample))
        {
            _samples[options] = sample = Take(Dialect.Of(options, format));
        }

        return sample;
    }

    /// <summary>As <see cref="Sample"/>; null where not even the header can be read, or one character would have two meanings.</summary>
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

    private SourceSample Take(Dialect dialect)
    {
        var largest = Math.Min((long)dialect.MaxRecordBytes + SampleBytes, Array.MaxLength - 1);
        var size = SampleBytes;
        while (true)
        {
            // One byte more tells whether the sample is all there is.
            var bytes = input.Content.Peek(size + 1);
            var isLast = bytes.Length <= size || size >= largest;
            try
            {
                var sample = SourceSample.Of(bytes, isWhole: bytes.Length <= size, Start, dialect, SampleRecords);
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
