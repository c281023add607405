using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Seeding;

/// <summary>Fills the tables of a database from a folder of files. A table whose rows may come in any order is filled by a
/// <see cref="LoadJob"/>, at the same time as others that it does not depend on. Where rows need an order, are compared, or all tables are
/// one transaction, the files go into staging tables first, and from there into their tables in one transaction. So a killed seed is
/// started again with the same command, and ends with the same rows.</summary>
/// <param name="progress">called after each batch; must be quick</param>
internal sealed class SeedJob(
    SeedRequest request, ILoggerFactory loggers, IProgress<SeedProgress>? progress = null, TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private readonly SeedBoard _board = new(progress);

    /// <summary>Reads folder, server and tables, and decides; writes nothing.</summary>
    public async Task<SeedPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        await using var setup = await SeedSetup.CreateAsync(request, _time, cancellationToken);
        if (!request.Deletes || setup.Tasks.Count == 0)
        {
            return setup.CreatePlan();
        }

        var counts = await setup.Session.QueryAllAsync(
            [.. setup.Tasks.Select(task => RowCountSql.All(task.Table.QuotedName))], cancellationToken);
        return setup.CreatePlan(
            setup.Tasks.Zip(counts).ToDictionary(pair => pair.First.Table.Name, pair => long.Parse(pair.Second.Scalar!)));
    }

    /// <summary>Plans and runs. Every <see cref="BulkLoadException"/> ends up in <see cref="SeedReport.Failure"/>, and what was committed
    /// is always reported.</summary>
    public async Task<SeedReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var started = _time.GetTimestamp();
        SeedSetup? setup = null;
        SeedPlan? plan = null;
        BulkLoadException? failure = null;
        var outcome = LoadOutcome.Complete;
        try
        {
            setup = await SeedSetup.CreateAsync(request, _time, cancellationToken);
            await setup.BeginAsync(cancellationToken);
            plan = setup.CreatePlan();
            _board.Tables = setup.Tasks.Count;
            await FillAsync(setup, cancellationToken);
            await KeepCopiesAsync(setup, cancellationToken);
            outcome = setup.Tasks.All(task => _board.Find(task.Table.Name) is { Outcome: SeedOutcome.Known or SeedOutcome.LoadedBefore })
                ? LoadOutcome.AlreadyComplete
                : outcome;
        }
        catch (BulkLoadException fault)
        {
            (outcome, failure) = (fault is StoppedException ? LoadOutcome.Stopped : LoadOutcome.Failed, fault);
            if (fault is RejectLimitException && setup is not null && _board.FailedTable is not null)
            {
                await new BadRecords(setup, _board, loggers).FindAsync(fault, cancellationToken);
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            outcome = LoadOutcome.Interrupted;
        }
        finally
        {
            await (setup?.DisposeAsync() ?? ValueTask.CompletedTask);
        }

        return new SeedReport
        {
            Outcome = outcome,
            Failure = failure,
            FailedTable = _board.FailedTable,
            Plan = plan,
            IsPreview = request.PreviewRows is not null,
            Tables = [.. (plan?.Tables ?? []).Select(table => _board.Find(table.Table) ?? new SeedTableReport(table.Table, table.Files))],
            Notes = [.. plan?.Notes ?? [], .. (setup?.Notes ?? []).Except(plan?.Notes ?? [])],
            Elapsed = _time.GetElapsedTime(started),
        };
    }

    private async Task KeepCopiesAsync(SeedSetup setup, CancellationToken cancellationToken)
    {
        if (!request.KeepsCopies || request.PreviewRows is not null)
        {
            return;
        }

        await using var session = await ServerSession.ConnectAsync(setup.Connection, cancellationToken);
        var copies = await SeedCopies.TakeAsync(session, setup.Database, request.Copies, cancellationToken);
        setup.Note([$"copies for seed reset in {copies.Place}: {copies.Made.Count} made, {copies.Kept} kept", .. copies.Notes]);
    }

    private async Task FillAsync(SeedSetup setup, CancellationToken cancellationToken)
    {
        var known = setup.Tasks.Where(setup.IsDone).ToList();
        known.ForEach(task => _board.Report(task, report => report with { Outcome = SeedOutcome.Known, Notes = [] }));
        var tasks = setup.Tasks.Except(known).ToList();
        if (tasks.Count == 0)
        {
            return;
        }

        var stages = new SeedStages(setup, loggers, _board.ReportProgress);
        await stages.DropLeftoversAsync(cancellationToken);
        if (request.PreviewRows is null)
        {
            await setup.State.EnsureAsync(setup.Session, cancellationToken);
            setup.Note(
                setup.State.IsNew ? [$"the table {setup.Database}.bulkload_seeds was made: it records how seeds leave the tables"] : []);
        }

        try
        {
            if (request.Mode == SeedMode.Sync)
            {
                await SyncAsync(setup, tasks, known, stages, cancellationToken);
            }
            else
            {
                await InsertAsync(setup, tasks, stages, cancellationToken);
            }
        }
        finally
        {
            await stages.DropAsync();
        }

        if (request.Deletes && request.PreviewRows is null)
        {
            // Setting the next number can change the table's CREATE_TIME.
            await SetNumbersAsync(setup, tasks, cancellationToken);
            var now = await TableProbe.LookAtStatusAsync(setup.Session, setup.Database, cancellationToken);
            await RememberAsync(setup, tasks, cancellationToken, now);
            await setup.Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        }
    }

    /// <summary>Inserts parents before children; <c>truncate</c> empties the tables before.</summary>
    private async Task InsertAsync(SeedSetup setup, List<SeedTask> tasks, SeedStages stages, CancellationToken cancellationToken)
    {
        var deleted = new Dictionary<string, long>();
        if (request.Mode == SeedMode.Truncate && !request.Atomic)
        {
            await stages.MakeLevelsAsync(tasks, cancellationToken);
            deleted = await EmptyAsync(setup, tasks, cancellationToken);
            await setup.Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        }

        if (request.Mode == SeedMode.Insert)
        {
            tasks = [.. tasks.Where(task => !IsLoaded(task))];
        }

        var units = request.Atomic ? tasks.Count == 0 ? [] : [tasks]
            : tasks.GroupBy(task => task.Step.Group >= 0 ? $"#{task.Step.Group}" : task.Table.Name).Select(group => group.ToList())
                .ToList();
        using var lead = new SemaphoreSlim(1);
        try
        {
            await SeedSchedule.RunAsync(units, request.Threads
                ?? SeedSchedule.DefaultThreads, (unit, token) => request.Atomic || unit.Any(task => task.Step.NeedsStage)
                ? InsertStagedAsync(setup, unit, stages, lead, token)
                : InsertFileAsync(setup, unit[0], token), cancellationToken);
        }
        finally
        {
            // Filled tables stay filled, whatever happens to others.
            if (!cancellationToken.IsCancellationRequested && setup.Session.IsUsable)
            {
                await RememberAsync(
                    setup, [.. tasks.Where(task => !request.Atomic && !task.Step.NeedsStage && IsNews(task))], cancellationToken);
                await setup.Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
            }
        }

        foreach (var task in tasks.Where(task => deleted.ContainsKey(task.Table.Name)))
        {
            _board.Report(task, report => report with { Deleted = deleted[task.Table.Name] });
        }
    }

    /// <summary>Whether a table was filled, or found to be filled by a job that no seed has recorded.</summary>
    private bool IsNews(SeedTask task) => _board.Find(task.Table.Name)?.Outcome switch
    {
        SeedOutcome.Loaded => true,
        SeedOutcome.LoadedBefore => task.Known is null,
        _ => false,
    };

    /// <summary>Whether an earlier seed has loaded the same content over a staging table, of which the ledger knows nothing.</summary>
    /// <exception cref="PlanException">the earlier content differs</exception>
    private bool IsLoaded(SeedTask task)
    {
        if ((!request.Atomic && !task.Step.NeedsStage) || !task.IsFilled)
        {
            return false;
        }

        if (task.Known!.Content != task.Content)
        {
            throw new PlanException($"{task.Entry.Name} differs from what an earlier seed has loaded into {task.Table.Name}, or its "
                + "options do")
            {
                WaysOn = [SeedAdvice.Replace(task)],
            };
        }

        _board.Report(task, report => report with { Outcome = SeedOutcome.LoadedBefore, Notes = ChangedNotes(task) });
        return true;
    }

    private static IReadOnlyList<string> ChangedNotes(SeedTask task) => !task.IsChanged
        ? []
        : [$"its rows were changed since the last seed; {(task.Table.PrimaryKey.Count > 0
            ? "'bulkload seed --mode sync' makes the table equal to the file"
            : "'bulkload seed --mode truncate' empties the table and loads the file")}"];

    /// <summary>Fills one table by a job of its own, which the ledger records.</summary>
    private async Task InsertFileAsync(SeedSetup setup, SeedTask task, CancellationToken cancellationToken)
    {
        _board.Begin(task);
        var asked = task.Import with
        {
            Table = SqlName.Quote(setup.Database, task.Table.Name),
            IsSeed = true,
            ReplacesKnownContent = request.Mode == SeedMode.Insert && task.IsFilled && task.Known!.Content != task.Content,
        };
        var report = await new LoadJob(asked, loggers, new Progress(step => _board.ReportProgress(task, step))).RunAsync(cancellationToken);
        if (report.Failure is { } fault)
        {
            var ways = fault is PlanException && request.Mode == SeedMode.Insert ? [SeedAdvice.Replace(task)] : fault.WaysOn;
            SeedAdvice.End(
                fault, fault.State ?? $"nothing was loaded into {setup.Database}.{task.Table.Name}", ways, request, task);
        }

        _board.End(task, report);
        if (report.Outcome == LoadOutcome.AlreadyComplete)
        {
            _board.Report(task, old => old with { Notes = [.. old.Notes, .. ChangedNotes(task)] });
        }

        setup.Note(report.Notes.Where(SeedBoard.IsOfLedger));
    }

    /// <summary>Fills tables whose rows need an order, or that are filled in one transaction.</summary>
    private async Task InsertStagedAsync(
        SeedSetup setup, List<SeedTask> tasks, SeedStages stages, SemaphoreSlim lead, CancellationToken cancellationToken)
    {
        await lead.WaitAsync(cancellationToken);
        try
        {
            await stages.MakeAsync(tasks, cancellationToken);
        }
        finally
        {
            lead.Release();
        }

        var loaded = await LoadAsync(tasks, stages, cancellationToken);
        await lead.WaitAsync(cancellationToken);
        try
        {
            loaded = await SeedApply.CountRecordsAsync(setup, loaded, cancellationToken);
            var deleted = new Dictionary<string, long>();
            await ApplyAsync(setup, tasks, async () =>
            {
                deleted = request is { Mode: SeedMode.Truncate, Atomic: true } ? await EmptyAsync(setup, tasks, cancellationToken) : [];
                await new SeedApply(setup, loaded).InsertAsync(cancellationToken);
                foreach (var stage in loaded)
                {
                    _board.Report(stage.Task, report => report with { Inserted = stage.Records });
                }

                await RememberAsync(setup, tasks, cancellationToken);
                await setup.Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
            });
            foreach (var stage in loaded)
            {
                _board.Report(stage.Task, report => report
                    with
                {
                    Outcome = SeedOutcome.Loaded,
                    Inserted = stage.Records,
                    Deleted = deleted.GetValueOrDefault(
                    stage.Task.Table.Name)
                });
                _board.Finish(stage.Task);
            }
        }
        finally
        {
            lead.Release();
        }
    }

    /// <summary>Makes all tables equal to their files in one transaction.</summary>
    private async Task SyncAsync(
        SeedSetup setup, List<SeedTask> tasks, List<SeedTask> known, SeedStages stages, CancellationToken cancellationToken)
    {
        await stages.MakeAsync(tasks, cancellationToken);
        var loaded = await SeedApply.CountRecordsAsync(setup, await LoadAsync(tasks, stages, cancellationToken), cancellationToken);
        var apply = new SeedApply(setup, loaded);
        var changes = new List<(long New, long Changed, long Extra)>();
        foreach (var stage in loaded)
        {
            var change = await RowDifferences.CountAsync(setup.Session, stage.Sql, cancellationToken);
            changes.Add(change);
            var shown = request.PreviewRows is { } most
                ? await RowDifferences.ShowAsync(setup.Session, stage.Sql, most, cancellationToken)
                : [];
            _board.Report(stage.Task, report => report with
            {
                Inserted = change.New,
                Updated = change.Changed,
                Unchanged = stage.Records - change.New - change.Changed,
                Deleted = change.Extra,
                Changes = shown,
                Outcome = request.PreviewRows is null ? SeedOutcome.Failed : SeedOutcome.NotStarted,
            });
        }

        if (request.PreviewRows is not null)
        {
            await apply.RequireParentsAsync(known, changes, cancellationToken);
            return;
        }

        await ApplyAsync(setup, tasks, async () =>
        {
            await apply.RequireParentsAsync(known, changes, cancellationToken);
            await apply.SyncAsync(changes, cancellationToken);
            await RequireUntouchedAsync(setup, known, cancellationToken);
            await setup.Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        });
        foreach (var task in tasks)
        {
            _board.Report(task, report => report with { Outcome = SeedOutcome.Loaded });
            _board.Finish(task);
        }
    }

    /// <summary>Loads files into staging tables in parallel. If one fails, no table was changed.</summary>
    private async Task<IReadOnlyList<SeedStage>> LoadAsync(List<SeedTask> tasks, SeedStages stages, CancellationToken cancellationToken)
    {
        try
        {
            return await LoadStagesAsync(tasks, stages, cancellationToken);
        }
        catch
        {
            foreach (var task in tasks)
            {
                var outcome = _board.Find(task.Table.Name)?.Outcome ?? SeedOutcome.NotStarted;
                _board.Undo(task, outcome == SeedOutcome.Loaded ? SeedOutcome.Undone : outcome);
            }

            throw;
        }
    }

    private async Task<IReadOnlyList<SeedStage>> LoadStagesAsync(
        List<SeedTask> tasks, SeedStages stages, CancellationToken cancellationToken)
    {
        var loaded = new SeedStage?[tasks.Count];
        await SeedSchedule.RunAsync(
            [.. tasks.Select(task => new List<SeedTask> { task })], request.Threads ?? SeedSchedule.DefaultThreads, async (unit, token) =>
        {
            var task = unit[0];
            _board.Begin(task);
            var (stage, report) = await stages.LoadAsync(task, token);
            _board.End(task, report);
            loaded[tasks.IndexOf(task)] = stage;
        }, cancellationToken, isOrdered: false);
        return [.. loaded.OfType<SeedStage>()];
    }

    /// <summary>Runs statements that end with a commit; if one fails, all are undone.</summary>
    private async Task ApplyAsync(SeedSetup setup, List<SeedTask> tasks, Func<Task> apply)
    {
        try
        {
            await apply();
        }
        catch (Exception fault)
        {
            if (fault is BulkLoadException { State: null } refused)
            {
                refused.End("nothing was changed", null, refused.WaysOn);
            }

            tasks.ForEach(task => _board.Undo(task));
            if (setup.Session.IsUsable)
            {
                await setup.Session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            }

            throw;
        }
    }

    private static async Task<Dictionary<string, long>> EmptyAsync(
        SeedSetup setup, List<SeedTask> tasks, CancellationToken cancellationToken)
    {
        var deleted = await SeedApply.EmptyAsync(setup, tasks, cancellationToken);
        await setup.State.ForgetAsync(setup.Session, tasks.Select(task => task.Table.Name), cancellationToken);
        foreach (var schema in tasks.GroupBy(task => task.Import.LedgerSchema ?? setup.Database))
        {
            await LedgerJobs.ForgetAsync(
                setup.Session, schema.Key, [.. schema.Select(task => $"{setup.Database}.{task.Table.Name}")], cancellationToken);
        }

        return deleted;
    }

    /// <summary>Checks that no cascade has changed a table that was skipped as known.</summary>
    private static async Task RequireUntouchedAsync(SeedSetup setup, List<SeedTask> known, CancellationToken cancellationToken)
    {
        var sums = await SeedState.SumAsync(setup.Session, [.. known.Select(task => task.Table)], cancellationToken);
        if (known.FirstOrDefault(task => sums.GetValueOrDefault(task.Table.Name) != task.Checksum) is { } changed)
        {
            throw new RejectLimitException($"{changed.Entry.Name}: its records refer to rows that other files do not have any more, and a "
                + $"foreign key of {changed.Table.Name} would have changed or deleted them: correct the files");
        }
    }

    /// <summary>Sets AUTO_INCREMENT of each table to its largest number + 1.</summary>
    private static async Task SetNumbersAsync(SeedSetup setup, List<SeedTask> tasks, CancellationToken cancellationToken)
    {
        var after = await TableProbe.LookAtStatusAsync(setup.Session, setup.Database, cancellationToken);
        foreach (var task in tasks.Where(task => task.Table.Status.NextNumber is not null && task.Table.NumberColumn is not null))
        {
            var largest = (await setup.Session.QueryAsync(SeedSql.LargestNumber(task.Table), cancellationToken)).Scalar!;
            if (ulong.TryParse(largest, out var number) && after.GetValueOrDefault(task.Table.Name).NextNumber is { } next
                && next != number + 1)
            {
                await setup.Session.ExecuteAsync(SeedSql.SetNextNumber(task.Table, number + 1), cancellationToken);
            }
        }
    }

    /// <summary>Records the state of tables, in the open transaction.</summary>
    /// <param name="now">null: the tables cannot have been altered since they were read</param>
    private async Task RememberAsync(
        SeedSetup setup, List<SeedTask> tasks, CancellationToken cancellationToken,
        IReadOnlyDictionary<string, (string? Created, ulong? NextNumber)>? now = null)
    {
        if (tasks.Count == 0)
        {
            return;
        }

        var sums = await SeedState.SumAsync(setup.Session, [.. tasks.Select(task => task.Table)], cancellationToken);
        var left = tasks.Select(task => (task.Table.Name, new SeedKnown(
            task.Content, (now?.GetValueOrDefault(task.Table.Name, task.Table.Status) ?? task.Table.Status).Created ?? "",
            sums.GetValueOrDefault(task.Table.Name),
            IsExact(setup, task, sums.GetValueOrDefault(task.Table.Name)))));
        await setup.State.WriteAsync(setup.Session, [.. left], cancellationToken);
    }

    /// <summary>Whether a filled table has exactly the rows of its files. A sync has compared them; otherwise the number of rows shows that
    /// the table was empty before, unless triggers change what is inserted.</summary>
    private bool IsExact(SeedSetup setup, SeedTask task, string? checksum) =>
        _board.Find(task.Table.Name) is { Outcome: not SeedOutcome.LoadedBefore, Rejected: 0 } report
        && (request.Mode == SeedMode.Sync
            || (!setup.Catalog.Tables.Any(table => table.HasTriggers)
                && checksum?.StartsWith($"{report.Inserted}:", StringComparison.Ordinal) == true));
}
