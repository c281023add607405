using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// Forwards connections to a server, without TLS. When so many chunks are committed, and the client has heard so, all connections are cut,
/// and something is done to the server before anything else reaches it: it has lost commits then, as one that has crashed, or a copy that
/// was promoted too early. </summary>
internal sealed class LosingRelay : Forwarder
{
    private readonly Func<Task> _loseAsync;
    private readonly Lock _lock = new();
    private readonly int _commit;
    private readonly CancellationTokenSource _cut = new();
    private readonly TaskCompletionSource _lost = new();
    private int _commits;

    /// <param name="server">where to forward to</param>
    /// <param name="commit">how many chunks are committed before</param>
    /// <param name="loseAsync">what is done to the server</param>
    public LosingRelay(TestServer server, int commit, Func<Task> loseAsync)
        : base(server)
    {
        (_commit, _loseAsync) = (commit, loseAsync);
        Listen();
    }

    private bool IsDue
    {
        get
        {
            lock (_lock)
            {
                return _commits >= _commit;
            }
        }
    }

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        if (IsDue)
        {
            await _lost.Task.WaitAsync(Stopped);
            await PassAsync(client, upstream);
            return;
        }

        var isLast = false;
        Task[] both = [SendAsync(), AnswerAsync()];
        await Task.WhenAny([.. both, Task.Delay(Timeout.Infinite, _cut.Token)]);
        upstream.Close();
        if (_cut.IsCancellationRequested)
        {
            // What was said last arrives, though the client may be in the middle of something.
            await Task.WhenAll(both).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            client.Socket.Shutdown(SocketShutdown.Send);
            var rest = new byte[64 * 1024];
            while (await client.ReadAsync(rest, Stopped) > 0)
            {
            }
        }

        async Task SendAsync()
        {
            var buffer = new byte[64 * 1024];
            var watch = new CommitWatch();
            while (await client.ReadAsync(buffer, _cut.Token) is > 0 and var count)
            {
                var bytes = buffer.AsMemory(0, count);
                var commits = watch.Commits(bytes.Span);
                if (IsDue)
                {
                    await Task.Delay(Timeout.Infinite, _cut.Token);
                }

                if (commits)
                {
                    lock (_lock)
                    {
                        isLast = ++_commits == _commit;
                    }
                }

                await upstream.WriteAsync(bytes, Stopped);
            }
        }

        async Task AnswerAsync()
        {
            var buffer = new byte[64 * 1024];
            var watch = new AnswerWatch();
            while (await upstream.ReadAsync(buffer, _cut.Token) is > 0 and var count)
            {
                await client.WriteAsync(buffer.AsMemory(0, count), Stopped);

                // What was sent before the COMMIT may be answered after it was sent.
                if (watch.SaysCommitted(buffer.AsSpan(0, count)) && isLast)
                {
                    // It is told that the chunk is committed.
                    Cuts++;
                    _ = LoseAsync();
                    return;
                }
            }
        }
    }

    private async Task LoseAsync()
    {
        await _cut.CancelAsync();
        try
        {
            await _loseAsync();
            _lost.SetResult();
        }
        catch (Exception fault)
        {
            _lost.SetException(fault);
        }
    }
}
