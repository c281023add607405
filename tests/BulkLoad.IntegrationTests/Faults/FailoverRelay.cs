using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>When a primary is lost.</summary>
internal enum Loss
{
    /// <summary>When the client has heard that a chunk is committed.</summary>
    BehindChunk,

    /// <summary>In the middle of the chunk behind that.</summary>
    InChunk,

    /// <summary>When a chunk is committed, and the client has not heard.</summary>
    UnheardChunk,

    /// <summary>Before the job's end is sent.</summary>
    BeforeEnd,

    /// <summary>When the job's end is committed, and the client has not heard.</summary>
    UnheardEnd,
}

/// <summary>Forwards connections to a primary, without TLS, until that is lost; from then on to its replica, once it is promoted.</summary>
internal sealed class FailoverRelay : Forwarder
{
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _cut = new();
    private readonly TaskCompletionSource _promoted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Loss _loss;
    private readonly int _chunk;
    private readonly Func<int, Task> _onCommittedAsync;
    private readonly Func<Task> _onEndedAsync;
    private readonly Func<Task<TestServer>> _promoteAsync;
    private int _commits;
    private long _left;

    /// <param name="server">the primary</param>
    /// <param name="loss">when it is lost</param>
    /// <param name="chunk">of which chunk, 1 is the first; not for the job's end</param>
    /// <param name="bytes">of the chunk behind, if it is lost in the middle of it</param>
    /// <param name="onCommittedAsync">told of each chunk that is committed before the client hears so</param>
    /// <param name="onEndedAsync">waits until the job's end is committed</param>
    /// <param name="promoteAsync">promotes the replica</param>
    public FailoverRelay(
        TestServer server, Loss loss, int chunk, int bytes, Func<int, Task> onCommittedAsync, Func<Task> onEndedAsync,
        Func<Task<TestServer>> promoteAsync)
        : base(server)
    {
        (_loss, _chunk, _left) = (loss, chunk, bytes);
        (_onCommittedAsync, _onEndedAsync, _promoteAsync) = (onCommittedAsync, onEndedAsync, promoteAsync);
        Listen();
    }

    /// <summary>Chunks of which the client has heard that they are committed.</summary>
    public int Heard { get; private set; }

    /// <summary>The replica has been promoted.</summary>
    public Task Promoted => _promoted.Task;

    protected override Task ReadyAsync() => _cut.IsCancellationRequested ? _promoted.Task.WaitAsync(Stopped) : Task.CompletedTask;

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        if (Cuts > 0)
        {
            await PassAsync(client, upstream);
            return;
        }

        var committing = 0;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_cut.Token, Stopped);
        await Task.WhenAny(SendAsync(), AnswerAsync());

        async Task SendAsync()
        {
            var buffer = new byte[64 * 1024];
            var watch = new CommitWatch();
            while (await client.ReadAsync(buffer, end.Token) is > 0 and var count)
            {
                var bytes = buffer.AsMemory(0, count);
                if (watch.Commits(bytes.Span))
                {
                    committing = Interlocked.Increment(ref _commits);
                }

                var isJobsEnd = bytes.Span.IndexOf("INTO @bulkload_chunks"u8) >= 0;
                if ((isJobsEnd && _loss == Loss.BeforeEnd)
                    || (_loss == Loss.InChunk && Heard >= _chunk && Interlocked.Add(ref _left, -count) <= 0))
                {
                    Cut();
                    return;
                }

                if (isJobsEnd && _loss == Loss.UnheardEnd)
                {
                    committing = -1;
                    await upstream.WriteAsync(bytes, end.Token);
                    await _onEndedAsync();
                    Cut();
                    return;
                }

                await upstream.WriteAsync(bytes, end.Token);
            }
        }

        async Task AnswerAsync()
        {
            var buffer = new byte[64 * 1024];
            while (await upstream.ReadAsync(buffer, end.Token) is > 0 and var count)
            {
                if (committing < 0)
                {
                    continue;
                }

                var chunk = committing;
                committing = 0;
                if (chunk > 0)
                {
                    await _onCommittedAsync(chunk);
                    if (_loss == Loss.UnheardChunk && chunk == _chunk)
                    {
                        Cut();
                        return;
                    }

                    Heard = chunk;
                }

                await client.WriteAsync(buffer.AsMemory(0, count), end.Token);
                if (_loss == Loss.BehindChunk && chunk == _chunk)
                {
                    Cut();
                    return;
                }
            }
        }
    }

    private void Cut()
    {
        lock (_lock)
        {
            if (Cuts++ > 0)
            {
                return;
            }

            _cut.Cancel();
        }

        _ = PromoteAsync();
    }

    private async Task PromoteAsync()
    {
        try
        {
            Target = await _promoteAsync();
            _promoted.SetResult();
        }
        catch (Exception fault)
        {
            _promoted.SetException(fault);
        }
    }
}
