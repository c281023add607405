using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;

namespace BulkLoad.Core.Jobs;

/// <summary>A check that sends nothing. Where rows can conflict in a key, a first pass finds those; a second judges all.</summary>
/// <remarks>Which records share a key is known only when all keys are sorted, and rejects come in the input's order. One pass would have to
/// store all rejects and merge them, to save one reading.</remarks>
/// <param name="job">all inputs can be read again</param>
internal sealed class CheckRun(
    PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs, int sortBytes = MemoryPlan.KeySortBytes)
    : JobRun(job, services, rejects, repairs)
{
    private readonly int _sortBytes = MemoryPlan.ForSorting(job.Request, sortBytes);
    private readonly IReadOnlyList<ComparedKey> _keys = ComparedKey.Of(job.Facts);
    private readonly RowJudge _judge = new(job.Facts, ComparedKey.Of(job.Facts));
    private readonly UndecidedTally _reasons = new();
    private readonly InputReader _keyPass = new(job.Sources, job.Facts, job.Decision.Sizes);
    private readonly InputReader _judgingPass = new(job.Sources, job.Facts, job.Decision.Sizes);

    /// <summary>Null: no rows can conflict.</summary>
    private KeyConflicts? _conflicts;
    private bool _isJudging;
    private long _seen;
    private long _accepted;
    private long _undecided;

    /// <summary>Counts of the pass that judges; of the first pass before that begins.</summary>
    public override ReadCounts Read => _isJudging ? _judgingPass.Read : _keyPass.Read;

    /// <summary>Null: only the server can find the rows that foreign keys refer to.</summary>
    public IRowReferences? References { private get; init; }

    private int Passes => _keys.Count > 0 ? 2 : 1;

    private long Judged => _accepted + _undecided + Rejects.Count;

    public override Task RunAsync(IServerSession session, CancellationToken cancellationToken) => RunAsync(cancellationToken);

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            using var conflicts = _conflicts = _keys.Count > 0 ? await FindConflictsAsync(cancellationToken) : null;
            _isJudging = true;
            await JudgeAsync(cancellationToken);
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
    };

    private async Task<KeyConflicts> FindConflictsAsync(CancellationToken cancellationToken)
    {
        using var collector = new KeyCollector(_keys, Request.TempFolder, _sortBytes);
        await collector.AddAsync(_keyPass.ReadAsync(cancellationToken), Report);
        return collector.FindConflicts();
    }

    private async Task JudgeAsync(CancellationToken cancellationToken)
    {
        try
        {
            await foreach (var block in _judgingPass.ReadAsync(cancellationToken))
            {
                Judge(block);
                if (block.EndsChunk)
                {
                    Rejects.Settle(Judged, block.EndsJob);
                }

                Rejects.Keep();
                Repairs.Keep();
                Report(block.RecordCount);
            }
        }
        catch (RefusedRecordException)
        {
            // There is nothing to roll back: what was found stays.
            Rejects.Keep();
            throw;
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
        if (_conflicts?.Find(RecordId.Of(block.Source, block.Record(row))) is >= 0 and var taken)
        {
            if (_conflicts.Refuse())
            {
                // The refused record may still conflict with later ones.
                _judge.Judge(block, row);
            }

            var key = _keys[taken];
            var message = $"{key.Show(block, row)} is in an earlier record (key '{key.Name}')";
            Refuse(Reject(block, row, "duplicate-key", message, key.Column));
            return;
        }

        var isUnsureOfParent = false;
        if (References?.FindMissing(block, row, out isUnsureOfParent) is { } missing)
        {
            Refuse(Reject(block, row, "foreign-key", missing.Message, missing.Column));
            return;
        }

        var reasons = _judge.Judge(block, row) | (isUnsureOfParent ? UndecidedReasons.ForeignKey : UndecidedReasons.None) | (
            _conflicts is { IsUnsure: true } ? UndecidedReasons.KeyComparison : UndecidedReasons.None);
        _conflicts?.Take(isSure: reasons == UndecidedReasons.None);
        if (reasons == UndecidedReasons.None)
        {
            _accepted++;
            return;
        }

        _undecided++;
        _reasons.Add(reasons);
    }

    /// <summary>Where there are two passes, each is half of the progress.</summary>
    private void Report(long records)
    {
        _seen += records;
        var bytes = (_keyPass.Read.Bytes + Read.Bytes) / Passes;
        Services.Progress?.Report(new LoadProgress(bytes, TotalBytes, _seen / Passes, 0));
    }
}

internal interface IRowReferences
{
    /// <param name="isUnsure">whether only the server can tell of one of the keys</param>
    /// <returns>the column, if the key has only one, and what is wrong, for people; null: no row is missing</returns>
    (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure);
}
