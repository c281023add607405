using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Drops a job's indexes and adds them again. The ledger has them from before the drop until all are in the table again; if the
/// job ends in between, its next start or <see cref="JobList.RestoreAsync"/> adds what is missing.</summary>
internal sealed class IndexRebuild(LoadFacts facts, JobLedger ledger, ChunkRetry retry, JobServices services)
{
    private static readonly TimeSpan BetweenReports = TimeSpan.FromSeconds(1);

    private readonly TableIndexes _indexes = new(
        facts.Request.Connection, facts.Table.Database, facts.Table.Name, facts.Tag, facts.Request.Grace, services);

    private readonly List<string> _notes = [];
    private IReadOnlyList<string> _names = ledger.Dropped?.Names ?? [];
    private IReadOnlyList<string> _mine = ledger.Dropped?.Definitions ?? [];
    private TimeSpan _dropping;
    private TimeSpan _adding;
    private bool _hasTriedToAdd;

    /// <returns>null: no rebuild was asked for, and no earlier start has left an index missing</returns>
    /// <param name="ledger">stays the caller's; null: there is none</param>
    public static IndexRebuild? Of(LoadFacts facts, JobLedger? ledger, ChunkRetry retry, JobServices services) =>
        ledger is { WasComplete: false } && (facts.Indexes is not null || ledger.Dropped is not null)
            ? new IndexRebuild(facts, ledger, retry, services)
            : null;

    /// <summary>Drops the indexes, runs, and adds them again if the run fails. A run that succeeds adds them itself
    /// (<see cref="AddAsync"/>); a run that is stopped leaves them out.</summary>
    /// <inheritdoc cref="DropAsync"/>
    public async Task RunAsync(IServerSession session, Func<Task> run, CancellationToken stop)
    {
        try
        {
            await DropAsync(session, stop);
            await run();
        }
        catch (Exception fault) when (fault is StoppedException or OperationCanceledException)
        {
            Leave();
            throw;
        }
        catch
        {
            await RestoreAsync(session, stop);
            throw;
        }
    }

    /// <summary>Called before the first row is sent.</summary>
    /// <param name="session">the job's session; its open transaction is rolled back, since the server would wait for it</param>
    /// <exception cref="PlanException">the server does not drop the indexes</exception>
    private async Task DropAsync(IServerSession session, CancellationToken stop)
    {
        if (facts.Indexes is null || ledger.Dropped is { IsLoaded: true })
        {
            return;
        }

        var start = services.Time.GetTimestamp();
        try
        {
            await RollBackAsync(session, stop);
            await retry.RunAsync(_ => DropOnceAsync(stop), _ => !stop.IsCancellationRequested, () => 0, stop);
        }
        catch (ServerException fault)
        {
            var message = $"indexes of {facts.Table.DisplayName} could not be dropped, and nothing was sent: "
                + $"{fault.Message}{ChunkRetry.DescribeTries(retry.Count)}: run the same command again"
                + (facts.Request.RebuildIndexes ? ", or leave out --rebuild-indexes" : "");
            throw fault.Kind is FaultKind.Configuration or FaultKind.Other
                ? new PlanException(message, fault)
                : new ServerException(message, fault);
        }
        finally
        {
            _dropping = services.Time.GetElapsedTime(start);
        }
    }

    /// <param name="hold">gets the reason why nothing is sent meanwhile</param>
    /// <exception cref="ServerException">they are still missing</exception>
    public async Task AddAsync(Action<string> hold, CancellationToken stop)
    {
        if (ledger.Dropped is not { } dropped)
        {
            return;
        }

        _hasTriedToAdd = true;
        try
        {
            await retry.RunAsync(
                async _ =>
                {
                    await ledger.ChangeAsync(job => job with { Dropped = dropped with { IsLoaded = true } }, stop);
                    await ReportAsync(
                        AddOnceAsync(stop), () => hold($"adding {Plural.Count(_names.Count, "index", "indexes")} again"));
                },
                _ => !stop.IsCancellationRequested, () => 0, stop);
        }
        catch (ServerException fault)
        {
            var message = $"all records are committed, but {dropped.Describe()} could not be added again: "
                + $"{fault.Message}{ChunkRetry.DescribeTries(retry.Count)}: "
                + $"{dropped.WaysBack(ledger.Identity.Id, ledger.Identity.IsLasting)}; by hand: {dropped.Statement}";
            throw fault.Kind == FaultKind.Configuration ? new PlanException(message, fault) : new ServerException(message, fault);
        }
    }

    /// <summary>Adds the indexes at once after a run that failed: nobody knows when the job will be started again.</summary>
    /// <param name="session">the job's session; a transaction that may be open is rolled back</param>
    private async Task RestoreAsync(IServerSession session, CancellationToken stop)
    {
        if (ledger.Dropped is not { } dropped || _hasTriedToAdd)
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
                + $"{dropped.WaysBack(ledger.Identity.Id, ledger.Identity.IsLasting)}; by hand: {dropped.Statement}");
        }
    }

    /// <summary>After a stop the indexes stay out: the next start of the job resumes, and need not drop them again.</summary>
    private void Leave()
    {
        if (ledger.Dropped is { } dropped)
        {
            _notes.Add(
                $"what is dropped of {dropped.Describe()} stays so: {dropped.WaysBack(ledger.Identity.Id, ledger.Identity.IsLasting)}");
        }
    }

    public LoadReport Complete(LoadReport report) => _names.Count == 0 ? report : report with
    {
        Rebuild = new RebuildReport(_names, ledger.Dropped?.Names ?? [], _dropping, _adding),
        Notes = [.. report.Notes, .. _notes],
    };

    private async Task DropOnceAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _indexes.DropAsync(facts.Table, found => NoteAsync(found, cancellationToken), cancellationToken);
        }
        catch (Exception fault) when (fault is not ServerException { Kind: FaultKind.StatementLost })
        {
            // If the answer to DROP was lost, the server may have done it. Missing indexes must then count as dropped by this job.
            _mine = ledger.Dropped?.Definitions ?? [];
            throw;
        }
    }

    /// <summary>Records in the ledger what will be missing: the indexes to drop now, and those dropped before.</summary>
    private async Task NoteAsync(IndexFacts found, CancellationToken cancellationToken)
    {
        string[] definitions =
        [
            .. _mine.Where(definition => !found.Has(TableText.NameOf(definition))),
            .. found.Dropped.Select(index => index.Text),
        ];
        if (definitions.Length > 0 || ledger.Dropped is not null)
        {
            var dropped = definitions.Length == 0 ? null : new DroppedIndexes(facts.Table.Database, facts.Table.Name, definitions);
            await ledger.ChangeAsync(job => job with { Dropped = dropped }, cancellationToken);
        }

        _names = ledger.Dropped?.Names ?? [];
    }

    private async Task AddOnceAsync(CancellationToken stop)
    {
        var start = services.Time.GetTimestamp();
        try
        {
            var notes = await _indexes.AddAsync(ledger.Dropped!.Definitions, stop);

            // The indexes exist; the ledger must say so, even if a stop was asked for.
            await ledger.ChangeAsync(job => job with { Dropped = null }, CancellationToken.None);
            _notes.AddRange(notes);
        }
        finally
        {
            _adding += services.Time.GetElapsedTime(start);
        }
    }

    private async Task ReportAsync(Task work, Action report)
    {
        using var ended = new CancellationTokenSource();
        do
        {
            report();
        }
        while (await Task.WhenAny(work, Task.Delay(BetweenReports, services.Time, ended.Token)) != work);
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
            // The server has rolled back by itself, and the run opens another session.
        }
    }
}
