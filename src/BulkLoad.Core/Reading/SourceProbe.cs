namespace BulkLoad.Core.Reading;

/// <summary>Looks at the beginning of an input without consuming it: format, names, and how large its records are.</summary>
internal static class SourceProbe
{
    private const int SampleBytes = 256 * 1024;
    private const int SampleRecords = 1000;

    /// <summary>Looks ahead by about 256 KiB; by more where the first record is larger.</summary>
    /// <param name="input">stays where it is: a reader gets all of it afterwards</param>
    /// <param name="options">what the user said</param>
    /// <exception cref="InputException">the header cannot be read, or no record of JSON lines</exception>
    /// <exception cref="RequestException">the options contradict each other</exception>
    public static SourceLook Look(InputFile input, SourceOptions options)
    {
        var guesses = new List<string>(input.Guesses);
        var format = SourceFormat.Resolve(input, options.Format, guesses);
        options = DelimiterGuess.Apply(input.Name, options, format, tried => TakeSample(input, Dialect.Of(tried, format)), guesses);
        var dialect = Dialect.Of(options, format);
        var sample = TakeSample(input, dialect);
        if (sample is { FieldNames: [], FirstFault: var (line, fault) })
        {
            // Without a single key there is nothing to map, and the fault says why.
            throw new InputException($"{input.Name}:{line}: {fault.Message}");
        }

        return new SourceLook
        {
            Name = input.Name,
            Path = input.Path,
            Format = format,
            Delimiter = format == InputFormat.Jsonl ? null : (char)dialect.Delimiter,
            FieldNames = sample.FieldNames,
            FieldCount = sample.FieldCount,
            Length = input.Length,
            Changed = input.Changed,
            Compression = input.Compression,
            EncodingName = input.EncodingName,
            SampleRecords = sample.Records,
            AverageRecordBytes = sample.AverageRecordBytes,
            EstimatedRecords = sample.EstimateRecords(input.ContentOffset + input.EstimatedContentLength),
            IsEmpty = sample.FieldCount == 0 && sample.Records == 0,
            HasMark = input.ContentOffset > 0,
            Head = sample.Head,
            Newline = sample.Newline,
            HeaderHint = HeaderHints.For(sample.FieldNames, dialect),
            Guesses = guesses,
        };
    }

    private static SourceSample TakeSample(InputFile input, Dialect dialect)
    {
        var start = new ReaderStart(input.Name, input.ContentOffset);
        var largest = Math.Min((long)dialect.MaxRecordBytes + SampleBytes, Array.MaxLength - 1);
        var size = SampleBytes;
        while (true)
        {
            // One byte more tells whether the sample is all there is.
            var bytes = input.Content.Peek(size + 1);
            var isLast = bytes.Length <= size || size >= largest;
            try
            {
                var sample = SourceSample.Of(bytes, isWhole: bytes.Length <= size, start, dialect, SampleRecords);
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
