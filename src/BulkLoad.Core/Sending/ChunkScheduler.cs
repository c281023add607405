using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>Several sessions with a chunk each. The chunks are handed out in the input's order, and come back in it to be committed. So
/// what is committed is always one piece from the job's beginning on, as with one session. Further sessions are opened when there is a
/// chunk for them.</summary>
/// <remarks>The order keeps a session waiting now and then. Without it, a job that ends at a bad line could not be resumed with a fixed
/// line: records behind that line would be committed already.</remarks>
/// <param name="pool">its lead is started</param>
internal sealed class ChunkScheduler(WorkerPool pool, INarrowed results, WorkerCountTuner size, RecordOrder order, ILogger log)
    : IAsyncDisposable
{
    private readonly List<Task<Worker?>> _opening = [];
    private readonly Channel<Worker> _free = Channel.CreateUnbounded<Worker>();
    private readonly Channel<InFlightChunk> _chunks = Channel.CreateUnbounded<InFlightChunk>(
        new UnboundedChannelOptions { SingleWriter = true, SingleReader = true });
    private readonly List<InFlightChunk> _under = [];
    private readonly CancellationTokenSource _done = new();
    private Task _dispatching = Task.CompletedTask;
    private CancellationToken _stop;
    private CancellationToken _abort;
    private int _sessions = 1;
    private int _resting;

    /// <summary>Why the server gave no further session; null: it gave all that were asked for.</summary>
    public string? Refusal { get; private set; }

    /// <summary>Sessions that were in use, the first among them.</summary>
    public int Sessions => _sessions;

    /// <summary>Hands chunks out, and gives them back in the input's order, each to be taken over when it is sent as far as it can
    /// be.</summary>
    public IAsyncEnumerable<InFlightChunk> Start(ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        (_stop, _abort) = (stop, abort);
        _free.Writer.TryWrite(pool.Lead);
        _dispatching = Task.Run(() => DispatchAsync(feed), CancellationToken.None);
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
        if (chunk.Worker != pool.Lead && _sessions - _resting > size.Now)
        {
            _resting++;
            return;
        }

        _free.Writer.TryWrite(chunk.Worker);
    }

    /// <summary>Ends what is under way, and rolls it back.</summary>
    public async Task RollBackAsync()
    {
        await _done.CancelAsync();
        await _dispatching;
        foreach (var chunk in _under)
        {
            await chunk.SentAsync().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await chunk.Worker.RollBackAsync(_abort);
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

    private async Task DispatchAsync(ReplayQueue feed)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(_stop, _done.Token);
        InFlightChunk? open = null;
        try
        {
            while (await feed.WaitToReadAsync(either.Token))
            {
                while (feed.TryRead(out var block))
                {
                    open ??= await BeginAsync(either.Token);
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

    private async Task<InFlightChunk> BeginAsync(CancellationToken stop)
    {
        if (!_free.Reader.TryRead(out var worker))
        {
            if (_opening.Count < size.Now - 1 && Refusal is null)
            {
                _opening.Add(OpenAsync(stop));
            }

            worker = await _free.Reader.ReadAsync(stop);
        }

        var chunk = new InFlightChunk(worker, stop, _abort);
        lock (_under)
        {
            _under.Add(chunk);
        }

        chunk.Start();
        _chunks.Writer.TryWrite(chunk);
        return chunk;
    }

    private async Task<Worker?> OpenAsync(CancellationToken stop)
    {
        try
        {
            var worker = await pool.OpenAsync(results, stop);
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

/// <summary>A chunk that a session sends while those before it are not committed yet. Answers that say that all is well wait here until it
/// is the chunk's turn; at anything else sending stops, and what is left of the chunk can be read from here when its turn has
/// come.</summary>
/// <param name="worker">nobody else uses it until <see cref="SentAsync"/></param>
internal sealed class InFlightChunk(Worker worker, CancellationToken stop, CancellationToken abort) : IBlockQueue
{
    private readonly Channel<(RowBlock Block, bool Waits)> _blocks = Channel.CreateUnbounded<(RowBlock, bool)>(
        new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });
    private readonly List<BatchAnswer> _answers = [];
    private Task _sending = Task.CompletedTask;

    public Worker Worker => worker;

    /// <summary>What was taken, in the input's order. A block without rows is among it, for what was found in it.</summary>
    public IReadOnlyList<BatchAnswer> Answers => _answers;

    /// <summary>The answer that is not one of <see cref="Answers"/>: its batch was refused; null: there is none.</summary>
    public BatchAnswer? Refused { get; private set; }

    /// <summary>The block of which rows from the one of that number on were not sent; null: go on with the next one.</summary>
    public (RowBlock Block, int From)? Rest { get; private set; }

    /// <summary>Whether its last block was handed over; else the input ended before.</summary>
    public bool IsWhole { get; private set; }

    /// <summary>Whether no chunk follows.</summary>
    public bool EndsJob { get; private set; }

    public void Start() => _sending = Task.Run(SendAsync, CancellationToken.None);

    /// <summary>The next block of the chunk.</summary>
    /// <param name="block">stays valid until its turn has come</param>
    /// <param name="waits">whether it must not be sent before that</param>
    public void Add(RowBlock block, bool waits)
    {
        (IsWhole, EndsJob) = (block.EndsChunk, block.EndsJob);
        _blocks.Writer.TryWrite((block, waits));
    }

    /// <summary>There are no more.</summary>
    /// <param name="fault">that ended the input; null: it is complete</param>
    public void Complete(Exception? fault = null) => _blocks.Writer.TryComplete(fault);

    /// <summary>All is sent that can be before the chunk's turn.</summary>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public Task SentAsync() => _sending;

    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken) => _blocks.Reader.WaitToReadAsync(cancellationToken);

    public bool TryRead(out RowBlock block)
    {
        var isHere = _blocks.Reader.TryRead(out var next);
        block = next.Block;
        return isHere;
    }

    public bool TryPeek(out RowBlock block)
    {
        var isHere = _blocks.Reader.TryPeek(out var next);
        block = next.Block;
        return isHere;
    }

    private async Task SendAsync()
    {
        while (await HasNextAsync())
        {
            while (_blocks.Reader.TryPeek(out var next))
            {
                stop.ThrowIfCancellationRequested();
                if (next.Waits || worker.Search.IsCautious)
                {
                    await SettleAsync();
                    return;
                }

                _blocks.Reader.TryRead(out _);
                if (!await SendAsync(next.Block))
                {
                    return;
                }
            }
        }

        await SettleAsync();
    }

    /// <summary>What ended the input is thrown to the one who takes over: until then what was sent before is worth having.</summary>
    private async Task<bool> HasNextAsync()
    {
        try
        {
            return await _blocks.Reader.WaitToReadAsync(stop);
        }
        catch (Exception) when (!stop.IsCancellationRequested && _blocks.Reader.Completion.IsFaulted)
        {
            return false;
        }
    }

    /// <returns>false: a batch was refused</returns>
    private async Task<bool> SendAsync(RowBlock block)
    {
        if (block.RowCount == 0)
        {
            if (!await SettleAsync())
            {
                Rest = (block, 0);
                return false;
            }

            worker.Entry.Add(block);
            _answers.Add(new BatchAnswer(block, 0, 0, default));
            return true;
        }

        for (var from = 0; from < block.RowCount;)
        {
            stop.ThrowIfCancellationRequested();
            var batch = worker.Encode(block, from, block.RowCount);
            if (!await SettleAsync())
            {
                Rest = (block, from);
                return false;
            }

            await worker.BeginAsync(block, abort);
            await worker.SendAsync(batch, block, from, IsMoreToCome(block, from + batch.RowCount), abort);
            from += batch.RowCount;
        }

        return true;
    }

    private bool IsMoreToCome(RowBlock block, int next) =>
        next < block.RowCount || (!block.EndsChunk && _blocks.Reader.TryPeek(out var peeked) && !peeked.Waits && peeked.Block.RowCount > 0);

    /// <returns>false: the batch under way was refused</returns>
    private async ValueTask<bool> SettleAsync()
    {
        if (await worker.AnswerAsync() is not { } answer)
        {
            return true;
        }

        if (answer.Outcome.Refusal is not null)
        {
            Refused = answer;
            return false;
        }

        _answers.Add(answer);
        return true;
    }
}
