using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Finds whether quotes within quoted fields are doubled, as csv and tsv have it, or escaped with a backslash: where that makes
/// records good that are not good otherwise, and changes none that is.</summary>
internal static class EscapeDetector
{
    public const double Enough = 0.75;

    /// <summary>From this on, where it cannot be taken, nobody can tell.</summary>
    public const double Plausible = 0.5;

    /// <exception cref="InputException">it is not clear</exception>
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (Judge(head, options) is not { } evidence)
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
            $"{evidence.Gained} of the first {evidence.Records} records are good only with it, and none would change"));
        return options with { Escape = '\\' };
    }

    /// <summary>Whether a backslash may be an escape: nobody said what is, and one is before a quote.</summary>
    public static bool MayLook(SourceHead head, SourceOptions options) =>
        options.Escape is null && options.Format == InputFormat.Auto
        && head.TryDialect(options)?.Quote is { } quote && head.Bytes.IndexOf([(byte)'\\', quote]) >= 0;

    /// <summary>What speaks for and against a backslash as escape; null: nothing is to be found out, or nothing speaks for it.</summary>
    public static EscapeEvidence? Judge(SourceHead head, SourceOptions options)
    {
        if (!MayLook(head, options) || head.TrySample(options with { Escape = '\\' }) is not { } escaped)
        {
            return null;
        }

        var (gained, changed) = EscapeEvidence.Compare(head.Read(options), head.Read(options with { Escape = '\\' }));
        var dialect = Dialect.Of(options, head.Format);
        return gained == 0 ? null
            : new EscapeEvidence(gained, changed, escaped.QuoteFaults, escaped.Records, head.MayEnclose(dialect, dialect.Quote!.Value));
    }
}
