using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Jobs;

/// <summary>From a run, however it ended, to its report.</summary>
internal static class LoadReports
{
    public static LoadReport Create(
        LoadOutcome outcome, BulkLoadException? failure, LoadRequest request, LoadPlan? plan, ILoadRun? run, TimeSpan elapsed)
    {
        var report = new LoadReport
        {
            Outcome = outcome,
            Failure = failure,
            Plan = plan,
            Notes = plan?.Notes ?? [],
            Choices = plan?.Choices
            ?? [],
            Elapsed = elapsed
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
