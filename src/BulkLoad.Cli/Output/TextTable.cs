namespace BulkLoad.Cli.Output;

/// <summary>Rows under headings; where a terminal is too narrow for the columns, a list for each row.</summary>
internal static class TextTable
{
    private const string Gap = "  ";

    /// <param name="rows">the headings, then the rows</param>
    /// <param name="width">columns that a line may take; the last cell may go below</param>
    /// <param name="indent">before each line</param>
    /// <param name="numbers">columns from this one on are aligned to the right; null: none</param>
    public static void Write(TextWriter to, IReadOnlyList<string[]> rows, int width, string indent = "", int? numbers = null)
    {
        rows = [.. rows.Select(row => row.Select(VisibleText.OneLine).ToArray())];
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => TextWidth.Of(row[column])))];
        var least = indent.Length + widths.SkipLast(1).Sum() + ((widths.Length - 2) * Gap.Length);
        if ((numbers is null ? least : least + Gap.Length + widths[^1]) > width)
        {
            WriteLists(to, rows, indent);
            return;
        }

        foreach (var row in rows)
        {
            var cells = row.Select((cell, i) => i >= numbers ? TextWidth.PadLeft(cell, widths[i]) : TextWidth.PadRight(cell, widths[i]));
            to.WriteLine($"{indent}{string.Join(Gap, cells)}".TrimEnd());
        }
    }

    private static void WriteLists(TextWriter to, IReadOnlyList<string[]> rows, string indent)
    {
        var longest = rows[0].Max(TextWidth.Of);
        foreach (var row in rows.Skip(1))
        {
            for (var i = 0; i < row.Length; i++)
            {
                if (row[i].Length > 0)
                {
                    to.WriteLine(
                        $"{indent}{(i == 0 ? "" : Gap)}{TextWidth.PadRight(rows[0][i], longest + (i == 0 ? Gap.Length : 0))}{Gap}{row[i]}");
                }
            }
        }
    }
}

/// <summary>Columns of a terminal that a text takes: two for wide letters and most pictures, none for marks on the letter before
/// (Unicode Standard Annex 11, "East Asian Width").</summary>
internal static class TextWidth
{
    private const int FirstMark = 0x300;

    /// <summary>First and last characters of what is wide or full-width; signs that nobody has assigned yet may be among them.</summary>
    private static readonly (int First, int Last)[] Wide =
    [
        (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC), (0x23F0, 0x23F0), (0x23F3, 0x23F3), (0x25FD, 0x25FE),
        (0x2614, 0x2615), (0x2648, 0x2653), (0x267F, 0x267F), (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE),
        (0x26C4, 0x26C5), (0x26CE, 0x26CE), (0x26D4, 0x26D4), (0x26EA, 0x26EA), (0x26F2, 0x26F3), (0x26F5, 0x26F5), (0x26FA, 0x26FA),
        (0x26FD, 0x26FD), (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755),
        (0x2757, 0x2757), (0x2795, 0x2797), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55),
        (0x2E80, 0x303E), (0x3041, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE10, 0xFE19), (0xFE30, 0xFE6F),
        (0xFF01, 0xFF60), (0xFFE0, 0xFFE6), (0x16FE0, 0x1B2FF), (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF), (0x1F18E, 0x1F18E),
        (0x1F191, 0x1F19A), (0x1F200, 0x1F320), (0x1F32D, 0x1F335), (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA),
        (0x1F3CF, 0x1F3D3), (0x1F3E0, 0x1F3F0), (0x1F3F4, 0x1F3F4), (0x1F3F8, 0x1F43E), (0x1F440, 0x1F440), (0x1F442, 0x1F4FC),
        (0x1F4FF, 0x1F53D), (0x1F54B, 0x1F54E), (0x1F550, 0x1F567), (0x1F57A, 0x1F57A), (0x1F595, 0x1F596), (0x1F5A4, 0x1F5A4),
        (0x1F5FB, 0x1F64F), (0x1F680, 0x1F6C5), (0x1F6CC, 0x1F6CC), (0x1F6D0, 0x1F6D2), (0x1F6D5, 0x1F6D7), (0x1F6DC, 0x1F6DF),
        (0x1F6EB, 0x1F6EC), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7EB), (0x1F7F0, 0x1F7F0), (0x1F90C, 0x1F93A), (0x1F93C, 0x1F945),
        (0x1F947, 0x1F9FF), (0x1FA70, 0x1FAFF), (0x20000, 0x3FFFD),
    ];

    /// <summary>Of a text without line ends.</summary>
    public static int Of(string text)
    {
        if (text.AsSpan().IndexOfAnyExceptInRange('\0', (char)(FirstMark - 1)) < 0)
        {
            return text.Length;
        }

        var width = 0;
        foreach (var rune in text.EnumerateRunes())
        {
            width += Of(rune);
        }

        return width;
    }

    /// <summary>The text with blanks after it, up to a width.</summary>
    public static string PadRight(string text, int width) => text + new string(' ', Math.Max(0, width - Of(text)));

    /// <summary>The text with blanks before it, up to a width.</summary>
    public static string PadLeft(string text, int width) => new string(' ', Math.Max(0, width - Of(text))) + text;

    private static int Of(Rune rune) => rune.Value < FirstMark ? 1
        : Rune.GetUnicodeCategory(rune) is UnicodeCategory.NonSpacingMark or UnicodeCategory.EnclosingMark or UnicodeCategory.Format ? 0
        : IsWide(rune.Value) ? 2 : 1;

    private static bool IsWide(int character)
    {
        var (low, high) = (0, Wide.Length - 1);
        while (low <= high)
        {
            var middle = (low + high) / 2;
            if (character < Wide[middle].First)
            {
                high = middle - 1;
            }
            else if (character > Wide[middle].Last)
            {
                low = middle + 1;
            }
            else
            {
                return true;
            }
        }

        return false;
    }
}
