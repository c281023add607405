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
