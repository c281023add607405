using BulkLoad.Core.Planning;

namespace BulkLoad.Core.Running;

/// <summary>From a run, however it ended, to its report.</summary>
internal static class LoadReports
{
    public static LoadReport Create(LoadOutcome outcome, BulkLoadException? failure, LoadPlan? plan, LoadRun? run, TimeSpan elapsed)
    {
        var report = new LoadReport { Outcome = outcome, Failure = failure, Plan = plan, Notes = plan?.Notes ?? [], Elapsed = elapsed };
        if (run is null)
        {
            return report;
        }

        var (read, taken, rejected) = (run.Read.Records, run.Committed.Taken, run.Rejects.Count);
        return report with
        {
            Notes = run.Committed.IsInDoubt ? [.. report.Notes, run.Committed.DescribeDoubt()] : report.Notes,
            Counts = new LoadCounts
            {
                Read = read,
                Inserted = taken.Inserted,
                Updated = taken.Updated,
                Unchanged = taken.Unchanged,
                Ignored = taken.Ignored,
                Rejected = rejected,
                NotCommitted = read - taken.Count - rejected,
            },
            Chunks = run.Committed.Chunks,
            Batches = run.Committed.Batches,
            NarrowedBatches = run.NarrowedBatches,
            RejectsByReason = run.Rejects.CountsByCode,
            RepairsByKind = run.Repairs.CountsByKind,
            FirstRejects = run.Rejects.First,
            RejectFile = run.RejectFiles.Records,
            RejectReasonsFile = run.RejectFiles.Reasons,
            Sources = [.. run.SourceNames.Select((name, i) => new SourceReport(name, run.Read.RecordsOf(i), run.Read.BytesOf(i)))],
        };
    }
}
