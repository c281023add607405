namespace BulkLoad.Core.Input.Detection;

/// <summary>What is found out about an input of which not everything was said: each decision has its own class.</summary>
internal static class SourceDetection
{
    /// <summary>The options with what was found out filled in; what an option says already is not looked for.</summary>
    /// <exception cref="InputException">something is not clear: the message names what it can be, and the option that says so</exception>
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
    public static bool MayLookForPreamble(SourceOptions options) => options.SkipLines is null && options.HasHeader != false;
}

/// <summary>Something that was found out about an input from its first bytes.</summary>
/// <param name="What">in the options' words: encoding, delimiter, quote, escape, header, preamble</param>
/// <param name="Value">what was found, such as the character itself (none: empty), or the count of lines</param>
/// <param name="Confidence">0 to 1; see <see cref="Share"/> and docs/input.md</param>
/// <param name="Reason">what speaks for it</param>
public sealed record DetectedSetting(string What, string Value, double Confidence, string Reason)
{
    /// <summary>Whether it is what the format says anyway, and need not be reported.</summary>
    internal bool IsExpected { get; init; }

    /// <summary>The value for people, where that is another text.</summary>
    internal string Shown { private get; init; } = Value;

    /// <summary>A character that has a meaning.</summary>
    /// <param name="confidence">0 to 1</param>
    internal static DetectedSetting OfCharacter(string what, char? character, double confidence, string reason) =>
        new(what, $"{character}", confidence, reason) { Shown = Show(character) };

    /// <summary>For people: what was found, and how sure that is.</summary>
    public override string ToString() => $"{What} {Shown} ({Reason}, confidence {Confidence:0.00})";

    /// <summary>The confidence of what so many observations speak for and so many against: one more against it stands for all that the
    /// sample does not show, so that few observations never make sure.</summary>
    internal static double Share(long supporting, long opposing) => (double)supporting / (supporting + opposing + 1);

    internal static string Show(char? character) => character switch
    {
        null => "none",
        '\t' => "tab",
        '\'' => "\"'\"",
        { } other => $"'{other}'",
    };
}
