namespace BulkLoad.Bench;

/// <summary>The order of compared cases.</summary>
internal static class BenchSchedule
{
    public const int WarmUp = 0;

    /// <summary>All cases in each round, so slow changes affect all. Each round begins with another case, so no case always follows the
    /// same one.</summary>
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
