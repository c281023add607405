namespace BulkLoad.Core.Common;

/// <summary>Text from elsewhere that is safe to show: without characters that a terminal obeys (ECMA-48, "Control functions"), that change
/// the direction of text, or that are invisible. Names of files, tables and columns may contain anything.</summary>
internal static class VisibleText
{
    /// <summary>Replaces each such character by its number, as in <c>\x1b</c>; line ends become <c>\n</c>, tabs stay.</summary>
    public static string Of(string text)
    {
        var shown = new StringBuilder(text.Length);
        foreach (var rune in text.Replace("\r\n", "\n", StringComparison.Ordinal).EnumerateRunes())
        {
            shown.Append(rune.Value is '\n' or '\t' ? rune.ToString() : Of(rune));
        }

        return shown.ToString();
    }

    /// <summary>The text on one line: line ends and tabs become <c>\n</c>, <c>\r</c> and <c>\t</c>.</summary>
    public static string OneLine(string text)
    {
        if (text.All(letter => letter is >= ' ' and <= '~'))
        {
            return text;
        }

        var shown = new StringBuilder(text.Length);
        foreach (var rune in text.EnumerateRunes())
        {
            shown.Append(OneLine(rune));
        }

        return shown.ToString();
    }

    public static string OneLine(Rune rune) => rune.Value switch
    {
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        _ => Of(rune),
    };

    /// <summary>The character, or its number if it is not visible.</summary>
    public static string Of(Rune rune) => IsVisible(rune) ? rune.ToString() : $"\\x{rune.Value:x2}";

    /// <summary>False: it would break the line, change its direction, or not be seen.</summary>
    public static bool IsVisible(Rune rune) => Rune.GetUnicodeCategory(rune)
        is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);
}

/// <summary>A server's text for people: one line of bounded length, without control characters.</summary>
internal static class ServerText
{
    private const int MaxBytes = 4096;

    public static string Decode(ReadOnlySpan<byte> utf8)
    {
        var text = Encoding.UTF8.GetString(utf8[..Math.Min(utf8.Length, MaxBytes)]);
        return text.Any(IsControl) ? string.Concat(text.Select(sign => IsControl(sign) ? ' ' : sign)) : text;
    }

    /// <summary>U+2028 and U+2029 count too: some programs end lines there.</summary>
    private static bool IsControl(char sign) => char.IsControl(sign) || sign is '\u2028' or '\u2029';
}

internal static class FieldText
{
    private const int MaxCharacters = 40;

    private static string ShowBinary(ReadOnlySpan<byte> value)
    {
        const int MaxShownBytes = MaxCharacters / 2;
        return $"x'{Convert.ToHexString(value[..Math.Min(value.Length, MaxShownBytes)])}{(value.Length > MaxShownBytes ? "..." : "")}'";
    }

    public static string Show(ReadOnlySpan<byte> value, bool isBinary) => isBinary ? ShowBinary(value) : Show(value);

    public static string Show(ReadOnlySpan<byte> value)
    {
        var shown = new StringBuilder("'");
        var isCut = value.Length > MaxCharacters * 4;
        foreach (var rune in Encoding.UTF8.GetString(value[..Math.Min(value.Length, MaxCharacters * 4)]).EnumerateRunes())
        {
            if (shown.Length > MaxCharacters)
            {
                isCut = true;
                break;
            }

            shown.Append(VisibleText.OneLine(rune));
        }

        return shown.Append(isCut ? "...'" : "'").ToString();
    }
}

internal static class Names
{
    /// <summary><c>; did you mean 'x'?</c> or nothing.</summary>
    public static string DidYouMean(string name, IEnumerable<string> known)
    {
        var nearest = known.Select(candidate => (candidate, Distance: Distance(name.ToUpperInvariant(), candidate.ToUpperInvariant())))
            .Where(pair => pair.Distance < name.Length && pair.Distance <= Math.Max(1, name.Length / 3))
            .OrderBy(pair => pair.Distance)
            .Select(pair => pair.candidate)
            .FirstOrDefault();
        return nearest is null ? "" : $"; did you mean '{nearest}'?";
    }

    /// <summary>The optimal string alignment distance: edits of one letter, where a swap of neighbours is one.</summary>
    private static int Distance(string a, string b)
    {
        var before = new int[b.Length + 1];
        var former = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 0; i < a.Length; i++)
        {
            var current = new int[b.Length + 1];
            current[0] = i + 1;
            for (var j = 1; j <= b.Length; j++)
            {
                current[j] = Math.Min(Math.Min(current[j - 1], former[j]) + 1, former[j - 1] + (a[i] == b[j - 1] ? 0 : 1));
                if (i > 0 && j > 1 && a[i] == b[j - 2] && a[i - 1] == b[j - 1])
                {
                    current[j] = Math.Min(current[j], before[j - 2] + 1);
                }
            }

            (before, former) = (former, current);
        }

        return former[b.Length];
    }
}

internal static class Plural
{
    /// <param name="many">null: <paramref name="one"/> with an s</param>
    public static string For(long number, string one, string? many = null) => number == 1 ? one : many ?? $"{one}s";

    /// <summary>Such as <c>1 record</c> and <c>2,000 records</c>.</summary>
    public static string Count(long number, string one, string? many = null) => $"{number:N0} {For(number, one, many)}";

    /// <summary>Such as <c>the first record</c> and <c>the first 2,000 records</c>.</summary>
    public static string First(long number, string one) => number == 1 ? $"the first {one}" : $"the first {Count(number, one)}";

    /// <summary>Such as <c>the first record</c> and <c>3 of the first 4 records</c>; the verb agrees with the part.</summary>
    public static string OfFirst(long part, long whole, string one) =>
        part == 1 && whole == 1 ? $"the first {one}" : $"{part:N0} of {First(whole, one)}";

    /// <summary>Limit of the shown items of a list.</summary>
    public const int Shown = 10;

    /// <summary>The first names, and the number of the others.</summary>
    public static string Names(IReadOnlyList<string> names, int max = Shown) =>
        string.Join(", ", names.Take(max)) + (names.Count > max ? $" and {names.Count - max:N0} more" : "");

    /// <summary>Such as <c>the one value</c> and <c>all 2,000 values</c>.</summary>
    public static string All(long number, string one) => number == 1 ? $"the one {one}" : $"all {Count(number, one)}";
}

/// <summary>Words as a POSIX shell reads them.</summary>
internal static class ShellQuoting
{
    /// <summary>Quotes only words that need quotes.</summary>
    public static string Join(IEnumerable<string> words) => string.Join(' ', words.Select(Quote));

    public static string Enclose(string word) => word.All(letter => letter >= ' ')
        ? $"'{word.Replace("'", @"'\''", StringComparison.Ordinal)}'"
        : $"$'{string.Concat(word.Select(Escape))}'";

    /// <summary>As bash, zsh and ksh read a letter within <c>$'...'</c>.</summary>
    private static string Escape(char letter) => letter switch
    {
        '\\' or '\'' => $"\\{letter}",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        < ' ' => $"\\x{(int)letter:x2}",
        _ => letter.ToString(),
    };

    private static string Quote(string word) => word.Length > 0 && word.All(IsPlain) ? word : Enclose(word);

    private static bool IsPlain(char letter) =>
        char.IsLetterOrDigit(letter) || letter is '-' or '_' or '.' or '/' or ',' or ':' or '=' or '+' or '@' or '%';
}
