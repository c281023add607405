using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Jobs;

public sealed class LoadRunTests
{
    /// <summary>The steps that matter for transactions, a letter each: batch, commit, rollback, undo.</summary>
    private static string Play(RecordingSession session) => string.Concat(session.Steps.Select(step => step switch
    {
        "serve nothing -> ok" => "", // an announced load that did not come
        _ when step.StartsWith("serve", StringComparison.Ordinal) => "b",
        _ when step.StartsWith("COMMIT", StringComparison.Ordinal) => "C",
        _ when step.StartsWith("ROLLBACK TO", StringComparison.Ordinal) => "u",
        _ when step.StartsWith("ROLLBACK", StringComparison.Ordinal) => "R",
        _ => "",
    }));

    [Theory]
    [InlineData(0, "")]
    [InlineData(1, "bC")]
    [InlineData(2, "bbC")]
    [InlineData(3, "bbCbC")]
    [InlineData(6, "bbCbbCbbC")]
    public async Task A_chunk_is_committed_when_it_is_complete_and_nothing_empty_is_sent(int records, string expected)
    {
        var session = new RecordingSession();
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(records));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(expected, Play(session));
        Assert.Equal((records, records, 0), (run.Read.Records, run.Committed.Records, run.Rejects.Count));
    }

    [Fact]
    public async Task An_atomic_job_commits_once()
    {
        var session = new RecordingSession();
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(5), request: TestFacts.Request with { Atomic = true });
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal("bbbbbC", Play(session));
        Assert.Equal(1, run.Committed.Chunks);
    }

    [Fact]
    public async Task Several_sources_go_in_order_and_none_shares_a_chunk_with_another()
    {
        var session = new RecordingSession();
        var run = Runs.Create(LoadData, new BatchSizes(10, 1 << 20, long.MaxValue, long.MaxValue),
            [("a.csv", "id,name\n1,a\n2,b\n"), ("empty.csv", "id,name\n"), ("c.csv", "NAME,ID\nc,3\n")]);
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal("bCbC", Play(session));
        Assert.Contains("    3<end>c\n", session.Transcript, StringComparison.Ordinal);
        Assert.Equal((2, 0, 1), (run.Read.RecordsOf(0), run.Read.RecordsOf(1), run.Read.RecordsOf(2)));
        Assert.Equal(("c.csv", 1), run.Committed.Last);
    }

    [Fact]
    public async Task A_record_that_a_rule_refuses_rolls_its_chunk_back_and_leaves_those_before()
    {
        var session = new RecordingSession();
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(5) + "x17,six\n7,seven\n");
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.StartsWith("bbCbbCb", Play(session), StringComparison.Ordinal);
        Assert.EndsWith("R", Play(session), StringComparison.Ordinal);
        Assert.Equal(
            "people.csv:7: column 'id': 'x17' is not an integer\n  stopped at the first bad record: 4 rows are in shop.people (chunks 1-2, "
                + "records 1-4, stay committed)\n"
            + "  correct the line; import what follows record 4",
            fault.Told());
        Assert.Equal((2, 4, 1), (run.Committed.Chunks, run.Committed.Records, run.Rejects.Count));
    }

    [Fact]
    public async Task Rejects_of_the_block_before_that_were_not_counted_yet_made_one_too_many_a_wrong_count()
    {
        var run = Runs.Create(
            LoadData, new BatchSizes(10, 1 << 20, 3, long.MaxValue), "id,name\n1,a\nx2,b\n3,c\n4,d\nx5,e\nx6,f\n7,g\n",
            request: TestFacts.Request with { MaxRejects = RejectLimit.OfRecords(2) });
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(new RecordingSession(), CancellationToken.None));
        Assert.Equal("people.csv:7: column 'id': 'x6' is not an integer\n  stopped after 3 rejects, where --max-rejects is 2: 2 rows are "
            + "in shop.people (chunk 1, records 1-3, stay committed)\n  correct the line; import what follows record 3", fault.Told());
    }

    [Fact]
    public async Task A_record_that_the_reader_refuses_is_told_the_same_way()
    {
        var run = Runs.Create(LoadData, TwoRowsAChunk, "id,name\n1,a\n2\n");
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(new RecordingSession(), CancellationToken.None));
        Assert.StartsWith("people.csv:3: ", fault.Message, StringComparison.Ordinal);
        Assert.EndsWith("\n  stopped at the first bad record: nothing was loaded\n  correct the line, and run the same command again",
            fault.Told(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_record_that_the_server_refused_was_not_counted_as_rejected()
    {
        var session = new RecordingSession().Fails("serve", 3, new ServerException(1062, "23000", "Duplicate entry '3' for key 'PRIMARY'"));
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(4));
        await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal("bbCbuR", Play(session));
        var report = RunResult.Of(LoadOutcome.Failed, null, TestFacts.Request, null, run, TimeSpan.Zero);
        Assert.Equal((2, 1), (report.Counts.Inserted, report.Counts.Rejected));
        Assert.Equal(report.Counts.Read, report.Counts.Inserted + report.Counts.Rejected + report.Counts.NotCommitted);
    }

    [Fact]
    public async Task A_refused_record_of_a_second_file_names_what_stays_of_both()
    {
        var run = Runs.Create(LoadData, TwoRowsAChunk, [("a.csv", People(2)), ("b.csv", "id,name\nx,y\n")]);
        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(new RecordingSession(), CancellationToken.None));
        Assert.Equal(
            "b.csv:2: column 'id': 'x' is not an integer\n  stopped at the first bad record: 2 rows are in shop.people (chunk 1, "
                + "everything up to record 2 of a.csv, stay committed)\n"
            + "  correct the line; import what follows record 2 of a.csv",
            fault.Told());
    }

    [Fact]
    public async Task A_servers_fault_says_what_stays_and_rolls_back_though_the_batch_failed()
    {
        // A batch under way that failed too kept the rollback from being sent.
        var session = new RecordingSession().Fails("serve", 3, new ServerException(1205, "HY000", "Lock wait timeout exceeded"));
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(9));
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal((FaultKind.StatementLost, "Lock wait timeout exceeded (error 1205, SQLSTATE HY000); another session holds rows of "
            + "this table, SHOW FULL PROCESSLIST may show which\n  2 rows are in shop.people (chunk 1, records 1-2, stay committed)\n  "
            + "import what follows record 2"), (fault.Kind, fault.Told()));
        Assert.Equal("bbCbR", Play(session));
    }

    [Fact]
    public async Task A_servers_refusal_of_settings_is_a_plan_that_cannot_be_kept()
    {
        var session = new RecordingSession().Fails("serve", 1, new ServerException(1290, "HY000", "read-only"));
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(2));
        var fault = await Assert.ThrowsAsync<PlanException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal("the server refused: read-only (error 1290, SQLSTATE HY000)\n  nothing was loaded", fault.Told());
    }

    [Fact]
    public async Task A_commit_whose_answer_was_lost_was_told_as_not_committed()
    {
        var session = new RecordingSession()
            .Fails("COMMIT", 2, new ServerException(FaultKind.SessionLost, "the server closed the connection"));
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(6));
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal(
            "the server closed the connection\n  2 rows are in shop.people; whether chunk 2 was committed is not known, "
            + "since the session was lost at that moment: look at the table before you continue (chunk 1, records 1-2, stay committed)",
            fault.Told());
        Assert.Contains(
            run.Committed.DescribeDoubt(), RunResult.Of(LoadOutcome.Failed, fault, TestFacts.Request, null, run, TimeSpan.Zero).Notes);
    }

    [Fact]
    public async Task A_commit_that_the_server_refused_is_known_not_to_be_one()
    {
        var session = new RecordingSession().Fails("COMMIT", 1, new ServerException(1213, "40001", "Deadlock found"));
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(2));
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.EndsWith("\n  nothing was loaded", fault.Told(), StringComparison.Ordinal);
        Assert.False(run.Committed.IsInDoubt);
    }

    [Fact]
    public async Task A_stop_between_batches_rolls_the_open_chunk_back()
    {
        using var stop = new CancellationTokenSource();
        var session = new RecordingSession().Meanwhile("serve", 3, stop.Cancel);
        var run = Runs.Create(LoadData, new BatchSizes(1, 1 << 20, 2, long.MaxValue), People(1000));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run.RunAsync(session, stop.Token));
        Assert.StartsWith("bbCb", Play(session), StringComparison.Ordinal);
        Assert.EndsWith("R", Play(session), StringComparison.Ordinal);
        Assert.Equal((1, 2, false), (run.Committed.Chunks, run.Committed.Records, run.Committed.IsInDoubt));
    }

    [Fact]
    public async Task A_statement_that_the_stop_killed_was_told_as_a_servers_fault()
    {
        using var stop = new CancellationTokenSource();
        var session = new RecordingSession().Fails("serve", 2, new ServerException(1317, "70100", "Query execution was interrupted"));
        session.Meanwhile("receive", 2, stop.Cancel);
        var run = Runs.Create(LoadData, TwoRowsAChunk, People(1000));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run.RunAsync(session, stop.Token));
        Assert.EndsWith("bR", Play(session), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_session_that_hangs_is_closed_after_the_grace_time()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var session = new RecordingSession().HangsAt("serve", 2, reached);
        var run = Runs.Create(LoadData, TwoRowsAChunk, [("people.csv", People(9))], time: clock);
        var running = run.RunAsync(session, stop.Token);

        await reached.Task;
        await stop.CancelAsync();
        Assert.False(running.IsCompleted);
        clock.Advance(TestFacts.Request.Grace);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.False(session.IsUsable);
        Assert.Equal("-> aborted", session.Steps[^1]);
    }

    [Fact]
    public async Task A_commit_that_hangs_leaves_its_chunk_in_doubt()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var session = new RecordingSession().HangsAt("COMMIT", 1, reached);
        var run = Runs.Create(LoadData, TwoRowsAChunk, [("people.csv", People(9))], time: clock);
        var running = run.RunAsync(session, stop.Token);

        await reached.Task;
        await stop.CancelAsync();
        clock.Advance(TestFacts.Request.Grace);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
        Assert.StartsWith("nothing is known to be committed; whether chunk 1 was committed is not known",
            run.Committed.Describe(JobKind.Import, "shop.people", true, hasLedger: false), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Records_that_vanish_between_the_two_sides_are_noticed()
    {
        var run = Runs.Create(new SenderStrategy(new Taker(block => block.RowCount == 2 ? 1 : block.RowCount, () => Task.CompletedTask)),
            new BatchSizes(2, 1 << 20, long.MaxValue, long.MaxValue), People(5));
        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(new RecordingSession(), CancellationToken.None));
        Assert.Equal("counts do not add up: 5 records were read, 3 taken by the server and 0 rejected; compare the table with the input "
            + "before you use it", fault.Message);
    }

    [Fact]
    public async Task Progress_is_told_after_each_batch()
    {
        var told = new List<(long Sent, long Committed)>();
        var run = Runs.Create(LoadData, TwoRowsAChunk, [("people.csv", People(3))],
            progress: new Told(progress => told.Add((progress.RecordsSent, progress.RecordsCommitted))));
        await run.RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal([(1, 0), (2, 0), (3, 2)], told);
    }

    [Fact]
    public async Task Progress_is_that_of_the_records_which_are_settled()
    {
        var told = new List<long>();
        LoadRun? run = null;
        run = Runs.Create(new SenderStrategy(new Taker(block => block.RowCount, () => Wait.UntilAsync(() => run!.Read.Records == 4))),
            TwoRowsABatch, [("people.csv", People(4))], progress: new Told(progress => told.Add(progress.BytesRead)));
        await run.RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal<long>([People(4).Length / 2, People(4).Length], told);
    }

    [Fact]
    public async Task A_column_that_is_missing_from_one_object_gets_its_default_there()
    {
        var session = new RecordingSession();
        var columns =
            new[] { Columns.Integer("id"), Columns.Varchar("name") with { Default = ColumnDefault.Constant, DefaultText = "nobody" } };
        await Runs.Create(LoadData, TwoRowsAChunk, "{\"id\":1,\"name\":\"a\"}\n{\"id\":2}\n", columns)
            .RunAsync(session, CancellationToken.None);
        Assert.Contains("    2<end>nobody\n", session.Transcript, StringComparison.Ordinal);
    }

    /// <summary>Takes every block as a batch.</summary>
    /// <param name="count">the rows that it says a block has</param>
    /// <param name="waitAsync">before it says so</param>
    private sealed class Taker(Func<RowBlock, int> count, Func<Task> waitAsync) : IBatchSender
    {
        public EncodedBatch Encode(RowBlock block, int from, int most) => new Batch(count(block), block);

        public async ValueTask<BatchOutcome> SendAsync(
            EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
        {
            await waitAsync();
            ((Batch)batch).Block.Clear();
            return new RowCounts(batch.RowCount);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        private sealed class Batch : EncodedBatch
        {
            public Batch(int rows, RowBlock block) => (RowCount, Block) = (rows, block);

            public RowBlock Block { get; }
        }
    }
}
