using BulkLoad.Core.Feed;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>The statements that record a job and its end: its rows, its places in the index, and jobs that are removed. Pure.</summary>
/// <param name="job">as it is recorded</param>
internal sealed class JobStatements(LedgerSql sql, JobIdentity identity, JobDecision decision, JobRecord job)
{
    /// <summary>The job with what was read of its inputs.</summary>
    public static JobRecord Done(JobRecord job, IReadOnlyList<LoadSource> sources) => job with
    {
        Replaces = [],
        Sources = [.. job.Sources.Select((source, i) => sources.ElementAtOrDefault(i)?.Content?.Digests is { } digests
            ? source with
            {
                Length = digests.Length,
                Whole = digests.Whole,
                HalfLength = digests.HalfLength,
                Half = digests.Half,
                Last = digests.Last,
            }
            : source)],
    };

    private IReadOnlyList<IndexRow> Rows => identity.Slot.Length > 0 ? JobIndex.RowsOf(identity.Id, job) : [];

    /// <summary>Before the job's own row.</summary>
    public IEnumerable<string> Begin()
    {
        var all = decision.Forgotten.SelectMany(one => sql.DeleteJob(one.Id, identity.Family, one.Rows));
        if (decision.Renamed is var (former, name))
        {
            all = all.Concat(Rename(former, name));
        }

        if (identity.Slot.Length > 0 && (identity.Id != identity.Slot || decision.Forgotten.Any(one => one.Id == identity.Id)))
        {
            all = all.Append(sql.LockSlot(identity.Family, identity.Id));
        }

        var was = decision is { IsThere: true, Former: { } there } ? JobIndex.RowsOf(identity.Id, there) : [];
        var rows = Rows;
        all = all.Concat(sql.Index.Remove(JobIndex.Except(was, rows))).Concat(sql.Index.Add(JobIndex.Except(rows, was)));
        return job.HasMoreSources || decision.Former is { SourceCount: > 1 }
            ? all.Append(sql.Index.DeleteSources(identity.Id))
                .Concat(sql.Index.WriteSources(identity.Id, job.WriteMoreSources()))
            : all;
    }

    /// <summary>The same on a server that has no row of the job.</summary>
    public IEnumerable<string> BeginElsewhere() =>
    [
        .. identity.Slot.Length > 0 ? [sql.LockSlot(identity.Family, identity.Id)] : Array.Empty<string>(),
        .. sql.Index.Add(Rows),
        .. sql.Index.WriteSources(identity.Id, job.WriteMoreSources()),
    ];

    public IEnumerable<string> Empty() =>
        decision.Empties.Concat(decision.Outdated.SelectMany(one => sql.DeleteJob(one.Id, one.Job.Family, one.Rows)));

    /// <summary>Records the job's end, under a condition.</summary>
    /// <param name="done">the job as it is recorded then</param>
    /// <param name="replaced">jobs that are removed</param>
    public IEnumerable<string> Complete(JobRecord done, IReadOnlyList<FoundJob> replaced, string condition)
    {
        yield return $"{sql.UpdateJob(identity.Id, done.Write())} AND {condition}";
        if (decision.IsIdempotent && identity.IsLasting)
        {
            yield return sql.DeleteChunks(identity.Id, condition);
        }

        var (gone, added) = Changes(done);
        var others = sql.Index.Remove(gone, condition).Concat(sql.Index.Add(added, condition));
        if (done.HasMoreSources)
        {
            others = others.Append(sql.Index.DeleteSources(identity.Id, condition))
                .Concat(sql.Index.WriteSources(identity.Id, done.WriteMoreSources(), condition));
        }

        foreach (var statement in others.Concat(replaced.SelectMany(one => sql.DeleteJob(one.Id, one.Job.Family, one.Rows, condition))))
        {
            yield return statement;
        }
    }

    /// <summary>Rows of the index that the end of the job removes and adds.</summary>
    private (IReadOnlyList<IndexRow> Gone, IReadOnlyList<IndexRow> Added) Changes(JobRecord done)
    {
        var (before, rows) = (Rows, identity.Slot.Length > 0 ? JobIndex.RowsOf(identity.Id, done) : []);
        return (JobIndex.Except(before, rows), JobIndex.Except(rows, before));
    }

    /// <summary>Removes the job, and gives the name back that it has taken.</summary>
    public IEnumerable<string> LeaveNothing() =>
    [
        .. sql.DeleteJob(identity.Id, identity.Family, Rows),
        .. decision.Renamed is var (former, name) ? Rename(new FoundJob(name, former.Job), former.Id) : [],
    ];

    private IEnumerable<string> Rename(FoundJob one, string name) =>
    [
        sql.RenameJob(one.Id, name),
        sql.LockSlot(identity.Family, name),
        .. sql.Index.Remove(one.Rows),
        .. sql.Index.Add(JobIndex.RowsOf(name, one.Job)),
    ];
}
