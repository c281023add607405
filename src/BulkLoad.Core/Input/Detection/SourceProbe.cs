using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Looks at the beginning of an input without consuming it: format, names, and how large its records are.</summary>
internal static class SourceProbe
{
    /// <summary>Looks ahead by about 256 KiB; by more where the first record is larger.</summary>
    /// <param name="input">stays where it is: a reader gets all of it afterwards</param>
    /// <param name="values">how fields are read: raw bytes need not be UTF-8</param>
    /// <exception cref="InputException">the header cannot be read, or no record of JSON lines; or something is not clear that must be
    /// known</exception>
    /// <exception cref="RequestException">the options contradict each other</exception>
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

        var settled = SourceDetection.Settle(head, options, detections);
        var dialect = Dialect.Of(settled, format);

        // What is repaired must not change how many fields there are.
        var unrepaired = dialect.HasHeader ? null : head.TrySample(settled);
        var sample = head.SampleAsRead(settled, format == InputFormat.Jsonl ? 0 : unrepaired?.FieldCount ?? 0);
        var mayJudge = format is not (InputFormat.Jsonl or InputFormat.Keys) && options.HasHeader is null && !options.IsPinned;
        var judged = mayJudge ? head.TrySample(format == InputFormat.Mysql ? settled with { HasHeader = true } : settled) : null;
        var header = judged is null ? null : HeaderDetector.Judge(judged);
        if (header is not null && format != InputFormat.Mysql)
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
            Delimiter = format is InputFormat.Jsonl or InputFormat.Keys ? null : (char)dialect.Delimiter,
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
            HeaderHint = HeaderHints.For(sample.FieldNames, dialect),
            HeaderDoubt = format == InputFormat.Mysql ? (header?.Confidence >= HeaderDetector.ProvenConfidence ? header : null)
                : header?.Confidence < HeaderDetector.LeastConfidence ? header
                : null,
            LinesLikeHeader = judged is not null && dialect.HasHeader ? HeaderDetector.CountLike(judged) : null,
            MayHoldNothing = format == InputFormat.Jsonl || (format != InputFormat.Keys && !dialect.HasHeader),
            FirstRecord = format == InputFormat.Jsonl ? null : unrepaired?.FirstRecord,
            FieldCounts = unrepaired?.FieldCounts ?? sample.FieldCounts,
            Settled = settled,
            Detections = detections,
            Guesses = guesses,
        };
    }
}
