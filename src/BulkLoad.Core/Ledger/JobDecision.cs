using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>A job that the ledger knows.</summary>
/// <param name="Job">as it was committed last</param>
internal sealed record FoundJob(string Id, JobRecord Job)
{
    /// <summary>Reads what <see cref="LedgerSql.FindJobs"/> has found: its first row is no job.</summary>
    public static IReadOnlyList<FoundJob> Read(IReadOnlyList<string?[]> rows) =>
        [.. rows.Skip(1).DistinctBy(row => row[0]).Select(row => new FoundJob(row[0]!, Read(row[0]!, row[1])))];

    /// <exception cref="PlanException">it is none; says how to go on</exception>
    private static JobRecord Read(string job, string? details)
    {
        try
        {
            return JobRecord.Read(details);
        }
        catch (PlanException fault)
        {
            throw new PlanException($"job {job}: {fault.Message} 'bulkload jobs forget {job}' removes the job from the ledger", fault);
        }
    }
}

/// <summary>The ledger, as it is read to decide what a start is.</summary>
/// <param name="session">also asks what the table holds</param>
/// <param name="holds">whether what is read stays as it is until the start has registered; else it is as it was committed last</param>
internal sealed class LedgerView(LedgerSql sql, IServerSession session, bool holds, CancellationToken cancellationToken)
{
    public IServerSession Session => session;

    /// <summary>The job as it is now; null: it is gone.</summary>
    /// <exception cref="PlanException">somebody runs it</exception>
    public async Task<JobRecord?> ReadAsync(FoundJob job) => !holds ? job.Job
        : await LedgerSession.LockAsync(session, sql, job.Id, cancellationToken) is { } details ? JobRecord.Read(details) : null;

    /// <summary>Its committed chunks, in the input's order.</summary>
    public async Task<IReadOnlyList<LedgerChunk>> ReadChunksAsync(FoundJob job) => holds
        ? await LedgerSession.ReadChunksAsync(session, sql, job, cancellationToken)
        : [.. (await session.QueryAsync(sql.ReadChunks(job.Id), cancellationToken)).Rows.Select(LedgerChunk.Read)];
}

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
    public IReadOnlyList<LedgerChunk> Chunks { get; init; } = [];

    /// <summary>Jobs that are forgotten at once.</summary>
    public IReadOnlyList<string> Forgotten { get; init; } = [];

    /// <summary>The name that the complete job gets whose name this one takes; null: there is none.</summary>
    public string? Renamed { get; init; }

    /// <summary>The job whose files of rejects and repairs are written again; null: none.</summary>
    public JobRecord? FormerFiles { get; init; }

    /// <summary>Jobs whose rows go when the table is emptied.</summary>
    public IReadOnlyList<string> Outdated { get; init; } = [];

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

    /// <summary>Comes before everything else in the report.</summary>
    public string? Headline { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>The same, of inputs that turn out to be what was committed.</summary>
    public IReadOnlyList<string> NotesOnSame { get; init; } = [];
}

/// <summary>Jobs of the ledger, for people.</summary>
internal static class JobWords
{
    public const int MostNamed = 10;

    /// <summary>Of jobs that are only mentioned.</summary>
    public const int MostOthers = 3;

    public static string Names(IReadOnlyList<FoundJob> jobs, int most = MostNamed) =>
        First([.. jobs.Select(one => $"{one.Id} ({string.Join(", ", one.Job.Sources.Take(MostNamed).Select(source => source.Name))})")],
            most);

    /// <summary>The first names, and how many more there are.</summary>
    public static string First(IReadOnlyList<string> names, int most = MostNamed) =>
        string.Join(", ", names.Take(most)) + (names.Count > most ? $" and {names.Count - most} more" : "");

    /// <summary>What the jobs have come to; empty where one of them is of the version before, which did not write it down, or loaded only
    /// what was new.</summary>
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
