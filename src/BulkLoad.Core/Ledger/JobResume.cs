using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;

namespace BulkLoad.Core.Ledger;

/// <summary>A start that resumes a job that has committed records.</summary>
/// <param name="job">as it would be recorded</param>
internal sealed class JobResume(
    LoadFacts facts, IReadOnlyList<LoadSource> sources, JobRecord job, CommittedTable table, CancellationToken cancellationToken)
{
    /// <exception cref="PlanException">it cannot be resumed; with what the user can do</exception>
    public async Task<JobDecision> DecideAsync(LedgerView view, FoundJob found, ChunkList chunks)
    {
        var former = found.Job;
        LedgerPieces.RequireWhole(
            chunks, found.Id, [.. former.Sources.Select(source => source.Name)], view.Session.Server.Endpoint,
            source => former.SortedBy.Length == 0 && former.Sources.ElementAtOrDefault(source) is { LoadedUpTo: > 0 } ? null : 0);
        var rows = chunks.Taken.Count;
        var ways = JobText.WaysOn(rows);
        if (FindDifference(found, job) is { } difference)
        {
            throw new PlanException($"job {found.Id} was started {difference}, and has committed {Plural.Count(rows, "record")}: it goes "
                + "on with the options that it has")
            {
                WaysOn = ways,
            };
        }

        if (chunks.LastSource >= sources.Count)
        {
            throw new PlanException($"job {found.Id} was started with {former.Sources.Count} inputs, and has committed records of more "
                + $"than {sources.Count}: name all of them, in that order")
            {
                WaysOn = ways,
            };
        }

        List<string> notes = [], onSame = [];
        try
        {
            RequireSameOrder(found, ways);
            await table.RequireSameAsync(view, found, chunks, notes, cancellationToken);
        }
        catch (PlanException fault) when (former.Dropped is { } dropped)
        {
            throw new PlanException($"{fault.Message}; {dropped.Describe()} may be missing, since an earlier run has dropped "
                + $"{dropped.Them}: 'bulkload jobs restore {found.Id}' adds {dropped.Them} again", fault.InnerException)
            {
                WaysOn = fault.WaysOn,
            };
        }

        Describe(found, chunks.Last!, notes, onSame);
        long[] behind = [.. sources.Select((_, i) => former.Sources.ElementAtOrDefault(i)?.LoadedUpTo ?? 0)];
        long?[] until = [.. sources.Select((_, i) => former.Sources.ElementAtOrDefault(i)?.LoadedFrom)];
        var isIdempotent = RepeatRules.IsIdempotent(facts);
        return new JobDecision
        {
            Id = found.Id,
            Job = job with
            {
                Sources = [.. job.Sources.Select((source, i) => source with { LoadedUpTo = behind[i], LoadedFrom = until[i] })],
                Dropped = former.Dropped,
                Images = former.Images,
                RepeatOf = former.RepeatOf,
                Replaces = former.Replaces,
                Truncates = former.Truncates,
            },
            IsThere = true,
            Former = former,
            Chunks = chunks,
            LoadedUpTo = behind,
            LoadedFrom = until,
            IsIdempotent = isIdempotent,
            CanBeginAgain = isIdempotent && facts.Request.Kind == JobKind.Import && sources.All(source => source.CanReadAgain),
            Notes = notes,
            NotesOnSame = onSame,
        };
    }

    /// <summary>Which rule differs; null: none.</summary>
    public static string? FindDifference(FoundJob found, JobRecord job) => JobRules.FindDifference(found.Job.Rules, job.Rules)
        ?? found.Job.Sources.Zip(job.Sources).Select(pair => JobRules.FindDifference(pair.First.Rules, pair.Second.Rules))
            .FirstOrDefault(difference => difference is not null);

    private void Describe(FoundJob found, LedgerChunk last, List<string> notes, List<string> onSame)
    {
        var place = sources.Count == 1 ? "" : $" of {sources[last.LastSource].Look.Name}";
        notes.Add(job.SortedBy.Length > 0
            ? $"job {found.Id} resumed after {Plural.First(last.LastRecord, "record")} by {job.SortedBy}, which an earlier run had "
                + "committed"
            : $"job {found.Id} resumed after record {last.LastRecord:N0}{place}, which an earlier run had committed");
        string[] changed = [.. found.Job.Sources.Zip(job.Sources)
            .Where(pair => pair.First.Path == pair.Second.Path
                && (pair.First.Changed != pair.Second.Changed || pair.First.Bytes != pair.Second.Bytes))
            .Select(pair => pair.Second.Name)];
        if (changed.Length > 0)
        {
            onSame.Add($"{Plural.Names(changed)} {Plural.For(changed.Length, "has", "have")} changed since the earlier run, but "
                + $"not {(job.SortedBy.Length > 0 ? "in the records that were" : "up to the last record that was")} committed");
        }
    }

    /// <summary>Committed records are known by their places in the order in which they were sent.</summary>
    private void RequireSameOrder(FoundJob found, IReadOnlyList<WayOn> ways)
    {
        if (found.Job.SortedBy == job.SortedBy)
        {
            return;
        }

        throw found.Job.SortedBy.Length > 0
            ? new PlanException($"job {found.Id} was started with its records sorted by {found.Job.SortedBy}, and cannot resume in "
                + (job.SortedBy.Length > 0 ? $"the order of {job.SortedBy}" : "the input's order"))
            {
                WaysOn = ways,
            }
            : new PlanException($"job {found.Id} was started in the input's order")
            {
                WaysOn = [new WayOn("to go on in that order") { Words = ["--no-sort"] }, .. ways],
            };
    }
}
