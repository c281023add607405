using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

/// <summary>Figures for people, on a terminal.</summary>
internal static class BenchText
{
    public static void Write(TextWriter to, BenchReport report)
    {
        var server = report.Server is { } found ? $" on {ReportText.ServerText(found)} as {found.User}" : "";
        to.WriteLine($"bench {report.Bench}{server}");
        to.WriteLine($"  {string.Join(", ", report.Settings.Select(setting => $"{setting.Key} {setting.Value}"))}");
        foreach (var section in report.Sections)
        {
            to.WriteLine();
            to.WriteLine($"{section.Title}");
            if (BenchWords.Legend(section) is { Length: > 0 } legend)
            {
                to.WriteLine($"  {legend}");
            }

            foreach (var group in BenchWords.Groups(section))
            {
                if (group.Key.Length > 0)
                {
                    to.WriteLine($"  {group.Key}");
                }

                foreach (var line in Aligned(BenchWords.Table(section, [.. group])))
                {
                    to.WriteLine($"    {line}");
                }
            }
        }

        to.WriteLine();
        foreach (var note in report.Notes)
        {
            to.WriteLine($"note: {note}");
        }

        to.WriteLine($"{Outcome(report)} after {Amounts.Duration(report.Elapsed)}");
    }

    /// <summary>For people.</summary>
    public static string Outcome(BenchReport report) => report.Outcome switch
    {
        BenchOutcome.Complete => "complete",
        BenchOutcome.CutShort => "cut short by --run-time",
        BenchOutcome.Interrupted => "interrupted",
        _ => "failed",
    };

    /// <summary>Names to the left, figures to the right, what is said behind them to the left again.</summary>
    private static IEnumerable<string> Aligned(IReadOnlyList<string[]> rows)
    {
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length))];
        return rows.Select(row => string.Join("  ", row.Select((cell, column) =>
            column == 0 || column == row.Length - 1 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]))).TrimEnd());
    }
}
