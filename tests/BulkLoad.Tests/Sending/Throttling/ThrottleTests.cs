using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Sending.Throttling;

public sealed class ThrottleTests
{
    private const string Status = "SHOW GLOBAL STATUS";

    private static readonly ThrottleOptions Running50 = new() { MaxLoad = [new("Threads_running", 50)] };

    private readonly SkippingClock _clock = new();
    private readonly List<string?> _held = [];
    private Action<int> _onHeld = _ => { };

    private Throttle Create(ThrottleOptions options, IServerSession? session = null, TimeProvider? clock = null,
        LoadRequest? request = null, Func<ConnectionOptions, IServerSession>? connect = null) => Throttle.Of(
            (request ?? TestFacts.Request) with { Throttle = options },
            (server, _) =>
                Task.FromResult(connect?.Invoke(server) ?? session ?? throw new ConnectException("nobody answers", new IOException("x"))),
            new JobServices(NullLogger.Instance, clock ?? _clock),
            reason =>
            {
                _held.Add(reason);
                _onHeld(_held.Count);
            })!;

    private static RecordingSession Running(int threads) => new RecordingSession().Rows(Status, ["Threads_running", threads.ToString()]);

    private static ValueTask BetweenChunksAsync(Throttle throttle) =>
        throttle.WaitAsync(1, 1, isBetweenChunks: true, CancellationToken.None);

    private static string Waited(Throttle throttle) =>
        string.Join(", ", throttle.Waited.Select(wait => $"{wait.Reason} {wait.Time.TotalSeconds}"));

    [Fact]
    public void Where_nothing_is_asked_for_there_is_nothing_to_ask() =>
        Assert.Null(Throttle.Of(TestFacts.Request, (_, _) => Task.FromException<IServerSession>(new InvalidOperationException()),
            new JobServices(NullLogger.Instance, _clock), _ => { }));

    [Fact]
    public async Task A_server_that_is_too_busy_is_waited_for_and_asked_once_a_second()
    {
        var session = Running(60);
        await using var throttle = Create(Running50, session);
        _onHeld = call =>
        {
            if (call == 3)
            {
                session.Rows(Status, ["Threads_running", "10"]);
            }
        };
        await BetweenChunksAsync(throttle);
        await BetweenChunksAsync(throttle);
        const string Held = "waits: Threads_running is 60 (--max-load 50)";
        Assert.Equal([Held, Held, Held, null], _held);
        Assert.Equal("max-load 3", Waited(throttle));
        Assert.Equal(4, session.Steps.Count(step => step.StartsWith(Status, StringComparison.Ordinal)));
        Assert.Equal("SET SESSION autocommit=1 -> ok", session.Steps[0]);
    }

    [Fact]
    public async Task A_session_that_could_not_be_told_to_ask_each_question_by_itself_is_not_asked()
    {
        var sessions = new List<RecordingSession>();
        await using var throttle = Create(Running50, connect: _ =>
        {
            var session = Running(10);
            sessions.Add(
                sessions.Count > 0 ? session : session.Fails("SET SESSION autocommit", 1, new ServerException(1205, "HY000", "waited")));
            return sessions[^1];
        });
        for (var i = 0; i < 3 && sessions.Count < 2; i++)
        {
            await Task.WhenAny(BetweenChunksAsync(throttle).AsTask());
            await Task.Delay(TimeSpan.FromSeconds(2), _clock, TestContext.Current.CancellationToken);
        }

        Assert.Equal(2, sessions.Count);
        Assert.DoesNotContain(sessions[0].Steps, step => step.StartsWith(Status, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(39, "")]
    [InlineData(40, "")]
    [InlineData(45, "max-load 4")] // half-way from four fifths to the limit: twice as long as it worked
    [InlineData(50, "max-load 8")]
    public async Task It_slows_down_before_it_waits(int threads, string waited)
    {
        await using var throttle = Create(Running50, Running(threads));
        await BetweenChunksAsync(throttle);
        await Task.Delay(TimeSpan.FromSeconds(2), _clock, TestContext.Current.CancellationToken);
        await BetweenChunksAsync(throttle);
        Assert.Equal(waited, Waited(throttle));
        Assert.Equal(waited.Length == 0 ? [] : [$"slows down: Threads_running is {threads} (--max-load 50)", null], _held);
    }

    [Fact]
    public async Task In_the_middle_of_a_chunk_only_what_stops_the_job_is_asked_for()
    {
        var session = Running(60);
        await using var throttle = Create(
            new() { MaxLoad = [new("Threads_running", 50)], CriticalLoad = [new("threads_RUNNING", 100)], Query = "SELECT 1" }, session);
        await throttle.WaitAsync(1, 1, isBetweenChunks: false, CancellationToken.None);
        Assert.Empty(_held);
        session.Rows(Status, ["Threads_running", "101"]);
        await throttle.WaitAsync(1, 1, isBetweenChunks: false, CancellationToken.None);
        await Task.Delay(TimeSpan.FromSeconds(1), _clock, TestContext.Current.CancellationToken);
        var fault = await Assert.ThrowsAsync<StoppedException>(
            () => throttle.WaitAsync(1, 1, isBetweenChunks: false, CancellationToken.None).AsTask());
        Assert.Equal("stopped: threads_RUNNING is 101 (--critical-load 100)", fault.Message);
    }

    [Fact]
    public async Task A_critical_load_stops_the_job_though_it_would_wait_too()
    {
        await using var throttle = Create(Running50 with { CriticalLoad = [new("Threads_running", 50)] }, Running(51));
        await Assert.ThrowsAsync<StoppedException>(() => BetweenChunksAsync(throttle).AsTask());
        Assert.Empty(_held);
    }

    [Theory]
    [InlineData("Threads_runing")]
    [InlineData("Rpl_status")]
    public async Task A_variable_that_is_not_there_or_no_number_is_refused(string name)
    {
        await using var throttle =
            Create(new() { MaxLoad = [new(name, 50)] }, new RecordingSession().Rows(Status, ["Rpl_status", "AUTH_MASTER"]));
        var fault = await Assert.ThrowsAsync<PlanException>(() => BetweenChunksAsync(throttle).AsTask());
        Assert.Equal($"--max-load and --critical-load: the server has no status variable '{name}' that is a number (SHOW GLOBAL STATUS "
            + "lists them)", fault.Message);
    }

    [Fact]
    public async Task A_variable_that_is_not_there_is_refused_before_anything_is_sent_with_the_likeliest_name()
    {
        var session = new RecordingSession().Rows("SHOW GLOBAL STATUS", ["Threads_running", "1"], ["Rpl_status", "AUTH_MASTER"]);
        await using var throttle = Create(new() { MaxLoad = [new("threads_runing", 50)] }, session);
        var fault = await Assert.ThrowsAsync<PlanException>(() => throttle.RequireAnswersAsync(CancellationToken.None));
        Assert.EndsWith("; did you mean 'Threads_running'? (SHOW GLOBAL STATUS lists them)", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("1", true)]
    [InlineData("-0.5", true)]
    [InlineData("yes", true)]
    [InlineData("0", false)]
    [InlineData("0.00", false)]
    [InlineData("", false)]
    [InlineData("OFF", false)]
    [InlineData(null, false)]
    public async Task A_query_that_is_true_is_waited_for(string? value, bool waits)
    {
        var session = new RecordingSession().Rows("SELECT busy", [value, "1"]);
        await using var throttle = Create(new() { Query = "SELECT busy" }, session);
        _onHeld = _ => session.Table("SELECT busy", ["busy"]);
        await BetweenChunksAsync(throttle);
        Assert.Equal(waits ? "throttle-query 1" : "", Waited(throttle));
    }

    [Fact]
    public async Task What_is_no_query_is_refused()
    {
        await using var throttle = Create(new() { Query = "DO 1" }, new RecordingSession());
        Assert.Equal("--throttle-query: it answers without rows: it has to be a query",
            (await Assert.ThrowsAsync<PlanException>(() => BetweenChunksAsync(throttle).AsTask())).Message);
    }

    [Fact]
    public async Task A_file_pauses_the_job_and_nobody_is_asked_meanwhile()
    {
        var path = Path.Combine(Directory.CreateTempSubdirectory("bulkload-").FullName, "pause");
        await File.WriteAllTextAsync(path, "", TestContext.Current.CancellationToken);
        var session = Running(1);
        await using var throttle = Create(Running50 with { PauseFile = path }, session);
        _onHeld = call =>
        {
            Assert.True(call > 2 || session.Steps.Count == 0);
            if (call == 2)
            {
                File.Delete(path);
            }
        };
        await BetweenChunksAsync(throttle);
        Assert.Equal("pause-file 2", Waited(throttle));
        Directory.Delete(Path.GetDirectoryName(path)!);
    }

    [Theory]
    [InlineData(true, "SHOW ALL SLAVES STATUS", "Seconds_Behind_Master")]
    [InlineData(false, "SHOW REPLICA STATUS", "Seconds_Behind_Source")]
    public async Task Replicas_that_are_behind_or_stand_still_are_waited_for(bool isMariaDb, string statement, string column)
    {
        var first = new RecordingSession(isMariaDb).Table(statement, ["Channel", column], ["a", "0"], ["b", "31"]);
        var second = new RecordingSession(isMariaDb).Table(statement, ["Channel", column], ["", null]);
        ConnectionOptions[] replicas = [new() { Host = "one" }, new() { Host = "two" }];
        await using var throttle = Create(
            new() { MaxLag = TimeSpan.FromSeconds(30), Replicas = replicas }, connect: server => server.Host == "one" ? first : second);
        _onHeld = call =>
        {
            if (call == 1)
            {
                second.Table(statement, ["Channel", column], ["", "0"]);
            }
            else
            {
                first.Table(statement, ["Channel", column], ["a", "3"], ["b", "2"]);
            }
        };
        await throttle.RequireAnswersAsync(default);
        await BetweenChunksAsync(throttle);
        Assert.Equal(["waits: replica two:3306 does not replicate at present", "waits: replica one:3306 is 31 s behind (--max-lag 30 s)",
            null], _held);
        Assert.Equal([("one:3306", 31, 1), ("two:3306", 0, 1)], throttle.Replicas!.Select(replica =>
            (replica.Endpoint, (int)replica.GreatestLag.TotalSeconds, (int)replica.Waited.TotalSeconds)));
        Assert.Equal("max-lag 2", Waited(throttle));
    }

    [Fact]
    public async Task A_server_that_is_no_replica_is_refused()
    {
        await using var throttle =
            Create(new() { MaxLag = TimeSpan.FromSeconds(30), Replicas = [new() { Host = "one" }] }, new RecordingSession());
        Assert.Equal("--check-replica one:3306: it is not a replica of any server",
            (await Assert.ThrowsAsync<PlanException>(() => throttle.RequireAnswersAsync(default))).Message);
    }

    [Fact]
    public async Task A_replica_that_does_not_answer_any_more_is_waited_for()
    {
        var first = Replica();
        var sessions = new Queue<Func<RecordingSession>>(
            [() => first, () => throw new ConnectException("nobody answers", new IOException("x")), Replica]);
        await using var watch = new ReplicaWatch(
            "one:3306", TimeSpan.FromSeconds(30), _ => Task.FromResult<IServerSession>(sessions.Dequeue()()), _clock);
        Assert.False((await watch.LookAsync(CancellationToken.None)).IsTooMuch);
        await first.DisposeAsync();
        Assert.Equal((true, "replica one:3306 cannot be asked: nobody answers"),
            await watch.LookAsync(CancellationToken.None) is var strain ? (strain.IsTooMuch, strain.Text) : default);
        Assert.False((await watch.LookAsync(CancellationToken.None)).IsTooMuch);

        static RecordingSession Replica() => new RecordingSession().Table("SHOW", ["Seconds_Behind_Master"], ["0"]);
    }

    /// <summary>Its host or port are likelier to be wrong.</summary>
    [Fact]
    public async Task A_replica_that_has_never_answered_ends_the_job()
    {
        await using var throttle = Create(
            new() { MaxLag = TimeSpan.FromSeconds(30), Replicas = [new() { Host = "one" }] },
            connect: server => server.Host == "one" ? throw new ConnectException("nobody answers", new IOException("x"))
                : new RecordingSession());
        Assert.Equal("--check-replica one:3306: nobody answers",
            (await Assert.ThrowsAsync<ConnectException>(() => throttle.RequireAnswersAsync(default))).Message);
    }

    [Fact]
    public async Task A_server_that_cannot_be_asked_is_waited_for_as_long_as_retries_may_take()
    {
        await using var throttle =
            Create(Running50, request: TestFacts.Request with { Retry = new RetryOptions(1, TimeSpan.FromSeconds(5)) });
        await Assert.ThrowsAsync<ConnectException>(() => BetweenChunksAsync(throttle).AsTask());
        Assert.Equal(Enumerable.Repeat("waits: the server's load cannot be read: nobody answers", 5), _held);
    }

    [Fact]
    public async Task A_session_that_was_lost_is_opened_again()
    {
        var sessions = new Queue<RecordingSession>(
            [Running(1).Fails("SET SESSION", 1, new ServerException(FaultKind.SessionLost, "gone")), Running(1)]);
        await using var throttle =
            Create(Running50, connect: _ => sessions.Dequeue(), request: TestFacts.Request with { Retry = RetryOptions.Default });
        await BetweenChunksAsync(throttle);
        Assert.Equal("no-answer 1", Waited(throttle));
    }

    [Fact]
    public async Task When_its_time_is_over_the_job_stops_behind_the_open_chunk()
    {
        await using var throttle = Create(new() { RunTime = TimeSpan.FromSeconds(90) });
        await BetweenChunksAsync(throttle);
        await Task.Delay(TimeSpan.FromSeconds(90), _clock, TestContext.Current.CancellationToken);
        await throttle.WaitAsync(1, 1, isBetweenChunks: false, CancellationToken.None);
        Assert.Equal("stopped: its time is over (--run-time 90 s)",
            (await Assert.ThrowsAsync<StoppedException>(() => BetweenChunksAsync(throttle).AsTask())).Message);
    }

    [Fact]
    public async Task What_comes_before_the_first_batch_is_not_of_the_jobs_time()
    {
        await using var throttle = Create(new() { RunTime = TimeSpan.FromSeconds(90) });
        Assert.Equal(7, await throttle.WithinTimeAsync(
            async stop =>
            {
                await Task.Delay(TimeSpan.FromHours(1), _clock, stop);
                return 7;
            }, CancellationToken.None));
        await BetweenChunksAsync(throttle);
        await Task.Delay(TimeSpan.FromSeconds(90), _clock, TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<StoppedException>(() => BetweenChunksAsync(throttle).AsTask());
    }

    [Fact]
    public async Task What_is_one_chunk_stops_in_the_middle_of_it()
    {
        await using var throttle = Create(new() { RunTime = TimeSpan.FromSeconds(90) }, request: TestFacts.Request with { Atomic = true });
        await BetweenChunksAsync(throttle);
        await Task.Delay(TimeSpan.FromSeconds(90), _clock, TestContext.Current.CancellationToken);
        await Assert.ThrowsAsync<StoppedException>(() => throttle.WaitAsync(1, 1, isBetweenChunks: false, CancellationToken.None).AsTask());
    }

    [Fact]
    public async Task Waiting_ends_when_the_time_of_the_job_does()
    {
        await using var throttle = Create(new() { RunTime = TimeSpan.FromSeconds(2.5), MaxLoad = Running50.MaxLoad }, Running(51));
        await Assert.ThrowsAsync<StoppedException>(() => BetweenChunksAsync(throttle).AsTask());
        Assert.Equal(3, _held.Count);
    }

    [Fact]
    public async Task A_stop_ends_the_waiting()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        await using var throttle = Create(Running50, Running(51), clock);
        var waiting = throttle.WaitAsync(1, 1, isBetweenChunks: true, stop.Token).AsTask();
        await Wait.UntilAsync(() => clock.Waiting > 0);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Theory]
    [InlineData(1000, false, "max-rate 0.9")] // ten batches of 100 rows: the first one goes at once
    [InlineData(100, false, "max-rate 9")]
    [InlineData(5000, true, "max-rate 9")] // of 5000 bytes each
    public async Task The_pace_is_kept_between_batches_too(int amount, bool isBytes, string waited)
    {
        await using var throttle = Create(new() { MaxRate = new MaxRate(amount, isBytes) });
        for (var batch = 0; batch < 10; batch++)
        {
            await throttle.WaitAsync(100, 5000, isBetweenChunks: batch % 5 == 0, CancellationToken.None);
        }

        Assert.Equal(waited, Waited(throttle));
    }

    [Fact]
    public async Task Time_in_which_nothing_was_sent_is_not_made_up_for()
    {
        await using var throttle = Create(new() { MaxRate = new MaxRate(100, false) });
        await throttle.WaitAsync(100, 1, isBetweenChunks: true, CancellationToken.None);
        await Task.Delay(TimeSpan.FromMinutes(1), _clock, TestContext.Current.CancellationToken);
        await throttle.WaitAsync(100, 1, isBetweenChunks: true, CancellationToken.None);
        await throttle.WaitAsync(100, 1, isBetweenChunks: true, CancellationToken.None);
        Assert.Equal("max-rate 1", Waited(throttle));
    }
}
