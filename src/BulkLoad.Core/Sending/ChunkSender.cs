using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>What the senders of a run share.</summary>
/// <param name="IsAtomic">whether all chunks are one transaction</param>
/// <param name="IsRolledBack">whether chunks end with a rollback instead of a commit</param>
/// <param name="Undoes">whether a rollback undoes anything; otherwise accepted rows stay, whatever goes wrong</param>
/// <param name="Throttle">waits before each batch; null: no throttling</param>
internal sealed record ChunkRules(ChunkResults Results, bool IsAtomic, bool IsRolledBack, bool Undoes, Throttle? Throttle);

/// <summary>Sends blocks on one session, for every strategy: encodes and sends them, checks each answer, narrows refused batches, commits
/// each chunk with its rejects. While the server works on a batch, the next one is encoded. It may send ahead, while chunks before its own
/// are not committed. Then it keeps answers that report success, and anything else waits until it is the chunk's turn.</summary>
/// <param name="worker">nobody else uses it until this has ended</param>
/// <param name="queue">blocks to send, in the input's order, of one chunk or of all; throws what ended the input early</param>
/// <param name="feed">gets the blocks back</param>
/// <param name="isAhead">whether earlier chunks are not committed yet</param>
internal sealed class ChunkSender(
    ChunkRules rules, Worker worker, ChannelReader<RowBlock> queue, ReplayQueue feed, bool isAhead, CancellationToken stop,
    CancellationToken abort)
{
    private readonly ChunkResults _results = rules.Results;
    private readonly TaskCompletionSource _turn = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Answers before the chunk's turn, in the input's order. Includes blocks without rows, for their findings.</summary>
    private readonly List<BatchAnswer> _answers = [];
    private readonly bool _hasOthers = isAhead;
    private bool _isAhead = isAhead;
    private Task _sending = Task.CompletedTask;
    private bool _isCommitDue;
    private bool _isEnd;
    private (int Source, long Record) _counted;

    public Worker Worker => worker;

    /// <summary>Records of the open chunk that the server has got, or was about to.</summary>
    public long OpenRecords { get; private set; }

    public void Start() => _sending = Task.Run(SendAllAsync, CancellationToken.None);

    /// <summary>Called when it is the chunk's turn; ends when all is sent and committed.</summary>
    /// <exception cref="RefusedRecordException">one reject too many</exception>
    /// <exception cref="ServerException">a fault that is not about the rows</exception>
    public Task CompleteAsync()
    {
        _turn.TrySetResult();
        return _sending;
    }

    /// <summary>Rolls back what is open after it has ended; it must have been stopped.</summary>
    public async Task RollBackAsync()
    {
        _turn.TrySetCanceled(CancellationToken.None);
        await _sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await worker.RollBackAsync(abort);
    }

    /// <summary>Counts the rows that the server accepted, which are in the table though the job ends here.</summary>
    /// <param name="fault">that has ended the sending</param>
    public async Task KeepTakenAsync(Exception fault)
    {
        try
        {
            await SettleAsync(CancellationToken.None);
        }
        catch (Exception other) when (other is BulkLoadException or RefusedRecordException or OperationCanceledException)
        {
            // The first fault is reported.
        }

        if (!_results.Open.IsEmpty)
        {
            _results.Keep();
        }

        if (fault is ServerException)
        {
            _results.ReportUnanswered(worker);
        }
    }

    /// <summary>Called when the open chunk is committed.</summary>
    public void Keep()
    {
        _results.Keep();
        worker.Keep();
        feed.Release();
        OpenRecords = 0;
    }

    private async Task SendAllAsync()
    {
        while (await WaitToReadAsync())
        {
            while (queue.TryRead(out var block))
            {
                stop.ThrowIfCancellationRequested();
                var (endsChunk, endsJob) = (block.EndsChunk, block.EndsJob);
                await SendBlockAsync(block);
                _isEnd = endsJob;
                _isCommitDue |= endsChunk && (endsJob || !rules.IsAtomic);
            }

            await EndChunkIfDueAsync();
        }

        // The reading ends in the middle of a chunk at a reject too many, which may stand behind rows of the last block.
        await SettleAsync(stop);
        await TakeTurnAsync();
    }

    private async ValueTask<bool> WaitToReadAsync()
    {
        try
        {
            var isPreparing = _results.Committed is { SortedBy.Length: > 0 } or { Earlier: > 0 };
            return await (rules.Throttle?.WaitToReadAsync(queue, isPreparing, stop) ?? queue.WaitToReadAsync(stop));
        }
        catch (Exception) when (_isAhead && !stop.IsCancellationRequested)
        {
            // The input ended early: what was sent before is worth keeping.
            await SettleAsync(stop);
            await TakeTurnAsync();
            throw;
        }
    }

    /// <summary>Waits until the chunks before are committed, and settles the answers that were kept.</summary>
    private async Task TakeTurnAsync()
    {
        if (!_isAhead)
        {
            return;
        }

        await _turn.Task;
        stop.ThrowIfCancellationRequested();
        _isAhead = false;
        foreach (var answer in _answers)
        {
            await SettleAsync(answer, stop);
        }
    }

    private async Task SendBlockAsync(RowBlock block)
    {
        if (_isAhead && (block.WaitsForTurn || worker.Search.IsCautious))
        {
            await TakeTurnAsync();
        }

        if (_isAhead)
        {
            await SendRowsAsync(block, 0, block.RowCount);
            return;
        }

        if (rules.Undoes || block.Rejects.Count == 0)
        {
            if (_results.WouldStop(block.Rejects.Count))
            {
                await SettleAsync(stop);
                await EndChunkIfDueAsync();
                _results.Foresee(block);
            }

            await SendRowsAsync(block, 0, rules.Undoes && _results.CannotTake(block.Rejects.Count) ? 0 : block.RowCount);
            return;
        }

        // What was sent stays: so no row is sent behind a reject too many, and what the server has refused before it counts first.
        var from = 0;
        for (var isEnd = false; !isEnd; isEnd = from >= block.RowCount)
        {
            await SettleAsync(stop);
            var to = _results.FindEnd(block, from);
            isEnd = to == from;
            await SendRowsAsync(block, from, to);
            from = to;
        }
    }

    /// <param name="from">0-based first row</param>
    /// <param name="to">behind the last row that is sent; equal: the block is complete</param>
    private async Task SendRowsAsync(RowBlock block, int from, int to)
    {
        if (to <= from)
        {
            // Nothing of the block must be sent, but what is before it is settled first.
            await SettleAsync(stop);
            await EndChunkIfDueAsync();
            Finish(block);
            return;
        }

        // A block that has lost rows ends early, and the counts do not match.
        while (from < End())
        {
            var batch = worker.Encode(block, from, End());
            if (await SettleAsync(stop))
            {
                // The search has used the buffers.
                batch = worker.Encode(block, from, End());
            }

            await EndChunkIfDueAsync();
            if (rules.Throttle is { } throttle)
            {
                var bytes = block.OriginalsOf(from, batch.RowCount).Length;
                await throttle.WaitAsync(batch.RowCount, bytes, isBetweenChunks: !worker.IsBegun, stop);
            }

            CountOpen(block);
            await worker.BeginAsync(block, abort);
            if (worker.Search.IsCautious)
            {
                await worker.SearchAsync(block, from, End(), null, stop, abort);
                if (to >= block.RowCount)
                {
                    Finish(block);
                }

                return;
            }

            var isMoreToCome = from + batch.RowCount < End() || (to >= block.RowCount && IsNextWaiting(block));
            await worker.SendAsync(batch, block, from, isMoreToCome, abort);
            from += batch.RowCount;
        }

        int End() => Math.Min(to, block.RowCount);
    }

    /// <summary>Whether the next block goes into the same transaction and is here already: a sender may make the server wait for it, which
    /// must not depend on a slow input.</summary>
    private bool IsNextWaiting(RowBlock block) =>
        (!block.EndsChunk || rules.IsAtomic) && queue.TryPeek(out var next) && next.RowCount > 0 && !(_isAhead && next.WaitsForTurn);

    /// <summary>Takes the answer to the batch under way, if there is one; a refused batch is narrowed at once.</summary>
    /// <returns>whether there was one</returns>
    private async Task<bool> SettleAsync(CancellationToken stop)
    {
        if (await worker.AnswerAsync() is not { } answer)
        {
            return false;
        }

        if (_isAhead && answer.Outcome.Refusal is null)
        {
            _answers.Add(answer);
            return false;
        }

        await TakeTurnAsync();
        return await SettleAsync(answer, stop);
    }

    private async Task<bool> SettleAsync(BatchAnswer answer, CancellationToken stop)
    {
        var (block, refusal) = (answer.Block, answer.Outcome.Refusal);
        if (refusal is not null)
        {
            var isUnsent = refusal.Kind == RefusalKind.Unsent;
            if (!isUnsent)
            {
                _results.LogNarrowed(block, answer.From, answer.To, refusal);
            }

            await worker.SearchAsync(block, answer.From, answer.To, isUnsent ? null : refusal, stop, abort);
        }
        else if (answer.Rows > 0)
        {
            await _results.TakeAsync(block, answer.From, answer.Rows, answer.Outcome, stop);
            worker.Search.Pass(answer.Rows);
        }

        if (answer.To == block.RowCount)
        {
            Finish(block);
        }

        return refusal is not null;
    }

    private void CountOpen(RowBlock block)
    {
        if (block.RecordCount > 0 && _counted != (block.Source, block.LastRecord))
        {
            _counted = (block.Source, block.LastRecord);
            OpenRecords += block.RecordCount;
        }
    }

    private void Finish(RowBlock block)
    {
        worker.Entry.Add(block);
        CountOpen(block);
        if (_isAhead)
        {
            _answers.Add(new BatchAnswer(block, 0, 0, default));
            return;
        }

        _results.Finish(block);
        feed.Finish(block);
    }

    /// <summary>A complete chunk is committed when the next batch is ready, or when there is none yet.</summary>
    private Task EndChunkIfDueAsync() => _isCommitDue ? EndChunkAsync() : Task.CompletedTask;

    private async Task EndChunkAsync()
    {
        _isCommitDue = false;
        await SettleAsync(stop);
        await TakeTurnAsync();
        if (_hasOthers)
        {
            // Other sessions have chunks under way, which a stop rolls back: so it rolls back this one too.
            stop.ThrowIfCancellationRequested();
        }

        if (!_results.Open.IsEmpty || _isEnd)
        {
            _results.Settle(_isEnd);
        }

        await CommitAsync();
    }

    /// <summary>Commits what was sent, with its row in the ledger; then the next chunk's turn begins.</summary>
    private async Task CommitAsync()
    {
        if (_results.Open.IsEmpty)
        {
            feed.Release();
            return;
        }

        if (_results.Open.Taken.Count > 0 || worker.Entry.IsKept)
        {
            await _results.WriteAsync(worker, abort);
            await EndTransactionAsync();
        }

        Keep();
    }

    private async Task EndTransactionAsync()
    {
        var session = worker.Session;
        worker.EndTransaction();
        try
        {
            await session.ExecuteAsync(rules.IsRolledBack ? TransactionSql.RollBack : TransactionSql.Commit, abort);
        }
        catch (Exception fault) when (!session.IsUsable || fault is ServerException { Kind: FaultKind.SessionLost or FaultKind.Protocol })
        {
            _results.Committed.IsInDoubt = !rules.IsRolledBack;
            throw;
        }
    }
}
