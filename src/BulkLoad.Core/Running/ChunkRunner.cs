using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Throttling;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Running;

/// <summary>
/// The sending side, once for every strategy: takes blocks, has them encoded and sent, checks each answer, has refused batches
/// narrowed, commits each chunk with its rejects. While the server works on a batch the next one is encoded. What is open when
/// anything goes wrong is rolled back.
/// </summary>
internal sealed class ChunkRunner : INarrowed
{
    private readonly IReadOnlyList<LoadSource> _sources;
    private readonly bool _isAtomic;
    private readonly bool _isRolledBack;
    private readonly RejectLog _rejects;
    private readonly RepairLog _repairs;
    private readonly MissingRows? _missing;
    private readonly RowLimit _limit;
    private readonly Committed _committed;
    private readonly Action<long> _onSent;
    private readonly ILogger _log;
    private readonly ChunkEntry _entry;
    private readonly Throttle? _throttle;

    private IServerSession _session;
    private IBatchSender _sender;
    private Narrowing _narrowing;
    private long _narrowedBefore;
    private BlockFeed? _feed;
    private Task<BatchOutcome>? _underWay;
    private bool _isBegun;
    private bool _isCommitDue;
    private bool _isEnd;
    private (RowBlock Block, int From, int Rows) _sent;
    private OpenChunk _open;

    /// <summary>Of the block that is being settled: rejects that are logged already, records whose fate is known.</summary>
    private int _logged;
    private long _settled;
    private (int Source, long Record) _last;
    private (int Source, long Record) _lastCommitted;

    /// <param name="session">carries the chunks; its senders are the only others that use it</param>
    /// <param name="sender">the strategy at work</param>
    /// <param name="narrower">takes refused batches apart; may be the same</param>
    /// <param name="sources">the inputs, by the numbers that blocks carry</param>
    /// <param name="isAtomic">whether everything is one chunk</param>
    /// <param name="isRolledBack">whether chunks end with a rollback where they would be committed</param>
    /// <param name="rejects">takes the rejects of reader, rules and server in the input's order</param>
    /// <param name="repairs">takes what was repaired</param>
    /// <param name="missing">knows what becomes of records that have no row; null: every record makes one</param>
    /// <param name="limit">of the rows that may be changed</param>
    /// <param name="committed">told of each commit; what is in it was so before</param>
    /// <param name="entry">writes each chunk down</param>
    /// <param name="throttle">asked before each batch; null: nothing keeps it</param>
    /// <param name="onSent">told the rows of each batch that was taken</param>
    /// <param name="log">told of commits and narrowed batches</param>
    public ChunkRunner(
        IServerSession session, IBatchSender sender, IBatchSender narrower, IReadOnlyList<LoadSource> sources, bool isAtomic, bool isRolledBack, RejectLog rejects, RepairLog repairs, MissingRows? missing, RowLimit limit, Committed committed, ChunkEntry entry, Throttle? throttle, Action<long> onSent, ILogger log)
    {
        (_session, _sender, _sources, _isAtomic, _isRolledBack) = (session, sender, sources, isAtomic, isRolledBack);
        (_rejects, _repairs, _missing, _limit, _committed, _entry, _throttle, _onSent, _log) = (rejects, repairs, missing, limit, committed, entry, throttle, onSent, log);
        _narrowing = new Narrowing(sender, narrower, this);
        if (committed.Last is { } last)
        {
            _last = _lastCommitted = (sources.Select(source => source.Look.Name).ToList().LastIndexOf(last.Source), last.Record);
        }
    }

    /// <summary>Batches that the server refused and that were taken apart.</summary>
    public long NarrowedBatches => _narrowedBefore + _narrowing.Batches;

    /// <summary>Where the next <see cref="RunAsync"/> has to go on.</summary>
    public Behind Behind => new(_lastCommitted.Source, _lastCommitted.Record, _rejects.Committed);

    /// <summary>Runs until the feed ends.</summary>
    /// <param name="feed">blocks in file order, from the first record on that is not committed; what it throws is thrown here after what is open was rolled back</param>
    /// <param name="stop">asked between batches: an orderly end</param>
    /// <param name="abort">ends what is under way by closing the session</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(BlockFeed feed, CancellationToken stop, CancellationToken abort)
    {
        _feed = feed;
        try
        {
            while (await (_throttle?.WaitToReadAsync(feed, stop) ?? feed.WaitToReadAsync(stop)))
            {
                while (feed.TryRead(out var block))
                {
                    stop.ThrowIfCancellationRequested();
                    var (endsChunk, endsJob) = (block.EndsChunk, block.EndsJob);
                    await SendAsync(block, feed, stop, abort);
                    _isEnd = endsJob;
                    _isCommitDue |= endsChunk && (endsJob || !_isAtomic);
                }

                await CommitIfDueAsync(stop, abort);
            }

            // The reading ends in the middle of a chunk where a reject is one too many, which the last block may hold behind rows.
            await SettleAsync(stop, abort);
        }
        catch
        {
            await RollBackAsync(abort);
            throw;
        }
    }

    /// <summary>
    /// After a fault: finds out what became of a chunk whose COMMIT was not answered, and makes ready for another
    /// <see cref="RunAsync"/> behind what is committed.
    /// </summary>
    /// <param name="session">the same one, or another where that is lost</param>
    /// <param name="sender">of that session</param>
    /// <param name="narrower">of that session</param>
    /// <param name="cancellationToken">closes the session</param>
    public async Task RecoverAsync(IServerSession session, IBatchSender sender, IBatchSender narrower, CancellationToken cancellationToken)
    {
        if (_committed.IsInDoubt)
        {
            if (await _entry.IsCommittedAsync(session, cancellationToken))
            {
                Keep();
            }

            _committed.IsInDoubt = false;
        }

        _narrowedBefore += _narrowing.Batches;
        (_session, _sender, _narrowing) = (session, sender, new Narrowing(sender, narrower, this));
        _rejects.Forget();
        _repairs.Forget();
        _missing?.Rewind();
        _entry.Clear();
        _open = default;
        (_isBegun, _isCommitDue, _isEnd, _logged, _settled, _last) = (false, false, false, 0, 0, _lastCommitted);
        _feed?.Rewind();
    }

    /// <summary>After a fault behind which nothing more is sent: what was found in the open chunk leaves the files.</summary>
    public void GiveUp()
    {
        try
        {
            EndRejects();
        }
        catch (RejectFileException fault)
        {
            _log.RejectsStay(fault.Message);
        }
    }

    ValueTask INarrowed.TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop) => TakeAsync(block, from, rows, outcome, stop);

    async ValueTask INarrowed.RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop)
    {
        if (!await RefuseAsync(block, row, refusal, stop))
        {
            Take(block, row, 1, new TakenRows { Superseded = 1 });
        }
    }

    private async Task SendAsync(RowBlock block, BlockFeed feed, CancellationToken stop, CancellationToken abort)
    {
        if (block.RowCount == 0 || _rejects.CannotTake(block.Rejects.Count))
        {
            // Nothing of it is worth sending, but what is before it comes first.
            await SettleAsync(stop, abort);
            await CommitIfDueAsync(stop, abort);
            Finish(block);
            return;
        }

        for (var from = 0; from < block.RowCount;)
        {
            var batch = _sender.Encode(block, from, block.RowCount - from);
            if (await SettleAsync(stop, abort))
            {
                // Narrowing has used the buffers.
                batch = _sender.Encode(block, from, block.RowCount - from);
            }

            await CommitIfDueAsync(stop, abort);
            if (_throttle is not null)
            {
                await _throttle.WaitAsync(batch.RowCount, block.OriginalsOf(from, batch.RowCount).Length, isBetweenChunks: !_isBegun, stop);
            }

            _isBegun = true;
            await _entry.BeginAsync(_session, block, abort);
            if (_narrowing.IsCautious)
            {
                await NarrowAsync(block, from, block.RowCount, null, stop, abort);
                return;
            }

            _sent = (block, from, batch.RowCount);
            var sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var isMoreToCome = from + batch.RowCount < block.RowCount || IsNextWaiting(block, feed);
            _underWay = _sender.SendAsync(batch, isMoreToCome, sent.SetResult, abort).AsTask();
            await Task.WhenAny(sent.Task, _underWay);
            _entry.Add(block);
            from += batch.RowCount;
        }
    }

    /// <summary>
    /// Whether the next block goes into the same transaction and is here already: a sender may keep the server waiting for it, which an
    /// input that says nothing for a while must not.
    /// </summary>
    private bool IsNextWaiting(RowBlock block, BlockFeed feed) =>
        (!block.EndsChunk || _isAtomic) && feed.TryPeek(out var next) && next.RowCount > 0;

    /// <summary>Takes the answer to the batch under way, if there is one; a refused batch is narrowed at once.</summary>
    /// <returns>whether it was</returns>
    private async Task<bool> SettleAsync(CancellationToken stop, CancellationToken abort)
    {
        if (_underWay is not { } underWay)
        {
            return false;
        }

        _underWay = null;
        var (block, from, rows) = _sent;
        var outcome = await underWay;
        if (outcome.Refusal is { } refusal)
        {
            await NarrowAsync(block, from, from + rows, refusal, stop, abort);
            return true;
        }

        await TakeAsync(block, from, rows, outcome, stop);
        FinishAt(block, from + rows);
        return false;
    }

    private async Task NarrowAsync(RowBlock block, int from, int to, BatchRefusal? refusal, CancellationToken stop, CancellationToken abort)
    {
        if (refusal is not null)
        {
            _log.BatchNarrowed(block.Line(from), block.Line(to - 1), _sources[block.Source].Look.Name, refusal.Message);
        }

        await _narrowing.SendAsync(block, from, to, refusal, stop, abort);
        FinishAt(block, to);
    }

    private async ValueTask TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop)
    {
        var (missing, refused) = (outcome.Missing, outcome.Refused);
        for (int nextMissing = 0, nextRefused = 0; nextMissing < missing.Count || nextRefused < refused.Count;)
        {
            if (nextRefused == refused.Count || (nextMissing < missing.Count && missing[nextMissing] < refused[nextRefused].Row))
            {
                await TakeMissingAsync(block, from + missing[nextMissing++], stop);
                continue;
            }

            var (row, refusal) = refused[nextRefused++];
            if (!await RefuseAsync(block, from + row, refusal, stop))
            {
                Count(new TakenRows { Superseded = 1 });
            }
        }

        Take(block, from, rows, outcome.Taken);
        _limit.Check(_committed.Taken.TouchedRows + _open.Taken.TouchedRows);
    }

    private async ValueTask TakeMissingAsync(RowBlock block, int row, CancellationToken stop)
    {
        if (await _missing!.IsSupersededAsync(block, row, stop))
        {
            Count(new TakenRows { Superseded = 1 });
        }
        else if (_missing.AreIgnored)
        {
            Count(new TakenRows { NotFound = 1 });
        }
        else
        {
            LogRejectsOf(block, before: block.Record(row));
            Log(_missing.Describe(block, row));
        }
    }

    /// <returns>whether it is a reject; else an earlier record has its key, and takes its place</returns>
    private async ValueTask<bool> RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop)
    {
        if (_missing is not null && await _missing.IsSupersededAsync(block, row, stop))
        {
            return false;
        }

        if (refusal.IsMiscount)
        {
            throw new ReconciliationException($"{_sources[block.Source].Look.Name}:{block.Line(row)}: counts do not add up: {refusal.Message}");
        }

        LogRejectsOf(block, before: block.Record(row));
        Log(ServerRejects.Of(_sources[block.Source], block, row, refusal));
        return true;
    }

    /// <summary>A record of a batch whose others are counted by themselves.</summary>
    private void Count(TakenRows taken)
    {
        _settled += taken.Count;
        _open.Add(taken);
    }

    private void Take(RowBlock block, int from, int rows, TakenRows taken)
    {
        _settled += taken.Count;
        _open.Add(_sources[block.Source].Look.Name, block.Record(from + rows - 1), taken);
        _onSent(rows);
    }

    private void FinishAt(RowBlock block, int row)
    {
        if (row == block.RowCount)
        {
            Finish(block);
        }
    }

    private void Finish(RowBlock block)
    {
        LogRejectsOf(block, long.MaxValue);
        foreach (var repair in block.Repairs)
        {
            _repairs.Add(repair);
        }

        Reconcile(block);
        (_logged, _settled) = (0, 0);
        _entry.Finish(block);
        _feed!.Finish(block);
    }

    /// <summary>The reader numbers records without gaps, so that the numbers tell whether one was lost on the way.</summary>
    private void Reconcile(RowBlock block)
    {
        if (block.RecordCount == 0)
        {
            return;
        }

        var before = _last.Source == block.Source ? _last.Record : 0;
        _last = (block.Source, block.LastRecord);
        if (_settled != block.LastRecord - before)
        {
            throw new ReconciliationException(
                $"{_sources[block.Source].Look.Name}: counts do not add up: {block.LastRecord - before} records were read after record {before}, and {_settled} were taken or rejected");
        }
    }

    /// <summary>Takes the reading side's rejects up to a record into the log, so that it is in the input's order.</summary>
    private void LogRejectsOf(RowBlock block, long before)
    {
        for (; _logged < block.Rejects.Count && block.Rejects[_logged].Record < before; _logged++)
        {
            Log(block.Rejects[_logged]);
        }
    }

    private void Log(Reject reject)
    {
        _settled++;
        _open.Add(reject.Source, reject.Record);
        if (_rejects.First.Count < RejectLog.MostKept)
        {
            _log.Rejected(reject.Describe(), reject.Code);
        }

        _rejects.Add(reject);
    }

    /// <summary>A chunk that is complete is committed when the next batch is ready to go, or when none is there yet.</summary>
    private Task CommitIfDueAsync(CancellationToken stop, CancellationToken abort) => _isCommitDue ? CommitAsync(stop, abort) : Task.CompletedTask;

    private async Task CommitAsync(CancellationToken stop, CancellationToken abort)
    {
        _isCommitDue = false;
        await SettleAsync(stop, abort);
        if (_open.IsEmpty)
        {
            _feed!.Release();
            return;
        }

        _rejects.Settle(_committed.Records + _rejects.Count + _open.Taken.Count, _isEnd);
        if (_isEnd)
        {
            _limit.CheckEnd(_committed.Taken.TouchedRows + _open.Taken.TouchedRows);
        }

        if (_open.Taken.Count > 0 || _entry.IsKept)
        {
            await _entry.EndAsync(_session, _open, _rejects, _repairs, abort);
            await CommitAsync(abort);
        }

        Keep();
    }

    /// <summary>The open chunk is committed.</summary>
    private void Keep()
    {
        _rejects.Keep();
        _repairs.Keep();
        _committed.Add(_open);
        _log.ChunkCommitted(_committed.Chunks, _committed.Records);
        (_open, _isBegun) = (default, false);
        _lastCommitted = _last;
        _entry.Clear();
        _feed!.Release();
    }

    private async Task CommitAsync(CancellationToken abort)
    {
        try
        {
            await _session.ExecuteAsync(_isRolledBack ? TransactionSql.RollBack : TransactionSql.Commit, abort);
        }
        catch (Exception fault) when (!_session.IsUsable || fault is ServerException { Kind: FaultKind.SessionLost or FaultKind.Protocol })
        {
            _committed.IsInDoubt = !_isRolledBack;
            throw;
        }
    }

    /// <summary>Best effort, and silent, since the first fault is the one to tell: where the session is broken the server rolls back by itself.</summary>
    private async Task RollBackAsync(CancellationToken abort)
    {
        if (_underWay is { } underWay)
        {
            _underWay = null;
            await ((Task)underWay).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (_session.IsUsable)
        {
            await SendRollBackAsync(abort).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>What a check found stays found. What belongs to a chunk in doubt stays in the files, which the next start cuts back.</summary>
    private void EndRejects()
    {
        if (_isRolledBack)
        {
            _rejects.Keep();
            _repairs.Keep();
        }
        else if (!_committed.IsInDoubt || !_entry.IsKept)
        {
            _rejects.Drop();
        }
    }

    private async Task SendRollBackAsync(CancellationToken abort)
    {
        try
        {
            await _session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
        catch (ServerException) when (_session.IsUsable)
        {
            // A load that was announced failed in its place.
            await _session.ExecuteAsync(TransactionSql.RollBack, abort);
        }
    }
}
