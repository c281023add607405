using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Sending;

/// <summary>Runs that meet faults and go on.</summary>
public sealed class RetriedRunTests
{
    private static readonly LoadRequest Retrying =
        TestFacts.Request with { Retry = new RetryOptions(3, TimeSpan.FromHours(1)), MaxRejects = RejectLimit.OfRecords(9) };

    private static string People(int count) =>
        "id,name\n" + string.Concat(Enumerable.Range(1, count).Select(i => $"{(i == 3 ? "x" : "")}{i},n{i}\n"));

    private static LoadRun Create(string content, RecordingSession? other = null, LoadRequest? request = null) => Runs.Create(
        LoadData, TwoRowsAChunk, [("people.csv", content)], request: request ?? Retrying, time: new SkippingClock(),
        connect: _ => Task.FromResult<IServerSession>(other ?? throw new ConnectException("none")));

    /// <summary>The rows that were sent before each COMMIT that was answered.</summary>
    private static string Committed(params RecordingSession[] sessions)
    {
        var committed = "";
        foreach (var session in sessions)
        {
            var open = "";
            foreach (var line in session.Transcript.Split('\n'))
            {
                open += line.StartsWith("    ", StringComparison.Ordinal) && line.Contains("<end>", StringComparison.Ordinal)
                    ? $"{line.Trim().Split('<')[0]} " : "";
                if (line.StartsWith("ROLLBACK ->", StringComparison.Ordinal))
                {
                    open = "";
                }

                if (line == "COMMIT -> ok")
                {
                    (committed, open) = (committed + open, "");
                }
            }
        }

        return committed.Trim();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    public async Task A_deadlock_sends_the_open_chunk_again_and_no_other(int batch)
    {
        var session = new RecordingSession().Fails("serve", batch, new ServerException(1213, "40001", "Deadlock found"));
        var run = Create(People(7));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal("1 2 4 5 6 7", Committed(session));
        Assert.Equal((7, 6, 1, 4), (run.Read.Records, run.Committed.Records, run.Rejects.Count, run.Committed.Chunks));
        Assert.Single(run.Rejects.First);
        var report = run.Complete(new LoadReport { Outcome = LoadOutcome.Complete, Counts = new LoadCounts { Read = 7, Rejected = 1 } });
        Assert.Equal((1, 1213), (run.Retry.Count, run.Retry.Reports[0].ServerCode));
    }

    /// <summary>The session stays, so the server is the one that it was, and has what it has committed.</summary>
    [Theory]
    [InlineData(1213, "40001", 1)]
    [InlineData(1213, "40001", 10_000)]
    [InlineData(1205, "HY000", 1)]
    [InlineData(1205, "HY000", 10_000)]
    public async Task Without_a_ledger_a_fault_that_leaves_the_session_open_is_tried_again(ushort code, string state, int uptime)
    {
        var session = new RecordingSession().Fails("serve", 4, new ServerException(code, state, "Deadlock found, or a long wait"));
        var server = TestFacts.MariaDb with { Incarnation = new Incarnation("a/1", TimeSpan.FromSeconds(uptime), TimeSpan.Zero, 8) };
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People(7))], request: Retrying, server: server, time: new SkippingClock(),
            connect: _ => throw new ConnectException("none"));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(("1 2 4 5 6 7", 6L), (Committed(session), run.Committed.Records));
    }

    /// <summary>Of an input that cannot be read again: what is kept is divided.</summary>
    [Theory]
    [InlineData(1197, "HY000", "more than 'max_binlog_cache_size' bytes", "COMMIT", "max_binlog_cache_size")]
    [InlineData(1105, "HY000", "Maximum writeset size exceeded", "COMMIT", "wsrep_max_ws_size")]
    [InlineData(1180, "HY000", "wsrep_max_ws_rows exceeded", "serve", "wsrep_max_ws_rows")]
    public async Task A_chunk_that_is_refused_for_its_size_is_halved_without_a_wait(
        ushort code, string state, string text, string step, string limit)
    {
        var session = new RecordingSession().Fails(step, step == "serve" ? 4 : 1, new ServerException(code, state, text));
        var run = Runs.Create(LoadData, new BatchSizes(1, 1 << 20, 4, long.MaxValue), [("people.csv", Runs.People(7))],
            request: Retrying, time: new SkippingClock(), connect: _ => throw new ConnectException("none"));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(("1 2 3 4 5 6 7", 0), (Committed(session), run.Retry.Count));
        Assert.Equal(4, run.Committed.Chunks);
        var report = run.Complete(new LoadReport { Outcome = LoadOutcome.Complete, Counts = new LoadCounts { Read = 7 } });
        Assert.Contains($"chunks have 2 records at most, since the server refused one of 4 for its size: {limit}", report.Notes);
    }

    [Fact]
    public async Task A_chunk_that_is_always_too_large_is_sent_with_half_of_the_records_each_time_and_then_named()
    {
        var fault = new ServerException(1197, "HY000", "more than 'max_binlog_cache_size' bytes");
        var session = new RecordingSession().Fails("COMMIT", 1, fault).Fails("COMMIT", 2, fault).Fails("COMMIT", 3, fault);
        var run = Runs.Create(LoadData, new BatchSizes(1, 1 << 20, 4, long.MaxValue), [("people.csv", Runs.People(7))],
            request: Retrying, time: new SkippingClock(), connect: _ => throw new ConnectException("none"));
        var ended = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.StartsWith("more than 'max_binlog_cache_size' bytes (error 1197, SQLSTATE HY000); 1 record is too much for one "
            + "transaction: max_binlog_cache_size; the server has to allow more", ended.Told(), StringComparison.Ordinal);
        Assert.Equal(0, run.Retry.Count);
    }

    [Fact]
    public async Task One_transaction_for_everything_is_not_divided()
    {
        var session = new RecordingSession().Fails("COMMIT", 1, new ServerException(1197, "HY000", "more than"));
        var run = Create(Runs.People(7), request: Retrying with { Atomic = true });
        var ended = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Contains("leave out --atomic, so that it is committed chunk by chunk", ended.Told(), StringComparison.Ordinal);
        Assert.Equal("", Committed(session));
    }

    /// <summary>A group refuses a COMMIT without a reason: a chunk that is large for its limit is halved, others wait.</summary>
    [Theory]
    [InlineData("1000", 0)]
    [InlineData("150000000", 1)]
    public async Task A_group_that_refuses_a_commit_gets_a_smaller_chunk_if_that_can_be_the_reason(string limit, int retries)
    {
        var session = new RecordingSession().Fails("COMMIT", 1, new ServerException(3100, "HY000", "Error on observer"));
        var server = TestFacts.MySql with
        {
            TransactionLimits = TransactionLimit.In(new ServerVariables(
                [new("group_replication_group_name", "g"), new("group_replication_transaction_size_limit", limit)])),
        };
        var run = Runs.Create(LoadData, new BatchSizes(1, 1 << 20, 4, long.MaxValue), [("people.csv", Runs.People(7))],
            request: Retrying, server: server, time: new SkippingClock(), connect: _ => throw new ConnectException("none"));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(("1 2 3 4 5 6 7", retries), (Committed(session), run.Retry.Count));
    }

    [Fact]
    public async Task A_lost_session_is_replaced_and_the_open_chunk_sent_by_the_other()
    {
        var session = new RecordingSession().Fails("serve", 3, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var other = Prepared();
        var run = Create(People(7), other);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal("1 2 4 5 6 7", Committed(session, other));
    }

    /// <summary>As after a change of the primary, where the connection leads to the former one.</summary>
    [Fact]
    public async Task A_server_that_has_become_read_only_for_good_names_the_one_that_takes_changes()
    {
        ServerException fault = new(1290, "HY000", "running with the --super-read-only option");
        var other = Prepared().Rows("SHOW VARIABLES WHERE", ["read_only", "ON"], ["super_read_only", "ON"]).Table("SHOW ALL SLAVES STATUS",
            ["Master_Host", "Master_Port", "Slave_IO_Running", "Slave_SQL_Running"], ["b", "3306", "Yes", "Yes"]).Fails("serve", 1, fault);
        var run = Runs.Create(LoadData, TwoRowsAChunk, [("people.csv", People(7))],
            request: Retrying with { Retry = new RetryOptions(1, TimeSpan.FromHours(1)) },
            time: new SkippingClock(), connect: _ => Task.FromResult<IServerSession>(other));
        var ended = await Assert.ThrowsAsync<PlanException>(
            () => run.RunAsync(new RecordingSession().Fails("serve", 4, fault), CancellationToken.None));
        Assert.EndsWith("\n  run the same command against b:3306 to continue", ended.Told(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_cannot_be_reached_again_ends_the_job_when_the_tries_are_used_up()
    {
        var session = new RecordingSession().Fails("serve", 3, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People(7))], request: Retrying, time: new SkippingClock(),
            connect: _ => Task.FromException<IServerSession>(new ConnectException("nobody answers", new IOException("x"))));
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal("nobody answers; tried again 3 times\n  2 rows are in shop.people (chunk 1, records 1-2, stay committed)\n  import "
            + "what follows record 2", fault.Told());
    }

    [Fact]
    public async Task Memory_that_runs_out_in_mid_run_is_not_tried_again_and_what_is_committed_is_told()
    {
        var session = new RecordingSession().Fails("serve", 3, new InsufficientMemoryException());
        var run = Create(People(7), request: Retrying with { MaxMemory = 100 << 20 });
        var fault = await Assert.ThrowsAsync<MemoryException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.StartsWith("--max-memory 100Mi is too little for this job: ", fault.Message, StringComparison.Ordinal);
        Assert.EndsWith("\n  2 rows are in shop.people (chunk 1, records 1-2, stay committed)\n  import what follows record 2",
            fault.Told(), StringComparison.Ordinal);
        Assert.Equal("1 2", Committed(session));
    }

    [Fact]
    public async Task A_commit_in_doubt_is_not_tried_again_without_a_ledger()
    {
        var session = new RecordingSession().Fails("COMMIT", 2, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var run = Create(People(7));
        await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.True(run.Committed.IsInDoubt);
    }

    [Fact]
    public async Task A_job_of_one_transaction_begins_with_the_reading_only_where_its_input_can_be_read_again()
    {
        var session = new RecordingSession().Fails("serve", 3, new ServerException(1213, "40001", "Deadlock found"));
        var run = Create(People(7), request: Retrying with { Atomic = true });
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.EndsWith("\n  nothing was loaded", fault.Told(), StringComparison.Ordinal);
    }

    /// <summary>A session that keeps what the profile sets.</summary>
    internal static RecordingSession Prepared() => new RecordingSession()
        .Rows("SELECT @@max_allowed_packet",
            ["16777216", "16382", "SYSTEM", "UTC", "0", "MIXED", "db/3306/var", "7", "2", "shop", "1", "1", "1"])
        .Rows("SELECT @@sql_mode",
            ["STRICT_ALL_TABLES,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,"
                + "NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE",
                "0", "1", "1", "1", "utf8mb4", "utf8mb4", "SYSTEM"]);
}
