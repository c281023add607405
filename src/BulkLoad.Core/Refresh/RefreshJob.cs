using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Refresh;

/// <summary>Makes a table exactly the input, at once: loads a table beside it, and then exchanges the two, or changes what differs. Until
/// then the table is as it was. Which tables are there tells each start how far the one before came.</summary>
/// <param name="request">its <see cref="LoadRequest.Refresh"/> is not null</param>
/// <param name="progress">of the load; called after each batch; must be quick</param>
internal sealed class RefreshJob(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null)
{
    private readonly JobServices _services = new(loggers.CreateLogger<RefreshJob>(), TimeProvider.System, progress);
    private readonly RefreshOptions _options = request.Refresh!;
    /// <summary>The table's definition may have a date of zero as a default.</summary>
    private static readonly ValueOptions AnyDates = new() { ZeroDates = true };

    private readonly List<string> _notes = [];
    private ReadySession? _lead;

    private IServerSession Session => _lead!.Session;

    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        await using var lead = await OpenAsync(cancellationToken);
        var facts = await LookAsync(cancellationToken);
        var way = RefreshRules.Choose(_options, facts);
        var job = RefreshNames.JobOf(facts.Table.Database, facts.Table.Name);
        var inner = Verified(request) with { Reload = request.KeepsLedger, JobId = JobId(job) };
        var plan = await new LoadJob(inner, loggers).PlanAsync(cancellationToken);
        return Tell(plan, facts.Table, way);
    }

    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        var retry = new ChunkRetry(request.Retry, _services.Time, _services.Log);
        try
        {
            _lead = await retry.MakeReadyAsync(_ => OpenAsync(cancellationToken), cancellationToken);
            var facts = await LookAsync(cancellationToken);
            var refreshed = new RefreshedTable(facts.Table);
            await RequireAloneAsync(refreshed, cancellationToken);
            var way = RefreshRules.Choose(_options, facts);
            await EndEarlierAsync(refreshed, cancellationToken);
            var print = await RefreshProbe.TakeAsync(Session, facts, locks: false, cancellationToken);
            await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            var loaded = await LoadAsync(refreshed, facts, way, cancellationToken);
            return loaded.Report.Outcome != LoadOutcome.Complete ? loaded.Report
                : await FinishAsync(refreshed, facts, way, loaded, print, cancellationToken);
        }
        catch (BulkLoadException fault)
        {
            return RunResult.Of(LoadOutcome.Failed, fault, request, null, null, _services.Elapsed) with { Notes = _notes };
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return RunResult.Of(LoadOutcome.Interrupted, null, request, null, null, _services.Elapsed) with
            {
                State = "the table is as it was", Notes = _notes,
            };
        }
        finally
        {
            await (_lead?.DisposeAsync() ?? ValueTask.CompletedTask);
        }
    }

    private async Task<ReadySession> OpenAsync(CancellationToken cancellationToken)
    {
        _lead = await ReadySession.OpenAsync(
            async token => await ServerSession.ConnectAsync(request.SideConnection, token), AnyDates, _services.Time,
            cancellationToken);
        return _lead;
    }

    private Task<RefreshFacts> LookAsync(CancellationToken cancellationToken)
    {
        var name = TableName.Of(request, request.Files[0]);
        var database = name.Database ?? _lead!.Server.Database
            ?? throw new PlanException($"no database named for table {name.Table}: add --database, or write --table database.{name.Table}");
        return RefreshProbe.LookAsync(Session, database, name.Table, cancellationToken);
    }

    /// <summary>Holds the table's name among starts of this program until the session ends.</summary>
    /// <exception cref="PlanException">another start has it</exception>
    private async Task RequireAloneAsync(RefreshedTable table, CancellationToken cancellationToken)
    {
        if ((await Session.QueryAsync(RefreshSql.Hold(table.Job), cancellationToken)).Scalar != "1")
        {
            throw new PlanException($"another process makes {table.Facts.DisplayName} exactly its input at this moment: wait for it");
        }
    }

    /// <summary>An earlier start was killed behind the exchange.</summary>
    private async Task EndEarlierAsync(RefreshedTable table, CancellationToken cancellationToken)
    {
        foreach (var former in (await FindTablesAsync(table, cancellationToken)).Where(table.Names.IsOld))
        {
            var kept = await ExchangeOf(table).EndAsync(former, _options.KeepOld, cancellationToken);
            _notes.Add($"an earlier start had exchanged {table.Facts.DisplayName} and was killed: the former table "
                + (kept is null ? "is gone now" : $"is {table.Facts.Database}.{kept} now"));
        }
    }

    private async Task<LoadedTable> LoadAsync(
        RefreshedTable table, RefreshFacts facts, RefreshPlan way, CancellationToken cancellationToken)
    {
        var name = table.Names.OfNew($"{RefreshWays.Of(way.Way)} {facts.Lasting}");
        await PrepareAsync(table, facts, way, name, cancellationToken);
        var inner = Verified(request) with
        {
            Connection = request.Connection with { Database = facts.Table.Database },
            Table = SqlName.Quote(name),
            JobId = JobId(table.Job),
        };
        var report = await new LoadJob(inner, loggers, progress).RunAsync(cancellationToken);
        if (report.Outcome != LoadOutcome.Complete)
        {
            await KeepOrDropAsync(table, name, report.Chunks > 0 && request.KeepsLedger);
        }

        return new LoadedTable(name, report with
        {
            Plan = report.Plan is null ? null : Tell(report.Plan, facts.Table, way),
            Notes = [.. _notes, .. report.Notes],
        });
    }

    /// <summary>What was loaded stays for the same command.</summary>
    private async Task KeepOrDropAsync(RefreshedTable table, string name, bool keeps)
    {
        _notes.Add($"{table.Facts.DisplayName} is as it was"
            + (keeps ? $"; what was loaded is in {table.Facts.Database}.{name}, and the same command goes on from there" : ""));
        if (keeps)
        {
            return;
        }

        try
        {
            await Session.ExecuteAsync(table.Sql.Drop(name), CancellationToken.None);
        }
        catch (BulkLoadException)
        {
            // The next start drops it.
        }
    }

    /// <summary>Makes the table beside, unless an earlier start has begun to load it and this one can go on.</summary>
    private async Task PrepareAsync(
        RefreshedTable table, RefreshFacts facts, RefreshPlan way, string name, CancellationToken cancellationToken)
    {
        var sql = table.Sql;
        var there = await FindTablesAsync(table, cancellationToken);
        if (there.Contains(name) && await IsBegunAsync(table, cancellationToken))
        {
            return;
        }

        foreach (var left in there.Where(table.Names.IsNew))
        {
            await Session.ExecuteAsync(sql.Drop(left), cancellationToken);
        }

        await ForgetAsync(table, cancellationToken);
        var used = (await Session.QueryAsync(sql.Constraints, cancellationToken)).Rows.Select(row => row[0]!);
        var twin = new TwinText(facts.Table.Name, name, Session.Server.IsMariaDb);
        try
        {
            var create = twin.Create(facts.Definition, used, sql.Name(name), keepsOwn: way.Way == RefreshWay.Swap);
            await Session.ExecuteAsync(create, cancellationToken);
        }
        catch (ServerException fault) when (fault.Code > 0 && Session.IsUsable)
        {
            var grant = !fault.IsAccessDenied ? "" : ": " + await AccountGrant.OfAsync(
                Session, "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP", facts.Table.Database, null, cancellationToken);
            throw new PlanException(
                $"--full-refresh: the server does not make a table beside {facts.Table.DisplayName}: {fault.Message}{grant}", fault);
        }
    }

    /// <summary>Whether the ledger has a job of this name that is not complete. A complete one has loaded an earlier table, or was killed
    /// between its end and the exchange; it is done again.</summary>
    private async Task<bool> IsBegunAsync(RefreshedTable table, CancellationToken cancellationToken)
    {
        if (!request.KeepsLedger)
        {
            return false;
        }

        try
        {
            var (job, _, chunks) = await Jobs(table).ShowAsync(JobId(table.Job)!, 1, cancellationToken);
            return job.Completed is null && chunks > 0;
        }
        catch (Exception fault) when (fault is PlanException or ServerException { Error: ServerError.NoSuchTable })
        {
            return false;
        }
    }

    private async Task<LoadReport> FinishAsync(RefreshedTable table, RefreshFacts facts, RefreshPlan way, LoadedTable loaded,
        Fingerprint print, CancellationToken cancellationToken)
    {
        var report = loaded.Report;
        var after = Number(await Session.QueryAsync(table.Sql.Count(loaded.Name), cancellationToken));
        var before = print.Rows;
        if (after != report.Counts.Inserted)
        {
            throw new ReconciliationException($"{facts.Table.Database}.{loaded.Name} has {after:N0} rows, and {report.Counts.Inserted:N0} "
                + $"were loaded: {facts.Table.DisplayName} is as it was; run the same command again");
        }

        if (after * 100.0 < before * _options.MinRows)
        {
            await Session.ExecuteAsync(table.Sql.Drop(loaded.Name), cancellationToken);
            throw new PlanException($"the input has {Plural.Count(after, "row")}, and {facts.Table.DisplayName} has {before:N0}: fewer "
                + $"than {_options.MinRows:0.##}% do not replace it, since the input may be incomplete; --min-rows 0% replaces it all the "
                + "same");
        }

        var sync = new TableSync(Session, facts, loaded.Name);
        var result = new RefreshReport(RefreshWays.Of(way.Way), way.Reason) { RowsBefore = before, RowsAfter = after };
        if (facts.Table.PrimaryKey.Count > 0)
        {
            var (added, changed, gone) = await sync.CountAsync(cancellationToken);
            result = result with { NewRows = added, ChangedRows = changed, GoneRows = gone, UnchangedRows = after - added - changed };
        }

        result = way.Way == RefreshWay.Swap
            ? await SwapAsync(table, await ReadyAsync(table, facts, loaded.Name, cancellationToken), loaded.Name, print, result,
                cancellationToken)
            : await ChangeAsync(table, facts, sync, loaded.Name, print, result, cancellationToken);
        await ForgetAsync(table, cancellationToken);
        string[] begun = report.Headline is { } resumed ? [resumed] : [];
        return report with
        {
            Refresh = result,
            Headline = Describe(facts.Table, result, report.Counts.Rejected),
            Notes = [.. begun, .. report.Notes],
            Elapsed = _services.Elapsed,
        };
    }

    /// <summary>The last look before an exchange, and the last changes of the table beside.</summary>
    /// <exception cref="ReconciliationException">somebody has altered the table, or it cannot be exchanged any more</exception>
    private async Task<RefreshFacts> ReadyAsync(
        RefreshedTable table, RefreshFacts facts, string loaded, CancellationToken cancellationToken)
    {
        try
        {
            var now = await LookAgainAsync(facts, cancellationToken);
            if (RefreshRules.FindSwapObstacle(now) is { } obstacle)
            {
                throw new ReconciliationException($"{facts.Table.DisplayName} cannot be exchanged any more, and is as it was: {obstacle}: "
                    + "run the same command again");
            }

            // The number that the next row gets may be higher than that of the last row.
            if (TwinText.NextNumber(now.Definition) is { } next)
            {
                await Session.ExecuteAsync(table.Sql.ContinueWith(loaded, next), cancellationToken);
            }

            await Session.QueryAsync(table.Sql.Analyze(loaded), cancellationToken);
            return now;
        }
        catch (BulkLoadException) when (Session.IsUsable)
        {
            await KeepOrDropAsync(table, loaded, keeps: false);
            throw;
        }
    }

    private async Task<RefreshReport> SwapAsync(RefreshedTable table, RefreshFacts facts, string loaded, Fingerprint print,
        RefreshReport result, CancellationToken cancellationToken)
    {
        var former = table.Names.OfOld($"{print}");
        var took = TimeSpan.Zero;
        try
        {
            took = await ExchangeOf(table).RenameAsync(loaded, former, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the names say.
            await Session.DisposeAsync();
            await OpenAsync(cancellationToken);
            if (!(await FindTablesAsync(table, cancellationToken)).Contains(former))
            {
                throw;
            }
        }

        var kept = await ExchangeOf(table).EndAsync(former, _options.KeepOld, cancellationToken);
        return result with { Exchange = took, OldTable = kept is null ? null : $"{facts.Table.Database}.{kept}" };
    }

    private async Task<RefreshReport> ChangeAsync(RefreshedTable table, RefreshFacts facts, TableSync sync, string loaded,
        Fingerprint print, RefreshReport result, CancellationToken cancellationToken)
    {
        var begin = _services.Time.GetTimestamp();
        await Session.QueryAllAsync(RefreshSql.BeginChange, cancellationToken);
        try
        {
            if (await RefreshProbe.TakeAsync(Session, facts, locks: true, cancellationToken) is var now && now.Sum != print.Sum)
            {
                throw new ReconciliationException($"{facts.Table.DisplayName} was written to by others while its new content was loaded, "
                    + "and these rows are not in the input: nothing of it was changed; run the same command again to replace them too");
            }

            // From the first look in a transaction on, nobody can alter the table.
            await LookAgainAsync(facts, cancellationToken);
            await sync.RunAsync(cancellationToken);
            await Session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        }
        catch (Exception fault) when (Session.IsUsable)
        {
            await Session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            await KeepOrDropAsync(table, loaded, keeps: false);
            throw fault is ServerException { Code: > 0 } refused
                ? new ServerException($"{facts.Table.DisplayName} could not be changed, and is as it was: {refused.Message}", refused)
                : fault;
        }

        await Session.ExecuteAsync(table.Sql.Drop(loaded), cancellationToken);
        return result with { Exchange = _services.Time.GetElapsedTime(begin) };
    }

    /// <exception cref="ReconciliationException">somebody has altered the table</exception>
    private async Task<RefreshFacts> LookAgainAsync(RefreshFacts facts, CancellationToken cancellationToken)
    {
        var now = await RefreshProbe.LookAsync(Session, facts.Table.Database, facts.Table.Name, cancellationToken);
        return now.Lasting == facts.Lasting ? now : throw new ReconciliationException(
            $"{facts.Table.DisplayName} was altered by others while its new content was loaded: nothing of it was changed; run the same "
                + "command again");
    }

    /// <summary>The job's table is gone.</summary>
    private async Task ForgetAsync(RefreshedTable table, CancellationToken cancellationToken)
    {
        if (!request.KeepsLedger)
        {
            return;
        }

        try
        {
            await Jobs(table).ForgetAsync([JobId(table.Job)!], cancellationToken);
        }
        catch (BulkLoadException)
        {
            // There is none; or it stays, and the next start forgets it.
        }
    }

    private static LoadRequest Verified(LoadRequest request) => request with
    {
        Refresh = null,
        Verify = request.Verify == VerifyMode.None ? VerifyMode.Checksum : request.Verify,
        VerifiesIfPossible = true,
    };

    private string? JobId(string usual) => request.KeepsLedger ? request.JobId ?? usual : null;

    private JobList Jobs(RefreshedTable table) => new(request.SideConnection, request.LedgerSchema ?? table.Facts.Database);

    private TableExchange ExchangeOf(RefreshedTable table) => new(Session, table.Facts, table.Names, request.Retry, _services.Time);

    private async Task<IReadOnlyList<string>> FindTablesAsync(RefreshedTable table, CancellationToken cancellationToken) =>
        [.. (await Session.QueryAsync(table.Sql.Tables(RefreshNames.Pattern), cancellationToken)).Rows.Select(row => row[0]!)];

    private static LoadPlan Tell(LoadPlan plan, TableFacts table, RefreshPlan way) => plan with
    {
        Table = table.DisplayName,
        Notes = [$"full refresh by {RefreshWays.Of(way.Way)}: {way.Reason}", .. plan.Notes],
    };

    private static string Describe(TableFacts table, RefreshReport result, long rejected) =>
        $"{table.DisplayName} is {(rejected == 0 ? "exactly the input" : "the input without rejected records")} "
        + $"now, by {result.Way} in {result.Exchange.TotalMilliseconds:N0} ms: "
        + (result.NewRows is null ? $"{Plural.Count(result.RowsAfter, "row")} in place of {result.RowsBefore:N0}"
            : $"{result.NewRows:N0} new, {result.ChangedRows:N0} changed, {result.GoneRows:N0} gone, {result.UnchangedRows:N0} unchanged")
        + (result.OldTable is null ? "" : $"; the former table is {result.OldTable}");

    private static long Number(TextResultSet answer) => long.Parse(answer.Scalar!, CultureInfo.InvariantCulture);

    /// <param name="Name">of the table beside</param>
    private sealed record LoadedTable(string Name, LoadReport Report);

    private sealed record RefreshedTable(TableFacts Facts)
    {
        public RefreshNames Names { get; } = new(Facts.Name);

        public RefreshSql Sql { get; } = new(Facts.Database);

        public string Job { get; } = RefreshNames.JobOf(Facts.Database, Facts.Name);
    }
}
