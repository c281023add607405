using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Whether a result is better than the usual by more than chance. Pure.</summary>
internal static class TuneChoice
{
    /// <summary>The first of the best places of an ascending curve: its median rate is greater by <see cref="ServerProfile.LeastGain"/>,
    /// and its quartiles do not overlap the usual's. Null: the usual stays, or was not measured.</summary>
    public static BenchMeasure? FindBetter(IReadOnlyList<BenchMeasure> curve, long usual)
    {
        if (curve.FirstOrDefault(measure => measure.X == usual)?.Rate is not { } unit)
        {
            return null;
        }

        var better = curve.Where(measure => measure.Rate is { } rate && IsBetter(rate, unit)).ToList();
        return better.FirstOrDefault(
            measure => measure.Rate!.Median >= better.Max(one => one.Rate!.Median) * (1 - ServerProfile.LeastGain));
    }

    /// <summary>Without waits and what a job does once. Null: too little is left.</summary>
    public static double? MicrosecondsPerRow(double seconds, double onceSeconds, double waits, TimeSpan roundTrip, long rows) =>
        (seconds - onceSeconds - (waits * roundTrip.TotalSeconds)) is > 0 and var left && left >= seconds * ServerProfile.LeastGain
            ? left / rows * 1e6
            : null;

    private static bool IsBetter(BenchSpread rate, BenchSpread usual) =>
        rate.Median > usual.Median * (1 + ServerProfile.LeastGain) && rate.FirstQuartile > usual.ThirdQuartile;
}
