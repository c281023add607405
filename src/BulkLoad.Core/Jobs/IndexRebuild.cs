using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>
/// A job's indexes while they are missing. What is dropped is written into the ledger before, and taken out of it when all of it is in the
/// table again: whoever ends in between, the job's next start adds what is missing, and so does <see cref="JobList.RestoreAsync"/>.
/// </summary>
internal sealed class IndexRebuild
{
    private static readonly TimeSpan BetweenReports = TimeSpan.FromSeconds(1);

    private readonly LoadFacts _facts;
    private readonly JobLedger _ledger;
    private readonly ChunkRetry _retry;
    private readonly TimeProvider _time;
    private readonly TableIndexes _indexes;
    private readonly List<string> _notes = [];
    private IReadOnlyList<string> _names;
    private IReadOnlyList<string> _mine;
    private TimeSpan _dropping;
    private TimeSpan _adding;
    private bool _hasTriedToAdd;

    private IndexRebuild(LoadFacts facts, JobLedger ledger, ChunkRetry retry, TimeProvider time, ILogger log)
    {
        (_facts, _ledger, _retry, _time) = (facts, ledger, retry, time);
        _names = ledger.Dropped?.Names ?? [];
        _mine = ledger.Dropped?.Definitions ?? [];
        _indexes = new TableIndexes(
            facts.Request.Connection, facts.Table.Database, facts.Table.Name, facts.Tag, facts.Request.Grace, time, log);
    }

    /// <summary>Null: nobody asked for it, and no former start of the job has left anything to do.</summary>
    /// <param name="ledger">stays the caller's; null: there is none</param>
    /// <param name="retry">tries again after faults that pass</param>
    public static IndexRebuild? Of(LoadFacts facts, JobLedger? ledger, ChunkRetry retry, TimeProvider time, ILogger log) =>
        ledger is { WasComplete: false } && (facts.Request.RebuildIndexes || ledger.Dropped is not null)
            ? new IndexRebuild(facts, ledger, retry, time, log)
            : null;

    /// <summary>Before the first row is sent.</summary>
    /// <param name="session">the job's: what its questions have begun is rolled back, since the server would wait for it</param>
    /// <exception cref="PlanException">the server does not drop them</exception>
    /// <exception cref="ServerException">nor does it, for the moment</exception>
    public async Task DropAsync(IServerSession session, CancellationToken stop)
    {
        if (!_facts.Request.RebuildIndexes || _ledger.Dropped is { IsLoaded: true })
        {
            return;
        }

        var start = _time.GetTimestamp();
        try
        {
            await RollBackAsync(session, stop);
            await _retry.RunAsync(DropOnceAsync, _ => !stop.IsCancellationRequested, () => 0, stop);
        }
        catch (ServerException fault)
        {
            var message = $"indexes of {_facts.Table.DisplayName} could not be dropped, and nothing was sent: "
                + $"{fault.Message}{ChunkRetry.DescribeTries(_retry.Count)}: run the same command again, or leave out --rebuild-indexes";
            throw fault.Kind is FaultKind.Configuration or FaultKind.Other
                ? new PlanException(message, fault)
                : new ServerException(message, fault);
        }
        finally
        {
            _dropping = _time.GetElapsedTime(start);
        }
    }

    /// <summary>When all records are committed.</summary>
    /// <param name="hold">told why nothing is sent meanwhile</param>
    /// <exception cref="ServerException">they are still missing</exception>
    public async Task AddAsync(Action<string> hold, CancellationToken stop)
    {
        if (_ledger.Dropped is not { } dropped)
        {
            return;
        }

        _hasTriedToAdd = true;
        try
        {
            await _retry.RunAsync(
                async token =>
                {
                    await _ledger.NoteAsync(dropped with { IsLoaded = true }, token);
                    await TellAsync(
                        AddOnceAsync(token), () => hold($"adding {Plural.Count(_names.Count, "index", "indexes")} again"));
                },
                _ => !stop.IsCancellationRequested, () => 0, stop);
        }
        catch (ServerException fault)
        {
            var message = $"all records are committed, but {dropped.Describe()} could not be added again: "
                + $"{fault.Message}{ChunkRetry.DescribeTries(_retry.Count)}: "
                + $"{dropped.WaysBack(_ledger.Identity.Id, _ledger.Identity.IsLasting)}; by hand: {dropped.Statement}";
            throw fault.Kind == FaultKind.Configuration ? new PlanException(message, fault) : new ServerException(message, fault);
        }
    }

    /// <summary>Behind a run that has failed: adds them at once, since nobody knows when the job will be started again.</summary>
    /// <param name="session">the job's: what may be open there is rolled back</param>
    public async Task RestoreAsync(IServerSession session, CancellationToken stop)
    {
        if (_ledger.Dropped is not { } dropped || _hasTriedToAdd)
        {
            return;
        }

        try
        {
            await RollBackAsync(session, stop);
            await AddOnceAsync(stop);
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            _notes.Add($"{dropped.Describe()} could not be added again: {fault.Message}: "
                + $"{dropped.WaysBack(_ledger.Identity.Id, _ledger.Identity.IsLasting)}; by hand: {dropped.Statement}");
        }
    }

    /// <summary>Behind a run that was stopped, and goes on when it is started again: they need not be added for the time between.</summary>
    public void Leave()
    {
        if (_ledger.Dropped is { } dropped)
        {
            _notes.Add(
                $"what is dropped of {dropped.Describe()} stays so: {dropped.WaysBack(_ledger.Identity.Id, _ledger.Identity.IsLasting)}");
        }
    }

    /// <summary>The report with what became of them.</summary>
    public LoadReport Complete(LoadReport report) => _names.Count == 0 ? report : report with
    {
        Rebuild = new RebuildReport(_names, _ledger.Dropped?.Names ?? [], _dropping, _adding),
        Notes = [.. report.Notes, .. _notes],
    };

    private async Task DropOnceAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _indexes.DropAsync(_facts.Table, found => NoteAsync(found, cancellationToken), cancellationToken);
        }
        catch (Exception fault) when (fault is not ServerException { Kind: FaultKind.StatementLost })
        {
            // Whoever finds them gone must not think that it was somebody else: the server may have done it, and its answer be lost.
            _mine = _ledger.Dropped?.Definitions ?? [];
            throw;
        }
    }

    /// <summary>What will be missing: what is about to be dropped, and what this job has dropped and nobody has added since.</summary>
    private async Task NoteAsync(IndexFacts found, CancellationToken cancellationToken)
    {
        string[] definitions =
        [
            .. _mine.Where(definition => !found.Has(TableText.NameOf(definition))),
            .. found.Dropped.Select(index => index.Text),
        ];
        if (definitions.Length > 0 || _ledger.Dropped is not null)
        {
            await _ledger.NoteAsync(definitions.Length == 0
                ? null
                : new DroppedIndexes(_facts.Table.Database, _facts.Table.Name, definitions), cancellationToken);
        }

        _names = _ledger.Dropped?.Names ?? [];
    }

    private async Task AddOnceAsync(CancellationToken stop)
    {
        var start = _time.GetTimestamp();
        try
        {
            var notes = await _indexes.AddAsync(_ledger.Dropped!.Definitions, stop);

            // They are there, whether somebody wants to stop by now or not.
            await _ledger.NoteAsync(null, CancellationToken.None);
            _notes.AddRange(notes);
        }
        finally
        {
            _adding += _time.GetElapsedTime(start);
        }
    }

    private async Task TellAsync(Task work, Action tell)
    {
        using var ended = new CancellationTokenSource();
        do
        {
            tell();
        }
        while (await Task.WhenAny(work, Task.Delay(BetweenReports, _time, ended.Token)) != work);
        await ended.CancelAsync();
        await work;
    }

    private static async Task RollBackAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            if (session.IsUsable)
            {
                await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            }
        }
        catch (ServerException) when (!session.IsUsable)
        {
            // The server has rolled back by itself, and the run finds another session.
        }
    }
}

/// <summary>A run into a table whose indexes are dropped before, and added again whatever becomes of it.</summary>
internal sealed class RebuildingRun(ILoadRun run, IndexRebuild rebuild) : ILoadRun
{
    public ReadCounts Read => run.Read;

    public RejectLog Rejects => run.Rejects;

    public RepairLog Repairs => run.Repairs;

    public bool HasCommitted => run.HasCommitted;

    public IReadOnlyList<string> SourceNames => run.SourceNames;

    /// <inheritdoc/>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            await rebuild.DropAsync(session, cancellationToken);
            await run.RunAsync(session, cancellationToken);
        }
        catch (Exception fault) when (fault is StoppedException or OperationCanceledException)
        {
            rebuild.Leave();
            throw;
        }
        catch
        {
            await rebuild.RestoreAsync(session, cancellationToken);
            throw;
        }
    }

    /// <inheritdoc/>
    public LoadReport Complete(LoadReport report) => rebuild.Complete(run.Complete(report));
}
