using BulkLoad.Bench;

namespace BulkLoad.Tests.Bench;

public sealed class TuneChoiceTests
{
    private const long Usual = 500;

    /// <summary>Seconds for 1,000 rows at each place.</summary>
    [Theory]
    [InlineData(null, "500:1.00")]
    [InlineData(null, "100:0.97 500:1.00 1000:0.96")]
    [InlineData(100L, "100:0.90 500:1.00 1000:1.10")]
    [InlineData(1000L, "100:1.10 500:1.00 1000:0.90")]
    [InlineData(1000L, "500:1.00 1000:0.81 2000:0.80")]
    [InlineData(2000L, "500:1.00 1000:0.90 2000:0.80")]
    [InlineData(null, "100:0.90 500: 1000:0.80")]
    [InlineData(1000L, "100: 500:1.00 1000:0.80")]
    public void Only_what_is_clearly_faster_takes_the_place_of_the_usual(long? expected, string curve) =>
        Assert.Equal((double?)expected,
            TuneChoice.FindBetter([.. curve.Replace(": ", ":- ", StringComparison.Ordinal).Split(' ').Select(Measure)], Usual)?.X);

    [Fact]
    public void Where_quartiles_meet_the_usual_stays()
    {
        var usual = Measure("500:1.00");
        var scattered = Measure("100:0.80") with { Seconds = BenchSpread.Of([0.7, 0.8, 1.3]) };
        Assert.Null(TuneChoice.FindBetter([scattered, usual], Usual));
        Assert.Equal(100, TuneChoice.FindBetter([scattered with { Seconds = BenchSpread.Of([0.7, 0.8, 0.9]) }, usual], Usual)?.X);
    }

    [Fact]
    public void A_row_costs_what_is_left_beside_waits_and_what_is_done_once()
    {
        var wait = TimeSpan.FromMilliseconds(10);
        Assert.Equal(3.0, TuneChoice.MicrosecondsPerRow(0.5, 0.1, 10, wait, 100_000)!.Value, 6);
        Assert.Null(TuneChoice.MicrosecondsPerRow(0.5, 0.49, 0, wait, 100));
        Assert.Null(TuneChoice.MicrosecondsPerRow(0.5, 0.1, 50, wait, 100));
    }

    private static BenchMeasure Measure(string text)
    {
        var (x, seconds) = (text.Split(':')[0], text.Split(':')[1]);
        return new BenchMeasure
        {
            Name = "measured",
            X = double.Parse(x, System.Globalization.CultureInfo.InvariantCulture),
            Amount = 1000,
            Seconds = seconds == "-" ? null : BenchSpread.Of([double.Parse(seconds, System.Globalization.CultureInfo.InvariantCulture)]),
        };
    }
}
