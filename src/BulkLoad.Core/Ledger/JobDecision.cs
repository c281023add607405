namespace BulkLoad.Core.Ledger;

/// <summary>What a start is, by the jobs that the ledger knows.</summary>
internal sealed record JobDecision
{
    /// <summary>The job's name in the ledger.</summary>
    public required string Id { get; init; }

    /// <summary>As this start writes it down.</summary>
    public required JobRecord Job { get; init; }

    /// <summary>Whether the ledger has a row of that name, which is written over.</summary>
    public bool IsThere { get; init; }

    /// <summary>The job that this start takes over; null: it begins one.</summary>
    public JobRecord? Former { get; init; }

    /// <summary>That are committed of it.</summary>
    public ChunkList Chunks { get; init; } = ChunkList.None;

    /// <summary>Jobs that are forgotten at once.</summary>
    public IReadOnlyList<FoundJob> Forgotten { get; init; } = [];

    /// <summary>The job whose name this one takes, and the one that it gets; null: there is none.</summary>
    public (FoundJob Former, string Name)? Renamed { get; init; }

    /// <summary>The job whose files of rejects and repairs are written again; null: none.</summary>
    public JobRecord? FormerFiles { get; init; }

    /// <summary>Jobs whose rows go when the table is emptied.</summary>
    public IReadOnlyList<FoundJob> Outdated { get; init; } = [];

    /// <summary>Statements that empty the table, in the first chunk's transaction.</summary>
    public IReadOnlyList<string> Empties { get; init; } = [];

    /// <summary>Whether everything is done already.</summary>
    public bool IsNothingToDo { get; init; }

    /// <summary>Whether the job can be done once more without harm.</summary>
    public bool IsIdempotent { get; init; }

    /// <summary>Whether a job whose committed records have changed is begun again, in place of being refused.</summary>
    public bool CanBeginAgain { get; init; }

    /// <summary>By input, bytes from the first record on that other jobs have loaded.</summary>
    public IReadOnlyList<long> Behind { get; init; } = [];

    /// <summary>By input, where bytes begin, from the first record on, that other jobs have loaded, up to its end; null: there are
    /// none.</summary>
    public IReadOnlyList<long?> Until { get; init; } = [];

    /// <summary>Comes before everything else in the report.</summary>
    public string? Headline { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Has the inputs leave out what other jobs have loaded.</summary>
    public void LeaveOut(IReadOnlyList<Feed.LoadSource> sources)
    {
        for (var i = 0; i < sources.Count; i++)
        {
            if (sources[i].Content is { } content)
            {
                (content.Behind, content.Until) = (Behind.ElementAtOrDefault(i), Until.ElementAtOrDefault(i));
            }
        }
    }

    /// <summary>The same, of inputs that turn out to be what was committed.</summary>
    public IReadOnlyList<string> NotesOnSame { get; init; } = [];
}

/// <summary>Jobs of the ledger, for people.</summary>
internal static class JobWords
{
    /// <summary>Of jobs that are only mentioned.</summary>
    public const int MostOthers = 3;

    public static string Names(IReadOnlyList<FoundJob> jobs, int most = Plural.Shown) => Plural.Names(
        [.. jobs.Select(one => $"{one.Id} ({string.Join(", ", one.Job.Sources.Take(Plural.Shown).Select(source => source.Name))})")], most);

    /// <summary>What complete jobs have come to; empty where one of them loaded only what was new.</summary>
    public static string Outcome(IReadOnlyList<FoundJob> jobs)
    {
        if (jobs.Any(one => one.Job.Sources.Any(source => source.Behind > 0 || source.Until is not null)))
        {
            return "";
        }

        var (taken, rejected) = (jobs.Sum(one => one.Job.Total!.Taken), jobs.Sum(one => one.Job.Total!.Rejected));
        return $": {Plural.Count(taken, "record")} taken, {rejected:N0} rejected";
    }

    /// <summary>The ways on from a job that has rows in the table.</summary>
    public static IReadOnlyList<WayOn> WaysOn(long rows) =>
    [
        new WayOn($"to do all of it again, in addition to {Plural.First(rows, "record")} that {Plural.For(rows, "is", "are")} committed")
        {
            Words = ["--reload"],
        },
    ];

    public static string Time(DateTime? time) => $"{time:yyyy-MM-dd HH:mm:ss} UTC";
}
