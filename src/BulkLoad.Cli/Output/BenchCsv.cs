using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

/// <summary>Figures as CSV (RFC 4180, UTF-8, LF): a line a measure; an empty field is what was not measured.</summary>
internal static class BenchCsv
{
    private static readonly string[] Columns =
    [
        "bench", "section", "group", "name", "x_name", "x", "unit", "amount", "runs",
        "seconds_min", "seconds_first_quartile", "seconds_median", "seconds_third_quartile", "seconds_max",
        "per_second_min", "per_second_first_quartile", "per_second_median", "per_second_third_quartile", "per_second_max",
        "speed_up", "ratio", "best", "not_measured",
    ];

    public static void Write(Stream to, BenchReport report)
    {
        var values = BenchWords.ValueNames(report.Sections.SelectMany(section => section.Measures));
        using var text = new StreamWriter(to, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true) { NewLine = "\n" };
        Line(text, Columns.Concat(values));
        foreach (var section in report.Sections)
        {
            foreach (var measure in section.Measures)
            {
                Line(text,
                [
                    report.Bench, section.Name, measure.Group, measure.Name, section.XName ?? "", Number(measure.X), section.Unit,
                    Number(measure.Amount), Number(measure.Runs), .. Spread(measure.Seconds), .. Spread(measure.Rate),
                    Number(measure.SpeedUp), Number(measure.Ratio), measure.IsBest ? "1" : "0", measure.NotMeasured ?? "",
                    .. values.Select(name => Number(BenchWords.Value(measure, name))),
                ]);
            }
        }
    }

    private static string[] Spread(BenchSpread? spread) => spread is null
        ? ["", "", "", "", ""]
        : [Number(spread.Min), Number(spread.FirstQuartile), Number(spread.Median), Number(spread.ThirdQuartile), Number(spread.Max)];

    private static string Number(double? value) => value?.ToString("G6") ?? "";

    private static string Number(long value) => value.ToString();

    private static void Line(StreamWriter to, IEnumerable<string> fields) => to.WriteLine(string.Join(',', fields.Select(Field)));

    private static string Field(string text) =>
        text.AsSpan().ContainsAny(",\"\r\n") ? $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : text;
}
