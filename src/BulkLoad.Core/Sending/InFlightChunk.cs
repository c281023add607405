using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Sending;

/// <summary>
/// A chunk that a session sends while those before it are not committed yet. Answers that say that all is well wait here until it is the
/// chunk's turn; at anything else sending stops, and what is left of the chunk can be read from here when its turn has come.
/// </summary>
/// <param name="worker">nobody else uses it until <see cref="SentAsync"/></param>
internal sealed class InFlightChunk(Worker worker) : IBlockQueue
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

    /// <summary>Begins to send.</summary>
    public void Start(CancellationToken stop, CancellationToken abort) =>
        _sending = Task.Run(() => SendAsync(stop, abort), CancellationToken.None);

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

    /// <inheritdoc/>
    public ValueTask<bool> WaitToReadAsync(CancellationToken cancellationToken) => _blocks.Reader.WaitToReadAsync(cancellationToken);

    /// <inheritdoc/>
    public bool TryRead(out RowBlock block)
    {
        var isHere = _blocks.Reader.TryRead(out var next);
        block = next.Block;
        return isHere;
    }

    /// <inheritdoc/>
    public bool TryPeek(out RowBlock block)
    {
        var isHere = _blocks.Reader.TryPeek(out var next);
        block = next.Block;
        return isHere;
    }

    private async Task SendAsync(CancellationToken stop, CancellationToken abort)
    {
        while (await HasNextAsync(stop))
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
                if (!await SendAsync(next.Block, stop, abort))
                {
                    return;
                }
            }
        }

        await SettleAsync();
    }

    /// <summary>What ended the input is for whoever takes over: until then what was sent before is worth having.</summary>
    private async Task<bool> HasNextAsync(CancellationToken stop)
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
    private async Task<bool> SendAsync(RowBlock block, CancellationToken stop, CancellationToken abort)
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
