using System.IO.Hashing;
using System.Text.RegularExpressions;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Strategies;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Ledger;

/// <summary>What a run asks of its sessions where chunks are written down.</summary>
public sealed class LedgeredRunTests
{
    private static readonly JobRecord Job = new()
    {
        Command = "import",
        Table = "shop.people",
        Sources = [new JobSource("people.csv", 1, null)],
        Runner = new JobRunner("ada@build7", 1, 0, DateTime.UnixEpoch),
    };

    private static Task<JobLedger> OpenAsync(RecordingSession session, RecordingSession? again = null) => JobLedger.OpenAsync(
        new JobIdentity("j", IsLasting: true), Job, TestFacts.Of(TestFacts.MariaDb), _ => Task.FromResult<IServerSession>(again ?? session),
        Task.FromResult<IServerSession>(session),
        [], (_, _) => Task.FromResult(new JobDecision { Id = "j", Job = Job }), CancellationToken.None);

    /// <summary>A session with a ledger that knows no job.</summary>
    private static RecordingSession Empty() => new RecordingSession().Rows("SELECT '' job", ["", LedgerSql.RightShape]);

    /// <summary>A session in whose ledger the job is held by this start.</summary>
    private static RecordingSession Side() => Empty().Rows("SELECT details", [Job.Write()]);

    /// <summary>The same, in whose ledger there is what counts as committed, at the end.</summary>
    /// <param name="tally">what it says of it after a fault; null: that nothing is committed</param>
    private static async Task<JobLedger> OpenWholeAsync(Func<string?[]>? tally = null)
    {
        JobLedger? ledger = null;
        return ledger = await OpenAsync(Side().RowNow("SELECT COUNT(*), ", tally ?? (() => ["0", "0"]))
            .RowNow("SELECT details, @", () => [Job.Write(), $"{ledger!.Truth.Counted.Chunks}", $"{ledger.Truth.Counted.Contents}"]));
    }

    [Theory]
    [InlineData(4, 2)] // two chunks of two batches
    [InlineData(20, 5)] // ten chunks
    public async Task A_clean_run_pays_two_statements_a_chunk_and_none_a_batch(int records, int rowsPerChunk)
    {
        async Task<int> CountAsync(bool hasLedger)
        {
            var session = new RecordingSession();
            await using var ledger = hasLedger ? await OpenWholeAsync() : null;
            var run = Runs.Create(
                LoadData, new BatchSizes(1, 1 << 20, rowsPerChunk, long.MaxValue), [("people.csv", People(records))], ledger: ledger);
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
        await using var ledger = await OpenWholeAsync();
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
        await using var ledger = await OpenWholeAsync(
            () => isCommitted ? ["1",
                $"{Crc32.HashToUInt32(Encoding.ASCII.GetBytes(session.Transcript.Split("content = '")[1].Split('\'')[0]))}"] : ["0", "0"]);
        var run = Runs.Create(
            LoadData, new BatchSizes(10, 1 << 20, 2, long.MaxValue), [("people.csv", People(3))],
            request: TestFacts.Request with { Retry = new RetryOptions(1, TimeSpan.FromHours(1)) },
            time: new SkippingClock(), connect: _ => Task.FromResult<IServerSession>(other), ledger: ledger);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((3, 2, false), (run.Committed.Records, run.Committed.Chunks, run.Committed.IsInDoubt));
        Assert.Equal(sentAgain, string.Join(' ', other.Transcript.Split('\n')
            .Where(line => line.Contains("<end>", StringComparison.Ordinal)).Select(line => line.Trim().Split('<')[0])));
    }

    /// <summary>REPEATABLE READ: what reads as of a moment before the ledger was made cannot write into it (error 1412).</summary>
    [Fact]
    public async Task Where_changes_are_logged_by_statement_the_questions_before_are_behind_the_first_row()
    {
        var session = new RecordingSession();
        await using var ledger = await OpenWholeAsync();
        await Runs.Create(LoadData, TwoRowsAChunk, [("people.csv", People(1))], server: TestFacts.MariaDb with { LogsStatements = true },
            ledger: ledger).RunAsync(session, CancellationToken.None);
        Assert.Equal("ROLLBACK -> ok", session.Steps[0]);
    }

    /// <summary>A copy that was promoted before it got the job's row, and a server on which somebody has forgotten the job.</summary>
    [Theory]
    [InlineData("a", false)]
    [InlineData("b", true)]
    public async Task A_job_whose_row_another_server_never_had_is_written_down_there_again(string name, bool isOther)
    {
        RecordingSession? again = null;
        again = RetriedRunTests.Prepared().Rows("SELECT CONCAT_WS", [name, "1"])
            .RowNow("SELECT details", () => again!.Transcript.Contains("INSERT INTO", StringComparison.Ordinal) ? [Job.Write()] : null);
        var facts = TestFacts.Of(TestFacts.MariaDb with { Incarnation = new Incarnation("a/1", null, TimeSpan.Zero, 1) });
        await using var ledger = await JobLedger.OpenAsync(
            new JobIdentity("j", IsLasting: true), Job, facts, _ => Task.FromResult<IServerSession>(again),
            Task.FromResult<IServerSession>(Side()),
            [], (_, _) => Task.FromResult(new JobDecision { Id = "j", Job = Job }), CancellationToken.None);
        var holding = ledger.HoldAsync(isElsewhere: true, CancellationToken.None);
        if (isOther)
        {
            await holding;
            Assert.Contains("INSERT INTO `shop`.`bulkload_ledger` VALUES ('j', -1, 0, ", again.Transcript, StringComparison.Ordinal);
        }
        else
        {
            Assert.StartsWith("job j is gone from the ledger", (await Assert.ThrowsAsync<PlanException>(() => holding)).Message,
                StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_ledger_that_has_other_chunks_at_the_end_does_not_make_the_job_complete()
    {
        var side = Side().Rows("SELECT details, @", [Job.Write(), "1", "7"]);
        var again = Side().Rows("SELECT COUNT(*), ", ["1", "7"])
            .Rows("SELECT source, first_record", ["0", "3", "3", "13", "13", "abc", "{\"inserted\":1}"]);
        var session = RetriedRunTests.Prepared();
        await using var ledger = await OpenAsync(side, again);
        var run = Runs.Create(
            LoadData, new BatchSizes(10, 1 << 20, 2, long.MaxValue), [("people.csv", People(3))], request: TestFacts.Request with
            { Retry = new RetryOptions(1, TimeSpan.FromHours(1)) }, time: new SkippingClock(), ledger: ledger);
        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal(
            "db:3306 has lost records 1-2, which it had committed, and has records after them (a failover or a crash?): nothing more "
                + "is sent; "
            + "import the missing records from a separate file, and compare the table with 'bulkload verify'\n  the other committed "
            + "records stay",
            Regex.Replace(fault.Told(), @" \(chunk.*\)$", ""));
        Assert.Contains("AND @bulkload_chunks = 2 AND @bulkload_contents = ", side.Transcript, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_chunk_row_that_is_gone_at_its_end_is_a_lost_transaction_first_and_an_error_the_second_time()
    {
        var session = new RecordingSession().Answers("UPDATE", 1, affected: 0);
        await using var ledger = await OpenWholeAsync();
        var run = Create(ledger);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((3, 2), (run.Committed.Records, run.Committed.Chunks));
        Assert.Contains("has lost the row of the open chunk: the server has rolled the transaction back", run.Retry.Reports[0].Fault,
            StringComparison.Ordinal);

        session = new RecordingSession().Answers("UPDATE", 1, affected: 0).Answers("UPDATE", 2, affected: 0);
        await using var other = await OpenWholeAsync();
        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => Create(other).RunAsync(session, CancellationToken.None));
        Assert.Contains("has lost the row of the open chunk twice: has somebody changed the table?\n  nothing was loaded", fault.Told(),
            StringComparison.Ordinal);

        static LoadRun Create(JobLedger ledger) => Runs.Create(
            LoadData, new BatchSizes(10, 1 << 20, 2, long.MaxValue), [("people.csv", People(3))], request: TestFacts.Request with
            { Retry = new RetryOptions(3, TimeSpan.FromHours(1)) }, time: new SkippingClock(), ledger: ledger);
    }

    [Fact]
    public async Task A_job_that_somebody_else_holds_is_not_run()
    {
        var session = Empty()
            .Rows("SELECT details", [(Job with { Runner = new JobRunner("bo@build8", 77, 5, DateTime.UnixEpoch.AddDays(1)) }).Write()]);
        var fault = await Assert.ThrowsAsync<PlanException>(() => OpenAsync(session));
        Assert.Equal("job j is being run by bo@build8, process 77, since 1970-01-02 00:00:00 UTC, session 5: wait until that is done, or "
            + "stop it (KILL 5 where its machine is gone)", fault.Message);
    }

    [Fact]
    public async Task A_ledger_that_may_not_be_made_says_what_to_grant()
    {
        var session = Empty().Fails("INSERT", 1, new ServerException(1142, "42000", "INSERT command denied"));
        session.Fails("CREATE", 1, new ServerException(1142, "42000", "CREATE command denied"));
        var fault = await Assert.ThrowsAsync<PlanException>(() => OpenAsync(session));
        Assert.Contains("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON ", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--ledger-schema", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--no-ledger", fault.Message, StringComparison.Ordinal);
    }
}
