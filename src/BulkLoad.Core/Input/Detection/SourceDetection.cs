namespace BulkLoad.Core.Input.Detection;

/// <summary>What is found out about an input of which not everything was said: each decision has a class of its own.</summary>
internal static class SourceDetection
{
    /// <summary>The options with what was found out filled in; what an option says already is not looked for.</summary>
    /// <param name="head">the input's beginning</param>
    /// <param name="options">what the user said</param>
    /// <param name="detections">takes what was found</param>
    /// <exception cref="InputException">something cannot be told: the message names what it can be, and the option that says so</exception>
    /// <exception cref="RequestException">the options contradict each other</exception>
    public static SourceOptions Settle(SourceHead head, SourceOptions options, List<DetectedSetting> detections)
    {
        if (head.Format is not (InputFormat.Csv or InputFormat.Tsv) || options.IsPinned)
        {
            return options;
        }

        options = SeparatorLine.Apply(head, options, detections);
        CommentDetector.RequireNone(head, options);
        options = DelimiterDetector.Apply(head, options, detections);
        options = PreambleDetector.Apply(head, options, detections);
        options = QuoteDetector.Apply(head, options, detections);
        return EscapeDetector.Apply(head, options, detections);
    }

    /// <summary>Whether the delimiter may be another than the format's.</summary>
    public static bool MayLookForDelimiter(SourceHead head, SourceOptions options) =>
        head.Format == InputFormat.Csv && options.Format == InputFormat.Auto && options.Delimiter is null;

    /// <summary>Whether there may be lines before the header that nobody spoke of.</summary>
    public static bool MayLookForPreamble(SourceOptions options) =>
        options.SkipLines is null && options.HasHeader != false;
}
