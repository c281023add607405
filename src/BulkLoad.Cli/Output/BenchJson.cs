using System.Text.Json;
using BulkLoad.Bench;

namespace BulkLoad.Cli.Output;

/// <summary>Figures for machines.</summary>
internal static class BenchJson
{
    public static void Write(Stream to, BenchReport report, ExitCode code) => JsonOutput.Document(to, "bulkload-bench", json =>
    {
        json.WriteString("bench", report.Bench);
        json.WriteString("outcome", JsonOutput.WordOf(report.Outcome));
        json.WriteNumber("exitCode", (int)code);
        ReportJson.Failure(json, report.Failure);
        json.WriteString("started", report.Started.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ssZ"));
        json.Seconds("elapsedSeconds", report.Elapsed.TotalSeconds);
        json.Value("server", report.Server);
        json.WriteStartObject("settings");
        foreach (var (name, value) in report.Settings)
        {
            json.WriteString(name, value);
        }

        json.WriteEndObject();
        json.Objects("sections", report.Sections, section =>
        {
            json.WriteString("name", section.Name);
            json.WriteString("title", section.Title);
            json.WriteString("unit", section.Unit);
            json.WriteString("xName", section.XName);
            json.WriteString("speedUpOver", section.SpeedUpOver);
            json.WriteString("ratioTo", section.RatioTo);
            json.Objects("measures", section.Measures, measure => Measure(json, measure));
        });
        json.Value("notes", report.Notes);
    });

    private static void Measure(Utf8JsonWriter json, BenchMeasure measure)
    {
        json.WriteString("group", measure.Group);
        json.WriteString("name", measure.Name);
        Number(json, "x", measure.X);
        json.WriteNumber("amount", measure.Amount);
        json.WriteNumber("runs", measure.Runs);
        Spread(json, "seconds", measure.Seconds);
        Spread(json, "perSecond", measure.Rate);
        Number(json, "speedUp", measure.SpeedUp);
        Number(json, "ratio", measure.Ratio);
        json.WriteBoolean("best", measure.IsBest);
        json.WriteString("notMeasured", measure.NotMeasured);
        json.WriteStartObject("values");
        foreach (var (name, value) in measure.Values)
        {
            Number(json, name, value);
        }

        json.WriteEndObject();
    }

    private static void Spread(Utf8JsonWriter json, string name, BenchSpread? spread)
    {
        if (spread is null)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartObject(name);
        Number(json, "min", spread.Min);
        Number(json, "firstQuartile", spread.FirstQuartile);
        Number(json, "median", spread.Median);
        Number(json, "thirdQuartile", spread.ThirdQuartile);
        Number(json, "max", spread.Max);
        json.WriteEndObject();
    }

    /// <summary>To six digits: more is not measured.</summary>
    private static void Number(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } number && double.IsFinite(number))
        {
            json.WriteNumber(name, double.Parse(number.ToString("G6"), CultureInfo.InvariantCulture));
        }
        else
        {
            json.WriteNull(name);
        }
    }
}

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
        var values = BenchFormat.ValueNames(report.Sections.SelectMany(section => section.Measures));
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
                    .. values.Select(name => Number(BenchFormat.Value(measure, name))),
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
