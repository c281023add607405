using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

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
            // The extension decided, as where no option is given.
            options = options with { Format = InputFormat.Auto };
        }

        var detections = new List<DetectedSetting>(input.Detections);
        var head = new SourceHead(input, format);
        var (shape, dump, settled) =
            Features.Files ? SourceDetection.Look(input, head, options, values ?? new(), detections) : (null, null, options);
        var dialect = Dialect.Of(settled, format);

        // Repairs must not change the number of fields.
        var unrepaired = dialect.HasHeader ? null : head.TrySample(settled);
        var sample = head.SampleAsRead(settled, format.IsJson() ? 0 : unrepaired?.FieldCount ?? 0);
        var mayJudge = format.HasPlaces() && options.HasHeader is null && !options.IsPinned;
        var judged = mayJudge ? head.TrySample(format.IsEscaped() ? settled with { HasHeader = true } : settled) : null;
        var header = !Features.Files || judged is null ? null : HeaderDetector.Evaluate(judged);
        if (header is not null && !format.IsEscaped())
        {
            detections.Add(header);
        }

        guesses.AddRange(detections.Where(found => !found.IsExpected).Select(found => found.ToString()));
        if (sample is { FieldNames: [], FirstFault: var (line, fault) })
        {
            // Without a key there is nothing to map, and the fault says why.
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
                : header?.Confidence < HeaderDetector.MinConfidence ? header
                : null,
            LinesLikeHeader = Features.Files && judged is not null && dialect.HasHeader ? HeaderDetector.CountLike(judged) : null,
            OtherDelimiters = Features.Files && sample.FieldCount == 1 && head.MayLookForDelimiter(options)
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
    /// <summary>What is no option at all comes first. Adds to <paramref name="detections"/>.</summary>
    public static (JsonShape? Shape, DumpHint? Dump, SourceOptions Settled) Look(
        InputFile input, SourceHead head, SourceOptions options, ValueOptions values, List<DetectedSetting> detections)
    {
        OtherContent.RequireNone(head, options);

        // Before the encoding: a server's own text has the bytes of BLOBs unencoded.
        DumpDetector.RequireNone(head, options);
        BatchDetector.RequireNone(head, options);
        if (options.Encoding is null && input is { HasKnownEncoding: false } && head.Format.Behaviour().IsText
            && values.In(head.Format).Binary != BinaryForm.Raw
            && Utf8Detector.Evaluate(input.Name, head.Bytes, head.IsWhole) is { } encoding)
        {
            detections.Add(encoding);
        }

        return (JsonShape.Find(head, options), DumpDetector.HintFor(head, options), Settle(head, options, detections));
    }

    /// <summary>The message of an exception names the possible values and the option.</summary>
    private static SourceOptions Settle(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (!head.Format.IsCsv() || options.IsPinned)
        {
            return options;
        }

        options = SeparatorDetector.Apply(head, options, detections);
        CommentDetector.RequireNone(head, options);
        options = DelimiterDetector.Apply(head, options, detections);
        options = PreambleDetector.Apply(head, options, detections);
        options = QuoteDetector.Apply(head, options, detections);
        return EscapeDetector.Apply(head, options, detections);
    }
}
