using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending.Verifying;

/// <summary>Imports that look at their rows again: what a server hears, and what comes of its answers.</summary>
public sealed class VerificationTests
{
    private const string People = "id,name\n1,Ada\n2,\n";

    /// <summary>Sums of the slices of SHA-256 of <c>1,3:Ada</c> and <c>2,N</c>, by another program.</summary>
    private static readonly string[] Sums = ["2", "15358184946368810641", "27619182266778402610"];

    private static readonly string[] SumsOfAda = ["1", "12624200262988432262", "16764161875306790084"];

    private static LoadRun Create(string content, VerifyMode mode, LoadRequest? request = null, ILoadStrategy? strategy = null) =>
        Runs.Create(
            strategy ?? new LoadDataStrategy(), new(
                2, 1 << 20, 2, long.MaxValue), [("people.csv", content)], [Columns.Integer("id").Required(), Columns.Varchar("name")],
            (request ?? TestFacts.Request) with { Verify = mode }, keys: [new UniqueKey("PRIMARY", [new KeyPart("id")])],
            time: new SkippingClock());

    private static LoadReport Report(LoadRun run, BulkLoadException? failure = null) =>
        run.Complete(new LoadReport { Outcome = LoadOutcome.Complete, Failure = failure });

    [Fact]
    public async Task A_checksum_is_compared_before_the_commit()
    {
        var session = new RecordingSession().Rows("SELECT COUNT(*),COALESCE(SUM", Sums);
        var run = Create(People, VerifyMode.Checksum);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("verify-checksum", session.Transcript);
        Assert.Equal((VerifyMode.Checksum, VerifyResult.Equal, 2),
            (Report(run).Verification!.Mode, Report(run).Verification!.Result, Report(run).Verification!.Rows));
        Assert.Equal(2, Report(run).Counts.Verified);
    }

    [Fact]
    public async Task Count_asks_for_keys_only()
    {
        var session = new RecordingSession().Rows("SELECT COUNT(*) FROM", ["2"]);
        var run = Create(People, VerifyMode.Count);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("verify-count", session.Transcript);
        Assert.Equal(VerifyResult.Equal, Report(run).Verification!.Result);
    }

    [Fact]
    public async Task Another_sum_has_the_row_and_the_column_named_and_the_chunk_rolled_back()
    {
        var session = new RecordingSession()
            .Rows("SELECT COUNT(*),COALESCE(SUM", ["2", "1", "2"])
            .Rows("SELECT bulkload_list.bulkload_n,SHA2", ["0", "af322b40d8d18386e8a64467becebcc4f5e9f3d01dd177b7e9d975dbbb6446f1"],
                ["1", "00"])
            .Rows("SELECT CAST(`shop`.`people`.`id` AS SIGNED)", ["2", "2", "2:Bo", "Bo"]);
        var run = Create(People, VerifyMode.Checksum);

        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check("verify-differs", session.Transcript);
        Assert.Equal("people.csv:3: column 'name': --verify checksum: is 'Bo' in the row with id '2', and NULL in the file; the chunk was "
            + "rolled back\n  nothing was loaded", fault.Told());
        Assert.True(fault.IsOfContent);
        Assert.Equal((VerifyResult.Different, 0), (Report(run, fault).Verification!.Result, Report(run, fault).Verification!.Rows));
    }

    [Fact]
    public async Task A_lost_row_is_named()
    {
        var session = new RecordingSession().Rows("SELECT COUNT(*) FROM", ["1"]).Rows("SELECT bulkload_list.bulkload_n", ["0", "x"]);
        var fault = await Assert.ThrowsAsync<ReconciliationException>(
            () => Create(People, VerifyMode.Count).RunAsync(session, CancellationToken.None));
        Assert.StartsWith("people.csv:3: --verify count: shop.people has no row with id '2'", fault.Message, StringComparison.Ordinal);
        Assert.Equal("ROLLBACK -> ok", session.Steps[^1]);
    }

    [Fact]
    public async Task A_row_that_is_there_twice_is_named()
    {
        var session = new RecordingSession().Rows("SELECT COUNT(*) FROM", ["3"])
            .Rows("SELECT bulkload_list.bulkload_n", ["0", "x"], ["0", "x"], ["1", "y"]);
        var fault = await Assert.ThrowsAsync<ReconciliationException>(
            () => Create(People, VerifyMode.Count).RunAsync(session, CancellationToken.None));
        Assert.StartsWith("people.csv:2: --verify count: shop.people has 2 rows with id '1'", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_chunk_that_is_sent_again_is_verified_again_and_counts_once()
    {
        var session = new RecordingSession().Rows("SELECT COUNT(*),COALESCE(SUM", Sums)
            .Fails("COMMIT", 1, new ServerException(1213, "40001", "Deadlock found"));
        var run = Create(People, VerifyMode.Checksum, TestFacts.Request with { Retry = new RetryOptions(3, TimeSpan.FromHours(1)) });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(2, session.Steps.Count(step => step.StartsWith("SELECT COUNT(*)", StringComparison.Ordinal)));
        Assert.Equal((VerifyResult.Equal, 2), (Report(run).Verification!.Result, Report(run).Verification!.Rows));
    }

    [Fact]
    public async Task What_was_refused_is_not_verified()
    {
        var session = new RecordingSession().Refuses("2 | NULL", new ServerException(1062, "23000", "Duplicate entry '2'"))
            .Rows("SELECT COUNT(*),COALESCE(SUM", SumsOfAda);
        var run = Create(
            People, VerifyMode.Checksum, TestFacts.Request with { MaxRejects = RejectLimit.OfRecords(1) }, new MultiRowInsertStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal((1, VerifyResult.Equal, 1), (run.Rejects.Count, Report(run).Verification!.Result, Report(run).Verification!.Rows));
    }

    [Fact]
    public async Task Nothing_is_asked_where_nobody_wants_it()
    {
        var session = new RecordingSession();
        var run = Create(People, VerifyMode.None);
        await run.RunAsync(session, CancellationToken.None);
        Assert.DoesNotContain("SELECT", session.Transcript, StringComparison.Ordinal);
        Assert.Null(Report(run).Verification);
    }
}
