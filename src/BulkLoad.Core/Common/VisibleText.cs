namespace BulkLoad.Core.Common;

/// <summary>Text of others as people may be shown it: with nothing in it that a terminal would obey (ECMA-48, "Control functions"), that
/// turns the direction of what follows, or that is not to be seen. The names of files, tables and columns may hold anything.</summary>
public static class VisibleText
{
    /// <summary>The text with each such character by its number, as in <c>\x1b</c>; line ends, as <c>\n</c>, and tabs stay.</summary>
    public static string Of(string text)
    {
        var shown = new StringBuilder(text.Length);
        foreach (var rune in text.Replace("\r\n", "\n", StringComparison.Ordinal).EnumerateRunes())
        {
            shown.Append(rune.Value is '\n' or '\t' ? rune.ToString() : Of(rune));
        }

        return shown.ToString();
    }

    /// <summary>The character, or its number where it is none that people may be shown.</summary>
    public static string Of(Rune rune) => IsVisible(rune) ? rune.ToString() : $"\\x{rune.Value:x2}";

    /// <summary>False for what would break the line, turn its direction, or not be seen.</summary>
    public static bool IsVisible(Rune rune) => Rune.GetUnicodeCategory(rune)
        is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}

/// <summary>Text of the server for people: one line of bounded length, without control characters.</summary>
internal static class ServerText
{
    private const int MaxBytes = 4096;

    public static string Decode(ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxBytes)]);
        foreach (var sign in text)
        {
            if (IsControl(sign))
            {
                return string.Create(text.Length, text, static (target, source) =>
                {
                    for (var i = 0; i < source.Length; i++)
                    {
                        target[i] = IsControl(source[i]) ? ' ' : source[i];
                    }
                });
            }
        }

        return text;
    }

    /// <summary>U+2028 and U+2029 count too: some programs end lines there.</summary>
    private static bool IsControl(char sign) => char.IsControl(sign) || sign is '\u2028' or '\u2029';
}

/// <summary>A value in a message: short, on one line.</summary>
internal static class FieldText
{
    private const int MostCharacters = 40;

    private static string ShowBinary(ReadOnlySpan<byte> value)
    {
        const int MostBytes = MostCharacters / 2;
        return $"x'{Convert.ToHexString(value[..Math.Min(value.Length, MostBytes)])}{(value.Length > MostBytes ? "..." : "")}'";
    }

    public static string Show(ReadOnlySpan<byte> value, bool isBinary) => isBinary ? ShowBinary(value) : Show(value);

    public static string Show(ReadOnlySpan<byte> value)
    {
        var shown = new StringBuilder("'");
        var isCut = value.Length > MostCharacters * 4;
        foreach (var rune in Encoding.UTF8.GetString(value[..Math.Min(value.Length, MostCharacters * 4)]).EnumerateRunes())
        {
            if (shown.Length > MostCharacters)
            {
                isCut = true;
                break;
            }

            shown.Append(rune.Value switch
            {
                '\n' => "\\n",
                '\r' => "\\r",
                '\t' => "\\t",
                _ => VisibleText.Of(rune),
            });
        }

        return shown.Append(isCut ? "...'" : "'").ToString();
    }
}
