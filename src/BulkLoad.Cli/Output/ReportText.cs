using System.Text.RegularExpressions;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Cli.Output;

internal static partial class ReportText
{
    internal const long MinForSpeed = 1000;
    private const int MaxRejects = 5;
    private const int MaxRejectsShown = 10;
    private const int MaxCodes = 3;

    private readonly record struct Row(string Label, string Number, string Rest);

    /// <param name="isVerbose">with strategy, chunks and all counts</param>
    /// <param name="typed">for the next command; null: unknown</param>
    public static void Write(TextWriter to, LoadReport report, bool isVerbose = false, TypedCommand? typed = null)
    {
        if (report.Headline is { } headline)
        {
            to.WriteLine(headline);
        }

        if (report.Plan is { } plan)
        {
            ResultText.Write(to, report, plan, isVerbose, typed);
            if (isVerbose)
            {
                WriteRows(to, report);
            }
        }

        var onlyReads = OnlyReads(report);
        if (onlyReads)
        {
            WriteRejects(to, report);
            WriteUndecided(to, report);
        }

        if (report.Sources.Count > 1 && (isVerbose || ResultText.HasResult(report)))
        {
            foreach (var source in report.Sources.Take(Plural.Shown))
            {
                to.WriteLine($"file  {FileName(source.Name)}: {Amounts.Count(source.Records, "record")}, {Amounts.Bytes(source.Bytes)}");
            }

            if (report.Sources.Skip(Plural.Shown).ToList() is { Count: > 0 } more)
            {
                var (records, bytes) = (more.Sum(source => source.Records), more.Sum(source => source.Bytes));
                to.WriteLine(
                    $"and {Amounts.Count(more.Count, "more file")}: {Amounts.Count(records, "record")}, {Amounts.Bytes(bytes)}");
            }
        }

        WriteNotes(to, report.Choices, isVerbose);
        if (!onlyReads)
        {
            WriteRejects(to, report);
        }

        WriteNotes(to, report.Notes.Except(report.Choices), isVerbose);
        if (report.Refresh?.Undo is { } undo)
        {
            to.WriteLine($"to go back: {ReportHints.Of(undo, typed)}");
        }

        if (ReportHints.Of(report, typed) is { } hint)
        {
            to.WriteLine(hint);
        }
    }

    private static bool OnlyReads(LoadReport report) => report.Plan is { Mode.JudgesOnly: true };

    /// <summary>A guess by a file's extension is not worth a note.</summary>
    private static void WriteNotes(TextWriter to, IEnumerable<string> notes, bool isVerbose)
    {
        foreach (var note in notes.Where(note => isVerbose || !note.EndsWith("(by extension)", StringComparison.Ordinal)))
        {
            to.WriteLine($"note  {(isVerbose ? note : Confidence().Replace(note, ""))}");
        }
    }

    /// <summary>Counts that add up from top to bottom.</summary>
    private static void WriteRows(TextWriter to, LoadReport report)
    {
        var rows = Rows(report);
        var labels = rows.Max(row => row.Label.Length) + 3;
        var numbers = Math.Max(rows.Max(row => row.Number.Length), 9);
        foreach (var row in rows)
        {
            to.WriteLine($"{row.Label.PadRight(labels)}{row.Number.PadLeft(numbers)}{row.Rest}");
        }
    }

    private static void WriteUndecided(TextWriter to, LoadReport report)
    {
        if (report.UndecidedByReason.Count > 0)
        {
            to.WriteLine(FindingsText.Undecided(report.Counts.Undecided));
        }

        foreach (var undecided in report.UndecidedByReason)
        {
            to.WriteLine($"undecided  {Amounts.Count(undecided.Records)} ({undecided.Reason}): {undecided.Description}");
        }
    }

    /// <summary>The first few; of a job that ended at its only reject, the message says it.</summary>
    private static void WriteRejects(TextWriter to, LoadReport report)
    {
        var endedByThem = report.Failure is RejectLimitException
            || (OnlyReads(report) && report.Failure is ReconciliationException { IsOfContent: true });
        if (report.Outcome == LoadOutcome.Complete || (endedByThem && report.Counts.Rejected > 1))
        {
            var shown = Math.Min(report.FirstRejects.Count, endedByThem || OnlyReads(report) ? MaxRejectsShown : MaxRejects);
            WriteShown(to, [.. report.FirstRejects.Take(shown)]);
            if (report.Counts.Rejected > shown)
            {
                WriteOthers(to, report, shown);
            }
        }

        if (report.RejectFile is { } kept && report.Plan?.Mode == JobMode.Verify)
        {
            to.WriteLine($"records that are not in the table are in {kept}, reasons in {report.RejectReasonsFile}");
        }
        else if (report is { RejectFile: { } left, UncommittedRejects: > 0 and var open })
        {
            var which = open == 1 ? "the last one is" : $"the last {Amounts.Count(open)} are";
            to.WriteLine($"rejects are in {left}, reasons in {report.RejectReasonsFile}; {which} not committed (\"committed\":false)");
        }
        else if (report.RejectFile is { } file)
        {
            to.WriteLine($"rejects are in {file}, reasons in {report.RejectReasonsFile}");
        }
    }

    /// <summary>A number that is only for a closer look.</summary>
    [GeneratedRegex(@", confidence [0-9.]+| \(confidence [0-9.]+\)", RegexOptions.CultureInvariant)]
    private static partial Regex Confidence();

    private static string RejectWord(string code) => code switch
    {
        "missing-row" => "missing",
        "different-row" or "several-rows" => "differs",
        _ => "reject",
    };

    /// <summary>The help of each reason is named behind the first record that has it.</summary>
    private static void WriteShown(TextWriter to, List<Reject> rejects)
    {
        for (var i = 0; i < rejects.Count; i++)
        {
            var code = rejects[i].Code;
            var help = rejects.FindIndex(reject => reject.Code == code) == i ? Help([code]) : "";
            to.WriteLine($"{RejectWord(code)}  {rejects[i].Describe()}{help}");
        }
    }

    /// <summary>The number of further rejects of each kind, with the help of reasons that no record above has.</summary>
    private static void WriteOthers(TextWriter to, LoadReport report, int shown)
    {
        var above = report.FirstRejects.Take(shown).CountBy(reject => reject.Code).ToDictionary();
        var unnamed = report.Counts.Rejected - report.RejectsByReason.Values.Sum();
        foreach (var kind in report.RejectsByReason.GroupBy(reason => RejectWord(reason.Key)))
        {
            var more = kind.Sum(reason => reason.Value - above.GetValueOrDefault(reason.Key));
            if (more > 0)
            {
                var codes = kind.Where(reason => !above.ContainsKey(reason.Key)).OrderByDescending(reason => reason.Value);
                to.WriteLine(
                    $"{kind.Key}  {(shown > 0 ? $"and {Amounts.Count(more)} more" : OfOthers(report, more))}"
                    + Help([.. codes.Take(MaxCodes).Select(reason => reason.Key)]));
            }
        }

        if (unnamed > 0)
        {
            to.WriteLine($"reject  {OfOthers(report, unnamed)}");
        }
    }

    /// <summary>Rejects of which no record is known.</summary>
    private static string OfOthers(LoadReport report, long count) => report.Preview is null
        ? $"{Amounts.Count(count)} of earlier runs of this job"
        : $"{Amounts.Count(count, "record")}: which of them is not known here";

    private static string Help(string[] codes) => codes.Length == 0 ? "" : $" (bulkload help {string.Join(" or ", codes)})";

    internal static string By(LoadPlan plan) => plan.Strategy is null ? "" : $" by {plan.Strategy}";

    internal static string ServerText(PlannedServer server) => $"{server.Kind} {server.Version} ({server.Endpoint}, {server.Security})";

    /// <summary>Without the build that a distribution adds to the version: the plan has it.</summary>
    internal static string PlaceText(PlannedServer server) =>
        $"{server.Kind} {server.Version.Split('-', '+')[0]} at {server.Endpoint} as {server.User} ({server.Security})"
            + (server.Topology is null ? "" : $", {server.Topology.Text}");

    internal static string FileName(string name) => name == "-" ? "standard input" : name;

    private static List<Row> Rows(LoadReport report)
    {
        var counts = report.Counts;
        var bytes = report.Sources.Sum(source => source.Bytes);
        var different = report.Verification?.DifferentByReason ?? new Dictionary<string, long>();
        var isCheck = report.Plan is { Mode.JudgesOnly: true };
        List<Row> rows = [new("read", Amounts.Count(counts.Read), $" {Plural.For(counts.Read, "record")}, {Amounts.Bytes(bytes)}")];
        if (report.Plan?.Mode == JobMode.Verify)
        {
            rows.Add(new("equal", Amounts.Count(counts.Verified), ResultText.VerifiedBy(report)));
            rows.Add(new("different", Amounts.Count(different.Values.Sum()), ByWord(different)));
            if (counts.Undecided > 0)
            {
                rows.Add(new("undecided", Amounts.Count(counts.Undecided), " (the server made their keys or values)"));
            }
        }
        else if (isCheck)
        {
            rows.Add(new("accepted", Amounts.Count(counts.Accepted), ""));
            rows.Add(new("undecided", Amounts.Count(counts.Undecided), ""));
        }
        else if (report.Plan is { Kind: JobKind.Update })
        {
            rows.Add(new("updated", Amounts.Count(counts.Updated), counts.MatchedRows == counts.Updated + counts.Unchanged
                ? ""
                : $" ({Amounts.Count(counts.MatchedRows, "row")} found, {Amounts.Count(counts.ChangedRows)} changed)"));
            rows.Add(new("unchanged", Amounts.Count(counts.Unchanged), ""));
            rows.AddRange(OtherRows(report, "a later"));
        }
        else if (report.Plan is { Kind: JobKind.Delete })
        {
            rows.Add(new("deleted", Amounts.Count(counts.Deleted), counts.DeletedRows == counts.Deleted
                ? ""
                : $" ({Amounts.Count(counts.DeletedRows, "row")})"));
            rows.AddRange(OtherRows(report, "an earlier"));
        }
        else
        {
            if (counts.DeletedRows > 0)
            {
                rows.Add(new("emptied", Amounts.Count(counts.DeletedRows), " deleted first (--truncate)"));
            }

            rows.Add(new("inserted", Amounts.Count(counts.Inserted), ""));
            rows.AddRange(DuplicateRows(report.Plan?.OnDuplicate ?? DuplicateMode.Error, counts));
            if (report.Verification is { } verification)
            {
                rows.Add(new("verified", Amounts.Count(verification.Rows),
                    ResultText.VerifiedBy(report) + ResultText.Unverified(verification)));
            }
        }

        rows.Add(new("rejected", Amounts.Count(counts.Rejected - different.Values.Sum()),
            ByWord(report.RejectsByReason.Where(reason => !different.ContainsKey(reason.Key)).ToDictionary())));
        if (report.RepairsByKind.Count > 0)
        {
            rows.Add(new("repaired", Amounts.Count(report.RepairsByKind.Values.Sum()), ByWord(report.RepairsByKind)));
        }

        if (counts.NotCommitted > 0
            || (report.Outcome is not (LoadOutcome.Complete or LoadOutcome.AlreadyComplete) && report.Plan?.Mode != JobMode.Verify))
        {
            rows.Add(new(isCheck ? "not judged" : "not committed", Amounts.Count(counts.NotCommitted), Stopped(report.Outcome, isCheck)));
        }

        if (isCheck && report.Plan!.Strategy is not null)
        {
            rows.Add(new("batches", Amounts.Count(report.Batches), $" taken by the server and rolled back{Narrowed(report)}"));
        }
        else if (!isCheck && report.Preview is null)
        {
            rows.Add(new("chunks", Amounts.Count(report.Chunks),
                $" committed, {Amounts.Count(report.Batches, "batch", "batches")}{Narrowed(report)}{Earlier(report)}"));
        }

        if (report.Retries > 0)
        {
            rows.Add(new("retries", Amounts.Count(report.Retries), Retried(report)));
        }

        if (report.Rebuild is { } rebuild)
        {
            rows.Add(new("indexes", Amounts.Count(rebuild.Indexes.Count), ResultText.Rebuilt(report, rebuild)));
        }

        if (report.Waits.Count > 0)
        {
            rows.Add(new("waited", Waited(report.Waits), $" ({WaitedFor(report.Waits)})"));
        }

        if (report.Replicas is { } replicas)
        {
            rows.Add(new("replicas", Amounts.Count(replicas.Count), replicas.Count == 0 ? "" : $" ({Behind(replicas)})"));
        }

        // This run has only read what an earlier start has committed.
        rows.Add(new("time", Amounts.Duration(report.Elapsed), report.EarlierChunks > 0 ? "" : Speed(counts.Read, bytes, report.Elapsed)));
        return rows;
    }

    /// <summary>The time of an earlier complete delete. Whether its keys ever had rows is not known.</summary>
    internal static string Repeats(LoadReport report) =>
        report.RepeatOf is { } time ? $" (the same delete was complete on {time:yyyy-MM-dd HH:mm:ss} UTC)" : "";

    /// <summary>Leaves out what needs an option that is not set, and what did not happen.</summary>
    private static IEnumerable<Row> OtherRows(LoadReport report, string which)
    {
        var counts = report.Counts;
        if (counts.Superseded > 0)
        {
            yield return new("superseded", Amounts.Count(counts.Superseded), $" ({which} record has the key)");
        }

        if (counts.NotFound > 0)
        {
            yield return new("not found", Amounts.Count(counts.NotFound), Repeats(report));
        }
    }

    /// <summary>Counts that only this treatment of duplicates has.</summary>
    private static Row[] DuplicateRows(DuplicateMode mode, LoadCounts counts) => mode switch
    {
        DuplicateMode.Ignore => [new("ignored", Amounts.Count(counts.Ignored), " (their key was there)")],
        DuplicateMode.Replace => [new("updated", Amounts.Count(counts.Updated), " (their rows were replaced)")],
        DuplicateMode.Update => [new("updated", Amounts.Count(counts.Updated), ""), new("unchanged", Amounts.Count(counts.Unchanged), "")],
        _ => [],
    };

    internal static string ByWord(IReadOnlyDictionary<string, long> counts) => counts.Count == 0
        ? ""
        : $" ({string.Join(", ", counts.Select(count => $"{count.Key} {Amounts.Count(count.Value)}"))})";

    private static string Narrowed(LoadReport report) =>
        report.NarrowedBatches == 0 ? "" : $", {Amounts.Count(report.NarrowedBatches)} narrowed";

    private static string Earlier(LoadReport report) =>
        report.EarlierChunks == 0 ? "" : $", {Amounts.Count(report.EarlierChunks)} of them before this start";

    internal static string Waited(IReadOnlyList<WaitReport> waits) =>
        Amounts.Duration(TimeSpan.FromTicks(waits.Sum(wait => wait.Time.Ticks)));

    /// <summary>The reason; with several reasons, the time for each.</summary>
    internal static string WaitedFor(IReadOnlyList<WaitReport> waits) => waits is [var one]
        ? one.Reason
        : string.Join(", ", waits.Select(wait => $"{wait.Reason} {Amounts.Duration(wait.Time)}"));

    internal static string Behind(IReadOnlyList<ReplicaReport> replicas) => replicas.Count == 0
        ? "no replica is connected to the server: none was waited for"
        : string.Join("; ", replicas.Select(replica =>
            $"replica {replica.Endpoint} was at most {Amounts.Duration(replica.GreatestLag)} behind"
            + (replica.Waited > TimeSpan.Zero ? $", waited for {Amounts.Duration(replica.Waited)}" : "")));

    internal static string Retried(LoadReport report) => $" (the first after: {report.FirstRetries[0].Fault})";

    private static string Stopped(LoadOutcome outcome, bool isCheck) => outcome switch
    {
        LoadOutcome.Interrupted => isCheck ? " (interrupted)" : " (interrupted; what was committed stays)",
        LoadOutcome.Stopped => " (stopped; what was committed stays)",
        LoadOutcome.Failed => isCheck ? " (failed)" : " (failed; what was committed stays)",
        _ => "",
    };

    /// <summary>Empty for few records: the figure would tell the time for connecting.</summary>
    internal static string Speed(long records, long bytes, TimeSpan time) => records < MinForSpeed || time <= TimeSpan.Zero
        ? ""
        : $"  ({Amounts.Count((long)Amounts.Rate(records, time))} records/s, {Amounts.Bytes(Amounts.Rate(bytes, time))}/s)";

    /// <summary>The inputs that are known so far.</summary>
    internal static IReadOnlyList<string> NamesOf(LoadReport report, LoadPlan plan) =>
        [.. report.Sources.Count > 0 ? report.Sources.Select(source => source.Name) : plan.Sources.Select(source => source.Name)];

    internal static string Files(IReadOnlyList<string> names) => names.Count switch
    {
        <= 3 => string.Join(", ", names.Select(FileName)),
        _ => $"{FileName(names[0])}, {FileName(names[1])} and {names.Count - 2} more files",
    };
}
