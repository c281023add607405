using BulkLoad.Cli.Output;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Tests.Cli.Output;

/// <summary>The first line of the reports of <c>check</c> and <c>verify</c>.</summary>
public sealed class FindingsTextTests
{
    private static readonly LoadReport Report = Samples.Checked with
    {
        Elapsed = TimeSpan.FromSeconds(0.3),
        RejectsByReason = new Dictionary<string, long>(),
    };

    private static readonly LoadPlan Verifying = Samples.Plan with
    {
        Mode = JobMode.Verify,
        Verification = new PlannedVerification(VerifyMode.Checksum, ["id"], ["id", "name"], [], null),
    };

    [Theory]
    [InlineData(0, 0, 0, 0, "there are no records in people.csv; nothing was written (0.30 s)")]
    [InlineData(1, 0, 0, 0, "1 record of people.csv fits shop.people; nothing was written (0.30 s)")]
    [InlineData(4812, 0, 0, 0, "4,812 records of people.csv fit shop.people; nothing was written (0.30 s)")]
    [InlineData(4812, 1, 0, 0, "1 of 4,812 records of people.csv does not fit shop.people; nothing was written (0.30 s)")]
    [InlineData(4812, 3, 9, 0, "3 of 4,812 records of people.csv do not fit shop.people; nothing was written (0.30 s)")]
    [InlineData(4812, 0, 9, 0, "no fault was found in 4,812 records of people.csv for shop.people; nothing was written (0.30 s)")]
    public void A_check_says_how_many_fit(long read, long rejected, long undecided, long left, string expected) =>
        Assert.Equal(expected, OfCheck(LoadOutcome.Complete, read, rejected, undecided, left));

    [Theory]
    [InlineData(0, 0, 0, "interrupted: no record of people.csv was read (0.30 s)")]
    [InlineData(8, 0, 8, "interrupted: no record of people.csv was judged; nothing was written (0.30 s)")]
    [InlineData(8, 0, 5, "interrupted: 3 of the first 8 records of people.csv were judged, without a fault; nothing was written (0.30 s)")]
    [InlineData(
        8, 1, 5,
        "interrupted: 1 of the first 8 records of people.csv does not fit shop.people, 5 were not judged; nothing was written (0.30 s)")]
    public void A_check_that_ended_early_does_not_speak_of_all(long read, long rejected, long left, string expected) =>
        Assert.Equal(expected, OfCheck(LoadOutcome.Interrupted, read, rejected, undecided: 0, left));

    [Theory]
    [InlineData(3, 0, 0, 0, "all 3 records of people.csv are in shop.people with the same values, found by id (0.30 s)")]
    [InlineData(1, 0, 0, 0, "1 record of people.csv is in shop.people with the same values, found by id (0.30 s)")]
    [InlineData(4, 1, 2, 0, "3 of 4 records of people.csv are not in shop.people as in the file: 2 differ, 1 is missing (0.30 s)")]
    [InlineData(4, 0, 0, 1, "3 of 4 records of people.csv are in shop.people with the same values, found by id; 1 was refused (0.30 s)")]
    [InlineData(1, 0, 0, 1, "no record of people.csv could be compared with shop.people; 1 was refused (0.30 s)")]
    public void A_verification_says_how_many_are_there(long read, long missing, long different, long refused, string expected)
    {
        var all = new Dictionary<string, long> { ["different-row"] = different, ["missing-row"] = missing };
        var reasons = all.Where(reason => reason.Value > 0).ToDictionary();
        var report = Report with
        {
            Plan = Verifying,
            Counts = new LoadCounts
            {
                Read = read,
                Verified = read - missing - different - refused,
                Rejected = missing + different + refused,
            },
            Verification = new VerificationReport(VerifyMode.Checksum, VerifyResult.Equal, 0) { DifferentByReason = reasons },
        };
        Assert.Equal(expected, FindingsText.Sentence(report, Verifying));
    }

    private static string OfCheck(LoadOutcome outcome, long read, long rejected, long undecided, long left)
    {
        var counts = new LoadCounts
        {
            Read = read,
            Accepted = read - rejected - undecided - left,
            Rejected = rejected,
            Undecided = undecided,
            NotCommitted = left,
        };
        return FindingsText.Sentence(Report with { Outcome = outcome, Counts = counts }, Report.Plan!);
    }
}
