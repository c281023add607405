using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>The sending side, once for every strategy: takes blocks, has them encoded and sent, checks each answer, has refused batches
/// narrowed, commits each chunk with its rejects. While the server works on a batch the next one is encoded. What is open when anything
/// goes wrong is rolled back.</summary>
/// <param name="isRolledBack">whether chunks end with a rollback where they would be committed</param>
/// <param name="undoes">whether a rollback undoes anything; else what was taken stays, whatever goes wrong</param>
/// <param name="throttle">waits before each batch; null: no throttling</param>
internal sealed class ChunkLoader(ChunkResults results, bool isAtomic, bool isRolledBack, bool undoes, Throttle? throttle, ILogger log)
{
    private readonly CommittedState _committed = results.Committed;

    /// <summary>The workers that have sent chunks; the last one has the current chunk.</summary>
    private readonly List<Worker> _workers = [];
    private ReplayQueue? _feed;
    private CancellationToken _stop;
    private CancellationToken _abort;
    private bool _isCommitDue;
    private bool _isEnd;

    /// <summary>Where the next run has to go on.</summary>
    public ResumePoint Behind => results.Behind;

    private Worker Worker => _workers[^1];

    /// <summary>Runs until the feed ends.</summary>
    /// <param name="worker">carries the chunks; is started, and stays the caller's</param>
    /// <param name="feed">blocks in file order, from the first record on that is not committed; what it throws is thrown here after what is
    /// open was rolled back</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(Worker worker, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        (_feed, _stop, _abort) = (feed, stop, abort);
        Use(worker);
        try
        {
            await SendAllAsync(feed);
        }
        catch (Exception fault)
        {
            if (!undoes)
            {
                await KeepTakenAsync(fault);
            }

            results.ReportCommitted(worker);
            await worker.RollBackAsync(abort);
            throw;
        }
    }

    /// <summary>Runs until the feed ends, with chunks on several sessions at a time. They are taken up and committed in the input's
    /// order.</summary>
    /// <param name="scheduler">hands the chunks out; stays the caller's</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(ChunkScheduler scheduler, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        (_feed, _stop, _abort) = (feed, stop, abort);
        try
        {
            await foreach (var chunk in scheduler.Start(feed, stop, abort))
            {
                await TakeOverAsync(chunk);
                scheduler.Free(chunk);
            }
        }
        catch
        {
            _workers.ForEach(results.ReportCommitted);
            await scheduler.RollBackAsync();
            throw;
        }
    }

    /// <summary>After a fault: finds out what the server has of what was committed, and of a chunk whose COMMIT was not answered, and makes
    /// ready for another run behind that.</summary>
    /// <param name="check">asks the ledger; null: there is none</param>
    /// <returns><see cref="LedgerState.Other"/>: the inputs are to be read from their beginning, and what the ledger has is
    /// skipped</returns>
    public async Task<LedgerState> RecoverAsync(IServerSession session, CommitCheck? check, CancellationToken cancellationToken)
    {
        var state = LedgerState.Same;
        if (check is not null)
        {
            state = await check.CompareAsync(session, _committed.IsInDoubt ? Worker.Entry.Written : null, results, cancellationToken);
            if (state == LedgerState.SameWithOpen)
            {
                Keep();
            }
        }

        _committed.IsInDoubt = false;
        results.Rewind();
        (_isCommitDue, _isEnd) = (false, false);
        _feed?.Rewind();
        return state;
    }

    /// <summary>After a fault behind which nothing more is sent: what was found in the open chunk leaves the files. What a check found
    /// stays found; what belongs to a chunk in doubt stays in the files, which the next start cuts back; so do rejects that are too many,
    /// marked as not committed.</summary>
    public void GiveUp(Exception fault)
    {
        try
        {
            if (isRolledBack || !_committed.IsInDoubt || !Worker.Entry.IsKept)
            {
                results.End(areKept: isRolledBack, areLeft: RunFaults.IsOfRejects(fault));
            }
        }
        catch (RejectFileException file) when (fault is not RejectFileException)
        {
            log.RejectsStay(file.Message);
        }
        catch (RejectFileException)
        {
            // That is the error itself.
        }
    }

    private void Use(Worker worker)
    {
        _workers.Remove(worker);
        _workers.Add(worker);
    }

    /// <summary>It is the chunk's turn: the answers that its session has are accounted for, what is left is sent.</summary>
    private async Task TakeOverAsync(InFlightChunk chunk)
    {
        Use(chunk.Worker);
        await chunk.SentAsync();
        foreach (var answer in chunk.Answers)
        {
            await SettleAsync(answer, _stop);
        }

        if (chunk.Refused is { } refused)
        {
            await SettleAsync(refused, _stop);
        }

        if (chunk.Rest is var (block, from))
        {
            await SendBlockAsync(block, from, chunk);
        }

        await SendAllAsync(chunk);
        if (chunk.IsWhole)
        {
            _isEnd = chunk.EndsJob;
            await EndChunkAsync();
        }
    }

    private async Task SendAllAsync(IBlockQueue queue)
    {
        while (await WaitToReadAsync(queue))
        {
            while (queue.TryRead(out var block))
            {
                _stop.ThrowIfCancellationRequested();
                var (endsChunk, endsJob) = (block.EndsChunk, block.EndsJob);
                await SendBlockAsync(block, 0, queue);
                _isEnd = endsJob;
                _isCommitDue |= endsChunk && (endsJob || !isAtomic);
            }

            await EndChunkIfDueAsync();
        }

        // The reading ends in the middle of a chunk where a reject is one too many, which the last block may hold behind rows.
        await SettleAsync();
    }

    private ValueTask<bool> WaitToReadAsync(IBlockQueue queue)
    {
        var isPreparing = _committed is { SortedBy.Length: > 0 } or { Earlier: > 0 };
        return throttle?.WaitToReadAsync(queue, isPreparing, _stop) ?? queue.WaitToReadAsync(_stop);
    }

    private async Task SendBlockAsync(RowBlock block, int from, IBlockQueue queue)
    {
        if (undoes || block.Rejects.Count == 0)
        {
            if (results.WouldStop(block.Rejects.Count))
            {
                await SettleAsync();
                await EndChunkIfDueAsync();
                results.Foresee(block);
            }

            await SendRowsAsync(block, from, undoes && results.CannotTake(block.Rejects.Count) ? 0 : block.RowCount, queue);
            return;
        }

        // What was sent stays. So no row is sent behind a reject too many, and what the server has refused before it counts first.
        for (var isEnd = false; !isEnd; isEnd = from >= block.RowCount)
        {
            await SettleAsync();
            var to = results.FindEnd(block, from);
            isEnd = to == from;
            await SendRowsAsync(block, from, to, queue);
            from = to;
        }
    }

    /// <param name="from">0-based first row</param>
    /// <param name="to">behind the last row that is sent; where that is none, the block is done</param>
    private async Task SendRowsAsync(RowBlock block, int from, int to, IBlockQueue queue)
    {
        if (to <= from)
        {
            // Nothing of it is worth sending, or to be sent, but what is before it comes first.
            await SettleAsync();
            await EndChunkIfDueAsync();
            Finish(block);
            return;
        }

        // A block that has lost rows ends early, and the counts do not add up.
        while (from < End())
        {
            var batch = Worker.Encode(block, from, End());
            if (await SettleAsync())
            {
                // The search has used the buffers.
                batch = Worker.Encode(block, from, End());
            }

            await EndChunkIfDueAsync();
            if (throttle is not null)
            {
                var bytes = block.OriginalsOf(from, batch.RowCount).Length;
                await throttle.WaitAsync(batch.RowCount, bytes, isBetweenChunks: !Worker.IsBegun, _stop);
            }

            await Worker.BeginAsync(block, _abort);
            if (Worker.Search.IsCautious)
            {
                await Worker.SearchAsync(block, from, End(), null, _stop, _abort);
                if (to >= block.RowCount)
                {
                    Finish(block);
                }

                return;
            }

            var isMoreToCome = from + batch.RowCount < End() || (to >= block.RowCount && IsNextWaiting(block, queue));
            await Worker.SendAsync(batch, block, from, isMoreToCome, _abort);
            from += batch.RowCount;
        }

        int End() => Math.Min(to, block.RowCount);
    }

    /// <summary>Whether the next block goes into the same transaction and is here already: a sender may keep the server waiting for it,
    /// which an input that says nothing for a while must not.</summary>
    private bool IsNextWaiting(RowBlock block, IBlockQueue queue) =>
        (!block.EndsChunk || isAtomic) && queue.TryPeek(out var next) && next.RowCount > 0;

    private Task<bool> SettleAsync() => SettleAsync(_stop);

    /// <summary>Takes the answer to the batch under way, if there is one; a refused batch is narrowed at once.</summary>
    /// <returns>whether it was</returns>
    private async Task<bool> SettleAsync(CancellationToken stop) =>
        await Worker.AnswerAsync() is { } answer && await SettleAsync(answer, stop);

    private async Task<bool> SettleAsync(BatchAnswer answer, CancellationToken stop)
    {
        var (block, refusal) = (answer.Block, answer.Outcome.Refusal);
        if (refusal is not null)
        {
            var isUnsent = refusal.Kind == RefusalKind.Unsent;
            if (!isUnsent)
            {
                results.LogNarrowed(block, answer.From, answer.To, refusal);
            }

            await Worker.SearchAsync(block, answer.From, answer.To, isUnsent ? null : refusal, stop, _abort);
        }
        else if (answer.Rows > 0)
        {
            await results.TakeAsync(block, answer.From, answer.Rows, answer.Outcome, stop);
            Worker.Search.Pass(answer.Rows);
        }

        if (answer.To == block.RowCount)
        {
            Finish(block);
        }

        return refusal is not null;
    }

    private void Finish(RowBlock block)
    {
        results.Finish(block);
        Worker.Entry.Add(block);
        _feed!.Finish(block);
    }

    /// <summary>A chunk that is complete is committed when the next batch is ready to go, or when none is there yet.</summary>
    private Task EndChunkIfDueAsync() => _isCommitDue ? EndChunkAsync() : Task.CompletedTask;

    private async Task EndChunkAsync()
    {
        _isCommitDue = false;
        await SettleAsync();
        if (!results.Open.IsEmpty || _isEnd)
        {
            results.Settle(_isEnd);
        }

        await CommitAsync();
    }

    /// <summary>Commits what was sent, with its row in the ledger; then it is the next chunk's turn.</summary>
    private async Task CommitAsync()
    {
        if (results.Open.IsEmpty)
        {
            _feed!.Release();
            return;
        }

        if (results.Open.Taken.Count > 0 || Worker.Entry.IsKept)
        {
            await results.WriteAsync(Worker, _abort);
            await EndTransactionAsync();
        }

        Keep();
    }

    private async Task EndTransactionAsync()
    {
        var session = Worker.Session;
        Worker.EndTransaction();
        try
        {
            await session.ExecuteAsync(isRolledBack ? TransactionSql.RollBack : TransactionSql.Commit, _abort);
        }
        catch (Exception fault) when (!session.IsUsable || fault is ServerException { Kind: FaultKind.SessionLost or FaultKind.Protocol })
        {
            _committed.IsInDoubt = !isRolledBack;
            throw;
        }
    }

    private void Keep()
    {
        results.Keep();
        Worker.Keep();
        _feed!.Release();
    }

    /// <summary>What the server took is in the table, though the job ends here: so it counts.</summary>
    private async Task KeepTakenAsync(Exception fault)
    {
        try
        {
            await SettleAsync(CancellationToken.None);
        }
        catch (Exception other) when (other is BulkLoadException or RefusedRecordException or OperationCanceledException)
        {
            // The first fault is the one to report.
        }

        if (!results.Open.IsEmpty)
        {
            results.Keep();
        }

        if (fault is ServerException)
        {
            results.ReportUnanswered(Worker);
        }
    }
}
