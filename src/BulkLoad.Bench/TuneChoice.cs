using BulkLoad.Core.Options;

namespace BulkLoad.Bench;

/// <summary>Whether what was measured is better than the usual by more than chance. Pure.</summary>
internal static class TuneChoice
{
    /// <summary>
    /// The best place of a curve: where the rate's median is greater by <see cref="ServerProfile.LeastGain"/>, and its quartiles do not
    /// meet those of the usual.
    /// Of places that are as good as each other, the first.
    /// </summary>
    /// <param name="curve">in ascending order; what was not measured is passed over</param>
    /// <param name="usual">the place that stays where none is better</param>
    /// <returns>null: the usual stays, also where it was not measured</returns>
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

    /// <summary>What a row took beside waits for answers and what a job does once.</summary>
    /// <param name="seconds">of a job</param>
    /// <param name="onceSeconds">of a job that sends nothing</param>
    /// <param name="waits">for an answer, of so long each</param>
    /// <returns>null: nothing is left that could be told from chance</returns>
    public static double? MicrosecondsPerRow(double seconds, double onceSeconds, double waits, TimeSpan roundTrip, long rows) =>
        (seconds - onceSeconds - (waits * roundTrip.TotalSeconds)) is > 0 and var left && left >= seconds * ServerProfile.LeastGain
            ? left / rows * 1e6
            : null;

    private static bool IsBetter(BenchSpread rate, BenchSpread usual) =>
        rate.Median > usual.Median * (1 + ServerProfile.LeastGain) && rate.FirstQuartile > usual.ThirdQuartile;
}
