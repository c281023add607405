using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds whether a backslash escapes quotes in quoted fields: if that makes bad records good, and changes no good
/// record.</summary>
internal static class EscapeDetector
{
    public const double Enough = 0.75;

    /// <summary>From here on, an escape that is not certain needs the user's decision.</summary>
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
                + "and none would change"));
        return options with { Escape = '\\' };
    }

    /// <summary>Whether no option sets the escape, and a backslash comes before a quote.</summary>
    public static bool MayApply(SourceHead head, SourceOptions options) =>
        options.Escape is null && options.Format == InputFormat.Auto
        && head.TryDialect(options)?.Quote is { } quote && head.Bytes.IndexOf([(byte)'\\', quote]) >= 0;

    /// <summary>Samples with a backslash as escape if that makes more records good: other detections must not depend on it.</summary>
    public static SourceSample? TryBest(SourceHead head, SourceOptions options)
    {
        var plain = head.TrySample(options);
        var escaped = plain is not { Faulty: 0 } && MayApply(head, options)
            ? head.TrySample(options with { Escape = '\\' }) : null;
        return escaped is not null && (plain is null || escaped.Faulty < plain.Faulty) ? escaped : plain;
    }

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
/// <paramref name="Changed"/>: records that are good without it, and different or missing with it. <paramref name="Encloses"/>: quotes
/// enclose fields with it; otherwise quotes and backslashes may be text.</summary>
internal sealed record EscapeEvidence(int Gained, int Changed, int QuoteFaults, int Records, bool Encloses)
{
    public double Confidence => DetectedSetting.Share(Gained, Changed + QuoteFaults);

    public bool IsEnough => Changed == 0 && Encloses && Confidence >= EscapeDetector.Enough;

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

    /// <summary>Compares the fields of the good records, by their offset.</summary>
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
