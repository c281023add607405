using BulkLoad.Core.Reports;

namespace BulkLoad.Cli.Output;

internal static class FindingsText
{
    /// <summary>A job that failed before the first record has no result.</summary>
    public static bool HasResult(LoadReport report) => report.Counts.Read > 0 || report.Outcome != LoadOutcome.Failed;

    /// <summary>Such as <c>3 of 40 records of people.csv do not fit shop.people (too-long 3); nothing was written (0.31 s)</c>.</summary>
    /// <param name="plan">of the report; a check or a verification</param>
    public static string Sentence(LoadReport report, LoadPlan plan)
    {
        var names = ReportText.Files(ReportText.NamesOf(report, plan));
        var found = report.Counts.Read == 0 && IsPart(report) ? $"no record of {names} was read"
            : plan.Mode.IsCheck ? Checked(report, plan, names)
            : Verified(report, plan, names);
        return $"{Ended(report)}{found} ({Amounts.Duration(report.Elapsed)})";
    }

    /// <summary>Whether records of files or of a folder fit.</summary>
    /// <param name="records">such as <c>4,812 records of people.csv</c></param>
    /// <param name="place">the table or database</param>
    /// <param name="isPart">whether there may be more records</param>
    public static string Fit(long read, long rejected, long undecided, string records, string place, string reasons, bool isPart = false)
    {
        var those = $"{(isPart ? "the first " : "")}{records}";
        return (rejected, undecided) switch
        {
            _ when read == 0 => $"there are {records}",
            ( > 0, _) => $"{Amounts.Count(rejected)} of {those} {Plural.For(rejected, "does", "do")} not fit {place}{reasons}",
            (_, > 0) => $"no fault was found in {those} for {place}",
            _ => $"{those} {Plural.For(read, "fits", "fit")} {place}",
        };
    }

    public static string Undecided(long undecided) =>
        $"{Amounts.Count(undecided, "record")} can only be judged by the server: --on-server asks it";

    public static string RecordsOf(long read, string names) =>
        read == 0 ? $"no records in {names}" : $"{Amounts.Count(read, "record")} of {names}";

    private static string Checked(LoadReport report, LoadPlan plan, string names)
    {
        var counts = report.Counts;
        var written = plan.Strategy is null || counts.Read == 0 ? "nothing was written" : "all was rolled back";
        var records = RecordsOf(counts.Read, names);
        if (counts is { Rejected: 0, NotCommitted: > 0 })
        {
            var judged = counts.Read - counts.NotCommitted;
            return judged == 0 ? $"no record of {names} was judged; {written}"
                : $"{Amounts.Count(judged)} of the first {records} {Plural.For(judged, "was", "were")} judged, without a fault; {written}";
        }

        var reasons = ReportText.ByWord(report.RejectsByReason);
        var fit = Fit(counts.Read, counts.Rejected, counts.Undecided, records, plan.Table, reasons, IsPart(report));
        var rest = counts.NotCommitted == 0 ? "" : $", {Were(counts.NotCommitted)} not judged";
        return $"{fit}{rest}; {written}";
    }

    private static string Verified(LoadReport report, LoadPlan plan, string names)
    {
        var counts = report.Counts;
        var different = report.Verification?.DifferentByReason ?? new Dictionary<string, long>();
        var records = $"{(IsPart(report) ? "the first " : "")}{RecordsOf(counts.Read, names)}";
        var differing = different.Values.Sum();
        var refused = counts.Rejected - differing;
        List<string> others = [];
        if (refused > 0)
        {
            var reasons = report.RejectsByReason.Where(reason => !different.ContainsKey(reason.Key)).ToDictionary();
            others.Add($"{Were(refused)} refused{ReportText.ByWord(reasons)}");
        }

        if (counts.Undecided > 0)
        {
            var made = Plural.For(counts.Undecided, "its key or value", "their keys or values");
            others.Add($"{Amounts.Count(counts.Undecided)} could not be compared: the server made {made}");
        }

        if (counts.NotCommitted > 0)
        {
            others.Add($"{Were(counts.NotCommitted)} not compared");
        }

        var way = plan.Verification is not { Unverifiable: null } planned ? ""
            : planned.Mode == VerifyMode.Count ? $", found by {string.Join(", ", planned.Key)}; values were not compared"
            : $" with the same values, found by {string.Join(", ", planned.Key)}";
        var differences = string.Join(", ", different.Select(Difference));
        var found = differing > 0
            ? $"{Amounts.Count(differing)} of {records} {Plural.For(differing, "is", "are")} not in {plan.Table} as in the file: "
                + differences
            : counts.Read == 0 ? $"there are {records}"
            : counts.Verified == 0 ? $"no record of {names} could be compared with {plan.Table}"
            : $"{Found(counts, records)} {Plural.For(counts.Verified, "is", "are")} in {plan.Table}{way}";
        return string.Join("; ", others.Prepend(found));
    }

    private static string Found(LoadCounts counts, string records) =>
        counts.Verified < counts.Read ? $"{Amounts.Count(counts.Verified)} of {records}"
        : counts.Read == 1 ? records
        : $"all {records}";

    private static string Were(long count) => $"{Amounts.Count(count)} {Plural.For(count, "was", "were")}";

    private static string Difference(KeyValuePair<string, long> count) => count.Key switch
    {
        "missing-row" => $"{Amounts.Count(count.Value)} {Plural.For(count.Value, "is", "are")} missing",
        "different-row" => $"{Amounts.Count(count.Value)} {Plural.For(count.Value, "differs", "differ")}",
        "several-rows" => $"{Amounts.Count(count.Value)} {Plural.For(count.Value, "has", "have")} several rows",
        _ => $"{count.Key} {Amounts.Count(count.Value)}",
    };

    /// <summary>The error itself says that a limit was reached: that is no failure of the check.</summary>
    private static string Ended(LoadReport report) => report.Outcome switch
    {
        LoadOutcome.Interrupted => "interrupted: ",
        LoadOutcome.Stopped => "stopped: ",
        LoadOutcome.Failed when report.Failure is not (RejectLimitException or ReconciliationException) => "failed: ",
        _ => "",
    };

    /// <summary>Whether there may be more records. Differences, and a share of refused ones, become an error after all records were
    /// read.</summary>
    private static bool IsPart(LoadReport report) => report.Outcome != LoadOutcome.Complete
        && (report.Counts.NotCommitted > 0 || report.Failure is not (RejectLimitException or ReconciliationException));
}
