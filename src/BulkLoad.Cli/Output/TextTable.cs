using Wcwidth;

namespace BulkLoad.Cli.Output;

/// <summary>Rows under headings; if the terminal is too narrow for the columns, a list for each row.</summary>
internal static class TextTable
{
    private const string Gap = "  ";

    /// <param name="rows">the headings, then the rows</param>
    /// <param name="width">columns of a line; the last cell may go below</param>
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

/// <summary>The columns of a text on a terminal: two for wide letters and most pictures, none for marks on the letter before (Unicode
/// Standard Annex 11, "East Asian Width").</summary>
internal static class TextWidth
{
    private const int FirstMark = 0x300;

    /// <param name="text">without line ends</param>
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

    public static string PadRight(string text, int width) => text + new string(' ', Math.Max(0, width - Of(text)));

    public static string PadLeft(string text, int width) => new string(' ', Math.Max(0, width - Of(text))) + text;

    private static int Of(Rune rune) => rune.Value < FirstMark ? 1 : Math.Max(0, UnicodeCalculator.GetWidth(rune));
}
