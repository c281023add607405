using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Jobs;

/// <summary>Collects what is known of a job, and makes its report however it has ended.</summary>
internal sealed class RunResult(LoadRequest request, JobServices services, ChunkRetry retry)
{
    private LoadOutcome _outcome;
    private BulkLoadException? _failure;

    public ChunkRetry Retry => retry;

    public LoadPlan? Plan { private get; set; }

    /// <summary>Null: the job has not changed the schema.</summary>
    public SchemaChange? Made { private get; set; }

    public JobLedger? Ledger { get; set; }

    public JobRun? Run { get; set; }

    /// <summary>Null: the job has not come so far.</summary>
    public LockWatch? Locks { private get; set; }

    private bool IsRepeated => _outcome == LoadOutcome.AlreadyComplete;

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

    public async Task<LoadReport> ReportAsync()
    {
        var isUnused = IsRepeated ? Run is null && Plan?.AddedColumns is not null : !IsDone && Run is not { HasCommitted: true };
        var schemaNote = Made is null ? null : isUnused ? await Made.DropAsync() : IsDone ? null : Made.DescribeUsed();
        var report = Of(_outcome, _failure, request, Plan, IsRepeated ? null : Run, services.Elapsed);
        return report with
        {
            Retries = retry.Count,
            FirstRetries = retry.Reports,
            Waits = [.. Locks?.Waited ?? [], .. report.Waits],
            State = report.State ?? (_outcome != LoadOutcome.Interrupted ? null
                : $"{CommittedState.DescribeNothing(request)}{(Made is null && request.Create ? ", and no table was made" : "")}"),
            Job = Ledger?.Identity.Id,
            Headline = report.Headline ?? (IsRepeated || Ledger is { WasComplete: false } ? Ledger?.Headline : null),
            RepeatOf = report.RepeatOf ?? Ledger?.RepeatOf,
            Choices = [.. report.Choices, .. OneOf(Ledger?.Created)],
            Notes = [.. report.Notes, .. Run is null ? Ledger?.Notes ?? [] : [], .. OneOf(schemaNote)],
        };
    }

    /// <summary>The report of a run alone: what every kind of run has, and what this kind adds.</summary>
    public static LoadReport Of(
        LoadOutcome outcome, BulkLoadException? failure, LoadRequest request, LoadPlan? plan, JobRun? run, TimeSpan elapsed)
    {
        var report = new LoadReport
        {
            Outcome = outcome,
            Failure = failure,
            Plan = plan,
            Notes = plan?.Notes ?? [],
            Choices = [.. plan?.Choices ?? [], .. DescribeLimit(request, run)],
            Elapsed = elapsed,
        };
        return run is null ? report : run.Complete(report with
        {
            Counts = new LoadCounts { Read = run.Read.Records, Rejected = run.Rejects.Count },
            IsBeyondMaxRejects = request.GoesOnBeyondMaxRejects && request.MaxRejects.IsExceededBy(run.Rejects.Count),
            RejectsByReason = run.Rejects.CountsByCode,
            RepairsByKind = run.Repairs.CountsByKind,
            FirstRejects = run.Rejects.First,
            UncommittedRejects = run.Rejects.Left,
            RejectFile = run.Rejects.HasFile ? request.RejectFile : null,
            RejectReasonsFile = run.Rejects.HasFile ? request.RejectReasonsFile : null,
            Sources = [.. run.SourceNames.Select((name, i) => new SourceReport(name, run.Read.RecordsOf(i), run.Read.BytesOf(i)))],
        });
    }

    private static string[] OneOf(string? text) => text is null ? [] : [text];

    private static IEnumerable<string> DescribeLimit(LoadRequest request, JobRun? run)
    {
        if (request.Limit is { } limit && run?.Read.Records >= limit)
        {
            var records = request.Append ? $"the next {Plural.Count(limit, "record")}" : Plural.First(limit, "record");
            yield return $"--limit: only {records} {Plural.For(limit, "was", "were")} read";
        }
    }
}
