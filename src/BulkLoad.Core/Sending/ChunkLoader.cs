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

/// <summary>
/// The sending side, once for every strategy: takes blocks, has them encoded and sent, checks each answer, has refused batches
/// narrowed, commits each chunk with its rejects. While the server works on a batch the next one is encoded. What is open when
/// anything goes wrong is rolled back.
/// </summary>
/// <param name="isAtomic">whether everything is one chunk</param>
/// <param name="isRolledBack">whether chunks end with a rollback where they would be committed</param>
/// <param name="undoes">whether a rollback undoes anything; else what was taken stays, whatever goes wrong</param>
/// <param name="throttle">asked before each batch; null: nothing keeps it</param>
/// <param name="log">told of rejects that stay</param>
internal sealed class ChunkLoader(ChunkResults results, bool isAtomic, bool isRolledBack, bool undoes, Throttle? throttle, ILogger log)
{
    /// <summary>How long an open statement waits for an input that says nothing: it locks the table, and what it took is not known before
    /// its end.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly CommittedState _committed = results.Committed;
    private readonly List<Worker> _workers = [];
    private ReplayQueue? _feed;
    private bool _isCommitDue;
    private bool _isSourceEnd;
    private bool _isEnd;
    private volatile bool _isEnding;

    /// <summary>Batches that the server refused and that were taken apart.</summary>
    public long NarrowedBatches => _workers.Sum(worker => worker.Search.Batches);

    /// <summary>Where the next run has to go on.</summary>
    public ResumePoint Behind => results.Behind;

    /// <summary>Whether a statement that carries many batches comes to its end, which may take long, and would be all in vain.</summary>
    public bool IsEnding => _isEnding;

    private Worker Worker => _workers[^1];

    /// <summary>Runs until the feed ends.</summary>
    /// <param name="worker">carries the chunks; owned from here on</param>
    /// <param name="feed">blocks in file order, from the first record on that is not committed; what it throws is thrown here after what is
    /// open was rolled back</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(Worker worker, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        _workers.Add(worker);
        _feed = feed;
        try
        {
            await SendAllAsync(feed, stop, abort);
        }
        catch
        {
            if (!undoes)
            {
                await KeepTakenAsync(abort);
            }

            results.ReportCommitted(worker);
            await worker.RollBackAsync(abort);
            throw;
        }
    }

    /// <summary>Runs until the feed ends, with chunks on several sessions at a time. They are taken up and committed in the input's
    /// order.</summary>
    /// <param name="team">hands the chunks out; stays the caller's</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(ChunkScheduler team, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        _feed = feed;
        try
        {
            await foreach (var chunk in team.Start(feed, stop, abort))
            {
                await TakeOverAsync(chunk, stop, abort);
                team.Free(chunk);
            }
        }
        catch
        {
            _workers.ForEach(results.ReportCommitted);
            await team.RollBackAsync(abort);
            throw;
        }
    }

    /// <summary>
    /// After a fault: finds out what the server has of what was committed, and of a chunk whose COMMIT was not answered, and makes ready
    /// for another run behind that.
    /// </summary>
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
        (_isCommitDue, _isSourceEnd, _isEnd) = (false, false, false);
        _feed?.Rewind();
        return state;
    }

    /// <summary>
    /// After a fault behind which nothing more is sent: what was found in the open chunk leaves the files. What a check found stays found;
    /// what belongs to a chunk in doubt stays in the files, which the next start cuts back; so do rejects that are too many, marked as not
    /// committed.
    /// </summary>
    public void GiveUp(Exception fault)
    {
        try
        {
            if (isRolledBack || !_committed.IsInDoubt || !Worker.Entry.IsKept)
            {
                results.End(areKept: isRolledBack, areLeft: RunFaults.IsOfRejects(fault));
            }
        }
        catch (RejectFileException file)
        {
            log.RejectsStay(file.Message);
        }
    }

    /// <summary>It is the chunk's turn: what its session was told is accounted for, what is left is sent.</summary>
    private async Task TakeOverAsync(InFlightChunk chunk, CancellationToken stop, CancellationToken abort)
    {
        _workers.Remove(chunk.Worker);
        _workers.Add(chunk.Worker);
        await chunk.SentAsync();
        foreach (var answer in chunk.Answers)
        {
            await SettleAsync(answer, stop, abort);
        }

        if (chunk.Refused is { } refused)
        {
            await SettleAsync(refused, stop, abort);
        }

        if (chunk.Rest is var (block, from))
        {
            await SendAsync(block, from, chunk, stop, abort);
        }

        await SendAllAsync(chunk, stop, abort);
        if (chunk.IsWhole)
        {
            _isEnd = chunk.EndsJob;
            await CommitAsync(stop, abort);
        }
    }

    private async Task SendAllAsync(IBlockQueue queue, CancellationToken stop, CancellationToken abort)
    {
        while (await WaitToReadAsync(queue, stop, abort))
        {
            while (queue.TryRead(out var block))
            {
                stop.ThrowIfCancellationRequested();
                var (endsChunk, endsSource, endsJob) = (block.EndsChunk, block.EndsSource, block.EndsJob);
                await SendAsync(block, 0, queue, stop, abort);
                (_isSourceEnd, _isEnd) = (endsSource, endsJob);
                _isCommitDue |= endsChunk && (endsJob || !isAtomic);
            }

            await CommitIfDueAsync(stop, abort);
        }

        // The reading ends in the middle of a chunk where a reject is one too many, which the last block may hold behind rows.
        await SettleAsync(stop, abort);
    }

    /// <summary>Waits for the next block; where none comes for a while, what is open is ended and committed.</summary>
    private async ValueTask<bool> WaitToReadAsync(IBlockQueue queue, CancellationToken stop, CancellationToken abort)
    {
        if (!Worker.IsOpen || queue.TryPeek(out _))
        {
            return await (throttle?.WaitToReadAsync(queue, stop) ?? queue.WaitToReadAsync(stop));
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(stop);
        patience.CancelAfter(Patience);
        try
        {
            return await queue.WaitToReadAsync(patience.Token);
        }
        catch (OperationCanceledException) when (!stop.IsCancellationRequested)
        {
            // Not judged: where that is done depends on the input alone.
            await SettleAsync(stop, abort);
            await EndAsync(abort);
            await KeepAsync(abort);
            return await queue.WaitToReadAsync(stop);
        }
    }

    private async Task SendAsync(RowBlock block, int from, IBlockQueue queue, CancellationToken stop, CancellationToken abort)
    {
        if (undoes || block.Rejects.Count == 0)
        {
            if (results.WouldStop(block.Rejects.Count))
            {
                await SettleAsync(stop, abort);
                await CommitIfDueAsync(stop, abort);
                results.Foresee(block);
            }

            await SendAsync(block, from, undoes && results.CannotTake(block.Rejects.Count) ? 0 : block.RowCount, queue, stop, abort);
            return;
        }

        // What was sent stays. So nothing is that stands behind a reject too many, and what the server has refused before it counts first.
        for (var isEnd = false; !isEnd; isEnd = from >= block.RowCount)
        {
            await SettleAsync(stop, abort);
            var to = results.FindEnd(block, from);
            isEnd = to == from;
            await SendAsync(block, from, to, queue, stop, abort);
            from = to;
        }
    }

    /// <param name="from">0-based first row</param>
    /// <param name="to">behind the last row that is sent; where that is none, the block is done</param>
    private async Task SendAsync(RowBlock block, int from, int to, IBlockQueue queue, CancellationToken stop, CancellationToken abort)
    {
        if (to <= from)
        {
            // Nothing of it is worth sending, or to be sent, but what is before it comes first.
            await SettleAsync(stop, abort);
            await CommitIfDueAsync(stop, abort);
            Finish(block);
            return;
        }

        while (from < End())
        {
            var batch = Worker.Encode(block, from, End());
            if (await SettleAsync(stop, abort))
            {
                // The search has used the buffers.
                batch = Worker.Encode(block, from, End());
            }

            await CommitIfDueAsync(stop, abort);
            if (throttle is not null)
            {
                await throttle.WaitAsync(
                    batch.RowCount, block.OriginalsOf(from, batch.RowCount).Length, isBetweenChunks: !Worker.IsBegun, stop);
            }

            await Worker.BeginAsync(block, abort);
            if (Worker.Search.IsCautious)
            {
                await Worker.Search.SendAsync(block, from, End(), null, stop, abort);
                if (to >= block.RowCount)
                {
                    Finish(block);
                }

                return;
            }

            var isMoreToCome = from + batch.RowCount < End() || (to >= block.RowCount && IsNextWaiting(block, queue));
            await Worker.SendAsync(batch, block, from, isMoreToCome, abort);
            from += batch.RowCount;
        }

        int End() => Math.Min(to, block.RowCount);
    }

    /// <summary>
    /// Whether the next block goes into the same transaction and is here already: a sender may keep the server waiting for it, which an
    /// input that says nothing for a while must not.
    /// </summary>
    private bool IsNextWaiting(RowBlock block, IBlockQueue queue) =>
        (!block.EndsChunk || isAtomic) && queue.TryPeek(out var next) && next.RowCount > 0;

    /// <summary>Takes the answer to the batch under way, if there is one; a refused batch is narrowed at once.</summary>
    /// <returns>whether it was</returns>
    private async Task<bool> SettleAsync(CancellationToken stop, CancellationToken abort) =>
        await Worker.AnswerAsync() is { } answer && await SettleAsync(answer, stop, abort);

    private async Task<bool> SettleAsync(BatchAnswer answer, CancellationToken stop, CancellationToken abort)
    {
        var block = answer.Block;
        var refusal = answer.Outcome.Refusal;
        if (answer.Rows == 0)
        {
            // There was nothing to send.
        }
        else if (refusal is null)
        {
            await results.TakeAsync(block, answer.From, answer.Rows, answer.Outcome, stop);
            Worker.Search.Pass(answer.Rows);
        }
        else if (refusal.Kind == RefusalKind.Unsent)
        {
            await Worker.Search.SendAsync(block, answer.From, answer.To, null, stop, abort);
        }
        else
        {
            results.LogNarrowed(block, answer.From, answer.To, refusal);
            await Worker.Search.SendAsync(block, answer.From, answer.To, refusal, stop, abort);
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
    private Task CommitIfDueAsync(CancellationToken stop, CancellationToken abort) =>
        _isCommitDue ? CommitAsync(stop, abort) : Task.CompletedTask;

    private async Task CommitAsync(CancellationToken stop, CancellationToken abort)
    {
        _isCommitDue = false;
        await SettleAsync(stop, abort);
        if (Worker.SpansChunks && !_isSourceEnd)
        {
            // What is open goes on; the rejects so far are judged all the same.
            results.Settle(isEnd: false);
            return;
        }

        await EndAsync(abort);
        if (!results.Open.IsEmpty || _isEnd)
        {
            results.Settle(_isEnd);
        }

        await KeepAsync(abort);
    }

    /// <summary>What was sent is committed, and the next chunk's turn.</summary>
    private async Task KeepAsync(CancellationToken abort)
    {
        if (results.Open.IsEmpty)
        {
            _feed!.Release();
            return;
        }

        if (results.Open.Taken.Count > 0 || Worker.Entry.IsKept)
        {
            await results.WriteAsync(Worker, abort);
            await CommitAsync(abort);
        }

        Keep();
    }

    /// <summary>What the server took is in the table, though the job ends here: so it counts.</summary>
    private async Task KeepTakenAsync(CancellationToken abort)
    {
        try
        {
            await SettleAsync(CancellationToken.None, abort);
        }
        catch (Exception fault) when (fault is BulkLoadException or RefusedRecordException or OperationCanceledException)
        {
            // The first fault is the one to tell.
        }

        if (results.Open.IsEmpty)
        {
            return;
        }

        if (await IsTakenAsync(abort))
        {
            results.Keep();
        }
        else
        {
            _committed.Unknown = results.Open.Last;
        }
    }

    /// <summary>Whether it is known of all that was sent that the server took it.</summary>
    private async Task<bool> IsTakenAsync(CancellationToken abort)
    {
        try
        {
            await EndAsync(abort);
            return true;
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            return false;
        }
    }

    private async ValueTask EndAsync(CancellationToken abort)
    {
        _isEnding = Worker.IsOpen;
        try
        {
            await Worker.EndAsync(abort);
        }
        finally
        {
            _isEnding = false;
        }
    }

    private void Keep()
    {
        results.Keep();
        Worker.Clear();
        _feed!.Release();
    }

    private async Task CommitAsync(CancellationToken abort)
    {
        var session = Worker.Session;
        Worker.EndTransaction();
        try
        {
            await session.ExecuteAsync(isRolledBack ? TransactionSql.RollBack : TransactionSql.Commit, abort);
        }
        catch (Exception fault) when (!session.IsUsable || fault is ServerException { Kind: FaultKind.SessionLost or FaultKind.Protocol })
        {
            _committed.IsInDoubt = !isRolledBack;
            throw;
        }
    }
}
