using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
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

    private bool IsPreview => request.Mode == JobMode.Preview;

    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        await using var lead = new RefreshLead(request, _services.Time);
        await lead.OpenAsync(cancellationToken);
        await lead.LookAsync(cancellationToken);
        var way = RefreshRules.Choose(_options, lead.Facts);
        return await new TwinLoad(lead, way, loggers, progress).PlanAsync(cancellationToken);
    }

    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        request.Validate();
        var retry = new ChunkRetry(request.Retry, _services.Time, _services.Log);
        await using var lead = new RefreshLead(request, _services.Time);
        try
        {
            await retry.MakeReadyAsync(_ => lead.OpenAsync(cancellationToken), cancellationToken);
            await lead.LookAsync(cancellationToken);
            await lead.RequireAloneAsync(cancellationToken);
            var way = RefreshRules.Choose(_options, lead.Facts);
            if (!IsPreview)
            {
                await ExchangeEnd.Of(lead).EndEarlierAsync(cancellationToken);
            }

            var before = await RefreshProbe.TakeAsync(lead.Session, lead.Facts, locks: false, cancellationToken);
            await lead.Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            var load = new TwinLoad(lead, way, loggers, progress);
            var (twin, report) = await load.RunAsync(cancellationToken);
            if (report.Outcome == LoadOutcome.Complete)
            {
                report = await FinishAsync(lead, load, way, twin, report, before, cancellationToken);
                await load.ForgetAsync(cancellationToken);
            }

            return report with { Notes = [.. lead.Notes, .. report.Notes], Elapsed = _services.Elapsed };
        }
        catch (BulkLoadException fault)
        {
            return RunResult.Of(LoadOutcome.Failed, fault, request, null, null, _services.Elapsed) with { Notes = lead.Notes };
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return RunResult.Of(LoadOutcome.Interrupted, null, request, null, null, _services.Elapsed) with
            {
                State = "the table is as it was",
                Notes = lead.Notes,
            };
        }
    }

    /// <summary>Compares the two tables, asks, and takes the last step.</summary>
    private async Task<LoadReport> FinishAsync(RefreshLead lead, TwinLoad load, RefreshPlan way, string twin, LoadReport report,
        Fingerprint before, CancellationToken cancellationToken)
    {
        var sync = new TableSync(lead.Session, lead.Facts, twin);
        RefreshReport result;
        try
        {
            result = await CompareAsync(lead, way, twin, report, sync, before, cancellationToken);
            if (IsPreview)
            {
                return await PreviewAsync(lead, way, twin, report, result, sync, cancellationToken);
            }

            var question = new RefreshQuestion(
                lead.Table.DisplayName, request.Connection.Endpoint, RefreshText.Rows(result), result.RowsBefore);
            await Confirmation.RequireAsync(_options.Confirm, question, $"{lead.Table.DisplayName} is as it was", cancellationToken);
        }
        catch (Exception fault) when (lead.Session.IsUsable && (IsPreview || fault is PlanException or ReconciliationException))
        {
            await load.DropAsync(twin);
            throw;
        }

        IRefreshEnd end = way.Way == RefreshWay.Diff ? new DiffEnd(lead, sync) : ExchangeEnd.Of(lead);
        var (took, kept) = await EndAsync();
        result = result with
        {
            Exchange = took,
            OldTable = kept is null ? null : $"{lead.Table.Database}.{kept}",
            Undo = (end as ExchangeEnd)?.Job is { } job ? UndoWords.Of(job, request, lead.Table.Database) : null,
        };
        string[] begun = report.Headline is { } resumed ? [resumed] : [];
        return report with
        {
            Refresh = result,
            Headline = RefreshText.Describe(lead.Table, result, report.Counts.Rejected),
            Notes = [.. begun, .. report.Notes],
        };

        async Task<(TimeSpan Took, string? Kept)> EndAsync()
        {
            try
            {
                return await end.RunAsync(twin, before, cancellationToken);
            }
            catch (BulkLoadException)
            {
                await load.ForgetUnlessThereAsync(twin);
                throw;
            }
        }
    }

    /// <exception cref="PlanException">the input has too few rows</exception>
    private async Task<RefreshReport> CompareAsync(RefreshLead lead, RefreshPlan way, string twin, LoadReport report, TableSync sync,
        Fingerprint print, CancellationToken cancellationToken)
    {
        var (before, after) = (print.Rows, await lead.CountRowsAsync(twin, cancellationToken));
        if (after != report.Counts.Inserted)
        {
            throw new ReconciliationException($"{lead.Table.Database}.{twin} has {after:N0} rows, and {report.Counts.Inserted:N0} "
                + $"were loaded: {lead.Table.DisplayName} is as it was; run the same command again");
        }

        if (after * 100.0 < before * _options.MinRows)
        {
            throw new PlanException($"the input has {Plural.Count(after, "row")}, and {lead.Table.DisplayName} has {before:N0}: fewer "
                + $"than {_options.MinRows:0.##}% do not replace it, since the input may be incomplete; --min-rows 0% replaces it all the "
                + "same");
        }

        var result = new RefreshReport(RefreshWays.Of(way.Way), way.Reason) { RowsBefore = before, RowsAfter = after };
        return await sync.CompareAsync(result, cancellationToken);
    }

    private async Task<LoadReport> PreviewAsync(RefreshLead lead, RefreshPlan way, string twin, LoadReport report, RefreshReport result,
        TableSync sync, CancellationToken cancellationToken)
    {
        var key = lead.Table.PrimaryKey;
        var changes = key.Count == 0 ? [] : await sync.ShowAsync(request.PreviewRows, cancellationToken);
        await lead.DropAsync(twin);
        return report with
        {
            Plan = report.Plan! with { Mode = JobMode.Preview },
            Refresh = result,
            Headline = $"preview: nothing was written; by {RefreshWays.Of(way.Way)}, {lead.Table.DisplayName} would be "
                + $"{RefreshText.Content(report.Counts.Rejected)}: {RefreshText.Rows(result)}",
            Preview = new PreviewReport
            {
                InsertedRows = result.NewRows ?? result.RowsAfter,
                UpdatedRows = result.ChangedRows ?? 0,
                DeletedRows = result.GoneRows ?? result.RowsBefore,
                Key = key,
                Changes = changes,
            },
        };
    }
}
