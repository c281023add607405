using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds the quote of a csv or tsv file: <c>"</c>, unless <c>'</c> encloses its fields, or <c>"</c> is only text. If <c>"</c>
/// would refuse records, it stays. If it would change values, the user has to decide.</summary>
internal static class QuoteDetector
{
    private const double Enough = 0.75;

    /// <summary>Between this and <see cref="Enough"/>, the user has to decide.</summary>
    private const double Plausible = 0.5;

    /// <summary>Quotes in text are more often dirty records than a file without quotes.</summary>
    private const double EnoughForNone = 0.9;

    /// <summary>Number of quoted fields that repair records, from which on they explain the texts without quotes.</summary>
    private const int MinimalQuoting = 3;

    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (options.Quote is not null || options.Format != InputFormat.Auto)
        {
            return options;
        }

        // Where nearly every record has an escaped quote, no good record shows what quotes do.
        var escape = EscapeDetector.Evaluate(head, options);
        if (escape is { IsEnough: true } || head.TrySample(options) is not { } usual)
        {
            return options;
        }

        var quoted = usual.Columns.Sum(column => column.Quoted);
        if (quoted == 0 && head.MayEnclose(Dialect.Of(options, head.Format), (byte)'\'')
            && TrySingle(head, options, usual) is var (single, doubled))
        {
            return Decide(head, options, single, doubled, detections);
        }

        escape?.RequireClear(head.Name);
        if (DetectedSetting.Share(usual.QuoteFaults, quoted) >= EnoughForNone
            && head.TrySample(options with { Quote = '\0' }) is { } bare && DelimiterDetector.Fits(bare, maxFaulty: 0.05))
        {
            if (escape is { Confidence: >= EscapeDetector.Plausible })
            {
                throw escape.Undecided(head.Name);
            }

            detections.Add(DetectedSetting.OfCharacter("quote", null, DetectedSetting.Share(usual.QuoteFaults, quoted),
                $"records with '\"' within a field: {usual.QuoteFaults}, fields that it encloses: {quoted}"));
            return options with { Quote = '\0' };
        }

        if (quoted > 0)
        {
            detections.Add(DetectedSetting.OfCharacter("quote", '"', DetectedSetting.Share(quoted, usual.QuoteFaults),
                $"fields that it encloses: {quoted}") with
            { IsExpected = true });
        }

        return options;
    }

    private static SourceOptions Decide(
        SourceHead head, SourceOptions options, DetectedSetting single, int doubled, List<DetectedSetting> detections)
    {
        if (single.Confidence >= Enough)
        {
            detections.Add(single);
            return options with { Quote = '\'' };
        }

        // A doubled apostrophe is hardly ever text.
        return single.Confidence >= Plausible || doubled > 0
            ? throw new InputException(
                $"{head.Name}: its quote character is ambiguous: it may be the apostrophe " +
                $"({single.Reason}{(doubled > 0 ? $", fields with one doubled or escaped: {doubled}" : "")}); use --quote \"'\" if " +
                "apostrophes enclose values, --quote '\"' if they belong to them")
            : options;
    }

    private static (DetectedSetting Found, int Doubled)? TrySingle(SourceHead head, SourceOptions options, SourceSample usual)
    {
        if (EscapeDetector.TryBest(head, options with { Quote = '\'' }) is not { } sample
            || sample.Faulty > usual.Faulty || (sample.Faulty == usual.Faulty && sample.FieldCount != usual.FieldCount))
        {
            return null;
        }

        var quoted = sample.Columns.Sum(column => column.Quoted);
        var isMinimal = quoted >= MinimalQuoting && sample.Faulty < usual.Faulty;
        var bare = isMinimal ? 0 : sample.Columns.Where(column => column.Quoted > 0).Sum(column => column.BareTexts);
        return quoted == 0 ? null : (DetectedSetting.OfCharacter(
            "quote", '\'', DetectedSetting.Share(quoted, bare + sample.QuoteFaults), $"fields that it encloses: {quoted}, texts of the " +
                $"same columns that it does not: {bare}"), sample.Columns.Sum(column => column.Doubled));
    }
}
