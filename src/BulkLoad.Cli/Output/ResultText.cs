using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>What a job has done, for people: the result in one sentence, then the server, then what else happened on the way.</summary>
internal static class ResultText
{
    private static readonly TimeSpan WorthARate = TimeSpan.FromSeconds(1);

    /// <summary>A load that failed has one where rows were committed; a preview where it came to its end.</summary>
    private static bool HasRows(LoadReport report) => report switch
    {
        { Outcome: LoadOutcome.AlreadyComplete } => true,
        { Plan.IsPreview: true, Preview: null } => false,
        _ => report.Outcome == LoadOutcome.Complete || report.Chunks > 0,
    };

    /// <summary>Whether there is a result to show.</summary>
    public static bool HasResult(LoadReport report) =>
        report.Plan is { IsCheck: true } or { IsVerification: true } ? FindingsText.HasResult(report) : HasRows(report);

    /// <param name="plan">of the report</param>
    public static void Write(TextWriter to, LoadReport report, LoadPlan plan, bool isVerbose)
    {
        if (plan is { IsCheck: true } or { IsVerification: true })
        {
            if (HasResult(report))
            {
                to.WriteLine(FindingsText.Sentence(report, plan));
            }
        }
        else if (!HasRows(report))
        {
            if (report.Outcome is LoadOutcome.Interrupted or LoadOutcome.Stopped)
            {
                to.WriteLine($"{(report.Outcome == LoadOutcome.Interrupted ? "interrupted" : "stopped")} before anything was committed to "
                    + $"{plan.Table}");
            }
        }
        else if (report.Outcome != LoadOutcome.AlreadyComplete)
        {
            to.WriteLine($"{PreviewText.Prefix(report)}{Sentence(report, plan)}");
        }

        if (HasResult(report) || isVerbose)
        {
            to.WriteLine($"on {ReportText.PlaceText(plan.Server)}{(isVerbose ? ReportText.By(plan) : "")}");
        }

        if (report.Preview is { } preview)
        {
            PreviewText.Write(to, preview);
        }

        if (!isVerbose)
        {
            WriteEvents(to, report);
        }
    }

    /// <summary>Such as <c>24 rows inserted into shop.people from people.csv, 2 records rejected, in 0.31 s</c>.</summary>
    private static string Sentence(LoadReport report, LoadPlan plan)
    {
        var counts = report.Counts;
        var (done, others) = Parts(report, plan);
        var names = ReportText.Files(ReportText.NamesOf(report, plan));
        var place = plan.Kind switch
        {
            JobKind.Update => $"in {plan.Table} by {names}",
            JobKind.Delete => $"from {plan.Table} by {names}",
            _ => $"into {plan.Table} from {names}",
        };
        if (counts.Rejected > 0)
        {
            others.Add($"{Amounts.Count(counts.Rejected, "record")} "
                + $"rejected{(report.RejectsByReason.Count > 0 ? ReportText.ByWord(report.RejectsByReason) : "")}");
        }

        if (counts.NotCommitted > 0)
        {
            others.Add($"{Amounts.Count(counts.NotCommitted, "record")} not committed");
        }

        var end = report.Outcome switch
        {
            LoadOutcome.Interrupted => ", then interrupted,",
            LoadOutcome.Stopped => ", then stopped,",
            LoadOutcome.Failed => ", then failed,",
            _ => others.Count > 0 ? "," : "",
        };
        var isEmptied = plan.Kind == JobKind.Import && counts.DeletedRows > 0;
        var first = isEmptied ? $"{Amounts.Count(counts.DeletedRows, "row")} deleted (--truncate), then " : "";
        return $"{first}{done} {place}{string.Concat(others.Select(other => $", {other}"))}{end} in {Amounts.Duration(report.Elapsed)}";
    }

    private static (string Done, List<string> Others) Parts(LoadReport report, LoadPlan plan)
    {
        var counts = report.Counts;
        List<string> others = [];
        void Add(long count, string what)
        {
            if (count > 0)
            {
                others.Add($"{Amounts.Count(count)} {what}");
            }
        }

        string done;
        switch (plan.Kind)
        {
            case JobKind.Update:
                var isPlain = counts.MatchedRows == counts.Updated + counts.Unchanged;
                var rows = $" ({Amounts.Count(counts.MatchedRows, "row")} found, {Amounts.Count(counts.ChangedRows)} changed)";
                done = $"{Amounts.Count(counts.Updated, "row")} updated{(isPlain ? "" : rows)}";
                Add(counts.Unchanged, "unchanged");
                Add(counts.Superseded, "superseded (a later record has the key)");
                Add(counts.NotFound, "not found");
                break;
            case JobKind.Delete:
                done = $"{Amounts.Count(counts.DeletedRows, "row")} deleted";
                Add(counts.DeletedRows == counts.Deleted ? 0 : counts.Deleted, counts.Deleted == 1 ? "key" : "keys");
                Add(counts.Superseded, "superseded (an earlier record has the key)");
                Add(counts.NotFound, $"not found{ReportText.Repeats(report)}");
                break;
            default:
                done = $"{Amounts.Count(counts.Inserted, "row")} inserted";
                Add(counts.Updated, plan.OnDuplicate == DuplicateMode.Replace ? "updated (their rows were replaced)" : "updated");
                Add(counts.Unchanged, "unchanged");
                Add(counts.Ignored, "ignored (their key was there)");
                break;
        }

        return (done, others);
    }

    /// <summary>What is no usual part of a load, and how fast a long one was.</summary>
    private static void WriteEvents(TextWriter to, LoadReport report)
    {
        if (report.RepairsByKind.Count > 0)
        {
            to.WriteLine($"{Amounts.Count(report.RepairsByKind.Values.Sum(), "record")} repaired{ReportText.ByWord(report.RepairsByKind)}");
        }

        if (report is { Verification: { } verification, Plan.IsVerification: false })
        {
            to.WriteLine(
                $"{Amounts.Count(verification.Rows, "row")} verified{VerifiedBy(report)}{Unverified(verification)}");
        }

        if (report.EarlierChunks > 0 && report.Outcome != LoadOutcome.AlreadyComplete)
        {
            to.WriteLine($"resumed: {Amounts.Count(report.EarlierChunks)} of {Amounts.Count(report.Chunks, "chunk")} were committed "
                + "before this start");
        }

        if (report.Retries > 0)
        {
            to.WriteLine($"{Amounts.Count(report.Retries, "retry", "retries")}{ReportText.Retried(report)}");
        }

        if (report.Rebuild is { } rebuild)
        {
            to.WriteLine($"{Amounts.Count(rebuild.Indexes.Count, "index", "indexes")}{Rebuilt(rebuild)}");
        }

        if (report.Waits.Count > 0)
        {
            to.WriteLine($"waited {Amounts.Duration(TimeSpan.FromTicks(report.Waits.Sum(wait => wait.Time.Ticks)))} "
                + $"({string.Join(", ", report.Waits.Select(wait => $"{wait.Reason} {Amounts.Duration(wait.Time)}"))})");
        }

        var bytes = report.Sources.Sum(source => source.Bytes);
        if (report.Elapsed > WorthARate && report.EarlierChunks == 0
            && ReportText.Speed(report.Counts.Read, bytes, report.Elapsed).Trim() is { Length: > 0 } speed)
        {
            to.WriteLine($"{Amounts.Count(report.Counts.Read, "record")} read, {Amounts.Bytes(bytes)} {speed}");
        }
    }

    internal static string VerifiedBy(LoadReport report) =>
        report.Plan?.Verification is not { Unverifiable: null } planned
            ? ""
            : $" ({VerifyWords.Of(planned.Mode)} by {string.Join(", ", planned.Key)})";

    internal static string Unverified(VerificationReport verification)
    {
        if (verification.Reason is { } reason)
        {
            return $" (unverifiable: {reason})";
        }

        var different = verification.Result == VerifyResult.Different ? ", and others differ from their records" : "";
        var earlier = verification.EarlierRows == 0
            ? ""
            : $", {Amounts.Count(verification.EarlierRows)} not: an earlier run committed them";
        var undecided = verification.UndecidedRows == 0
            ? ""
            : $", {Amounts.Count(verification.UndecidedRows)} not: the server made their keys or values";
        return $"{different}{earlier}{undecided}";
    }

    internal static string Rebuilt(RebuildReport rebuild)
    {
        var dropped = rebuild.Dropping == TimeSpan.Zero
            ? " dropped by an earlier run"
            : $" dropped in {Amounts.Duration(rebuild.Dropping)}";
        return rebuild.Missing.Count > 0
            ? $"{dropped}, not added again: {string.Join(", ", rebuild.Missing)}"
            : $"{dropped}, added again in {Amounts.Duration(rebuild.Adding)}";
    }
}
