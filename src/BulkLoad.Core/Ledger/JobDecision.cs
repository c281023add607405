namespace BulkLoad.Core.Ledger;

internal sealed record JobDecision
{
    public required string Id { get; init; }

    public required JobRecord Job { get; init; }

    /// <summary>Whether the ledger has a row of that name, which is overwritten.</summary>
    public bool IsThere { get; init; }

    /// <summary>The job that this start resumes; null: it begins one.</summary>
    public JobRecord? Former { get; init; }

    public ChunkList Chunks { get; init; } = ChunkList.None;

    /// <summary>Jobs that are forgotten at once.</summary>
    public IReadOnlyList<FoundJob> Forgotten { get; init; } = [];

    /// <summary>The job whose name this one takes, and its new name; null: there is none.</summary>
    public (FoundJob Former, string Name)? Renamed { get; init; }

    /// <summary>The job whose files of rejects and repairs are written again; null: none.</summary>
    public JobRecord? FormerFiles { get; init; }

    /// <summary>Jobs whose rows are deleted because the table is emptied.</summary>
    public IReadOnlyList<FoundJob> Outdated { get; init; } = [];

    /// <summary>Statements that empty the table, in the first chunk's transaction.</summary>
    public IReadOnlyList<string> Empties { get; init; } = [];

    public bool IsNothingToDo { get; init; }

    /// <summary>Whether the job can be done again without harm.</summary>
    public bool IsIdempotent { get; init; }

    /// <summary>Whether a job whose committed records have changed begins again; otherwise it is refused.</summary>
    public bool CanBeginAgain { get; init; }

    /// <summary>By input, number of bytes from the first record on that other jobs have loaded.</summary>
    public IReadOnlyList<long> LoadedUpTo { get; init; } = [];

    /// <summary>By input, the place from which on, up to the end, other jobs have loaded the bytes, counted from the first record; null:
    /// there are none.</summary>
    public IReadOnlyList<long?> LoadedFrom { get; init; } = [];

    /// <summary>The first line of the report.</summary>
    public string? Headline { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Makes the inputs skip what other jobs have loaded.</summary>
    public void LeaveOut(IReadOnlyList<Feed.LoadSource> sources)
    {
        for (var i = 0; i < sources.Count; i++)
        {
            if (sources[i].Content is { } content)
            {
                (content.LoadedUpTo, content.LoadedFrom) = (LoadedUpTo.ElementAtOrDefault(i), LoadedFrom.ElementAtOrDefault(i));
            }
        }
    }

    /// <summary>Notes for inputs whose content turns out to be what was committed.</summary>
    public IReadOnlyList<string> NotesOnSame { get; init; } = [];
}

/// <summary>Jobs of the ledger, for people.</summary>
internal static class JobText
{
    /// <summary>Limit of the jobs that a message names.</summary>
    public const int MaxOthers = 3;

    public static string Names(IReadOnlyList<FoundJob> jobs, int most = Plural.Shown) => Plural.Names(
        [.. jobs.Select(one => $"{one.Id} ({string.Join(", ", one.Job.Sources.Take(Plural.Shown).Select(source => source.Name))})")], most);

    /// <summary>What complete jobs have loaded; empty: one of them has loaded only what was new.</summary>
    public static string Outcome(IReadOnlyList<FoundJob> jobs)
    {
        if (jobs.Any(one => one.Job.Sources.Any(source => source.LoadedUpTo > 0 || source.LoadedFrom is not null)))
        {
            return "";
        }

        var (taken, rejected) = (jobs.Sum(one => one.Job.Total!.Taken), jobs.Sum(one => one.Job.Total!.Rejected));
        return $": {Plural.Count(taken, "record")} taken, {rejected:N0} rejected";
    }

    public static IReadOnlyList<WayOn> WaysOn(long rows) =>
    [
        new WayOn($"to do all of it again, in addition to {Plural.First(rows, "record")} that {Plural.For(rows, "is", "are")} committed")
        {
            Words = ["--reload"],
        },
    ];

    public static string Time(DateTime? time) => $"{time:yyyy-MM-dd HH:mm:ss} UTC";
}
