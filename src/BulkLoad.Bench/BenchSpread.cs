namespace BulkLoad.Bench;

/// <summary>Distribution of several measurements of the same thing.</summary>
/// <param name="Median">of an even number, between the two in the middle</param>
internal sealed record BenchSpread(double Min, double FirstQuartile, double Median, double ThirdQuartile, double Max)
{
    /// <param name="measured">at least one, in any order; quartiles are interpolated</param>
    public static BenchSpread Of(IEnumerable<double> measured)
    {
        double[] sorted = [.. measured];
        Array.Sort(sorted);
        return new BenchSpread(sorted[0], At(sorted, 0.25), At(sorted, 0.5), At(sorted, 0.75), sorted[^1]);
    }

    /// <param name="sorted">ascending, at least one</param>
    /// <param name="share">0 to 1</param>
    public static double At(ReadOnlySpan<double> sorted, double share)
    {
        var place = share * (sorted.Length - 1);
        var below = (int)place;
        var above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + ((sorted[above] - sorted[below]) * (place - below));
    }

    /// <summary>Amounts per second, if this is the spread of the seconds for each amount: the shortest time is the greatest rate.</summary>
    public BenchSpread RateOf(double amount)
    {
        return new BenchSpread(Rate(Max), Rate(ThirdQuartile), Rate(Median), Rate(FirstQuartile), Rate(Min));

        double Rate(double seconds) => seconds > 0 ? amount / seconds : 0;
    }
}
