using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>The sending side of a run: lets each chunk send in the input's order. On any fault, rolls back what is open.</summary>
internal sealed class ChunkLoader(ChunkRules rules, ILogger log)
{
    private readonly ChunkResults _results = rules.Results;
    private readonly CommittedState _committed = rules.Results.Committed;

    /// <summary>The workers that have sent chunks; the last one has the current chunk.</summary>
    private readonly List<Worker> _workers = [];
    private ChunkSender? _current;
    private ReplayQueue? _feed;

    public ResumePoint ResumeAt => _results.ResumeAt;

    /// <summary>Records that the server has got of the chunk that has met the last fault; 0: the fault is not one of a chunk.</summary>
    public long FaultyRecords { get; private set; }

    /// <summary>Runs until the feed ends.</summary>
    /// <param name="scheduler">gives chunks to sessions; stays the caller's</param>
    /// <param name="feed">blocks in file order, from the first uncommitted record on; its fault is thrown here after what is open was
    /// rolled back</param>
    /// <exception cref="RefusedRecordException">one reject too many</exception>
    public async Task RunAsync(ChunkScheduler scheduler, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        (_feed, _current, FaultyRecords) = (feed, null, 0);
        try
        {
            await foreach (var sender in scheduler.Start(feed, stop, abort))
            {
                _current = sender;
                _workers.Remove(sender.Worker);
                _workers.Add(sender.Worker);
                await sender.CompleteAsync();
                scheduler.Free(sender);
            }
        }
        catch (Exception fault)
        {
            if (!rules.Undoes && _current is not null)
            {
                await _current.KeepTakenAsync(fault);
            }

            FaultyRecords = _current?.OpenRecords ?? 0;
            _workers.ForEach(_results.ReportCommitted);
            await scheduler.RollBackAsync();
            throw;
        }
    }

    /// <summary>Called before the sessions are renewed after a fault: another one is not about the chunk.</summary>
    public void BeginRecovery() => FaultyRecords = 0;

    /// <summary>After a fault: finds out which commits the server has, also of a chunk whose COMMIT was not answered, and prepares another
    /// run behind them.</summary>
    /// <param name="check">asks the ledger; null: there is none</param>
    /// <returns><see cref="LedgerState.Other"/>: the inputs must be read from their beginning, and the records of the ledger are
    /// skipped</returns>
    public async Task<LedgerState> RecoverAsync(IServerSession session, CommitCheck? check, CancellationToken cancellationToken)
    {
        var state = LedgerState.Same;
        if (check is not null)
        {
            var open = _committed.IsInDoubt ? _current!.Worker.Entry.Written : null;
            state = await check.CompareAsync(session, open, _results, cancellationToken);
            if (state == LedgerState.SameWithOpen)
            {
                _current!.Keep();
            }
        }

        _committed.IsInDoubt = false;
        _results.Rewind();
        _feed?.Rewind();
        return state;
    }

    /// <summary>After the last fault: removes findings of the open chunk from the files. Findings of a check stay; those of a chunk in
    /// doubt stay in the files, which the next start cuts back; so do rejects that are too many, marked as not committed.</summary>
    public void GiveUp(Exception fault)
    {
        try
        {
            if (rules.IsRolledBack || !_committed.IsInDoubt || !_current!.Worker.Entry.IsKept)
            {
                _results.End(areKept: rules.IsRolledBack, areLeft: RunFaults.IsOfRejects(fault));
            }
        }
        catch (RejectFileException file)
        {
            if (fault is not RejectFileException)
            {
                log.RejectsStay(file.Message);
            }
        }
    }
}
