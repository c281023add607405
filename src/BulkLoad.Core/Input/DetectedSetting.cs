namespace BulkLoad.Core.Input;

/// <summary>Something that was detected from an input's first bytes.</summary>
/// <param name="What">in the options' words: encoding, delimiter, quote, escape, header, preamble</param>
/// <param name="Value">such as the character itself (none: empty), or the number of lines</param>
/// <param name="Confidence">0 to 1; see <see cref="Share"/> and docs/input.md</param>
/// <param name="Reason">for people</param>
internal sealed record DetectedSetting(string What, string Value, double Confidence, string Reason)
{
    /// <summary>Whether it is the format's default, which need not be reported.</summary>
    internal bool IsExpected { get; init; }

    /// <summary>For people, where <see cref="Value"/> is not readable.</summary>
    internal string Shown { private get; init; } = Value;

    internal static DetectedSetting OfCharacter(string what, char? character, double confidence, string reason) =>
        new(what, $"{character}", confidence, reason) { Shown = Show(character) };

    public override string ToString() => $"{What} {Shown} ({Reason}, confidence {Confidence:0.00})";

    /// <summary>One more observation counts against it for what the sample does not show: few observations are never sure.</summary>
    internal static double Share(long supporting, long opposing) => (double)supporting / (supporting + opposing + 1);

    internal static string Show(char? character) => character switch
    {
        null => "none",
        '\t' => "tab",
        '\'' => "\"'\"",
        { } other => $"'{other}'",
    };
}
