using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>
/// The main path: look at the inputs, look at the server and the table, plan, run, report. Read this first.
/// </summary>
/// <remarks>
/// The library does not use <c>ConfigureAwait</c>: its callers have no synchronization context. A caller that has one should use
/// <see cref="Task.Run(Func{Task})"/>.
/// </remarks>
/// <param name="request">what to do</param>
/// <param name="loggers">where log messages go</param>
/// <param name="progress">told after each batch; must be quick</param>
public sealed class LoadJob(LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null, TimeProvider? time = null)
{
    private readonly ILogger _log = loggers.CreateLogger<LoadJob>();
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Looks at input, server and table, and decides; writes nothing.</summary>
    /// <exception cref="BulkLoadException">what the user can mend</exception>
    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        await using var prepared = await PreparedJob.CreateAsync(request, _time, _log, retry: null, cancellationToken);
        return await prepared.PlanWithJobAsync(cancellationToken);
    }

    /// <summary>
    /// Plans and runs. Every <see cref="BulkLoadException"/> ends up in <see cref="LoadReport.Failure"/>, so that what was
    /// committed is always told; a cancelled token ends in <see cref="LoadOutcome.Interrupted"/>.
    /// </summary>
    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        // Numbers in statements and messages are written alike everywhere; for the caller nothing changes.
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var start = _time.GetTimestamp();
        var retry = new ChunkRetry(request.Retry, _time, _log);
        LoadPlan? plan = null;
        ILoadRun? run = null;
        NewTable? table = null;
        var outcome = LoadOutcome.Complete;
        BulkLoadException? failure = null;
        JobLedger? known = null;
        try
        {
            using var rejectFile = new RejectFile(request);
            await using var prepared = await PreparedJob.CreateAsync(request, _time, _log, retry, cancellationToken);
            await prepared.CreateTableAsync(created => (table, plan) = (created, prepared.Plan), _log, cancellationToken);
            plan = prepared.Plan;
            await prepared.ConfirmAsync(cancellationToken);
            await using var feeder = prepared.ReadAhead(cancellationToken);
            await using var ledger = await prepared.OpenLedgerAsync(rejectFile, _time, retry, cancellationToken);
            known = ledger;
            if (ledger is { IsNothingToDo: true })
            {
                _log.NothingToDo(ledger.Headline!);
            }
            else
            {
                run = prepared.CreateRun(rejectFile, ledger, feeder, progress, _time, start, retry, _log);
                try
                {
                    await run.RunAsync(prepared.Session, cancellationToken);
                }
                catch (ChangedInputException fault) when (ledger is { CanBeginAgain: true })
                {
                    await feeder.ForgetAsync();
                    await ledger.BeginAgainAsync(cancellationToken);
                    ledger.Notes.Add($"{fault.Change}: the job was begun again, with the first record; what its former input had behind what was committed was never sent");
                    rejectFile.BeginAgain();
                    run = prepared.CreateRun(rejectFile, ledger, feeder, progress, _time, start, retry, _log);
                    await run.RunAsync(prepared.Session, cancellationToken);
                }
            }

            outcome = ledger is { IsNothingToDo: true } or { WasComplete: true } ? LoadOutcome.AlreadyComplete : outcome;
        }
        catch (BulkLoadException fault)
        {
            (outcome, failure) = (fault is StoppedException ? LoadOutcome.Stopped : LoadOutcome.Failed, fault);
            _log.JobFailed(fault.Message);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            outcome = LoadOutcome.Interrupted;
            _log.JobInterrupted();
        }

        var isUnused = outcome is not (LoadOutcome.Complete or LoadOutcome.AlreadyComplete) && run is not { HasCommitted: true };
        var unmade = isUnused && table is not null ? await table.DropAsync() : null;
        var report = LoadReports.Create(outcome, failure, request, plan, outcome == LoadOutcome.AlreadyComplete ? null : run, _time.GetElapsedTime(start)) with { Retries = retry.Count, FirstRetries = retry.Reports };
        if (known is not null)
        {
            var headline = outcome == LoadOutcome.AlreadyComplete || !known.WasComplete ? known.Headline : null;
            report = report with { Job = known.Identity.Id, Headline = headline, RepeatOf = known.RepeatOf, Notes = run is null ? [.. report.Notes, .. known.Notes] : report.Notes };
        }

        return unmade is null ? report : report with { Notes = [.. report.Notes, unmade] };
    }
}
