using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds the quote of a csv or tsv file: <c>"</c>, unless <c>'</c> encloses its fields, or <c>"</c> is only text. If <c>"</c>
/// would refuse records, it stays. If it would change values, the user has to decide.</summary>
internal static class QuoteDetector
{
    private const double Enough = 0.75;

    /// <summary>Between this and <see cref="Enough"/> it is unclear.</summary>
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

        // Where nearly every record has an escaped quote, none is good that shows what quotes do.
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
            && head.TrySample(options with { Quote = '\0' }) is { } bare && DelimiterDetector.Fits(bare, mostFaulty: 0.05))
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
        if (head.TryBest(options with { Quote = '\'' }) is not { } sample
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

/// <summary>Finds whether a backslash escapes quotes in quoted fields: if that makes bad records good, and changes no good
/// record.</summary>
internal static class EscapeDetector
{
    public const double Enough = 0.75;

    /// <summary>From here on, it is unclear if it is not taken.</summary>
    public const double Plausible = 0.5;

    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (Evaluate(head, options) is not { } evidence)
        {
            return options;
        }

        evidence.RequireClear(head.Name);
        if (!evidence.IsEnough)
        {
            return options;
        }

        detections.Add(DetectedSetting.OfCharacter(
            "escape", '\\', evidence.Confidence,
            $"{Plural.OfFirst(evidence.Gained, evidence.Records, "record")} {Plural.For(evidence.Gained, "is", "are")} good only with it, "
                + "" +
            "and none would change"));
        return options with { Escape = '\\' };
    }

    /// <summary>Whether no option says it, and a backslash is before a quote.</summary>
    public static bool MayApply(SourceHead head, SourceOptions options) =>
        options.Escape is null && options.Format == InputFormat.Auto
        && head.TryDialect(options)?.Quote is { } quote && head.Bytes.IndexOf([(byte)'\\', quote]) >= 0;

    /// <summary>Null: nothing to decide, or no record is better with it.</summary>
    public static EscapeEvidence? Evaluate(SourceHead head, SourceOptions options)
    {
        if (!MayApply(head, options) || head.TrySample(options with { Escape = '\\' }) is not { } escaped)
        {
            return null;
        }

        var (gained, changed) = EscapeEvidence.Compare(head.Read(options), head.Read(options with { Escape = '\\' }));
        var dialect = Dialect.Of(options, head.Format);
        return gained == 0 ? null
            : new EscapeEvidence(gained, changed, escaped.QuoteFaults, escaped.Records, head.MayEnclose(dialect, dialect.Quote!.Value));
    }
}

/// <summary>What a sample says of a backslash as escape. <paramref name="Gained"/>: records that are good only with it.
/// <paramref name="Changed"/>: records that are good without it, and different or gone with it. <paramref name="Encloses"/>: quotes enclose
/// fields with it; otherwise quotes and backslashes may be text.</summary>
internal sealed record EscapeEvidence(int Gained, int Changed, int QuoteFaults, int Records, bool Encloses)
{
    public double Confidence => DetectedSetting.Share(Gained, Changed + QuoteFaults);

    public bool IsEnough => Changed == 0 && Encloses && Confidence >= EscapeDetector.Enough;

    /// <summary>Can be neither taken nor left.</summary>
    private bool IsDoubtful =>
        !IsEnough && (Encloses ? Changed > 0 && Confidence >= EscapeDetector.Plausible : Confidence >= EscapeDetector.Enough);

    public void RequireClear(string name)
    {
        if (IsDoubtful)
        {
            throw Undecided(name);
        }
    }

    public InputException Undecided(string name) => new(
        $"{name}: its escape character is ambiguous: {Plural.OfFirst(Gained, Records, "record")} {Plural.For(Gained, "is", "are")} good " +
        "only if a backslash escapes a quote" +
        ", and " + (Changed > 0
            ? $"{Changed} {Plural.For(Changed, "record")} that {(Changed == 1 ? "is" : "are")} good without that would change"
            : "quotes and backslashes may be text") +
        $"; use --escape '\\' if a backslash escapes, --escape '' if it is text{(Encloses ? "" : ", --quote '' if quotes are, too")}");

    /// <summary>By their offset, the fields of the good records.</summary>
    public static (int Gained, int Changed) Compare(
        Dictionary<long, List<(bool IsQuoted, byte[]? Value)>> plain, Dictionary<long, List<(bool IsQuoted, byte[]? Value)>> escaped)
    {
        var gained = escaped.Keys.Count(offset => !plain.ContainsKey(offset));
        var changed = plain.Count(record => !escaped.TryGetValue(record.Key, out var other) || !AreSame(record.Value, other));
        return (gained, changed);
    }

    private static bool AreSame(List<(bool IsQuoted, byte[]? Value)> one, List<(bool IsQuoted, byte[]? Value)> other)
    {
        if (one.Count != other.Count)
        {
            return false;
        }

        for (var i = 0; i < one.Count; i++)
        {
            var isSame = one[i].Value is null || other[i].Value is null
                ? one[i].Value is null && other[i].Value is null
                : one[i].IsQuoted == other[i].IsQuoted && one[i].Value.AsSpan().SequenceEqual(other[i].Value);
            if (!isSame)
            {
                return false;
            }
        }

        return true;
    }
}
