using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
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
