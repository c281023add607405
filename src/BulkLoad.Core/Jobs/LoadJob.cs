using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>The main path: read the heads of the inputs, ask the server and the table, plan, run, report. Read this first.</summary>
/// <remarks>The library does not use <c>ConfigureAwait</c>: its callers have no synchronization context. A caller that has one should use
/// <see cref="Task.Run(Func{Task})"/>.</remarks>
/// <param name="progress">called after each batch; must be quick</param>
internal sealed class LoadJob(
    LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null, TimeProvider? time = null)
{
    /// <summary>The only records that are loaded, for each pass over the inputs; null: all.</summary>
    public Func<ChosenRecords>? Only { private get; init; }

    private JobServices CreateServices() => new(loggers.CreateLogger<LoadJob>(), time ?? TimeProvider.System, progress);

    /// <summary>Reads heads, asks, and decides; writes nothing.</summary>
    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        await using var setup = await JobSetup.CreateAsync(request, CreateServices(), retry: null, cancellationToken);
        return await setup.PlanWithJobAsync(cancellationToken);
    }

    /// <summary>Plans and runs. Each <see cref="BulkLoadException"/> becomes <see cref="LoadReport.Failure"/>; a cancelled token becomes
    /// <see cref="LoadOutcome.Interrupted"/>. The report always has what was committed.</summary>
    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        // Numbers in statements and messages have the same form everywhere. The caller's culture does not change.
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var services = CreateServices();
        var retry = new ChunkRetry(request.Retry, services.Time, services.Log);
        var result = new RunResult(request, services, retry);
        try
        {
            using var rejectFile = new RejectFile(request);
            await using var setup = await JobSetup.CreateAsync(request, services, retry, cancellationToken);
            setup.Only = Only;
            result.Locks = setup.Locks;
            await setup.CreateTableAsync(change => (result.Made, result.Plan) = (change, setup.Plan), cancellationToken);
            result.Plan = setup.Plan;
            await setup.ConfirmAsync(cancellationToken);
            await using var feed = setup.ReadAhead(cancellationToken);
            await using var ledger = await setup.OpenLedgerAsync(rejectFile, retry, cancellationToken);
            (result.Ledger, result.Plan) = (ledger, setup.PlanOf(ledger));
            if (ledger is { IsNothingToDo: true })
            {
                services.Log.NothingToDo(ledger.Headline!);
            }
            else
            {
                await SendAsync(setup, rejectFile, feed, result, services.Log, cancellationToken);
            }

            result.Complete();
        }
        catch (BulkLoadException fault)
        {
            result.Fail(fault);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            result.Interrupt();
        }

        return await result.ReportAsync();
    }

    /// <summary>Runs. If committed records have changed, and may be sent again, runs once more from the first record.</summary>
    private static async Task SendAsync(
        JobSetup setup, RejectFile rejectFile, InputFeed feed, RunResult result, ILogger log, CancellationToken cancellationToken)
    {
        result.Run = setup.CreateRun(rejectFile, result.Ledger, feed, result.Retry);
        try
        {
            await result.Run.RunAsync(setup.Session, cancellationToken);
        }
        catch (RejectLimitException fault)
        {
            var first = result.Run.Rejects.First is [var one, ..] ? one : null;
            Hints.Try(() => FormatHint.AddTo(fault, first, setup.Job, result.Run.HasCommitted, cancellationToken), log);
            throw;
        }
        catch (ChangedInputException fault) when (result.Ledger is { CanBeginAgain: true } ledger)
        {
            await feed.ForgetAsync();
            await ledger.BeginAgainAsync(cancellationToken);
            ledger.Notes.Add($"{fault.Change}: the job started again with the first record; records of the earlier input that "
                + "were not committed were never sent");
            rejectFile.BeginAgain();
            result.Run = setup.CreateRun(rejectFile, ledger, feed, result.Retry);
            await result.Run.RunAsync(setup.Session, cancellationToken);
        }
    }
}
