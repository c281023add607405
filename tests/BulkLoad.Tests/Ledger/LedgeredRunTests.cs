using BulkLoad.Core;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Running;
using BulkLoad.Tests.Strategies;
using Xunit;
using static BulkLoad.Tests.Running.Runs;

namespace BulkLoad.Tests.Ledger;

/// <summary>What a run asks of its sessions where chunks are written down.</summary>
public sealed class LedgeredRunTests
{
    private static readonly JobRecord Job = new()
    {
        Command = "import",
        Table = "shop.people",
        Fingerprint = "f",
        Sources = [new JobSource("people.csv", 1, null)],
        Runner = new JobRunner("ada@build7", 1, 0, DateTime.UnixEpoch),
    };

    private static Task<JobLedger> OpenAsync(RecordingSession session) => JobLedger.OpenAsync(
        new JobIdentity("j", "f", IsLasting: true), Job, Facts.Of(Facts.MariaDb), _ => Task.FromResult<Core.Protocol.IServerSession>(session), Task.FromResult<Core.Protocol.IServerSession>(session), "1.0",
        [], (_, _) => Task.FromResult(new JobDecision { Id = "j", Job = Job }), CancellationToken.None);

    /// <summary>A session with a ledger that knows no job.</summary>
    private static RecordingSession Empty() => new RecordingSession().Rows("SELECT '' job", ["", LedgerSql.RightShape]);

    /// <summary>A session in whose ledger the job is held by this start.</summary>
    private static RecordingSession Side() => Empty().Rows("SELECT details", [Job.Write()]);

    [Theory]
    [InlineData(4, 2)] // two chunks of two batches
    [InlineData(20, 5)] // ten chunks
    public async Task A_clean_run_pays_two_statements_a_chunk_and_none_a_batch(int records, int rowsPerChunk)
    {
        async Task<int> CountAsync(bool hasLedger)
        {
            var session = new RecordingSession();
            await using var ledger = hasLedger ? await OpenAsync(Side()) : null;
            var run = Runs.Create(LoadData, new BatchSizes(1, 1 << 20, rowsPerChunk, long.MaxValue), [("people.csv", People(records))], ledger: ledger);
            await run.RunAsync(session, CancellationToken.None);
            return session.Steps.Count(step => step.Contains(" -> ", StringComparison.Ordinal));
        }

        var chunks = records / rowsPerChunk;
        Assert.Equal(await CountAsync(hasLedger: false) + (2 * chunks), await CountAsync(hasLedger: true));
    }

    [Fact]
    public async Task A_chunk_takes_its_place_first_and_says_what_is_in_it_last()
    {
        var session = new RecordingSession();
        await using var ledger = await OpenAsync(Side());
        var run = Runs.Create(LoadData, new BatchSizes(10, 1 << 20, 2, long.MaxValue), [("people.csv", People(3))], ledger: ledger);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(
            ["INSERT", "serve", "UPDATE", "COMMIT", "INSERT", "serve", "UPDATE", "COMMIT"],
            session.Steps.Select(step => step.Split(' ')[0]).Where(word => word is "INSERT" or "serve" or "UPDATE" or "COMMIT"));
        Assert.Contains("VALUES ('j', 0, 1, 0, 8, ", session.Transcript, StringComparison.Ordinal);
        Assert.Contains("SET last_record = 2, last_offset = 13, content = ", session.Transcript, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, "3")]
    [InlineData(false, "1 2 3")]
    public async Task A_commit_in_doubt_is_settled_by_the_ledger(bool isCommitted, string sentAgain)
    {
        var session = new RecordingSession().Fails("COMMIT", 1, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var other = RetriedRunTests.Prepared();
        if (isCommitted)
        {
            other.Rows("SELECT last_record", ["2"]);
        }

        await using var ledger = await OpenAsync(Side());
        var run = Runs.Create(
            LoadData, new BatchSizes(10, 1 << 20, 2, long.MaxValue), [("people.csv", People(3))], request: Facts.Request with { Retry = new RetryOptions(1, TimeSpan.FromHours(1)) },
            time: new SkippingClock(), connect: _ => Task.FromResult<Core.Protocol.IServerSession>(other), ledger: ledger);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((3, 2, false), (run.Committed.Records, run.Committed.Chunks, run.Committed.IsInDoubt));
        Assert.Equal(sentAgain, string.Join(' ', other.Transcript.Split('\n').Where(line => line.Contains("<end>", StringComparison.Ordinal)).Select(line => line.Trim().Split('<')[0])));
    }

    [Fact]
    public async Task A_job_that_somebody_else_holds_is_not_run()
    {
        var session = Empty().Rows("SELECT details", [(Job with { Runner = new JobRunner("bo@build8", 77, 5, DateTime.UnixEpoch.AddDays(1)) }).Write()]);
        var fault = await Assert.ThrowsAsync<PlanException>(() => OpenAsync(session));
        Assert.Equal("job j is being run by bo@build8, process 77, since 1970-01-02 00:00:00 UTC, session 5: wait until that is done, or stop it (KILL 5 where its machine is gone)", fault.Message);
    }

    [Fact]
    public async Task A_ledger_that_may_not_be_made_says_what_to_grant()
    {
        var session = Empty().Fails("INSERT", 1, new ServerException(1142, "42000", "INSERT command denied"));
        session.Fails("CREATE", 1, new ServerException(1142, "42000", "CREATE command denied"));
        var fault = await Assert.ThrowsAsync<PlanException>(() => OpenAsync(session));
        Assert.Contains("GRANT CREATE, SELECT, INSERT, UPDATE, DELETE ON ", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--ledger-schema", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--no-ledger", fault.Message, StringComparison.Ordinal);
    }
}
