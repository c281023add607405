using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>Several sessions with a chunk each. Chunks are given out in the input's order, and committed in it, so what is committed is
/// always one piece from the job's beginning on. The order sometimes makes a session wait. Without it, a job that ends at a bad line could
/// not be resumed with a fixed line: records behind that line would be committed already. Further sessions are opened when there is a chunk
/// for them. A single session gets all chunks as one queue, and so can encode the next chunk while the server works on the last
/// one.</summary>
/// <param name="pool">its lead is started</param>
/// <param name="isAlone">whether the lead is the only session</param>
internal sealed class ChunkScheduler(
    WorkerPool pool, ChunkRules rules, bool isAlone, WorkerCountTuner size, RecordOrder order, ILogger log) : IAsyncDisposable
{
    private static readonly UnboundedChannelOptions OneToOne = new() { SingleWriter = true, SingleReader = true };

    private readonly List<Task<Worker?>> _opening = [];
    private readonly Channel<Worker> _free = Channel.CreateUnbounded<Worker>();
    private readonly Channel<ChunkSender> _chunks = Channel.CreateUnbounded<ChunkSender>(OneToOne);
    private readonly List<ChunkSender> _underWay = [];
    private CancellationTokenSource _done = new();
    private Task _dispatching = Task.CompletedTask;
    private int _sessions = 1;
    private int _resting;

    /// <summary>Why the server gave no further session; null: it gave all.</summary>
    private string? _refusal;

    /// <summary>Gives the senders of the chunks in the input's order.</summary>
    public IAsyncEnumerable<ChunkSender> Start(ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        _done = CancellationTokenSource.CreateLinkedTokenSource(stop);
        if (isAlone)
        {
            Send(new ChunkSender(rules, pool.Lead, feed, feed, isAhead: false, _done.Token, abort));
            _chunks.Writer.Complete();
        }
        else
        {
            _free.Writer.TryWrite(pool.Lead);
            _dispatching = Task.Run(() => DispatchAsync(feed, _done.Token, abort), CancellationToken.None);
        }

        return _chunks.Reader.ReadAllAsync(stop);
    }

    /// <summary>That there were fewer sessions than wanted, and why, for people; null: all were opened.</summary>
    public string? DescribeRefusal(int wanted) => _refusal is not null && _sessions < wanted
        ? $"{_sessions:N0} of {Plural.Count(wanted, "session")}: {_refusal}" : null;

    /// <summary>The chunk is committed: its session gets another one, or rests if more sessions do not help.</summary>
    public void Free(ChunkSender chunk)
    {
        lock (_underWay)
        {
            _underWay.Remove(chunk);
        }

        size.Count();
        if (chunk.Worker != pool.Lead && _sessions - _resting > size.Now)
        {
            _resting++;
            return;
        }

        _free.Writer.TryWrite(chunk.Worker);
    }

    public async Task RollBackAsync()
    {
        await _done.CancelAsync();
        await _dispatching;
        foreach (var chunk in _underWay)
        {
            await chunk.RollBackAsync();
        }

        _underWay.Clear();
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
        Channel<RowBlock>? open = null;
        try
        {
            while (await feed.WaitToReadAsync(stop))
            {
                while (feed.TryRead(out var block))
                {
                    if (open is null)
                    {
                        var worker = await GetWorkerAsync(stop);
                        open = Channel.CreateUnbounded<RowBlock>(OneToOne);
                        Send(new ChunkSender(rules, worker, open.Reader, feed, isAhead: true, stop, abort));
                    }

                    block.WaitsForTurn = !order.IsFreeIn(block);
                    var endsChunk = block.EndsChunk;
                    open.Writer.TryWrite(block);
                    if (endsChunk)
                    {
                        open.Writer.Complete();
                        open = null;
                    }
                }
            }

            open?.Writer.Complete();
            _chunks.Writer.TryComplete();
        }
        catch (Exception fault)
        {
            // The chunks before are committed first.
            open?.Writer.Complete(fault);
            _chunks.Writer.TryComplete(open is null ? fault : null);
        }
    }

    private void Send(ChunkSender chunk)
    {
        lock (_underWay)
        {
            _underWay.Add(chunk);
        }

        chunk.Start();
        _chunks.Writer.TryWrite(chunk);
    }

    private async Task<Worker> GetWorkerAsync(CancellationToken stop)
    {
        if (_free.Reader.TryRead(out var worker))
        {
            return worker;
        }

        if (_opening.Count < size.Now - 1 && _refusal is null)
        {
            _opening.Add(OpenAsync(stop));
        }

        return await _free.Reader.ReadAsync(stop);
    }

    private async Task<Worker?> OpenAsync(CancellationToken stop)
    {
        try
        {
            var worker = await pool.OpenAsync(rules.Results, stop);
            Interlocked.Increment(ref _sessions);
            _free.Writer.TryWrite(worker);
            return worker;
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            if (!stop.IsCancellationRequested)
            {
                _refusal = fault.Message;
                size.Refuse();
                log.SessionRefused(fault.Message);
            }

            return null;
        }
    }
}
