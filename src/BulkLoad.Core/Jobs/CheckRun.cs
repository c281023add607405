using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;

namespace BulkLoad.Core.Jobs;

/// <summary>A check that sends nothing. One pass judges all as long as keys rise, since then no two records share one. At the first block
/// where one does not, a pass over all records finds those that share a key, and one more judges the rest.</summary>
/// <remarks>Which records share a key is known only when all keys are sorted, and rejects come in the input's order. One pass would have to
/// store all rejects and merge them, to save one reading.</remarks>
/// <param name="job">all inputs can be read again</param>
/// <param name="watchesKeys">false: it is not tried with one pass</param>
internal sealed class CheckRun(
    PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs, int sortBytes = MemoryPlan.KeySortBytes,
    bool watchesKeys = true) : JobRun(job, services, rejects, repairs)
{
    private readonly int _sortBytes = MemoryPlan.ForSorting(job.Request, sortBytes);
    private readonly IReadOnlyList<ComparedKey> _keys = ComparedKey.Of(job.Facts);
    private readonly UndecidedTally _reasons = new();
    private RowJudge _judge = new(job.Facts, ComparedKey.Of(job.Facts));
    private ReadCounts _read = new(job.Sources.Count);

    /// <summary>Null: keys have risen so far.</summary>
    private KeyConflicts? _conflicts;
    private bool _readsTwice;

    /// <summary>Blocks are cut by the input alone, so they are the same in each pass.</summary>
    private long _judgedBlocks;

    /// <summary>Records and bytes of the passes that the progress is about.</summary>
    private long _seen;
    private long _bytesBefore;
    private long _accepted;
    private long _undecided;

    /// <summary>Counts of the pass that has judged the last records; of the one for keys before there are any.</summary>
    public override ReadCounts Read => _read;

    /// <summary>Null: only the server can find the rows that foreign keys refer to.</summary>
    public IRowReferences? References { private get; init; }

    private long Judged => _accepted + _undecided + Rejects.Count;

    public override Task RunAsync(IServerSession session, CancellationToken cancellationToken) => RunAsync(cancellationToken);

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            var keys = watchesKeys || _keys.Count == 0 ? new KeyWatch(_keys) : null;
            if (keys is null || !await JudgeAsync(keys, cancellationToken))
            {
                using var conflicts = _conflicts = await FindConflictsAsync(cancellationToken);
                await JudgeAsync(null, cancellationToken);
            }
        }
        catch (Exception fault) when (RunFaults.IsExplained(fault))
        {
            throw new RunFaults(Request, Rejects, new CommittedState(), Job.Facts.Table.DisplayName, Job.Sources.Count == 1).Explain(fault);
        }

        RequireAll(Judged, "judged");
        Services.Log.CheckComplete(_accepted, _undecided, Rejects.Count);
    }

    public override LoadReport Complete(LoadReport report) => report with
    {
        Counts = report.Counts with { Accepted = _accepted, Undecided = _undecided, NotCommitted = report.Counts.Read - Judged },
        UndecidedByReason = _reasons.Counts,
        Notes = [.. report.Notes.Select(note => note == PlanNotes.OfKeys(_keys, null) ? PlanNotes.OfKeys(_keys, _readsTwice) : note)],
    };

    private InputReader CreatePass() => new(Job.Sources, Job.Facts, Job.Decision.Sizes);

    private async Task<KeyConflicts> FindConflictsAsync(CancellationToken cancellationToken)
    {
        var pass = CreatePass();
        (_readsTwice, _seen) = (true, 0);
        _read = _judgedBlocks == 0 ? pass.Read : _read;
        using var collector = new KeyCollector(_keys, Request.TempFolder, _sortBytes);
        var held = _judgedBlocks > 0 ? "keys do not rise: reading them again" : null;
        await collector.AddAsync(pass.ReadAsync(cancellationToken), records => Report(pass, records, held));
        _bytesBefore = pass.Read.Bytes;
        return collector.FindConflicts();
    }

    /// <param name="keys">null: those that records share are known</param>
    /// <returns>false: a key of the next block does not rise</returns>
    private async Task<bool> JudgeAsync(KeyWatch? keys, CancellationToken cancellationToken)
    {
        var pass = CreatePass();
        var again = _judgedBlocks;
        _read = again == 0 ? pass.Read : _read;
        _judge = new(Job.Facts, _keys);
        try
        {
            await foreach (var block in pass.ReadAsync(cancellationToken))
            {
                if (keys?.Rises(block) == false)
                {
                    return false;
                }

                if (again > 0)
                {
                    JudgeAgain(block);
                    again--;
                }
                else
                {
                    _read = pass.Read;
                    Judge(block);
                    if (block.EndsChunk)
                    {
                        Rejects.Settle(Judged, block.EndsJob);
                    }

                    Rejects.Keep();
                    Repairs.Keep();
                    _judgedBlocks++;
                }

                Report(pass, block.RecordCount);
            }
        }
        catch (RefusedRecordException)
        {
            // There is nothing to roll back: what was found stays.
            Rejects.Keep();
            throw;
        }

        return true;
    }

    /// <summary>The result of these records counts already. Later ones may have their keys.</summary>
    private void JudgeAgain(RowBlock block)
    {
        for (var row = 0; row < block.RowCount; row++)
        {
            Decide(block, row, out _);
        }
    }

    private void Judge(RowBlock block)
    {
        var next = 0;
        for (var row = 0; row < block.RowCount; row++)
        {
            next = RefuseUpTo(block, next, block.Record(row));
            Judge(block, row);
        }

        RefuseRest(block, next);
    }

    private void Judge(RowBlock block, int row)
    {
        var reasons = Decide(block, row, out var reject);
        if (reject is not null)
        {
            Refuse(reject);
        }
        else if (reasons == UndecidedReasons.None)
        {
            _accepted++;
        }
        else
        {
            _undecided++;
            _reasons.Add(reasons);
        }
    }

    /// <param name="reject">null: it is not refused here</param>
    /// <returns>why only the server can tell</returns>
    private UndecidedReasons Decide(RowBlock block, int row, out Reject? reject)
    {
        reject = null;
        if (_conflicts?.Find(RecordId.Of(block.Source, block.Record(row))) is >= 0 and var taken)
        {
            if (_conflicts.Refuse())
            {
                // The refused record may still conflict with later ones.
                _judge.Judge(block, row);
            }

            var key = _keys[taken];
            var message = $"{key.Show(block, row)} is in an earlier record (key '{key.Name}')";
            reject = Reject(block, row, "duplicate-key", message, key.Column);
            return UndecidedReasons.None;
        }

        var isUnsureOfParent = false;
        if (References?.FindMissing(block, row, out isUnsureOfParent) is { } missing)
        {
            reject = Reject(block, row, "foreign-key", missing.Message, missing.Column);
            return UndecidedReasons.None;
        }

        var reasons = _judge.Judge(block, row) | (isUnsureOfParent ? UndecidedReasons.ForeignKey : UndecidedReasons.None) | (
            _conflicts is { IsUnsure: true } ? UndecidedReasons.KeyComparison : UndecidedReasons.None);
        _conflicts?.Take(isSure: reasons == UndecidedReasons.None);
        return reasons;
    }

    /// <summary>Where the input is read twice, each of these passes is half of the progress, which begins again with them.</summary>
    private void Report(InputReader pass, long records, string? held = null)
    {
        _seen += records;
        var passes = _readsTwice ? 2 : 1;
        Services.Progress?.Report(new LoadProgress((_bytesBefore + pass.Read.Bytes) / passes, TotalBytes, _seen / passes, 0, held));
    }
}

internal interface IRowReferences
{
    /// <param name="isUnsure">whether only the server can tell of one of the keys</param>
    /// <returns>the column, if the key has only one, and what is wrong, for people; null: no row is missing</returns>
    (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure);
}
