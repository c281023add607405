using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>A job's indexes while they are missing. What is dropped is written into the ledger before, and taken out of it when all of it
/// is in the table again. Whatever ends in between, the job's next start adds what is missing, and so does
/// <see cref="JobList.RestoreAsync"/>.</summary>
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

    /// <summary>Null: nobody asked for it, and no former start of the job has left anything to do.</summary>
    /// <param name="ledger">stays the caller's; null: there is none</param>
    public static IndexRebuild? Of(LoadFacts facts, JobLedger? ledger, ChunkRetry retry, JobServices services) =>
        ledger is { WasComplete: false } && (facts.Request.RebuildIndexes || ledger.Dropped is not null)
            ? new IndexRebuild(facts, ledger, retry, services)
            : null;

    /// <summary>Drops them, runs, and adds them again whatever becomes of the run, unless it is stopped. One that comes to its end does so
    /// itself (<see cref="AddAsync"/>).</summary>
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

    /// <summary>Before the first row is sent.</summary>
    /// <param name="session">the job's: what its questions have begun is rolled back, since the server would wait for it</param>
    /// <exception cref="PlanException">the server does not drop them</exception>
    /// <exception cref="ServerException">nor does it, for the moment</exception>
    private async Task DropAsync(IServerSession session, CancellationToken stop)
    {
        if (!facts.Request.RebuildIndexes || ledger.Dropped is { IsLoaded: true })
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
                + $"{fault.Message}{ChunkRetry.DescribeTries(retry.Count)}: run the same command again, or leave out --rebuild-indexes";
            throw fault.Kind is FaultKind.Configuration or FaultKind.Other
                ? new PlanException(message, fault)
                : new ServerException(message, fault);
        }
        finally
        {
            _dropping = services.Time.GetElapsedTime(start);
        }
    }

    /// <summary>When all records are committed.</summary>
    /// <param name="hold">gets why nothing is sent meanwhile</param>
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
                    await ledger.NoteAsync(dropped with { IsLoaded = true }, stop);
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

    /// <summary>Behind a run that has failed: adds them at once, since nobody knows when the job will be started again.</summary>
    /// <param name="session">the job's: what may be open there is rolled back</param>
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

    /// <summary>Behind a run that was stopped, and resumes when it is started again: they need not be added for the time between.</summary>
    private void Leave()
    {
        if (ledger.Dropped is { } dropped)
        {
            _notes.Add(
                $"what is dropped of {dropped.Describe()} stays so: {dropped.WaysBack(ledger.Identity.Id, ledger.Identity.IsLasting)}");
        }
    }

    /// <summary>The report with what became of them.</summary>
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
            // Whoever finds them gone must not think that it was somebody else: the server may have done it, and its answer be lost.
            _mine = ledger.Dropped?.Definitions ?? [];
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
        if (definitions.Length > 0 || ledger.Dropped is not null)
        {
            await ledger.NoteAsync(definitions.Length == 0
                ? null
                : new DroppedIndexes(facts.Table.Database, facts.Table.Name, definitions), cancellationToken);
        }

        _names = ledger.Dropped?.Names ?? [];
    }

    private async Task AddOnceAsync(CancellationToken stop)
    {
        var start = services.Time.GetTimestamp();
        try
        {
            var notes = await _indexes.AddAsync(ledger.Dropped!.Definitions, stop);

            // They are there, whether somebody wants to stop by now or not.
            await ledger.NoteAsync(null, CancellationToken.None);
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
            // The server has rolled back by itself, and the run finds another session.
        }
    }
}
