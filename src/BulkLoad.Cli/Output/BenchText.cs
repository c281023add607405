using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

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
            if (BenchFormat.Legend(section) is { Length: > 0 } legend)
            {
                to.WriteLine($"  {legend}");
            }

            foreach (var group in BenchFormat.Groups(section))
            {
                if (group.Key.Length > 0)
                {
                    to.WriteLine($"  {group.Key}");
                }

                foreach (var line in Aligned(BenchFormat.Table(section, [.. group])))
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

    public static string Outcome(BenchReport report) => report.Outcome switch
    {
        BenchOutcome.Complete => "complete",
        BenchOutcome.CutShort => "cut short by --run-time",
        BenchOutcome.Interrupted => "interrupted",
        _ => "failed",
    };

    /// <summary>Names to the left, figures to the right, what follows them to the left again.</summary>
    private static IEnumerable<string> Aligned(IReadOnlyList<string[]> rows)
    {
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length))];
        return rows.Select(row => string.Join("  ", row.Select((cell, column) =>
            column == 0 || column == row.Length - 1 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]))).TrimEnd());
    }
}

/// <summary>Names and formats of a bench's figures, the same on the terminal and on the page.</summary>
internal static class BenchFormat
{
    private static readonly Dictionary<string, string> Headings = new(StringComparer.Ordinal)
    {
        ["latencyMedianMs"] = "median ms",
        ["latency95Ms"] = "95% ms",
        ["latencyMaxMs"] = "max ms",
        ["allocatedBytesPerCall"] = "bytes/call",
        ["queriesPerSecond"] = "queries/s",
        ["latencyMinMs"] = "min ms",
        ["latencyAvgMs"] = "avg ms",
        ["latencyPercentileMs"] = "percentile ms",
        ["errorsIgnored"] = "errors ignored",
        ["rowsAStatement"] = "rows a statement",
    };

    /// <param name="value">a name in <see cref="BenchMeasure.Values"/></param>
    public static string Heading(string value) => Headings.GetValueOrDefault(value, value);

    /// <summary>In the order in which they appear.</summary>
    public static IReadOnlyList<string> ValueNames(IEnumerable<BenchMeasure> measures) =>
        [.. measures.SelectMany(measure => measure.Values).Select(value => value.Key).Distinct()];

    /// <summary>Null: the measure has no such value.</summary>
    public static double? Value(BenchMeasure measure, string name)
    {
        foreach (var (key, value) in measure.Values)
        {
            if (key == name)
            {
                return value;
            }
        }

        return null;
    }

    /// <summary>Four digits, with commas: <c>1,234,567</c>, <c>12.35</c>, <c>0.00123</c>.</summary>
    public static string Figure(double? number) => number switch
    {
        null => "",
        0 => "0",
        { } value => Math.Abs(value) switch
        {
            >= 1000 => value.ToString("N0"),
            >= 100 => value.ToString("0"),
            >= 10 => value.ToString("0.0"),
            >= 0.1 => value.ToString("0.00"),
            _ => value.ToString("0.####"),
        },
    };

    private static string Count(double? number) =>
        number is { } value && Math.Abs(value) < 1e15 && value == Math.Truncate(value) ? Amounts.Count((long)value) : Figure(number);

    public static IEnumerable<IGrouping<string, BenchMeasure>> Groups(BenchSection section) =>
        section.Measures.GroupBy(measure => measure.Group);

    /// <summary>Explains the figures that are no rates.</summary>
    public static string Legend(BenchSection section)
    {
        List<string> parts = [];
        if (section.SpeedUpOver is { } unit)
        {
            parts.Add($"speed-up: over {unit}");
        }

        if (section.RatioTo is { } other)
        {
            parts.Add($"ratio: time in units of {other}, lower is faster");
        }

        return string.Join("; ", parts);
    }

    /// <summary>Headings, then a row a measure.</summary>
    public static IReadOnlyList<string[]> Table(BenchSection section, IReadOnlyList<BenchMeasure> measures)
    {
        var values = ValueNames(section.Measures);
        List<string[]> rows =
        [
            [
                "", .. section.XName is null ? Array.Empty<string>() : [section.XName], $"{section.Unit}/s", "min", "1st quartile",
                "3rd quartile", "max",
                .. section.SpeedUpOver is null ? Array.Empty<string>() : ["speed-up"],
                .. section.RatioTo is null ? Array.Empty<string>() : ["ratio"],
                .. values.Select(Heading), "",
            ],
        ];
        foreach (var measure in measures)
        {
            var rate = measure.Rate;
            rows.Add(
            [
                measure.Name, .. section.XName is null ? Array.Empty<string>() : [Count(measure.X)],
                Figure(rate?.Median), Figure(rate?.Min), Figure(rate?.FirstQuartile), Figure(rate?.ThirdQuartile), Figure(rate?.Max),
                .. section.SpeedUpOver is null ? Array.Empty<string>() : [measure.SpeedUp is { } speedUp ? $"{Figure(speedUp)}x" : ""],
                .. section.RatioTo is null ? Array.Empty<string>() : [measure.Ratio is { } ratio ? ratio.ToString("0.00") : ""],
                .. values.Select(name => Count(Value(measure, name))), measure.NotMeasured ?? (measure.IsBest ? "<- best" : ""),
            ]);
        }

        return rows;
    }
}
