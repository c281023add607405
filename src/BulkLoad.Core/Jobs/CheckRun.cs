using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>
/// A check that sends nothing. Where rows of the input can conflict in a key, a first pass over the inputs finds out which do; the
/// second judges record by record.
/// </summary>
/// <remarks>
/// Which records share a key is known only when all keys are sorted, and rejects come in the input's order. One pass would have to store
/// all rejects and merge them, to save one reading.
/// </remarks>
internal sealed class CheckRun : ILoadRun
{
    private readonly LoadRequest _request;
    private readonly IReadOnlyList<LoadSource> _sources;
    private readonly IReadOnlyList<ComparedKey> _keys;
    private readonly IProgress<LoadProgress>? _progress;
    private readonly ILogger _log;
    private readonly RowJudge _judge;
    private readonly int _sortBytes;
    private readonly InputReader _keyPass;
    private readonly InputReader _judgingPass;
    private CheckRunner? _runner;
    private long _seen;

    /// <param name="job">its inputs can be read as often as needed</param>
    public CheckRun(PreparedJob job, JobServices services, RejectLog rejects, RepairLog repairs, int sortBytes = MemoryPlan.KeySortBytes)
    {
        var (request, sources, facts, decision) = job;
        _sortBytes = MemoryPlan.ForSorting(request, sortBytes);
        (_request, _sources, _progress, _log, Rejects, Repairs) = (request, sources, services.Progress, services.Log, rejects, repairs);
        _keys = ComparedKey.Of(facts);
        _judge = new RowJudge(facts, _keys);
        _keyPass = new InputReader(sources, request, facts, decision.Sizes);
        _judgingPass = new InputReader(sources, request, facts, decision.Sizes);
    }

    /// <summary>Of the pass that judges; of the first one, where that has not begun.</summary>
    public ReadCounts Read => _runner is null ? _keyPass.Read : _judgingPass.Read;

    public RejectLog Rejects { get; }

    public RepairLog Repairs { get; }

    public bool HasCommitted => false;

    public IReadOnlyList<string> SourceNames => [.. _sources.Select(source => source.Look.Name)];

    /// <summary>Finds the rows that foreign keys refer to; null: only the server can.</summary>
    public IRowReferences? References { get; init; }

    private int Passes => _keys.Count > 0 ? 2 : 1;

    /// <inheritdoc/>
    public Task RunAsync(IServerSession session, CancellationToken cancellationToken) => RunAsync(cancellationToken);

    /// <inheritdoc cref="RunAsync(IServerSession, CancellationToken)"/>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            using var conflicts = _keys.Count > 0 ? await FindConflictsAsync(cancellationToken) : null;
            _runner = new CheckRunner(_sources, _keys, conflicts, _judge, Rejects, Repairs, _log) { References = References };
            await _runner.RunAsync(_judgingPass.ReadAsync(cancellationToken), Report);
        }
        catch (Exception fault) when (RunFaults.IsExplained(fault))
        {
            throw new RunFaults(_request, Rejects, new CommittedState(), _sources.Count == 1).Explain(fault);
        }

        if (Read.Records != _runner.Judged)
        {
            throw new ReconciliationException(
                $"counts do not add up: {Read.Records} {Plural.For(Read.Records, "record was", "records were")} read, and "
                    + $"{_runner.Judged} judged");
        }

        _log.CheckComplete(_runner.Accepted, _runner.Undecided, Rejects.Count);
    }

    /// <inheritdoc/>
    public LoadReport Complete(LoadReport report) => report with
    {
        Counts = report.Counts with
        {
            Accepted = _runner?.Accepted ?? 0,
            Undecided = _runner?.Undecided ?? 0,
            NotCommitted = report.Counts.Read - (_runner?.Judged ?? 0),
        },
        UndecidedByReason = _runner?.Reasons.Counts ?? [],
    };

    private async Task<KeyConflicts> FindConflictsAsync(CancellationToken cancellationToken)
    {
        using var collector = new KeyCollector(_keys, _request.TempFolder, _sortBytes);
        await collector.AddAsync(_keyPass.ReadAsync(cancellationToken), Report);
        return collector.FindConflicts();
    }

    /// <summary>Of two passes each is half of the way.</summary>
    private void Report(long records)
    {
        _seen += records;
        _progress?.Report(new LoadProgress((_keyPass.Read.Bytes + Read.Bytes) / Passes, _sources.TotalBytes(), _seen / Passes, 0));
    }
}

/// <summary>In the place of the sending side: judges each record, in the input's order, and sends nothing.</summary>
/// <param name="conflicts">who conflicts in them; null: nobody can</param>
/// <param name="judge">tells what only the server can</param>
/// <param name="log">told of the first rejects</param>
internal sealed class CheckRunner(
    IReadOnlyList<LoadSource> sources, IReadOnlyList<ComparedKey> keys, KeyConflicts? conflicts, RowJudge judge, RejectLog rejects,
    RepairLog repairs, ILogger log)
{
    /// <inheritdoc cref="CheckRun.References"/>
    public IRowReferences? References { get; init; }

    /// <summary>Records that an import would insert.</summary>
    public long Accepted { get; private set; }

    /// <summary>Records that an import might insert.</summary>
    public long Undecided { get; private set; }

    public UndecidedTally Reasons { get; } = new();

    public long Judged => Accepted + Undecided + rejects.Count;

    /// <summary>Judges all blocks of a pass.</summary>
    /// <param name="input">the blocks, in the input's order</param>
    /// <exception cref="RefusedRecordException">a reject is one too many</exception>
    public async Task RunAsync(IAsyncEnumerable<RowBlock> input, Action<long> onJudged)
    {
        try
        {
            await foreach (var block in input)
            {
                Judge(block);
                if (block.EndsChunk)
                {
                    rejects.Settle(Judged, block.EndsJob);
                }

                rejects.Keep();
                repairs.Keep();
                onJudged(block.RecordCount);
            }
        }
        catch (RefusedRecordException)
        {
            // There is nothing to roll back: what was found stays found.
            rejects.Keep();
            throw;
        }
    }

    private void Judge(RowBlock block)
    {
        var next = 0;
        for (var row = 0; row < block.RowCount; row++)
        {
            for (; next < block.Rejects.Count && block.Rejects[next].Record < block.Record(row); next++)
            {
                Refuse(block.Rejects[next]);
            }

            Judge(block, row);
        }

        for (; next < block.Rejects.Count; next++)
        {
            Refuse(block.Rejects[next]);
        }

        foreach (var repair in block.Repairs)
        {
            repairs.Add(repair);
        }
    }

    private void Judge(RowBlock block, int row)
    {
        if (conflicts?.Find(RecordId.Of(block.Source, block.Record(row))) is >= 0 and var taken)
        {
            if (conflicts.Refuse())
            {
                // It may yet be in the way of later ones.
                judge.Judge(block, row);
            }

            Refuse(Duplicate(keys[taken], block, row));
            return;
        }

        var isUnsureOfParent = false;
        if (References?.FindMissing(block, row, out isUnsureOfParent) is { } missing)
        {
            Refuse(Reject(block, row, missing.Column, "foreign-key", missing.Message));
            return;
        }

        var reasons = judge.Judge(block, row) | (isUnsureOfParent ? UndecidedReasons.ForeignKey : UndecidedReasons.None) | (
            conflicts is { IsUnsure: true } ? UndecidedReasons.KeyComparison : UndecidedReasons.None);
        conflicts?.Take(isSure: reasons == UndecidedReasons.None);
        if (reasons == UndecidedReasons.None)
        {
            Accepted++;
            return;
        }

        Undecided++;
        Reasons.Add(reasons);
    }

    private void Refuse(Reject reject)
    {
        if (rejects.First.Count < RejectLog.MostKept)
        {
            log.Rejected(reject.Describe(), reject.Code);
        }

        rejects.Add(reject);
    }

    private Reject Duplicate(ComparedKey key, RowBlock block, int row) =>
        Reject(block, row, key.Column, "duplicate-key", $"{key.Show(block, row)} is in an earlier record (key '{key.Name}')");

    private Reject Reject(RowBlock block, int row, string? column, string code, string message) => new()
    {
        Source = sources[block.Source].Look.Name,
        Record = block.Record(row),
        Line = block.Line(row),
        Offset = block.Offset(row),
        Column = column,
        Code = code,
        Message = message,
        Text = block.Original(row).ToArray(),
    };
}

/// <summary>Finds the rows that foreign keys of a record refer to.</summary>
internal interface IRowReferences
{
    /// <summary>A foreign key of the row that refers to no row there is.</summary>
    /// <param name="block">the rows</param>
    /// <param name="row">0-based</param>
    /// <param name="isUnsure">whether only the server can tell of one</param>
    /// <returns>the column, where there is only one, and what is wrong, for people; null: none is missing</returns>
    (string? Column, string Message)? FindMissing(RowBlock block, int row, out bool isUnsure);
}
