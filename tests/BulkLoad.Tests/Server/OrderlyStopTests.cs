using BulkLoad.Core.Server;
using BulkLoad.Tests.Sending;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Server;

public sealed class OrderlyStopTests
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task A_statement_is_killed_after_the_grace_time_and_the_connection_closed_after_another()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        var killed = new TaskCompletionSource();
        await using var orderly = new OrderlyStop(Grace, KillAsync, clock, NullLogger.Instance, stop.Token);
        var aborted = new TaskCompletionSource();
        orderly.Abort.Register(aborted.SetResult);

        await stop.CancelAsync();
        clock.Advance(Grace - TimeSpan.FromTicks(1));
        Assert.False(killed.Task.IsCompleted);
        clock.Advance(TimeSpan.FromTicks(1));
        await killed.Task;
        await Wait.UntilAsync(() => clock.Waiting > 0);
        Assert.False(orderly.Abort.IsCancellationRequested);
        clock.Advance(Grace);
        await aborted.Task;

        Task KillAsync(CancellationToken token)
        {
            killed.SetResult();
            return Task.CompletedTask;
        }
    }

    [Fact]
    public async Task Where_nothing_can_be_killed_the_connection_is_closed_at_once()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        await using var orderly = new OrderlyStop(
            Grace, _ => Task.FromException(new ConnectException("no way")), clock, NullLogger.Instance, stop.Token);
        var aborted = new TaskCompletionSource();
        orderly.Abort.Register(aborted.SetResult);

        await stop.CancelAsync();
        clock.Advance(Grace);
        await aborted.Task;
    }

    [Fact]
    public async Task A_job_that_ends_within_the_grace_time_kills_nothing()
    {
        var clock = new StepClock();
        using var stop = new CancellationTokenSource();
        var kills = 0;
        var orderly = new OrderlyStop(Grace, _ => Task.FromResult(kills++), clock, NullLogger.Instance, stop.Token);
        await stop.CancelAsync();
        await orderly.DisposeAsync();
        clock.Advance(Grace);
        Assert.Equal((0, 0), (kills, clock.Waiting));
    }
}
