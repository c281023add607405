using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using BulkLoad.Bench;
using BulkLoad.Cli.Host;
using BulkLoad.Cli.Output;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

public sealed partial class BenchOutputTests
{
    private static BenchMeasure Slow { get; } = new()
    {
        Group = "insert of 100",
        Name = "literal, one \"by\" one",
        Amount = 100,
        Runs = 3,
        Seconds = BenchSpread.Of([1, 2, 4]),
        SpeedUp = 1,
        Ratio = 4,
        Values = [new("latencyMaxMs", 12.5)]
    };

    internal static BenchReport Report { get; } = new()
    {
        Bench = "strategies",
        Outcome = BenchOutcome.Complete,
        Server = new PlannedServer("MariaDB", "10.11.14", "127.0.0.1:3306", "TLS 1.3", "app"),
        Started = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
        Elapsed = TimeSpan.FromSeconds(12.3456),
        Settings = [new("rows", "100000"), new("repeat", "3"), new("innodb_flush_log_at_trx_commit", "1")],
        Sections =
        [
            new BenchSection
            {
                Name = "batch-methods",
                Title = "batches by every method",
                Unit = "rows",
                SpeedUpOver = "a literal statement a row",
                RatioTo = "load-data",
                Measures = [Slow, new BenchMeasure
                { Group = "insert of 100", Name = "bulk execute", Amount = 100, NotMeasured = "the server has nothing like it" }],
            },
            new BenchSection
            {
                Name = "rows-a-statement",
                Title = "over <1 ms>",
                Unit = "rows",
                XName = "rows a statement",
                Measures =
                [
                    .. new[] { 1, 10, 100 }.Select(x => new BenchMeasure
                    { Name = "text", X = x, Amount = 1000, Runs = 3, Seconds = BenchSpread.Of([1.0 / x]), IsBest = x == 100 }),
                ],
            },
        ],
        Notes = ["a note"],
    };

    [Fact]
    public void People_read_a_table_for_each_group()
    {
        using var text = new StringWriter { NewLine = "\n" };
        BenchText.Write(text, Report);
        Assert.Equal(
            """
            bench strategies on MariaDB 10.11.14 (127.0.0.1:3306, TLS 1.3) as app
              rows 100000, repeat 3, innodb_flush_log_at_trx_commit 1

            batches by every method
              speed-up: over a literal statement a row; ratio: time in units of load-data, lower is faster
              insert of 100
                                       rows/s   min  1st quartile  3rd quartile  max  speed-up  ratio  max ms
                literal, one "by" one    50.0  25.0          33.3          66.7  100     1.00x   4.00    12.5
                bulk execute                                                                                   the server has nothing like it

            over <1 ms>
                      rows a statement   rows/s      min  1st quartile  3rd quartile      max
                text                 1    1,000    1,000         1,000         1,000    1,000
                text                10   10,000   10,000        10,000        10,000   10,000
                text               100  100,000  100,000       100,000       100,000  100,000  <- best

            note: a note
            complete after 12.35 s

            """.ReplaceLineEndings("\n"),
            text.ToString());
    }

    [Fact]
    public void Machines_read_every_figure()
    {
        using var json = JsonDocument.Parse(JsonOf(Report));
        var root = json.RootElement;
        Assert.Equal((1, "bulkload-bench", "complete"),
            (root.GetProperty("version").GetInt32(), root.GetProperty("kind").GetString(), root.GetProperty("outcome").GetString()));
        var measures = root.GetProperty("sections")[0].GetProperty("measures");
        Assert.Equal(2, measures[0].GetProperty("seconds").GetProperty("median").GetDouble());
        Assert.Equal(33.3333, measures[0].GetProperty("perSecond").GetProperty("firstQuartile").GetDouble());
        Assert.Equal(12.5, measures[0].GetProperty("values").GetProperty("latencyMaxMs").GetDouble());
        Assert.Equal(JsonValueKind.Null, measures[1].GetProperty("seconds").ValueKind);
        Assert.Equal("the server has nothing like it", measures[1].GetProperty("notMeasured").GetString());
    }

    [Fact]
    public void A_failure_is_told_to_machines_too()
    {
        using var json =
            JsonDocument.Parse(JsonOf(Report with { Outcome = BenchOutcome.Failed, Failure = new PlanException("no"), Server = null }));
        Assert.Equal("plan", json.RootElement.GetProperty("failure").GetProperty("kind").GetString());
        Assert.Equal(JsonValueKind.Null, json.RootElement.GetProperty("server").ValueKind);
    }

    [Fact]
    public void A_spreadsheet_gets_a_line_a_measure()
    {
        var lines = Written(to => BenchCsv.Write(to, Report)).Split('\n');
        Assert.Equal(
            "bench,section,group,name,x_name,x,unit,amount,runs,seconds_min,seconds_first_quartile,seconds_median,"
            + "seconds_third_quartile,seconds_max,per_second_min,per_second_first_quartile,per_second_median,"
            + "per_second_third_quartile,per_second_max,speed_up,ratio,best,not_measured,latencyMaxMs",
            lines[0]);
        Assert.Equal("strategies,batch-methods,insert of 100,\"literal, one \"\"by\"\" "
            + "one\",,,rows,100,3,1,1.5,2,3,4,25,33.3333,50,66.6667,100,1,4,0,,12.5", lines[1]);
        Assert.Equal(
            "strategies,batch-methods,insert of 100,bulk execute,,,rows,100,0,,,,,,,,,,,,,0,the server has nothing like it,", lines[2]);
        Assert.Equal("strategies,rows-a-statement,,text,rows a "
            + "statement,100,rows,1000,3,0.01,0.01,0.01,0.01,0.01,100000,100000,100000,100000,100000,,,1,,", lines[5]);
        Assert.Equal((7, ""), (lines.Length, lines[6]));
    }

    [Fact]
    public void The_page_is_one_file_that_loads_nothing()
    {
        var page = Written(to => BenchHtml.Write(to, Report));
        Assert.DoesNotContain("http", page, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotMatch("(?i)<script|<link|<img|@import|url\\(", page);
        Assert.Contains("over &lt;1 ms&gt;", page, StringComparison.Ordinal);
        Assert.Contains("the server has nothing like it", page, StringComparison.Ordinal);
    }

    [Fact]
    public void Its_charts_are_well_formed_and_show_every_measure_that_has_figures()
    {
        var charts = Chart().Matches(Written(to => BenchHtml.Write(to, Report))).Select(match => XElement.Parse(match.Value)).ToList();
        Assert.Equal(2, charts.Count);
        Assert.Single(charts[0].Elements("rect"), bar => bar.Attribute("class")!.Value == "bar");
        Assert.Equal(3, charts[1].Elements("circle").Count(point => point.Attribute("class")!.Value == "point s0"));
        Assert.Single(charts[1].Elements("circle"), point => point.Attribute("class")!.Value == "best s0");
    }

    [Fact]
    public void Rates_that_are_far_apart_stand_on_a_logarithmic_axis()
    {
        var chart = XElement.Parse(BenchChart.Bars("calls", [Slow, Slow with { Name = "quick", Seconds = BenchSpread.Of([0.001]) }]));
        Assert.DoesNotContain(chart.Elements("rect"), bar => bar.Attribute("class")!.Value == "bar");
        Assert.Contains(chart.Elements("text"), text => text.Value == "calls/s, logarithmic");
    }

    [Fact]
    public void A_chart_of_nothing_is_empty() => Assert.Equal("", BenchChart.Bars("rows", [Slow with { Seconds = null }]));

    [Theory]
    [InlineData(0, "0")]
    [InlineData(0.5, "0.5")]
    [InlineData(1234, "1.23k")]
    [InlineData(12_988, "13k")]
    [InlineData(340_400, "340k")]
    [InlineData(999_600, "1M")]
    [InlineData(16 * 1024 * 1024, "16.8M")]
    public void Numbers_are_short_in_charts(double number, string expected) => Assert.Equal(expected, BenchChart.Short(number));

    [Fact]
    public void Labels_keep_out_of_each_others_way() => Assert.Equal([30, 10, 20], BenchChart.Spread([12, 10, 11], 10, 0, 100));

    [Fact]
    public void Labels_stay_in_the_chart() => Assert.Equal([80, 90, 100], BenchChart.Spread([97, 98, 99], 10, 0, 100));

    [Fact]
    public void A_scale_has_its_ends_and_round_ticks()
    {
        var linear = new BenchScale([3, 95], isLogarithmic: false, 100, 200);
        Assert.Equal([0, 20, 40, 60, 80], linear.Ticks);
        Assert.Equal(100, linear.Place(0));
        var logarithmic = new BenchScale([1, 100], isLogarithmic: true, 0, 100);
        Assert.Equal([1, 2, 5, 10, 20, 50, 100], logarithmic.Ticks);
        Assert.Equal(50, logarithmic.Place(10), 6);
    }

    internal static string JsonOf(BenchReport report) => Written(to => BenchJson.Write(to, report, ExitCode.Done));

    private static string Written(Action<Stream> write)
    {
        using var bytes = new MemoryStream();
        write(bytes);
        return Encoding.UTF8.GetString(bytes.ToArray());
    }

    [GeneratedRegex("<svg.*?</svg>", RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Chart();
}
