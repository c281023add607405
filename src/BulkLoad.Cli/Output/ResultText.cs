using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

/// <summary>The result in one sentence, then the server, then what else happened.</summary>
internal static class ResultText
{
    private static readonly TimeSpan WorthARate = TimeSpan.FromSeconds(1);

    /// <summary>A failed load has rows if some were committed; a preview if it came to its end.</summary>
    private static bool HasRows(LoadReport report) => report switch
    {
        { Outcome: LoadOutcome.AlreadyComplete } => true,
        { Preview: null, Plan: { } plan } when plan.Mode == JobMode.Preview => false,
        _ => report.Outcome == LoadOutcome.Complete || report.Chunks > 0,
    };

    public static bool HasResult(LoadReport report) =>
        report.Plan is { Mode.JudgesOnly: true } ? FindingsText.HasResult(report) : HasRows(report);

    public static void Write(TextWriter to, LoadReport report, LoadPlan plan, bool isVerbose, TypedCommand? typed)
    {
        if (plan.Mode.JudgesOnly)
        {
            if (HasResult(report))
            {
                to.WriteLine(FindingsText.Sentence(report, plan));
            }
        }
        else if (report is { Outcome: LoadOutcome.Interrupted, State: not null })
        {
            WriteStop(to, report, typed);
        }
        else if (!HasRows(report))
        {
            if (report.Outcome is LoadOutcome.Interrupted or LoadOutcome.Stopped)
            {
                to.WriteLine($"{(report.Outcome == LoadOutcome.Interrupted ? "interrupted" : "stopped")} before anything was committed to "
                    + $"{plan.Table}");
            }
        }
        else if (report is not ({ Outcome: LoadOutcome.AlreadyComplete } or { Preview: not null, Refresh: not null }))
        {
            to.WriteLine($"{PreviewText.Prefix(report)}{Sentence(report, plan)}");
        }

        if (HasResult(report) || isVerbose)
        {
            to.WriteLine($"on {ReportText.PlaceText(plan.Server)}{(isVerbose ? ReportText.By(plan) : "")}");
        }

        if (report.Preview is { } preview)
        {
            to.WriteLine($"the preview took {Amounts.Duration(report.Elapsed)}");
            PreviewText.Write(to, preview);
        }

        if (!isVerbose)
        {
            WriteEvents(to, report);
        }
    }

    /// <summary>Such as <c>interrupted after 3.5 s: 487,337 rows are in shop.people (276,001 more were rolled back); run the same command
    /// to continue</c>.</summary>
    public static void WriteStop(TextWriter to, LoadReport report, TypedCommand? typed)
    {
        var undone = report.Chunks > 0 && report.Counts.NotCommitted > 0
            ? $" ({Amounts.Count(report.Counts.NotCommitted)} more {Plural.For(report.Counts.NotCommitted, "was", "were")} rolled back)"
            : "";
        var ways = ErrorText.Lines(report.WaysOn, typed).ToList();
        var isShort = report.WaysOn is [{ Words.Count: 0 }];
        to.WriteLine($"interrupted after {Amounts.Duration(report.Elapsed)}: {report.State}{undone}{(isShort ? $"; {ways[0]}" : "")}");
        foreach (var way in isShort ? [] : ways)
        {
            to.WriteLine($"  {way}");
        }
    }

    /// <summary>Such as <c>24 rows inserted into shop.people from people.csv, 2 records rejected, in 0.31 s</c>.</summary>
    private static string Sentence(LoadReport report, LoadPlan plan)
    {
        var counts = report.Counts;
        var (done, others) = Parts(report, plan);
        var part = plan.Sources is [{ Part: { } one }] ? $"part {one.Number}/{one.Count} of " : "";
        var names = part + ReportText.Files(ReportText.NamesOf(report, plan));
        var place = plan.Kind switch
        {
            JobKind.Update => $"in {plan.Table} by {names}",
            JobKind.Delete => $"from {plan.Table} by {names}",
            _ when report.Refresh is not null => $"from {names}",
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
        return $"{first}{done}{Earlier(report, plan)} {place}{string.Concat(others.Select(other => $", {other}"))}"
            + (report.Preview is null ? $"{end} in {Amounts.Duration(report.Elapsed)}" : "");
    }

    private static string Earlier(LoadReport report, LoadPlan plan)
    {
        var (all, earlier) = (report.Counts, report.EarlierCounts);
        var (before, inAll) = plan.Kind switch
        {
            JobKind.Update => (earlier.Updated, all.Updated),
            JobKind.Delete => (earlier.DeletedRows, all.DeletedRows),
            _ => (earlier.Inserted, all.Inserted),
        };
        var from = plan.Kind == JobKind.Import ? "there from" : "done by";
        return report.EarlierChunks == 0 ? ""
            : $" ({Amounts.Count(before)} {Plural.For(before, "was", "were")} {from} an earlier run: {Amounts.Count(inAll)} in all)";
    }

    private static (string Done, List<string> Others) Parts(LoadReport report, LoadPlan plan)
    {
        var (counts, earlier) = (report.Counts, report.EarlierCounts);
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
                var rows = $" ({Amounts.Count(counts.MatchedRows - earlier.MatchedRows, "row")} found, "
                    + $"{Amounts.Count(counts.ChangedRows - earlier.ChangedRows)} changed)";
                done = $"{Amounts.Count(counts.Updated - earlier.Updated, "row")} updated{(isPlain ? "" : rows)}";
                Add(counts.Unchanged - earlier.Unchanged, "unchanged");
                Add(counts.Superseded - earlier.Superseded, "superseded (a later record has the key)");
                Add(counts.NotFound - earlier.NotFound, "not found");
                break;
            case JobKind.Delete:
                done = $"{Amounts.Count(counts.DeletedRows - earlier.DeletedRows, "row")} deleted";
                var keys = counts.Deleted - earlier.Deleted;
                Add(counts.DeletedRows == counts.Deleted ? 0 : keys, keys == 1 ? "key" : "keys");
                Add(counts.Superseded - earlier.Superseded, "superseded (an earlier record has the key)");
                Add(counts.NotFound - earlier.NotFound, $"not found{ReportText.Repeats(report)}");
                break;
            default:
                done = $"{Amounts.Count(counts.Inserted - earlier.Inserted, "row")} {(report.Refresh is null ? "inserted" : "loaded")}";
                Add(counts.Updated - earlier.Updated,
                    plan.OnDuplicate == DuplicateMode.Replace ? "updated (their rows were replaced)" : "updated");
                Add(counts.Unchanged - earlier.Unchanged, "unchanged");
                Add(counts.Ignored - earlier.Ignored, "ignored (their key was there)");
                break;
        }

        return (done, others);
    }

    /// <summary>Unusual events of a load, and the speed of a long one.</summary>
    private static void WriteEvents(TextWriter to, LoadReport report)
    {
        if (report.RepairsByKind.Count > 0)
        {
            to.WriteLine($"{Amounts.Count(report.RepairsByKind.Values.Sum(), "record")} repaired{ReportText.ByWord(report.RepairsByKind)}");
        }

        if (report is { Verification: { } verification, Plan.Mode.JudgesOnly: false }
            && (report.Outcome == LoadOutcome.Complete || verification.Rows > 0 || Unverified(verification).Length > 0))
        {
            to.WriteLine(
                $"{Amounts.Count(verification.Rows, "row")} verified{VerifiedBy(report)}{Unverified(verification)}");
        }

        if (report.Retries > 0)
        {
            to.WriteLine($"{Amounts.Count(report.Retries, "retry", "retries")}{ReportText.Retried(report)}");
        }

        if (report.Rebuild is { } rebuild)
        {
            to.WriteLine($"{Amounts.Count(rebuild.Indexes.Count, "index", "indexes")}{Rebuilt(report, rebuild)}");
        }

        if (report.Waits.Count > 0)
        {
            to.WriteLine($"waited {ReportText.Waited(report.Waits)} ({ReportText.WaitedFor(report.Waits)})");
        }

        if (report.Replicas is { } replicas)
        {
            to.WriteLine(ReportText.Behind(replicas));
        }

        WriteSpeed(to, report);
    }

    /// <summary>The speed of this run: what an earlier one has committed was only read.</summary>
    private static void WriteSpeed(TextWriter to, LoadReport report)
    {
        if (report.Elapsed <= WorthARate)
        {
            return;
        }

        var earlier = report.EarlierCounts;
        var records = report.Counts.Read - earlier.Inserted - earlier.Updated - earlier.Unchanged - earlier.Ignored - earlier.Deleted
            - earlier.Superseded - earlier.NotFound;
        var bytes = report.Sources.Sum(source => source.Bytes);
        if (report.EarlierChunks == 0 && ReportText.Speed(records, bytes, report.Elapsed).Trim() is { Length: > 0 } speed)
        {
            to.WriteLine($"{Amounts.Count(records, "record")} read, {Amounts.Bytes(bytes)} {speed}");
        }
        else if (report.EarlierChunks > 0 && records >= ReportText.MinForSpeed)
        {
            to.WriteLine($"{Amounts.Count(records, "record")} sent  "
                + $"({Amounts.Count((long)Amounts.Rate(records, report.Elapsed))} records/s)");
        }
    }

    internal static string VerifiedBy(LoadReport report) =>
        report.Plan?.Verification is not { Unverifiable: null } planned
            ? ""
            : $" ({VerifyModes.Of(planned.Mode)} by {string.Join(", ", planned.Key)})";

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

    internal static string Rebuilt(LoadReport report, RebuildReport rebuild)
    {
        var dropped = (report.Refresh is null ? "" : " of the table beside") + (rebuild.Dropping == TimeSpan.Zero
            ? " dropped by an earlier run"
            : $" dropped in {Amounts.Duration(rebuild.Dropping)}");
        return rebuild.Missing.Count > 0
            ? $"{dropped}, not added again: {string.Join(", ", rebuild.Missing)}"
            : $"{dropped}, added again in {Amounts.Duration(rebuild.Adding)}";
    }
}
