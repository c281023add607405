using System.Collections.Concurrent;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

/// <summary>Runs with several sessions.</summary>
public sealed class TeamRunTests
{
    private static readonly ILoadStrategy LoadData = StrategyCatalog.Import.Single(strategy => strategy.Name == "load-data");
    private static readonly BatchSizes TwoRowsAChunk = new(1, 1 << 20, 2, long.MaxValue);
    private static readonly LoadRequest Patient =
        TestFacts.Request with { Retry = new RetryOptions(3, TimeSpan.FromHours(1)), MaxRejects = RejectLimit.OfRecords(9) };
    private static readonly SessionPlan Two = new(2, "", [[0]]);

    private static string People(params int[] ids) => "id,name\n" + string.Concat(ids.Select(id => $"{id},n{id}\n"));

    private static LoadRun Create(string content, SessionPlan sessions, params RecordingSession[] others)
    {
        var left = new ConcurrentQueue<RecordingSession>(others);
        return Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", content)], request: Patient, time: new SkippingClock(), sessions: sessions,
            connect: _ => left.TryDequeue(out var other) ? Task.FromResult<IServerSession>(other)
                : Task.FromException<IServerSession>(new ConnectException("too many connections")));
    }

    private static LoadReport Report(LoadRun run) =>
        run.Complete(new LoadReport
        { Outcome = LoadOutcome.Complete, Counts = new LoadCounts { Read = run.Read.Records, Rejected = run.Rejects.Count } });

    /// <summary>Sessions that write one diary of what each does when.</summary>
    private static (RecordingSession First, RecordingSession Second, ConcurrentQueue<string> Diary) Diarists(int commits = 4)
    {
        var diary = new ConcurrentQueue<string>();
        return (Note(new RecordingSession(), 'a'), Note(RetriedRunTests.Prepared(), 'b'), diary);

        RecordingSession Note(RecordingSession session, char name)
        {
            for (var i = 1; i <= commits; i++)
            {
                session.Meanwhile("COMMIT", i, () => diary.Enqueue($"{name} commits"));
            }

            return session;
        }
    }

    /// <summary>The ids that a session has sent, in chunks.</summary>
    private static string SentBy(RecordingSession session) => string.Concat(session.Transcript.Split('\n').Select(line =>
        line.Contains("<end>", StringComparison.Ordinal) ? $"{line.Trim().Split('<')[0]} " : line == "COMMIT -> ok" ? "| " : "")).Trim();

    [Fact]
    public async Task Chunks_that_are_ready_early_are_committed_when_those_before_them_are()
    {
        var (first, second, diary) = Diarists();
        using var isSecondSent = new ManualResetEventSlim();
        second.Meanwhile("serve", 2, isSecondSent.Set);
        first.Meanwhile("serve", 2, () => diary.Enqueue(isSecondSent.Wait(TimeSpan.FromSeconds(30)) ? "a sends last" : "b did not send"));
        var run = Create(People(1, 2, 3, 4), Two, second);

        await run.RunAsync(first, CancellationToken.None);

        Assert.Equal(["a sends last", "a commits", "b commits"], diary);
        Assert.Equal("1 2 |", SentBy(first));
        Assert.Equal("3 4 |", SentBy(second));
        Assert.Equal((4, 4, 2), (run.Read.Records, run.Committed.Records, run.Committed.Chunks));
        Assert.Equal(("people.csv", 4), run.Committed.Last);
        Assert.Empty(Report(run).Notes);
    }

    [Fact]
    public async Task A_refused_batch_waits_for_its_turn_and_is_narrowed_then()
    {
        var (first, second, diary) = Diarists();
        using var isRefused = new ManualResetEventSlim();
        var refusals = 0;
        second.Refuses("3<end>", new ServerException(1062, "23000", "Duplicate entry '3'")).Meanwhile("serve", 1, isRefused.Set);
        first.Meanwhile("serve", 2, () =>
        {
            isRefused.Wait(TimeSpan.FromSeconds(30));
            refusals = second.Steps.Count(step => step.StartsWith("serve", StringComparison.Ordinal));
        });
        var run = Create(People(1, 2, 3, 4), Two, second);

        await run.RunAsync(first, CancellationToken.None);

        // Nothing more of that chunk was sent before the first one was done.
        Assert.True(refusals <= 1);
        Assert.Equal(["a commits", "b commits"], diary);
        Assert.Equal((4, 3, 1), (run.Read.Records, run.Committed.Records, run.Rejects.Count));
        Assert.Equal(3, run.Rejects.First.Single().Record);
    }

    [Theory]
    [InlineData("3 4 2 9 10 11", 3)] // below the one before
    [InlineData("3 4 4 9 10 11", 3)] // the same once more
    public async Task A_record_whose_key_does_not_rise_waits_for_those_before_it(string ids, long fall)
    {
        var (first, second, diary) = Diarists();
        second.Meanwhile("serve", 1, () => diary.Enqueue("b sends"));
        var run = Create(People([.. ids.Split(' ').Select(int.Parse)]), Two, second);

        await run.RunAsync(first, CancellationToken.None);

        // Whichever session has the second chunk, nothing of it goes out before the first one is in.
        Assert.Equal("a commits", diary.First());
        Assert.Equal(3, diary.Count(entry => entry.EndsWith("commits", StringComparison.Ordinal)));
        Assert.Equal([$"chunks that had to wait for those before them: 1; the first for people.csv, record {fall}: its key is not above "
            + "all before it"], Report(run).Notes);
        Assert.Equal(6, run.Committed.Records);
    }

    [Fact]
    public async Task From_a_key_that_the_server_makes_on_each_record_waits_for_those_before_it()
    {
        var (first, second, diary) = Diarists();
        second.Meanwhile("serve", 1, () => diary.Enqueue("b sends"));
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", "id,name\n1,a\n2,b\n,c\n4,d\n5,e\n6,f\n")], request: Patient, sessions: Two,
            columns: [Columns.Integer("id") with { Default = ColumnDefault.AutoIncrement }, Columns.Varchar("name")],
            connect: _ => Task.FromResult<IServerSession>(second));
        await run.RunAsync(first, CancellationToken.None);
        Assert.Equal(["one session at a time from people.csv, record 3 on: its key is not above all before it, or the server makes it"],
            Report(run).Notes);
        Assert.Equal(6, run.Committed.Records);
    }

    [Fact]
    public async Task A_lost_session_costs_what_was_not_committed_and_all_of_it_is_sent_again()
    {
        var (first, second, _) = Diarists();
        second.Fails("serve", 2, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var third = RetriedRunTests.Prepared();
        var run = Create(People(1, 2, 3, 4, 5, 6, 7), Two, second, third);

        await run.RunAsync(first, CancellationToken.None);

        var sent = $"{SentCommitted(first)} {SentCommitted(third)}".Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(int.Parse).Order();
        Assert.Equal([1, 2, 3, 4, 5, 6, 7], sent);
        Assert.Equal((7, 7, 4), (run.Read.Records, run.Committed.Records, run.Committed.Chunks));
        Assert.Equal(1, run.Retry.Count);
        Assert.False(second.IsUsable);
    }

    [Theory]
    [InlineData(1205, "Lock wait timeout exceeded")]
    [InlineData(1213, "Deadlock found")]
    public async Task Behind_a_fault_of_locks_there_is_one_session(int code, string message)
    {
        var (first, second, _) = Diarists();
        second.Fails("serve", 1, new ServerException(code, "HY000", message));
        var run = Create(People(1, 2, 3, 4, 5, 6, 7), Two, second);

        await run.RunAsync(first, CancellationToken.None);

        Assert.Equal("1 2 3 4 5 6 7", SentCommitted(first).Trim());
        Assert.StartsWith($"one session after a fault: {message}", Report(run).Notes.Single(), StringComparison.Ordinal);
        Assert.Equal((7, 4), (run.Committed.Records, run.Committed.Chunks));
    }

    [Fact]
    public async Task A_session_that_the_server_does_not_give_is_done_without()
    {
        var first = new RecordingSession();
        var run = Create(People(1, 2, 3, 4, 5, 6, 7), Two);
        await run.RunAsync(first, CancellationToken.None);
        Assert.Equal("1 2 | 3 4 | 5 6 | 7 |", SentBy(first));
        Assert.Equal(["1 of 2 sessions: too many connections"], Report(run).Notes);
    }

    [Fact]
    public async Task Sessions_that_were_tried_and_do_not_help_rest()
    {
        const int Records = 300;
        var diary = new ConcurrentQueue<char>();
        var first = Note(new RecordingSession(), 'a');
        var others = new ConcurrentQueue<RecordingSession>("bcd".Select(name => Note(RetriedRunTests.Prepared(), name)));
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People([.. Enumerable.Range(1, Records)]))], request: Patient,
            time: new TickingClock(),
            sessions: Two with { MaxTried = 4 }, connect: _ => Task.FromResult<IServerSession>(
                others.TryDequeue(out var other) ? other : throw new ConnectException("too many connections")));

        await run.RunAsync(first, CancellationToken.None);

        Assert.Equal((Records, Records / 2), (run.Committed.Records, run.Committed.Chunks));
        Assert.Empty(others);
        Assert.True(diary.Distinct().Count() == 4, string.Concat(diary));
        Assert.True(diary.TakeLast(Records / 4 / 2).Distinct().Count() <= 2, string.Concat(diary));
        Assert.Matches(@"^4 sessions were [01]\.\d\d times as fast as 2, and 2 were kept$", Assert.Single(Report(run).Notes));

        RecordingSession Note(RecordingSession session, char name)
        {
            for (var i = 1; i <= Records; i++)
            {
                session.Meanwhile("COMMIT", i, () => diary.Enqueue(name));
            }

            return session;
        }
    }

    [Fact]
    public async Task Where_not_even_the_usual_number_is_given_that_is_told_and_nothing_found_out()
    {
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People([.. Enumerable.Range(1, 300)]))], request: Patient, time: new TickingClock(),
            sessions: Two with { MaxTried = 4 },
            connect: _ => Task.FromException<IServerSession>(new ConnectException("too many connections")));
        await run.RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal(["1 of 2 sessions: too many connections"], Report(run).Notes);
    }

    [Fact]
    public async Task A_session_that_is_tried_and_not_given_is_not_told_of()
    {
        var others = new ConcurrentQueue<RecordingSession>([RetriedRunTests.Prepared()]);
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People([.. Enumerable.Range(1, 300)]))], request: Patient, time: new TickingClock(),
            sessions: Two with { MaxTried = 4 },
            connect: _ => others.TryDequeue(out var other) ? Task.FromResult<IServerSession>(other)
                : Task.FromException<IServerSession>(new ConnectException("too many connections")));
        await run.RunAsync(new RecordingSession(), CancellationToken.None);
        Assert.Equal(300, run.Committed.Records);
        Assert.Empty(Report(run).Notes);
    }

    [Fact]
    public async Task A_reject_too_many_leaves_what_is_before_its_chunk_and_nothing_behind()
    {
        var (first, second, diary) = Diarists();
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", "id,name\n1,a\n2,b\n3,c\nx,d\n5,e\n6,f\n")], request: TestFacts.Request, sessions: Two,
            connect: _ => Task.FromResult<IServerSession>(second));
        await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(first, CancellationToken.None));
        Assert.Equal(["a commits"], diary);
        Assert.Equal(2, run.Committed.Records);
        Assert.DoesNotContain("COMMIT -> ok", second.Steps);
        Assert.DoesNotContain("5<end>e", first.Transcript, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stop_rolls_back_what_every_session_has_under_way()
    {
        var (first, second, diary) = Diarists();
        using var stop = new CancellationTokenSource();

        // A token that is linked to another one is cancelled later than that: not before Cancel has returned is each.
        using var isStopped = new ManualResetEventSlim();
        second.Meanwhile("serve", 1, () =>
        {
            stop.Cancel();
            isStopped.Set();
        });
        first.Meanwhile("serve", 2, () => isStopped.Wait(TimeSpan.FromSeconds(30)));
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People(1, 2, 3, 4, 5, 6))], request: Patient, sessions: Two,
            connect: _ => Task.FromResult<IServerSession>(second));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run.RunAsync(first, stop.Token));
        Assert.Empty(diary);
        Assert.Equal("ROLLBACK -> ok", first.Steps[^1]);
        Assert.Equal("ROLLBACK -> ok", second.Steps[^1]);
    }

    /// <summary>A clock that goes on by a quarter of a second whenever it is looked at.</summary>
    private sealed class TickingClock : TimeProvider
    {
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Add(ref _now, TimeSpan.TicksPerSecond / 4);
    }

    /// <summary>The ids that a session has sent and committed.</summary>
    private static string SentCommitted(RecordingSession session)
    {
        var (committed, open) = ("", "");
        foreach (var line in session.Transcript.Split('\n'))
        {
            open += line.Contains("<end>", StringComparison.Ordinal) ? $"{line.Trim().Split('<')[0]} " : "";
            (committed, open) = line == "COMMIT -> ok"
                ? (committed + open, "") : line.StartsWith("ROLLBACK ->", StringComparison.Ordinal) ? (committed, "") : (committed, open);
        }

        return committed;
    }
}
