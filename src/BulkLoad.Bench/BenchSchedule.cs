namespace BulkLoad.Bench;

/// <summary>In which order cases that are compared are run.</summary>
internal static class BenchSchedule
{
    /// <summary>The round that warms up, and is not measured.</summary>
    public const int WarmUp = 0;

    /// <summary>
    /// Round after round all cases, so that what changes with time is spread over all of them; each round begins with another case, so
    /// that none always runs behind the same one or at the same place.
    /// </summary>
    /// <param name="repeats">rounds that are measured</param>
    public static IEnumerable<(int Round, int Case)> Of(int cases, int repeats)
    {
        for (var round = WarmUp; round <= repeats; round++)
        {
            for (var turn = 0; turn < cases; turn++)
            {
                yield return (round, (turn + Math.Max(0, round - 1)) % cases);
            }
        }
    }
}
