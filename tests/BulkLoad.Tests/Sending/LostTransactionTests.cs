using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

/// <summary>A transaction that the server has rolled back without an error: only the status of an answer says it.</summary>
public sealed class LostTransactionTests
{
    private const ushort None = 0;
    private const ushort InTransaction = 1;
    private const ushort InTransactionWithAutocommit = 3;

    private static readonly LoadRequest Retrying = TestFacts.Request with { Retry = new RetryOptions(3, TimeSpan.FromHours(1)) };

    /// <summary>The first batch of the second chunk, or what comes with it, the second one, and the last answer before the
    /// COMMIT.</summary>
    [Theory]
    [InlineData("load-data", "serve", 3)]
    [InlineData("load-data", "serve", 4)]
    [InlineData("load-data", "receive SAVEPOINT", 4)]
    [InlineData("multi-row-insert", "run", 3)]
    [InlineData("multi-row-insert", "run", 4)]
    [InlineData("multi-row-insert", "receive SAVEPOINT", 4)]
    [InlineData("bulk-execute", "run", 3)]
    [InlineData("bulk-execute", "run", 4)]
    public async Task Its_chunk_is_rolled_back_and_sent_again(string strategy, string step, int time)
    {
        var session = new RecordingSession { Transaction = new TransactionWatch() }.Says(step, time, None);
        var run = Create(strategy, Runs.People(6));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((6, 6, 3, 1), (CommittedRows(session), run.Committed.Records, run.Committed.Chunks,
            session.Steps.Count(line => line.StartsWith("ROLLBACK ->", StringComparison.Ordinal))));
        Assert.Equal("the server has rolled the transaction back and reported no error: its answer says that none is open",
            Assert.Single(run.Retry.Reports).Fault);
    }

    /// <summary>A savepoint before the first statement of all begins none.</summary>
    [Theory]
    [InlineData("load-data", "receive SAVEPOINT")]
    [InlineData("multi-row-insert", "receive SAVEPOINT")]
    public async Task A_savepoint_before_it_is_open_says_nothing(string strategy, string step)
    {
        var session = new RecordingSession { Transaction = new TransactionWatch() }.Says(step, 1, None).Says(step, 3, None);
        var run = Create(strategy, Runs.People(4));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(
            (4, 0), (run.Committed.Records, session.Steps.Count(line => line.StartsWith("ROLLBACK ->", StringComparison.Ordinal))));
    }

    [Theory]
    [InlineData("load-data", "serve")]
    [InlineData("multi-row-insert", "run")]
    [InlineData("bulk-execute", "run")]
    public async Task Autocommit_that_is_switched_on_ends_the_job_and_it_is_said_what_may_be_in_the_table(string strategy, string step)
    {
        var session = new RecordingSession { Transaction = new TransactionWatch() }.Says(step, 3, InTransactionWithAutocommit);
        var run = Create(strategy, Runs.People(6));
        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Equal(
            "autocommit is on in a session that had it off, and each statement is committed by itself: does a proxy between this program "
                + "and the server change it?\n"
            + "  2 rows are in shop.people; any other up to record 3 may be, since the session has committed each statement by itself "
            + "(chunk 1, records 1-2, stay committed)\n  look at the table before you continue",
            fault.Told());
    }

    [Fact]
    public async Task A_deadlock_that_is_heard_of_at_a_question_about_a_refused_row_is_one()
    {
        var session = new RecordingSession { Transaction = new TransactionWatch() }
            .Fails("run", 3, new ServerException(1062, "23000", "Duplicate entry '5' for key 'PRIMARY'"))
            .Fails("GET DIAGNOSTICS", 1, new ServerException(1213, "40001", "Deadlock found when trying to get lock"));
        var run = Create("multi-row-insert", Runs.People(8), new BatchSizesOf(2, 4));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((8, 8), (CommittedRows(session), run.Committed.Records));
        Assert.Equal(1213, Assert.Single(run.Retry.Reports).ServerCode);
    }

    /// <summary>What becomes of a batch behind a lost transaction is none of its rows' fault.</summary>
    [Fact]
    public async Task What_a_sender_makes_of_the_answers_behind_it_is_not_believed()
    {
        var session = new RecordingSession { Transaction = new TransactionWatch() }.Says("run", 3, None)
            .Answers("run", 3, affected: 1, warnings: 0);
        var run = Create("multi-row-insert", Runs.People(8), new BatchSizesOf(2, 4));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((8, 0), (run.Committed.Records, run.Rejects.Count));
    }

    /// <summary>Where another start of the job has committed the rest meanwhile, nothing is begun behind the fault, and the end asks all
    /// the same.</summary>
    [Theory]
    [InlineData("load-data")]
    [InlineData("multi-row-insert")]
    public async Task What_was_lost_is_not_said_again_where_nothing_is_begun_behind_it(string strategy)
    {
        var watch = new TransactionWatch();
        var session = new RecordingSession { Transaction = watch };
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id"));
        var decision = Planned.By(StrategyCatalog.Import.Single(one => one.Name == strategy), Runs.TwoRowsAChunk, facts);
        await using var worker = new Worker(
            new ReadySession(session, TestFacts.MariaDb), opened => SessionSenders.Of(decision, facts, opened), new LedgerEntry(null));
        worker.Start(new NoResults());
        watch.Begin();
        watch.Observe(InTransaction, 1);
        watch.Observe(None, 1);
        Assert.Throws<ServerException>(watch.Require);
        await worker.RollBackAsync(CancellationToken.None);
        worker.EndTransaction();
    }

    private static LoadRun Create(string strategy, string content, BatchSizesOf? sizes = null) => Runs.Create(
        StrategyCatalog.Import.Single(one => one.Name == strategy), sizes is var (batch, chunk)
            ? new(batch, 1 << 20, chunk, long.MaxValue) : Runs.TwoRowsAChunk, [("people.csv", content)],
        request: Retrying, time: new SkippingClock(), connect: _ => throw new ConnectException("none"));

    /// <summary>Rows that were sent before each COMMIT, and not rolled back.</summary>
    private static int CommittedRows(RecordingSession session)
    {
        var (committed, open) = (0, 0);
        foreach (var line in session.Transcript.Split('\n'))
        {
            open += line.StartsWith("    ", StringComparison.Ordinal) && line.Any(char.IsDigit) ? 1 : 0;
            open = line.StartsWith("ROLLBACK ->", StringComparison.Ordinal) ? 0 : open;
            (committed, open) = line.StartsWith("COMMIT ->", StringComparison.Ordinal) ? (committed + open, 0) : (committed, open);
        }

        return committed;
    }

    private sealed record BatchSizesOf(int Batch, int Chunk);

    private sealed class NoResults : INarrowed
    {
        public ValueTask TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop) =>
            throw new NotSupportedException();

        public ValueTask RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop) =>
            throw new NotSupportedException();
    }
}
