using BulkLoad.Core.Facts;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Undo;

/// <summary>Takes back what a job has changed. A table beside the target has each row as the job has left it: the same input makes rows
/// again that an import has inserted, and a job with <c>--undoable</c> has kept them. Each row of the target that is still exactly so is
/// deleted or put back as it was. Killed at any moment, the same request continues.</summary>
/// <param name="request">its <see cref="LoadRequest.Undo"/> is not null</param>
/// <param name="progress">of the load of the table beside, and then of the chunks; must be quick</param>
internal sealed class UndoJob(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null)
{
    /// <summary>Keys that are shown of each reason.</summary>
    private const int MaxShown = 3;

    private readonly JobServices _services = new(loggers.CreateLogger<UndoJob>(), TimeProvider.System, progress);
    private readonly UndoOptions _options = request.Undo!;
    private readonly List<string> _notes = [];
    private ReadySession? _lead;
    private UndoReport? _report;

    private IServerSession Session => _lead!.Session;

    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var retry = new ChunkRetry(request.Retry, _services.Time, _services.Log);
        try
        {
            request.Validate();
            _lead = await retry.MakeReadyAsync(_ => OpenAsync(cancellationToken), cancellationToken);
            await using var held = await HoldAsync(cancellationToken);
            await UndoAsync(held, retry, cancellationToken);
            return ReportOf(LoadOutcome.Complete, null, retry);
        }
        catch (BulkLoadException fault)
        {
            if (DescribeState() is { } state && fault is not DeclinedException)
            {
                fault.End(state, null, fault.WaysOn);
            }

            return ReportOf(LoadOutcome.Failed, fault, retry);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return ReportOf(LoadOutcome.Interrupted, null, retry) with { State = DescribeState() ?? "nothing was changed" };
        }
        finally
        {
            await (_lead?.DisposeAsync() ?? ValueTask.CompletedTask);
        }
    }

    private async Task<ReadySession> OpenAsync(CancellationToken cancellationToken)
    {
        _lead = await ReadySession.OpenForTablesAsync(request.SideConnection, _services.Time, cancellationToken);
        await Session.ExecuteAsync(UndoSql.TakeAnyValue, cancellationToken);
        return _lead;
    }

    private string Schema => request.LedgerSchema ?? (request.Table is { } table ? TableName.Parse(table).Database : null)
        ?? request.Connection.Database
        ?? throw new RequestException("no schema: name the one that has the ledger with --ledger-schema or --database");

    private Task<HeldJob> HoldAsync(CancellationToken cancellationToken) =>
        HeldJob.OpenAsync(request.SideConnection, _lead!.Server, new LedgerSql(Schema), _options.Job, cancellationToken);

    private async Task UndoAsync(HeldJob held, ChunkRetry retry, CancellationToken cancellationToken)
    {
        if (held.Job.Kept is not null)
        {
            await BringBackAsync(held, cancellationToken);
            return;
        }

        var undone = UndoneJob.Of(request, Schema, held);
        if (held.Job.Undo is { Table: var beside } && !UndoMark.IsNameOf(held.Id, beside))
        {
            throw new PlanException($"the ledger says that job {held.Id} is being undone by table {beside}, which is none of this program: "
                + "was it changed by hand?");
        }

        if (held.Job.Undo is { Counts: { } known } done)
        {
            // An earlier start was killed when all but this was done.
            await EndAsync(held, undone, new RefreshSql(undone.Database).Drop(done.Table), ReportOfEnd(held, known), cancellationToken);
            return;
        }

        if (_options.Preview && held.Job.Undo is not null)
        {
            throw new PlanException($"job {held.Id} is being undone already: the same command without --preview continues that");
        }

        var table = held.Job.Images is { } kept ? await RequireKeptAsync(held, kept, cancellationToken)
            : (await RequireSameAsync(held, undone, cancellationToken)).Table;
        var (kinds, rows, refersToItself) = await LookAsync(held, undone, table, cancellationToken);
        var sql = kinds[^1];
        // Without the mark it is of an earlier job of this name, or was not loaded whole.
        var isBegun = held.Job.Undo is not null && await RowsBeside.IsThereAsync(Session, sql, cancellationToken);
        RequireCopy(held, table, rows, isBegun);
        await Confirmation.RequireAsync(
            _options.Preview ? null : _options.Confirm,
            new UndoQuestion(held.Id, table.DisplayName, _lead!.Server.Endpoint, RowsOf(held), ChangeOf(held)),
            held.Job.Images is null ? "nothing was deleted" : "nothing was changed", cancellationToken);
        if (!isBegun || _options.Preview)
        {
            await MakeAsync(held, rows, sql, cancellationToken);
        }

        if (!_options.Preview)
        {
            await held.MarkAsync(new UndoMark(rows.Name), cancellationToken);
        }

        _report = ReportOf(held, []);
        var pass = new UndoPass(kinds, refersToItself, _options.Preview);
        await retry.RunAsync(
            async _ =>
            {
                await (Session.IsUsable ? Task.CompletedTask : OpenAgainAsync(cancellationToken));
                await RunAsync(pass, held, sql, cancellationToken);
            },
            fault => fault is not ReconciliationException && !cancellationToken.IsCancellationRequested, () => pass.Chunks,
            cancellationToken);
        var ends = await CountAsync(sql, cancellationToken);
        if (ends.ContainsKey(UndoSql.Refused) && pass.Refusal is { } refusal)
        {
            _notes.Add($"the server did not take a row as it was: {refusal}");
        }

        if (pass.Different > 0)
        {
            var put = Plural.For(pass.Different, "it was", "they were");
            _notes.Add($"triggers have changed {Plural.Count(pass.Different, "row")} when {put} put back");
        }

        var report = ReportOf(held, ends) with { Others = await ShowAsync(sql, ends, cancellationToken), Complete = true };
        if (_options.Preview)
        {
            await rows.DropAsync(Session);
            _report = report;
            return;
        }

        var counts = ends.ToDictionary(end => $"{end.Key}", end => end.Value);
        await held.MarkAsync(new UndoMark(rows.Name) { Counts = counts }, cancellationToken);
        await EndAsync(held, undone, new RefreshSql(undone.Database).Drop(rows.Name), report, cancellationToken);
    }

    private async Task BringBackAsync(HeldJob held, CancellationToken cancellationToken)
    {
        var undo = new KeptUndo(request, held, _services.Time, _notes);
        try
        {
            await undo.RunAsync(cancellationToken);
        }
        finally
        {
            _report = undo.Report;
        }
    }

    private async Task OpenAgainAsync(CancellationToken cancellationToken)
    {
        await _lead!.DisposeAsync();
        await OpenAsync(cancellationToken);
    }

    private async Task RunAsync(UndoPass pass, HeldJob held, UndoSql sql, CancellationToken cancellationToken)
    {
        try
        {
            await pass.RunAsync(Session, () => progress?.Report(new LoadProgress(0, null, 0, 0, "taking rows back")), cancellationToken);
        }
        catch (ServerException fault) when (held.Job.Images is null or { Inserts: true }
            && fault.Error is ServerError.RowIsReferenced or ServerError.RowIsReferenced2)
        {
            throw new PlanException($"the server does not let rows of {held.Job.Table} go that others refer to, in a table that this "
                + $"account cannot see or by what a trigger has changed: {fault.ServerText}", fault);
        }
        catch (Exception) when (Session.IsUsable)
        {
            await Session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            _report = ReportOf(held, await CountAsync(sql, CancellationToken.None));
            throw;
        }
    }

    private static long RowsOf(HeldJob held) =>
        held.Job.Images is null or { Inserts: true } ? held.Chunks.Taken.Inserted + held.Chunks.Taken.Updated
            : held.Job.Total?.Taken ?? held.Chunks.Taken.Count;

    private static string ChangeOf(HeldJob held) => held.Job.Images switch
    {
        null or { Inserts: true, Changes: false } => UndoReport.Inserted,
        { Inserts: true } => UndoReport.InsertedOrChanged,
        { After: null } => UndoReport.Deleted,
        _ => UndoReport.Changed,
    };

    /// <summary>The kinds of rows that the job has made, in the order in which they are taken back first.</summary>
    private static IReadOnlyList<UndoKind> KindsOf(KeptImages? images) => images switch
    {
        null => [UndoKind.Inserted],
        { After: null } => [UndoKind.Deleted],
        _ => [.. images.Changes ? [UndoKind.Changed] : (UndoKind[])[], .. images.Inserts ? [UndoKind.Inserted] : (UndoKind[])[]],
    };

    /// <summary>Looks at the table of a job that has kept its rows as they were: no input is read.</summary>
    private async Task<TableFacts> RequireKeptAsync(HeldJob held, KeptImages images, CancellationToken cancellationToken)
    {
        var table = await TableProbe.LookAsync(Session, images.Database, images.Table, cancellationToken);
        if (UndoRules.FindTableObstacle(table) is { } obstacle)
        {
            throw new PlanException($"job {held.Id} cannot be undone: {obstacle}");
        }

        if (await images.FindMissingAsync(Session, cancellationToken) is { } missing)
        {
            throw new PlanException($"job {held.Id} cannot be undone: {missing} is gone, which had its rows as they were");
        }

        string[] triggers = [.. KindsOf(images).SelectMany(kind => kind switch
        {
            UndoKind.Inserted => table.DeleteTriggers,
            UndoKind.Deleted => table.InsertTriggers,
            _ => table.UpdateTriggers,
        })];
        if (table.HasTriggers)
        {
            _notes.Add("not undone is what triggers have done"
                + (triggers.Length == 0 ? "" : $"; those that run for each row that is reversed: {string.Join(", ", triggers)}"));
        }

        return table;
    }

    /// <summary>Looks at the inputs, as a check of them would.</summary>
    private async Task<LoadFacts> RequireSameAsync(HeldJob held, UndoneJob undone, CancellationToken cancellationToken)
    {
        var look = undone.Request with { Mode = JobMode.Check };
        await using var setup = await JobSetup.CreateAsync(look, _services with { Progress = null }, retry: null, cancellationToken);
        var (sources, facts, _) = setup.Job;
        RequestException.ThrowIf(
            !sources.All(source => source.CanReadAgain), "undo reads a file, and not a pipe: name a file with the content of the import");
        UndoneJob.RequireSame(held, facts, sources);
        if (UndoRules.FindObstacle(facts, hasIds: _options.IdsFile is not null) is { } obstacle)
        {
            throw new PlanException($"job {held.Id} cannot be undone: {obstacle}" + GivenIds.Advise(held.Job.IdsFile));
        }

        GivenIds.Require(held, facts, _options.IdsFile);

        if (facts.Table.HasTriggers)
        {
            string[] all = [.. facts.Table.InsertTriggers, .. facts.Table.UpdateTriggers, .. facts.Table.DeleteTriggers];
            _notes.Add($"not undone is what triggers do: {string.Join(", ", all)}"
                + (facts.Table.DeleteTriggers.Count > 0 ? "; those of DELETE run for each row that goes" : "")
                + (facts.Table.UpdateTriggers.Count > 0 ? "; those of UPDATE for rows that refer to themselves" : ""));
        }

        string[] defaulted = [.. facts.Table.Columns.Where(column => !column.IsGenerated && facts.IndexOf(column) < 0
            && column.Name != facts.Table.NumberColumn).Select(column => column.Name)];
        if (defaulted.Length > 0)
        {
            _notes.Add($"columns that the input does not have are compared with their defaults of today: {string.Join(", ", defaulted)}");
        }

        return facts;
    }

    private async Task<(IReadOnlyList<UndoSql> Kinds, RowsBeside Rows, bool RefersToItself)> LookAsync(
        HeldJob held, UndoneJob undone, TableFacts table, CancellationToken cancellationToken)
    {
        var (definition, references) = await TableProbe.DefineAsync(Session, table, cancellationToken);
        ForeignKey[] others = [.. references.Where(key => !key.IsToItself)], own = [.. references.Where(key => key.IsToItself)];
        var images = held.Job.Images;
        if (images is not null && images.Definition != KeptImages.DigestOf(TwinText.Lasting(table.Name, definition)))
        {
            throw new PlanException($"{table.DisplayName} was altered since job {held.Id} began, and its rows cannot be compared with "
                + "those that the job has kept");
        }

        RowsBeside rows = images is not null ? new ImagedRows(held, table, definition, _options.Preview)
            : new InsertedRows(held, undone, table, definition, _options, loggers, progress);
        UndoSql[] kinds = [.. KindsOf(images).Select(kind => new UndoSql(table, rows.Name, others, own)
        {
            Kind = kind,
            Before = images?.Before,
            After = images?.After,
            IsOfImport = images is { Inserts: true },
            IsMariaDb = _lead!.Server.IsMariaDb,
        })];
        foreach (var look in kinds.Select(kind => kind.Look))
        {
            if (await StatementProbe.FindRefusalAsync(Session, look, cancellationToken) is { } refusal)
            {
                throw new PlanException($"the server refuses: {refusal.Message}"
                    + await AccountGrant.ForAsync(Session, refusal, table.Database, cancellationToken), refusal);
            }
        }

        foreach (var (question, key) in kinds[^1].Kind == UndoKind.Inserted ? kinds[^1].LookAtReferring.Zip(others) : [])
        {
            try
            {
                await Session.QueryAsync(question, cancellationToken);
            }
            catch (ServerException fault) when (fault.IsAccessDenied && Session.IsUsable)
            {
                var grant = await AccountGrant.OfAsync(Session, "SELECT", key.Database, key.Table, cancellationToken);
                throw new PlanException($"it is not known whether rows of {key.Database}.{key.Table} refer to {table.DisplayName}: "
                    + $"{fault.ServerText}: {grant}", fault);
            }
        }

        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return (kinds, rows, own.Length > 0);
    }

    private void RequireCopy(HeldJob held, TableFacts table, RowsBeside rows, bool isThere)
    {
        if (held.Job.Undo is not { } mark)
        {
            return;
        }

        if (mark.Table != rows.Name)
        {
            throw new PlanException($"{table.DisplayName} was altered since somebody began to undo job {held.Id}, and the rest of its rows "
                + $"cannot be compared with {table.Database}.{mark.Table} any more: 'bulkload jobs forget {held.Id}' leaves them as they "
                + "are");
        }

        _notes.Add(isThere ? $"an earlier start has begun to undo job {held.Id}: its counts are in these"
            : $"an earlier start has begun to undo job {held.Id}, and {table.Database}.{mark.Table} is gone: what it had reversed counts "
                + "as already gone");
    }

    private async Task MakeAsync(HeldJob held, RowsBeside rows, UndoSql sql, CancellationToken cancellationToken)
    {
        try
        {
            await rows.MakeAsync(Session, sql, cancellationToken);
        }
        catch when (held.Job.Undo is null && Session.IsUsable)
        {
            try
            {
                await rows.DropAsync(Session);
            }
            catch (ServerException)
            {
                // The first refusal tells more.
            }

            throw;
        }
    }

    private async Task EndAsync(HeldJob held, UndoneJob undone, string drop, UndoReport report, CancellationToken cancellationToken)
    {
        _report = report with { Complete = true };
        await Session.ExecuteAsync(drop, cancellationToken);
        await (held.Job.Images?.DropAsync(Session, cancellationToken) ?? Task.CompletedTask);
        await held.ForgetAsync(cancellationToken);
        _notes.Add($"job {held.Id} is forgotten" + (held.Job.Images is null or { Inserts: true }
            ? $": {Plural.Names([.. held.Job.Sources.Select(source => source.Name)])} can be imported again into "
                + $"{undone.Database}.{undone.Table}" : "")
            + (held.Job.Images is null ? "" : ", and the rows that it has kept are dropped"));
    }

    private async Task<Dictionary<int, long>> CountAsync(UndoSql sql, CancellationToken cancellationToken)
    {
        var answer = await Session.QueryAsync(sql.CountStates, cancellationToken);
        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return answer.Rows.ToDictionary(row => (int)Number(row[0]), row => Number(row[1]));
    }

    private async Task<IReadOnlyList<RemainingRows>> ShowAsync(
        UndoSql sql, Dictionary<int, long> ends, CancellationToken cancellationToken)
    {
        List<RemainingRows> others = [];
        foreach (var (state, count) in ends.Where(end =>
                end.Key is UndoSql.Changed or UndoSql.Gone or UndoSql.Refused or UndoSql.Back or >= UndoSql.Referred)
            .OrderBy(end => end.Key))
        {
            var keys = (await Session.QueryAsync(sql.Show(state, MaxShown), cancellationToken)).Rows.Select(row => row[0] ?? "NULL");
            others.Add(new RemainingRows(Reason(sql, state), count, [.. keys]));
        }

        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return others;
    }

    private static string Reason(UndoSql sql, int state) => state switch
    {
        UndoSql.Changed => "kept: changed since",
        UndoSql.Gone => "already gone",
        UndoSql.Refused => "kept: refused by the server",
        UndoSql.Back => "already there again",
        _ when sql.KeyOf(state) is { } key => $"kept: referred to by {key.Database}.{key.Table} ({key.Name})",
        _ => "kept: referred to by rows of the same table that stay",
    };

    /// <summary>The report of an earlier start that has counted everything. Keys are not kept.</summary>
    private UndoReport ReportOfEnd(HeldJob held, IReadOnlyDictionary<string, long> counts)
    {
        var report = ReportOf(held, counts.ToDictionary(count => (int)Number(count.Key), count => count.Value));
        RemainingRows[] all =
        [
            new("kept: changed since", report.KeptChanged, []), new("already gone", report.AlreadyGone, []),
            new("kept: referred to", report.KeptReferred, []), new("kept: refused by the server", report.KeptRefused, []),
            new("already there again", report.AlreadyBack, []),
        ];
        return report with { Others = [.. all.Where(one => one.Rows > 0)] };
    }

    private UndoReport ReportOf(HeldJob held, Dictionary<int, long> ends) => new()
    {
        Job = held.Id,
        Table = held.Job.Table,
        Change = ChangeOf(held),
        Preview = _options.Preview,
        Complete = false,
        Reversed = ends.GetValueOrDefault(UndoSql.Reversed),
        KeptChanged = ends.GetValueOrDefault(UndoSql.Changed),
        KeptReferred = ends.Where(end => end.Key >= UndoSql.Referred).Sum(end => end.Value),
        KeptRefused = ends.GetValueOrDefault(UndoSql.Refused),
        AlreadyGone = ends.GetValueOrDefault(UndoSql.Gone),
        AlreadyBack = ends.GetValueOrDefault(UndoSql.Back),
    };

    private LoadReport ReportOf(LoadOutcome outcome, BulkLoadException? fault, ChunkRetry retry) => new()
    {
        Outcome = outcome,
        Failure = fault,
        Undo = _report,
        Job = _options.Job,
        Notes = _notes,
        Retries = retry.Count,
        FirstRetries = retry.Reports,
        Elapsed = _services.Elapsed,
    };

    /// <summary>What is in the table now; null: the failure says it.</summary>
    private string? DescribeState() => _report switch
    {
        null => "nothing was changed",
        { Preview: true } => "nothing was changed; it was a preview",
        { Complete: true } => null,
        { Reversed: 0 } => "the same command continues with the rows that are left",
        var report => $"{Plural.Count(report.Reversed, "row")} of job {report.Job} {Plural.For(report.Reversed, "is", "are")} reversed, "
            + "and the same command continues with the others",
    };

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);
}
