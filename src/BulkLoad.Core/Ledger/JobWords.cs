namespace BulkLoad.Core.Ledger;

/// <summary>Jobs of the ledger, for people.</summary>
internal static class JobWords
{
    public const int MostNamed = 10;

    /// <summary>Of jobs that are only mentioned.</summary>
    public const int MostOthers = 3;

    /// <summary>Jobs with their inputs.</summary>
    public static string Names(IReadOnlyList<FoundJob> jobs, int most = MostNamed) =>
        First([.. jobs.Select(one => $"{one.Id} ({string.Join(", ", one.Job.Sources.Take(MostNamed).Select(source => source.Name))})")],
            most);

    /// <summary>The first names, and how many more there are.</summary>
    public static string First(IReadOnlyList<string> names, int most = MostNamed) =>
        string.Join(", ", names.Take(most)) + (names.Count > most ? $" and {names.Count - most} more" : "");

    /// <summary>
    /// What the jobs have come to; empty where one of them is of the version before, which did not write it down, or loaded only what was
    /// new.
    /// </summary>
    public static string Outcome(IReadOnlyList<FoundJob> jobs)
    {
        if (jobs.Any(one => one.Job.Total is null || one.Job.Sources.Any(source => source.Behind > 0)))
        {
            return "";
        }

        var (taken, rejected) = (jobs.Sum(one => one.Job.Total!.Taken), jobs.Sum(one => one.Job.Total!.Rejected));
        return $": {Plural.Count(taken, "record")} taken, {rejected:N0} rejected";
    }

    public static string Time(DateTime? time) => $"{time:yyyy-MM-dd HH:mm:ss} UTC";
}
