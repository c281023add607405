using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>The sending side of a run: gives each chunk its turn, in the input's order. What is open when anything goes wrong is rolled
/// back.</summary>
internal sealed class ChunkLoader(ChunkRules rules, ILogger log)
{
    private readonly ChunkResults _results = rules.Results;
    private readonly CommittedState _committed = rules.Results.Committed;

    /// <summary>The workers that have sent chunks; the last one has the current chunk.</summary>
    private readonly List<Worker> _workers = [];
    private ChunkSender? _current;
    private ReplayQueue? _feed;

    /// <summary>Where the next run has to go on.</summary>
    public ResumePoint Behind => _results.Behind;

    /// <summary>Runs until the feed ends.</summary>
    /// <param name="scheduler">hands the chunks out; stays the caller's</param>
    /// <param name="feed">blocks in file order, from the first record on that is not committed; what it throws is thrown here after what is
    /// open was rolled back</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(ChunkScheduler scheduler, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        (_feed, _current) = (feed, null);
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

            _workers.ForEach(_results.ReportCommitted);
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

    /// <summary>After a fault behind which nothing more is sent: what was found in the open chunk leaves the files. What a check found
    /// stays found; what belongs to a chunk in doubt stays in the files, which the next start cuts back; so do rejects that are too many,
    /// marked as not committed.</summary>
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
