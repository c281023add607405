using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>What a job does once it is planned, and what is known of it however it ended.</summary>
internal abstract class JobRun(PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs)
{
    public abstract ReadCounts Read { get; }

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    /// <summary>Whether records of this start are committed, or may be.</summary>
    public virtual bool HasCommitted => false;

    public IReadOnlyList<string> SourceNames { get; } = [.. job.Sources.Select(source => source.Look.Name)];

    /// <summary>Bytes of all inputs, as stored; null where one is a pipe.</summary>
    protected long? TotalBytes { get; } = job.Sources.TotalBytes();

    protected PreparedJob Job => job;

    protected LoadRequest Request => job.Request;

    protected JobServices Services => services;

    /// <exception cref="BulkLoadException">the message says what stays committed</exception>
    /// <exception cref="OperationCanceledException">stopped in an orderly way</exception>
    public abstract Task RunAsync(IServerSession session, CancellationToken cancellationToken);

    /// <summary>Adds what only this kind of run knows.</summary>
    public abstract LoadReport Complete(LoadReport report);

    protected Reject Reject(RowBlock block, int row, string code, string message, string? column) =>
        RejectedRow.At(job.Sources, block, row, code, message, column);

    protected void Refuse(Reject reject) => rejects.Add(reject, services.Log);

    /// <summary>Takes the rejects of the reading side that are before a record.</summary>
    /// <param name="next">the first one that was not taken</param>
    /// <returns>the same, for the next record</returns>
    protected int RefuseUpTo(RowBlock block, int next, long record)
    {
        for (; next < block.Rejects.Count && block.Rejects[next].Record < record; next++)
        {
            Refuse(block.Rejects[next]);
        }

        return next;
    }

    /// <summary>Takes the other rejects of the block, and its repairs.</summary>
    protected void RefuseRest(RowBlock block, int next)
    {
        RefuseUpTo(block, next, long.MaxValue);
        foreach (var repair in block.Repairs)
        {
            repairs.Add(repair);
        }
    }

    /// <exception cref="ReconciliationException">some records were read, and lost on the way</exception>
    protected void RequireAll(long done, string verb)
    {
        if (Read.Records != done)
        {
            throw new ReconciliationException($"counts do not add up: {Read.Records} "
                + $"{Plural.For(Read.Records, "record was", "records were")} read, and {done} {verb}");
        }
    }
}

/// <summary>What is known of a job on its way, and the report of it however it ended.</summary>
internal sealed class RunResult(LoadRequest request, JobServices services, ChunkRetry retry)
{
    private LoadOutcome _outcome;
    private BulkLoadException? _failure;

    public ChunkRetry Retry => retry;

    public LoadPlan? Plan { private get; set; }

    /// <summary>What the job has changed of the schema; null: nothing.</summary>
    public SchemaChange? Made { private get; set; }

    public JobLedger? Ledger { get; set; }

    public JobRun? Run { get; set; }

    /// <summary>Tells how long it has waited for locks of others; null: it got nowhere.</summary>
    public LockWatch? Locks { private get; set; }

    private bool IsDone => _outcome is LoadOutcome.Complete or LoadOutcome.AlreadyComplete;

    public void Complete() =>
        _outcome = Ledger is { IsNothingToDo: true } or { WasComplete: true } ? LoadOutcome.AlreadyComplete : LoadOutcome.Complete;

    public void Fail(BulkLoadException fault)
    {
        (_outcome, _failure) = (fault is StoppedException ? LoadOutcome.Stopped : LoadOutcome.Failed, fault);
        services.Log.JobFailed(fault.Message);
    }

    public void Interrupt()
    {
        _outcome = LoadOutcome.Interrupted;
        services.Log.JobInterrupted();
    }

    /// <summary>The report; takes back what was made of the schema, where nothing came of it.</summary>
    public async Task<LoadReport> ReportAsync()
    {
        var isRepeated = _outcome == LoadOutcome.AlreadyComplete;
        var isUnused = isRepeated ? Run is null && Plan?.AddedColumns is not null : !IsDone && Run is not { HasCommitted: true };
        var schemaNote = Made is null ? null : isUnused ? await Made.DropAsync() : IsDone ? null : Made.DescribeUsed();
        var report = LoadReports.Create(_outcome, _failure, request, Plan, isRepeated ? null : Run, services.Elapsed) with
        {
            Retries = retry.Count,
            FirstRetries = retry.Reports,
        };
        report = Locks is { Waited.Count: > 0 } locks ? report with { Waits = [.. locks.Waited, .. report.Waits] } : report;
        if (_outcome == LoadOutcome.Interrupted && report.State is null)
        {
            var change = request.Create ? ", and no table was made" : "";
            report = report with { State = $"{CommittedState.DescribeNothing(request)}{(Made is null ? change : "")}" };
        }

        if (Ledger is { } ledger)
        {
            report = report with
            {
                Job = ledger.Identity.Id,
                Headline = isRepeated || !ledger.WasComplete ? ledger.Headline : null,
                RepeatOf = ledger.RepeatOf,
                Notes = Run is null ? [.. report.Notes, .. ledger.Notes] : report.Notes,
                Choices = ledger.Created is { } created ? [.. report.Choices, created] : report.Choices,
            };
        }

        return schemaNote is null ? report : report with { Notes = [.. report.Notes, schemaNote] };
    }
}

/// <summary>From a run, however it ended, to its report.</summary>
internal static class LoadReports
{
    public static LoadReport Create(
        LoadOutcome outcome, BulkLoadException? failure, LoadRequest request, LoadPlan? plan, JobRun? run, TimeSpan elapsed)
    {
        var report = new LoadReport
        {
            Outcome = outcome,
            Failure = failure,
            Plan = plan,
            Notes = plan?.Notes ?? [],
            Choices = plan?.Choices ?? [],
            Elapsed = elapsed,
        };
        if (run is null)
        {
            return report;
        }

        if (request.Limit is { } limit && run.Read.Records >= limit)
        {
            var records = request.Append ? $"the next {Plural.Count(limit, "record")}" : Plural.First(limit, "record");
            report = report with { Choices = [.. report.Choices, $"--limit: only {records} {Plural.For(limit, "was", "were")} read"] };
        }

        var hasRejectFile = run.Rejects.HasFile;
        return run.Complete(report with
        {
            Counts = new LoadCounts { Read = run.Read.Records, Rejected = run.Rejects.Count },
            IsBeyondMaxRejects = request.GoesOnBeyondMaxRejects && request.MaxRejects.IsExceededBy(run.Rejects.Count),
            RejectsByReason = run.Rejects.CountsByCode,
            RepairsByKind = run.Repairs.CountsByKind,
            FirstRejects = run.Rejects.First,
            UncommittedRejects = run.Rejects.Left,
            RejectFile = hasRejectFile ? request.RejectFile : null,
            RejectReasonsFile = hasRejectFile ? request.RejectReasonsFile : null,
            Sources = [.. run.SourceNames.Select((name, i) => new SourceReport(name, run.Read.RecordsOf(i), run.Read.BytesOf(i)))],
        });
    }
}

/// <summary>From what was verified of an import's rows to its report.</summary>
internal static class VerificationReports
{
    /// <summary>What to say of rows that are committed without one of them verified; null: one was, there are none, or nobody
    /// asked.</summary>
    public static string? WhyNone(VerifyRules? rules, RowCounts committed) =>
        rules is null || committed.Verified(rules.Mode) > 0 || committed.Inserted + committed.Updated == 0 ? null
        : $"--verify {VerifyWords.Of(rules.Mode)} could verify no row: "
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
