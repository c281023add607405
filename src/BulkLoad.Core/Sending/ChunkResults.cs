using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Sending;

/// <summary>The outcome of each record of the open chunk, and of those before it, in the input's order: the rejects of reader, rules and
/// server, and the counts, whose sum must be the number of records read.</summary>
internal sealed class ChunkResults : INarrowed
{
    private readonly IReadOnlyList<LoadSource> _sources;
    private readonly RejectLog _rejects;
    private readonly RepairLog _repairs;
    private readonly CommittedState _committed;
    private readonly RowLimit _limit;
    private readonly ILogger _log;
    private OpenChunk _open;

    /// <summary>Of the current block: number of logged rejects, and of records whose outcome is known.</summary>
    private int _logged;
    private long _settled;
    private (int Source, long Record) _last;
    private (int Source, long Record) _lastCommitted;

    /// <param name="committed">gets what is committed; may have earlier commits</param>
    public ChunkResults(
        IReadOnlyList<LoadSource> sources, RejectLog rejects, RepairLog repairs, CommittedState committed, RowLimit limit, ILogger log)
    {
        (_sources, _rejects, _repairs, _committed, _limit, _log) = (sources, rejects, repairs, committed, limit, log);
        if (committed.Last is { } last)
        {
            _last = _lastCommitted = (
                IsSorted ? 0 : sources.Select(source => source.Look.Name).ToList().LastIndexOf(last.Source), last.Record);
        }
    }

    /// <summary>Decides about records that have no row; null: every record makes one.</summary>
    public MissingRows? Missing { private get; init; }

    /// <summary>Gets the number of rows that were sent and settled.</summary>
    public Action<long> OnSent { private get; init; } = static _ => { };

    /// <summary>Number of the inputs' records, if all were read and sorted before the first was sent; else null.</summary>
    public Func<long>? AllRead { private get; init; }

    /// <summary>Takes the ids of rows; null: nobody asks for them.</summary>
    public IdLog? Ids { private get; init; }

    /// <summary>Whose names the server's refusals get; null: they have the right ones.</summary>
    public KnownTable? Known { private get; init; }

    public CommittedState Committed => _committed;

    /// <summary>Up to where everything is committed.</summary>
    public ResumePoint ResumeAt => new(_lastCommitted.Source, _lastCommitted.Record, _rejects.Committed);

    public OpenChunk Open => _open;

    public bool WouldStop(int rejects) => _rejects.WouldStop(rejects);

    /// <summary>Announces which rejects those are, when all before them is settled.</summary>
    public void Foresee(RowBlock block) => _rejects.Watch?.OnBlock(block.Rejects);

    /// <summary>Whether so many rejects of the reading side would exceed the limit.</summary>
    public bool CannotTake(int rejects) => _rejects.CannotTake(rejects);

    /// <summary>Up to where rows of a block can be sent for good: to the reject of the reading side that exceeds the limit, or may exceed
    /// it if the server refuses the rows before it. The outcome of those before <paramref name="from"/> is known.</summary>
    /// <returns>the row behind that reject, <paramref name="from"/> if it exceeds the limit; all rows if there is none</returns>
    public int FindEnd(RowBlock block, int from)
    {
        var row = from;
        for (var reject = _logged; reject < block.Rejects.Count; reject++)
        {
            while (row < block.RowCount && block.Record(row) < block.Rejects[reject].Place.Record)
            {
                row++;
            }

            if (CannotTake(reject + 1 - _logged + row - from))
            {
                return row;
            }
        }

        return block.RowCount;
    }

    /// <summary>The server accepted these rows, or gave the outcome of each of them.</summary>
    /// <exception cref="RefusedRecordException">one reject too many</exception>
    public async ValueTask TakeAsync(RowBlock block, int from, int rows, BatchOutcome outcome, CancellationToken stop)
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
            if (!await TryRefuseAsync(block, from + row, refusal, stop))
            {
                Count(new RowCounts { Superseded = 1 });
            }
        }

        Take(block, from, rows, outcome.Taken);
        AddIds(block, from, outcome.Ids);
        _limit.Check(_committed.Taken.TouchedRows + _open.Taken.TouchedRows);
    }

    public async ValueTask RefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop)
    {
        if (_rejects.Watch?.IsIgnoredAsync is { } isIgnored && await isIgnored(block, row, refusal.Message, stop))
        {
            Take(block, row, 1, new RowCounts(0, Ignored: 1));
        }
        else if (!await TryRefuseAsync(block, row, refusal, stop))
        {
            Take(block, row, 1, new RowCounts { Superseded = 1 });
        }
    }

    public void LogNarrowed(RowBlock block, int from, int to, BatchRefusal refusal) =>
        _log.BatchNarrowed(block.Line(from), block.Line(to - 1), _sources[block.Origin(from).Source].Look.Name, Reword(refusal).Message);

    /// <summary>Called when the outcome of each of a block's rows is known; adds the reading side's findings.</summary>
    /// <exception cref="ReconciliationException">a record was lost on the way</exception>
    public void Finish(RowBlock block)
    {
        LogRejectsOf(block, long.MaxValue);
        foreach (var repair in block.Repairs)
        {
            _repairs.Add(repair);
        }

        Reconcile(block);
        (_logged, _settled) = (0, 0);
        if (block.EndsSource && (block.RecordCount > 0 || _last.Source == block.Source))
        {
            _committed.EndSource(block.Source, _last.Record);
        }
    }

    /// <summary>Called before the chunk is committed.</summary>
    /// <param name="isEnd">whether it is the last chunk</param>
    /// <exception cref="RefusedRecordException">the share of rejects is too large</exception>
    public void Settle(bool isEnd)
    {
        _rejects.Settle(AllRead?.Invoke() ?? _committed.Records + _rejects.Count + _open.Taken.Count, isEnd);
        if (isEnd)
        {
            _limit.CheckEnd(_committed.Taken.TouchedRows + _open.Taken.TouchedRows);
        }
    }

    /// <summary>Writes the chunk's row in the ledger, if there is one.</summary>
    public ValueTask WriteAsync(Worker worker, CancellationToken abort) =>
        worker.Entry.EndAsync(worker.Session, _open, _rejects, _repairs, abort);

    /// <summary>Called when the open chunk is committed.</summary>
    public void Keep()
    {
        _rejects.Keep();
        _repairs.Keep();
        Ids?.Keep();
        _committed.Add(_open);
        _log.ChunkCommitted(_committed.Chunks, _committed.Records);
        _open = default;
        _lastCommitted = _last;
    }

    /// <summary>Called when the open chunk was rolled back and will be sent again.</summary>
    public void Rewind()
    {
        _rejects.Forget();
        _repairs.Forget();
        Ids?.Forget();
        Missing?.Rewind();
        _open = default;
        (_logged, _settled, _last) = (0, 0, _lastCommitted);
    }

    /// <summary>Reports how far a session may have committed with autocommit.</summary>
    public void ReportCommitted(Worker worker) =>
        ReportUnknown(worker.CommittedByItself, "the session has committed each statement by itself");

    /// <summary>Reports how far an unfinished statement may have inserted, on an engine that cannot roll back.</summary>
    public void ReportUnanswered(Worker worker) =>
        ReportUnknown(worker.Unanswered, "the statement that carried them did not come to its end");

    /// <param name="last">number of the input, and the last record there; null: all is known</param>
    private void ReportUnknown((int Source, long Record)? last, string reason)
    {
        if (last is var (source, record))
        {
            _committed.Unknown = (_sources[source].Look.Name, record, reason);
        }
    }

    /// <summary>Exactly these chunks are committed: later findings will be found again. No chunk is open.</summary>
    public void GoBack(ChunkList chunks)
    {
        var areEarlier = _committed.AreEarlier(chunks);
        _committed.GoBack(chunks, [.. _sources.Select(source => source.Look.Name)]);
        _rejects.GoBack(chunks.Rejects, chunks.Last?.Findings ?? default, areEarlier);
        _repairs.GoBack(chunks.Repairs);
        _last = _lastCommitted = chunks.Last is { } last ? (IsSorted ? 0 : last.LastSource, last.LastRecord) : default;
    }

    /// <summary>Called when nothing more is sent.</summary>
    /// <param name="areKept">whether findings of the open chunk stay found, as those of a check do</param>
    /// <param name="areLeft">whether its rejects, which exceed the limit, stay in the files as not committed; otherwise they are
    /// removed</param>
    public void End(bool areKept, bool areLeft)
    {
        if (areKept)
        {
            _rejects.Keep();
            _repairs.Keep();
        }
        else if (areLeft)
        {
            _rejects.Leave();
        }
        else
        {
            _rejects.Drop();
        }
    }

    private async ValueTask TakeMissingAsync(RowBlock block, int row, CancellationToken stop)
    {
        if (await Missing!.IsSupersededAsync(block, row, stop))
        {
            Count(new RowCounts { Superseded = 1 });
        }
        else if (Missing.AreIgnored)
        {
            Count(new RowCounts { NotFound = 1 });
        }
        else
        {
            LogRejectsOf(block, before: block.Record(row));
            Log(Missing.Describe(block, row), block.Source);
        }
    }

    /// <returns>whether it is a reject; otherwise an earlier record has its key, and replaces it</returns>
    private async ValueTask<bool> TryRefuseAsync(RowBlock block, int row, BatchRefusal refusal, CancellationToken stop)
    {
        if (Missing is not null && await Missing.IsSupersededAsync(block, row, stop))
        {
            return false;
        }

        if (refusal.Kind == RefusalKind.Miscount)
        {
            var origin = block.Origin(row);
            throw new ReconciliationException($"{origin.In(_sources[origin.Source].Look.Name)}: counts do not add up: {refusal.Message}");
        }

        LogRejectsOf(block, before: block.Record(row));
        Log(ServerRejects.Of(_sources, block, row, Reword(refusal)), block.Source);
        return true;
    }

    private BatchRefusal Reword(BatchRefusal refusal) =>
        Known is null ? refusal : refusal with { Message = Known.Reword(refusal.Error, refusal.Message) };

    /// <summary>How many records come before the first one of an input that is sent; null: as its content says.</summary>
    public Func<int, long>? SkippedBefore { private get; init; }

    /// <summary>Sorted records are numbered as those of one input.</summary>
    private bool IsSorted => _committed.SortedBy.Length > 0;

    /// <summary>The outcome of a single record of a batch whose others are counted one by one.</summary>
    private void Count(RowCounts taken)
    {
        _settled += taken.Count;
        _open.Add(taken);
    }

    private void Take(RowBlock block, int from, int rows, RowCounts taken)
    {
        _settled += taken.Count;
        _open.Add(_sources[block.Source].Look.Name, block.Record(from + rows - 1), taken);
        OnSent(rows);
    }

    private void AddIds(RowBlock block, int from, IReadOnlyList<GeneratedIds> ids)
    {
        foreach (var run in ids)
        {
            _open.Begin(run.First);
            Ids!.Add(_sources[block.Origin(from).Source].Look.Name, block, from, run);
            from += run.Count;
        }
    }

    /// <summary>The reader numbers records without gaps, so that the numbers show whether one was lost on the way.</summary>
    private void Reconcile(RowBlock block)
    {
        if (block.RecordCount == 0)
        {
            return;
        }

        // Records that an earlier job has loaded were skipped; sorted records are numbered without them.
        var loaded = IsSorted ? 0 : SkippedBefore?.Invoke(block.Source) ?? _sources[block.Source].Content?.LoadedRecords ?? 0;
        var before = Math.Max(_last.Source == block.Source ? _last.Record : 0, loaded);
        _last = (block.Source, block.LastRecord);
        if (_settled != block.LastRecord - before)
        {
            throw new ReconciliationException(
                $"{_sources[block.Source].Look.Name}: counts do not add up: {block.LastRecord - before} records were read after record "
                    + $"{before}, and {_settled} were taken or rejected");
        }
    }

    /// <summary>Logs the reading side's rejects up to a record, so that the log is in the input's order.</summary>
    private void LogRejectsOf(RowBlock block, long before)
    {
        for (; _logged < block.Rejects.Count && block.Rejects[_logged].Place.Record < before; _logged++)
        {
            Log(block.Rejects[_logged], block.Source);
        }
    }

    private void Log(Reject reject, int source)
    {
        _settled++;

        // One too many ends the job before it, so that the report of what stays ends there, too.
        _rejects.Add(reject, _log);
        _open.Add(_sources[source].Look.Name, reject.Place.Record);
    }
}

internal struct OpenChunk
{
    /// <summary>Batches that the server accepted.</summary>
    public long Batches { get; private set; }

    public RowCounts Taken { get; private set; }

    /// <summary>The last record whose outcome is known, accepted or refused.</summary>
    public (string Source, long Record) Last { get; private set; }

    public readonly bool IsEmpty => Last.Record == 0;

    /// <summary>The first generated id; 0: none is known.</summary>
    public ulong FirstId { get; private set; }

    public void Begin(ulong id) => FirstId = FirstId == 0 ? id : FirstId;

    /// <summary>A batch was accepted.</summary>
    public void Add(string source, long lastRecord, RowCounts taken)
    {
        Batches++;
        Taken += taken;
        Last = (source, lastRecord);
    }

    /// <summary>Records of the last accepted batch.</summary>
    public void Add(RowCounts taken) => Taken += taken;

    /// <summary>A record was refused; it may stand before accepted rows.</summary>
    public void Add(string source, long record) => Last = (source, Last.Source == source ? Math.Max(Last.Record, record) : record);
}

/// <summary>Limits of the rows that a job may find. Checked before each commit.</summary>
internal sealed class RowLimit(LoadRequest request)
{
    private readonly KeyOptions _options = request.Key;
    private readonly string _done = request.Kind == JobKind.Delete ? "deleted" : "updated";

    /// <param name="rows">found so far, with those not yet committed</param>
    /// <exception cref="ReconciliationException">the limit is exceeded</exception>
    public void Check(long rows)
    {
        if (_options.MaxRows is { } most && rows > most)
        {
            throw Fault(rows, " by now", "max-rows", most);
        }

        if (_options.Expect is { } expected && rows > expected)
        {
            throw Fault(rows, " by now", "expect", expected);
        }
    }

    /// <exception cref="ReconciliationException">the number is not the expected one</exception>
    public void CheckEnd(long rows)
    {
        Check(rows);
        if (_options.Expect is { } expected && rows != expected)
        {
            throw Fault(rows, "", "expect", expected);
        }
    }

    private ReconciliationException Fault(long rows, string when, string option, long limit) =>
        new($"{Plural.Count(rows, "row")} would be {_done}{when}, and --{option} is {limit:N0}");
}
