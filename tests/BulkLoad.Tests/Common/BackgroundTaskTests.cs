namespace BulkLoad.Tests.Common;

/// <summary>What is opened beside other work.</summary>
public sealed class BackgroundTaskTests
{
    [Fact]
    public async Task What_nobody_takes_is_given_up()
    {
        var thing = new Thing();
        await using (new BackgroundTask<Thing>(_ => Task.FromResult(thing), CancellationToken.None))
        {
            Assert.False(thing.IsDisposed);
        }

        Assert.True(thing.IsDisposed);
    }

    [Fact]
    public async Task It_is_taken_once_and_is_the_takers_from_then_on()
    {
        var thing = new Thing();
        await using (var early = new BackgroundTask<Thing>(_ => Task.FromResult(thing), CancellationToken.None))
        {
            Assert.True(early.TryTake(out var opened));
            Assert.Same(thing, await opened);
            Assert.False(early.TryTake(out _));
        }

        Assert.False(thing.IsDisposed);
    }

    [Fact]
    public async Task An_opening_under_way_is_stopped_where_nobody_takes_it()
    {
        var stopped = new TaskCompletionSource();
        var early = new BackgroundTask<Thing>(OpenAsync, CancellationToken.None);
        await early.DisposeAsync();
        await stopped.Task.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        async Task<Thing> OpenAsync(CancellationToken token)
        {
            try
            {
                await Task.Delay(Timeout.Infinite, token);
            }
            finally
            {
                stopped.SetResult();
            }

            return new Thing();
        }
    }

    [Fact]
    public async Task A_fault_is_the_takers_and_nobodys_where_there_is_none()
    {
        static Task<Thing> FailAsync(CancellationToken token) => Task.FromException<Thing>(new ConnectException("none"));
        await using (new BackgroundTask<Thing>(FailAsync, CancellationToken.None))
        {
            // Nobody asks.
        }

        await using var early = new BackgroundTask<Thing>(FailAsync, CancellationToken.None);
        Assert.True(early.TryTake(out var opened));
        await Assert.ThrowsAsync<ConnectException>(() => opened);
    }

    private sealed class Thing : IAsyncDisposable
    {
        public bool IsDisposed { get; private set; }

        public ValueTask DisposeAsync()
        {
            IsDisposed = true;
            return ValueTask.CompletedTask;
        }
    }
}
