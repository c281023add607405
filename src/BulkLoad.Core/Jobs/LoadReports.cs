using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>What a job does once it is planned, and what is known of it however it ended.</summary>
internal interface ILoadRun
{
    ReadCounts Read { get; }

    RejectLog Rejects { get; }

    RepairLog Repairs { get; }

    /// <summary>Whether records of this start are committed, or may be.</summary>
    bool HasCommitted { get; }

    /// <summary>The inputs as the user named them.</summary>
    IReadOnlyList<string> SourceNames { get; }

    /// <summary>Does it.</summary>
    /// <exception cref="BulkLoadException">the message says what stays committed</exception>
    /// <exception cref="OperationCanceledException">stopped in an orderly way</exception>
    Task RunAsync(IServerSession session, CancellationToken cancellationToken);

    /// <summary>Adds what only this kind of run knows.</summary>
    LoadReport Complete(LoadReport report);
}

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

/// <summary>From what was verified of an import's rows to its report.</summary>
internal static class VerificationReports
{
    /// <summary>What to say of rows that are committed without one of them verified; null: one was, there are none, or nobody
    /// asked.</summary>
    public static string? WhyNone(VerifyRules? rules, RowCounts committed) =>
        rules is null || committed.Verified(rules.Mode) > 0 || committed.Inserted + committed.Updated == 0 ? null
        : $"--verify {VerifyWords.Of(rules.Mode)} could verify no row: "
            + $"{rules.Unverifiable ?? "the server made the keys or values of all of them"}";

    /// <param name="failure">that ended the job; null: none did</param>
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
