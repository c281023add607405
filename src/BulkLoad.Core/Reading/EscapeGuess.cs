using System.Globalization;

namespace BulkLoad.Core.Reading;

/// <summary>
/// Finds whether quotes within quoted fields are doubled, as csv and tsv have it, or escaped with a backslash: where that makes
/// records good that are not good otherwise.
/// </summary>
internal static class EscapeGuess
{
    private const double Enough = 0.75;

    /// <param name="head">the input's beginning</param>
    /// <param name="options">what is known so far</param>
    /// <param name="detections">takes what was found</param>
    public static SourceOptions Apply(SourceHead head, SourceOptions options, List<Detection> detections)
    {
        if (options.Escape is not null || options.Format != InputFormat.Auto
            || Dialect.Of(options, head.Format).Quote is not { } quote || head.Bytes.IndexOf([(byte)'\\', quote]) < 0
            || head.TrySample(options) is not { } usual || head.TrySample(options with { Escape = '\\' }) is not { } escaped)
        {
            return options;
        }

        var gained = usual.Faulty - escaped.Faulty;
        var confidence = Detection.Share(Math.Max(0, gained), escaped.QuoteFaults);
        if (confidence < Enough)
        {
            return options;
        }

        detections.Add(Detection.OfCharacter(
            "escape", '\\', confidence, string.Create(CultureInfo.InvariantCulture, $"{gained} of the first {escaped.Records} records are good only with it")));
        return options with { Escape = '\\' };
    }
}
