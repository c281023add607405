using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>
/// Several sessions, each with a chunk of its own. The chunks are handed out in the input's order, and come back in it, to be committed so:
/// at any time what is committed is one piece from the job's beginning on, as with one session. Further sessions are opened when there is
/// a chunk for them.
/// </summary>
/// <remarks>
/// The order keeps a session waiting now and then. Without it, a job that ends at a bad line could not be resumed with a fixed line:
/// records behind that line would be committed already.
/// </remarks>
/// <param name="size">sessions at the same time</param>
/// <param name="order">tells where records must wait for those before them</param>
/// <param name="log">told of sessions that could not be opened</param>
internal sealed class ChunkScheduler(
    WorkerCountTuner size, Worker first, Func<CancellationToken, Task<Worker>> openAsync, RecordOrder order, ILogger log) : IAsyncDisposable
{
    private readonly List<Task<Worker?>> _opening = [];
    private readonly Channel<Worker> _free = Channel.CreateUnbounded<Worker>();
    private readonly Channel<InFlightChunk> _chunks = Channel.CreateUnbounded<InFlightChunk>(
        new UnboundedChannelOptions { SingleWriter = true, SingleReader = true });
    private readonly List<InFlightChunk> _under = [];
    private readonly CancellationTokenSource _done = new();
    private Task _dispatching = Task.CompletedTask;
    private int _sessions = 1;
    private int _resting;

    /// <summary>Why the server gave no further session; null: it gave all that were asked for.</summary>
    public string? Refusal { get; private set; }

    /// <summary>Sessions that were in use, the first among them.</summary>
    public int Sessions => _sessions;

    /// <summary>Hands chunks out, and gives them back in the input's order, each to be taken over when it is sent as far as it can
    /// be.</summary>
    /// <param name="feed">blocks in the input's order</param>
    public IAsyncEnumerable<InFlightChunk> Start(ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        _free.Writer.TryWrite(first);
        _dispatching = Task.Run(() => DispatchAsync(feed, stop, abort), CancellationToken.None);
        return _chunks.Reader.ReadAllAsync(stop);
    }

    /// <summary>The chunk is committed: its session is free for another one, or rests where there are more than help.</summary>
    public void Free(InFlightChunk chunk)
    {
        lock (_under)
        {
            _under.Remove(chunk);
        }

        size.Count();
        if (chunk.Worker != first && _sessions - _resting > size.Now)
        {
            _resting++;
            return;
        }

        _free.Writer.TryWrite(chunk.Worker);
    }

    /// <summary>Ends what is under way, and rolls it back.</summary>
    public async Task RollBackAsync(CancellationToken abort)
    {
        await _done.CancelAsync();
        await _dispatching;
        foreach (var chunk in _under)
        {
            await chunk.SentAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await chunk.Worker.RollBackAsync(abort);
        }

        _under.Clear();
    }

    /// <summary>Waits for sessions that are being opened.</summary>
    public async ValueTask DisposeAsync()
    {
        await _done.CancelAsync();
        await _dispatching;
        await Task.WhenAll(_opening);
        _done.Dispose();
    }

    private async Task DispatchAsync(ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop, _done.Token);
        InFlightChunk? open = null;
        try
        {
            while (await feed.WaitToReadAsync(either.Token))
            {
                while (feed.TryRead(out var block))
                {
                    open ??= await BeginAsync(either.Token, abort);
                    open.Add(block, waits: !order.IsFreeIn(block));
                    if (block.EndsChunk)
                    {
                        open.Complete();
                        open = null;
                    }
                }
            }

            open?.Complete();
            _chunks.Writer.TryComplete();
        }
        catch (Exception fault)
        {
            // The chunks before are to be committed first.
            open?.Complete(fault);
            _chunks.Writer.TryComplete(open is null ? fault : null);
        }
    }

    private async Task<InFlightChunk> BeginAsync(CancellationToken stop, CancellationToken abort)
    {
        if (!_free.Reader.TryRead(out var worker))
        {
            if (_opening.Count < size.Now - 1 && Refusal is null)
            {
                _opening.Add(OpenAsync(stop));
            }

            worker = await _free.Reader.ReadAsync(stop);
        }

        var chunk = new InFlightChunk(worker);
        lock (_under)
        {
            _under.Add(chunk);
        }

        chunk.Start(stop, abort);
        _chunks.Writer.TryWrite(chunk);
        return chunk;
    }

    private async Task<Worker?> OpenAsync(CancellationToken stop)
    {
        try
        {
            var worker = await openAsync(stop);
            Interlocked.Increment(ref _sessions);
            _free.Writer.TryWrite(worker);
            return worker;
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            if (!stop.IsCancellationRequested)
            {
                Refusal = fault.Message;
                size.Refuse();
                log.SessionRefused(fault.Message);
            }

            return null;
        }
    }
}
