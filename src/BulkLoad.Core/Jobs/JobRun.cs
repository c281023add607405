using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>What a job does once it is planned. Counts can be read however it has ended.</summary>
internal abstract class JobRun(PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs)
{
    public abstract ReadCounts Read { get; }

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    /// <summary>Whether records of this start are, or may be, committed.</summary>
    public virtual bool HasCommitted => false;

    public IReadOnlyList<string> SourceNames { get; } = job.SourceNames;

    /// <summary>Bytes of all inputs, as stored; null: an input is a pipe.</summary>
    protected long? TotalBytes { get; } = job.Sources.TotalBytes();

    protected PreparedJob Job => job;

    protected LoadRequest Request => job.Request;

    protected JobServices Services => services;

    /// <exception cref="BulkLoadException">the message says what stays committed</exception>
    /// <exception cref="OperationCanceledException">the job was stopped in an orderly way</exception>
    public abstract Task RunAsync(IServerSession session, CancellationToken cancellationToken);

    public abstract LoadReport Complete(LoadReport report);

    protected Reject Reject(RowBlock block, int row, string code, string message, string? column) =>
        RejectOfRow.At(job.Sources, block, row, code, message, column);

    protected void Refuse(Reject reject) => rejects.Add(reject, services.Log);

    /// <summary>Adds the reader's rejects that come before a record.</summary>
    /// <param name="next">index of the first reject that was not added</param>
    /// <returns>the value of <paramref name="next"/> for the next record</returns>
    protected int RefuseUpTo(RowBlock block, int next, long record)
    {
        for (; next < block.Rejects.Count && block.Rejects[next].Record < record; next++)
        {
            Refuse(block.Rejects[next]);
        }

        return next;
    }

    /// <summary>Adds the other rejects of the block, and its repairs.</summary>
    protected void RefuseRest(RowBlock block, int next)
    {
        RefuseUpTo(block, next, long.MaxValue);
        foreach (var repair in block.Repairs)
        {
            repairs.Add(repair);
        }
    }

    /// <exception cref="ReconciliationException">some of the records that were read are missing</exception>
    protected void RequireAll(long done, string verb)
    {
        if (Read.Records != done)
        {
            throw new ReconciliationException($"counts do not add up: {Read.Records} "
                + $"{Plural.For(Read.Records, "record was", "records were")} read, and {done} {verb}");
        }
    }
}

internal static class VerificationReports
{
    /// <returns>why no committed row is verified; null: one is, no row is committed, or nobody asked</returns>
    public static string? WhyNone(VerifyRules? rules, RowCounts committed) =>
        rules is null || committed.Verified(rules.Mode) > 0 || committed.Inserted + committed.Updated == 0 ? null
        : $"--verify {VerifyModes.Of(rules.Mode)} could verify no row: "
            + $"{rules.Unverifiable ?? "the server made the keys or values of all of them"}";

    /// <returns>null: nobody asked</returns>
    public static VerificationReport? Of(LoadFacts facts, BulkLoadException? failure, RowCounts committed, long unverifiedBefore)
    {
        if (facts.Verify is not { } rules)
        {
            return null;
        }

        var (rows, inserted) = (committed.Verified(rules.Mode), committed.Inserted);
        var result = failure is ReconciliationException { IsOfContent: true } ? VerifyResult.Different
            : rules.Unverifiable is not null || (rows == 0 && inserted > 0) ? VerifyResult.Unverifiable
            : rows < inserted ? VerifyResult.Partial
            : VerifyResult.Equal;
        return new VerificationReport(rules.Mode, result, rows)
        {
            EarlierRows = unverifiedBefore,
            UndecidedRows = inserted - rows - unverifiedBefore,
            Reason = rules.Unverifiable,
        };
    }
}
