namespace BulkLoad.Bench;

/// <summary>How several measurements of one thing lie: least, quartiles, median, greatest.</summary>
/// <param name="Median">the middle; between the two in the middle where their number is even</param>
internal sealed record BenchSpread(double Min, double FirstQuartile, double Median, double ThirdQuartile, double Max)
{
    /// <summary>Of at least one measurement, in any order. Between two of them it is interpolated.</summary>
    public static BenchSpread Of(IEnumerable<double> measured)
    {
        double[] sorted = [.. measured];
        Array.Sort(sorted);
        return new BenchSpread(sorted[0], At(sorted, 0.25), At(sorted, 0.5), At(sorted, 0.75), sorted[^1]);
    }

    /// <summary>The value below which the share lies.</summary>
    /// <param name="sorted">ascending, at least one</param>
    /// <param name="share">0 to 1</param>
    public static double At(ReadOnlySpan<double> sorted, double share)
    {
        var place = share * (sorted.Length - 1);
        var below = (int)place;
        var above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + ((sorted[above] - sorted[below]) * (place - below));
    }

    /// <summary>The spread of amounts a second, where this one is of the seconds that each took: the shortest time is the greatest
    /// rate.</summary>
    public BenchSpread RateOf(double amount)
    {
        return new BenchSpread(Rate(Max), Rate(ThirdQuartile), Rate(Median), Rate(FirstQuartile), Rate(Min));

        double Rate(double seconds) => seconds > 0 ? amount / seconds : 0;
    }
}
