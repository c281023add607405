namespace BulkLoad.Core.Values;

/// <summary>The true/false words that a boolean column takes, in any case.</summary>
internal static class TruthText
{
    public static bool TryParse(ReadOnlySpan<byte> text, out bool truth)
    {
        truth = Ascii.EqualsIgnoreCase(text, "true"u8) || Ascii.EqualsIgnoreCase(text, "t"u8) || Ascii.EqualsIgnoreCase(text, "yes"u8)
            || Ascii.EqualsIgnoreCase(text, "y"u8) || Ascii.EqualsIgnoreCase(text, "on"u8);
        return truth || Ascii.EqualsIgnoreCase(text, "false"u8) || Ascii.EqualsIgnoreCase(text, "f"u8)
            || Ascii.EqualsIgnoreCase(text, "no"u8) || Ascii.EqualsIgnoreCase(text, "n"u8) || Ascii.EqualsIgnoreCase(text, "off"u8);
    }
}
