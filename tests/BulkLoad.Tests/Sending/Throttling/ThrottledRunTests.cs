using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Sending.Throttling;

/// <summary>Whole runs that have to wait.</summary>
public sealed class ThrottledRunTests
{
    [Fact]
    public async Task A_run_waits_where_no_transaction_is_open()
    {
        var session = new RecordingSession();
        var watch = new RecordingSession().Rows("SHOW GLOBAL STATUS", ["Threads_running", "9"]);
        var steps = new List<string>();
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People(6))], time: new SkippingClock(), connect: _ =>
                Task.FromResult<IServerSession>(watch),
            request: TestFacts.Request with { Throttle = new() { MaxLoad = [new("Threads_running", 5)] } },
            progress: new Told(progress =>
            {
                if (progress.Held is not null)
                {
                    steps.Add(session.Steps[^1]);
                    watch.Rows("SHOW GLOBAL STATUS", ["Threads_running", steps.Count % 2 == 0 ? "1" : "9"]);
                }
            }));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal(["ROLLBACK -> ok", "ROLLBACK -> ok"], steps);
        Assert.Equal(6, run.Committed.Records);
        Assert.Equal("max-load", Assert.Single(run.Complete(new LoadReport { Outcome = LoadOutcome.Complete }).Waits).Reason);
    }

    [Fact]
    public async Task A_run_whose_time_is_over_says_what_is_committed()
    {
        var clock = new StepClock();
        var isHeld = false;
        var run = Runs.Create(
            LoadData, TwoRowsAChunk, [("people.csv", People(6))], time: clock,
            progress: new Told(progress => Volatile.Write(ref isHeld, progress.Held is not null)),
            request: TestFacts.Request with
            { Throttle = new() { MaxRate = new MaxRate(1, IsBytes: false), RunTime = TimeSpan.FromSeconds(3.5) } });
        var running = run.RunAsync(new RecordingSession(), CancellationToken.None);
        await Wait.UntilAsync(() =>
        {
            if (Volatile.Read(ref isHeld) && clock.Waiting > 0)
            {
                clock.Advance(TimeSpan.FromSeconds(0.5));
            }

            return running.IsCompleted;
        });
        var fault = await Assert.ThrowsAsync<StoppedException>(() => running);
        Assert.Equal("stopped: its time is over (--run-time 3.5 s)\n  4 rows are in shop.people (chunks 1-2, records 1-4, stay "
            + "committed)\n  import what follows record 4", fault.Told());
    }

    [Theory]
    [InlineData(300, false, "rows-per-batch 300, bytes-per-batch 2097152, rows-per-chunk 300, bytes-per-chunk 33554432")]
    [InlineData(5000, true, "rows-per-batch *, bytes-per-batch 5000, bytes-per-chunk 5000")]
    [InlineData(long.MaxValue, false, "rows-per-batch *, bytes-per-batch 2097152, bytes-per-chunk 33554432")]
    public void A_chunk_is_no_more_than_a_second_of_the_pace(long amount, bool isBytes, string expected)
    {
        var facts = TestFacts.Of(TestFacts.MySql) with
        { Request = TestFacts.Request with { Strategy = "load-data", Throttle = new() { MaxRate = new MaxRate(amount, isBytes) } } };
        var sending = LoadPlanner.Decide(facts, StrategyCatalog.Import);
        var plan = sending.Plan;
        var sizes = sending.Sizes;
        var unbounded = LoadPlanner.Decide(
            facts with { Request = TestFacts.Request with { Strategy = "load-data", Threads = 1 } }, StrategyCatalog.Import).Sizes;
        Assert.Equal(expected.Replace("*", $"{unbounded.RowsPerBatch}", StringComparison.Ordinal),
            string.Join(", ", plan.Sizes.Select(size => $"{size.Name} {size.Value}")));
        Assert.Equal((Math.Min(isBytes ? long.MaxValue : amount, unbounded.RowsPerChunk), isBytes ? amount : unbounded.BytesPerChunk),
            (sizes.RowsPerChunk, sizes.BytesPerChunk));
    }

    [Fact]
    public void Sizes_that_were_typed_hold_whatever_the_pace()
    {
        var request = TestFacts.Request with
        {
            Strategy = "load-data",
            RowsPerBatch = 700,
            RowsPerChunk = 900,
            BytesPerChunk = 9000,
            Throttle = new() { MaxRate = new MaxRate(10, IsBytes: false) }
        };
        var sizes = LoadPlanner.Decide(TestFacts.Of(TestFacts.MySql) with { Request = request }, StrategyCatalog.Import).Sizes;
        Assert.Equal((700, 900, 9000), (sizes.RowsPerBatch, sizes.RowsPerChunk, sizes.BytesPerChunk));
    }
}
