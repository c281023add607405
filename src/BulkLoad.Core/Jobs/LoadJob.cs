using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>The main path: look at the inputs, look at the server and the table, plan, run, report. Read this first.</summary>
/// <remarks>
/// The library does not use <c>ConfigureAwait</c>: its callers have no synchronization context. A caller that has one should use
/// <see cref="Task.Run(Func{Task})"/>.
/// </remarks>
/// <param name="request">what to do</param>
/// <param name="loggers">where log messages go</param>
/// <param name="progress">called after each batch; must be quick</param>
public sealed class LoadJob(
    LoadRequest request, ILoggerFactory loggers, IProgress<LoadProgress>? progress = null, TimeProvider? time = null)
{
    private JobServices CreateServices() => new(loggers.CreateLogger<LoadJob>(), time ?? TimeProvider.System, progress);

    /// <summary>Looks at input, server and table, and decides; writes nothing.</summary>
    /// <exception cref="BulkLoadException">what the user can fix</exception>
    public async Task<LoadPlan> PlanAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        await using var setup = await JobSetup.CreateAsync(request, CreateServices(), retry: null, cancellationToken);
        return await setup.PlanWithJobAsync(cancellationToken);
    }

    /// <summary>
    /// Plans and runs. Every <see cref="BulkLoadException"/> ends up in <see cref="LoadReport.Failure"/>, and what was
    /// committed is always reported; a cancelled token ends in <see cref="LoadOutcome.Interrupted"/>.
    /// </summary>
    public async Task<LoadReport> RunAsync(CancellationToken cancellationToken)
    {
        // Numbers in statements and messages are written alike everywhere; for the caller nothing changes.
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var services = CreateServices();
        var retry = new ChunkRetry(request.Retry, services.Time, services.Log);
        LoadPlan? plan = null;
        ILoadRun? run = null;
        SchemaChange? made = null;
        var outcome = LoadOutcome.Complete;
        BulkLoadException? failure = null;
        JobLedger? known = null;
        try
        {
            using var rejectFile = new RejectFile(request);
            await using var setup = await JobSetup.CreateAsync(request, services, retry, cancellationToken);
            await setup.CreateTableAsync(change => (made, plan) = (change, setup.Plan), cancellationToken);
            plan = setup.Plan;
            await setup.ConfirmAsync(cancellationToken);
            await using var feed = setup.ReadAhead(cancellationToken);
            await using var ledger = await setup.OpenLedgerAsync(rejectFile, retry, cancellationToken);
            known = ledger;
            if (ledger is { IsNothingToDo: true })
            {
                services.Log.NothingToDo(ledger.Headline!);
            }
            else
            {
                run = setup.CreateRun(rejectFile, ledger, feed, retry);
                try
                {
                    await run.RunAsync(setup.Session, cancellationToken);
                }
                catch (RejectLimitException fault)
                {
                    throw FormatHint.AddTo(fault, run.Rejects.First is [var first, ..] ? first : null, setup.Job, cancellationToken);
                }
                catch (ChangedInputException fault) when (ledger is { CanBeginAgain: true })
                {
                    await feed.ForgetAsync();
                    await ledger.BeginAgainAsync(cancellationToken);
                    ledger.Notes.Add($"{fault.Change}: the job started again with the first record; records of the earlier input that "
                        + "were not committed were never sent");
                    rejectFile.BeginAgain();
                    run = setup.CreateRun(rejectFile, ledger, feed, retry);
                    await run.RunAsync(setup.Session, cancellationToken);
                }
            }

            outcome = ledger is { IsNothingToDo: true } or { WasComplete: true } ? LoadOutcome.AlreadyComplete : outcome;
        }
        catch (BulkLoadException fault)
        {
            (outcome, failure) = (fault is StoppedException ? LoadOutcome.Stopped : LoadOutcome.Failed, fault);
            services.Log.JobFailed(fault.Message);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            outcome = LoadOutcome.Interrupted;
            services.Log.JobInterrupted();
        }

        var isUnused = outcome is not (LoadOutcome.Complete or LoadOutcome.AlreadyComplete) && run is not { HasCommitted: true };
        isUnused |= outcome == LoadOutcome.AlreadyComplete && run is null && plan?.AddedColumns is not null;
        var isDone = outcome is LoadOutcome.Complete or LoadOutcome.AlreadyComplete;
        var unmade = made is null ? null : isUnused ? await made.DropAsync() : isDone ? null : made.DescribeUsed();
        var report = LoadReports.Create(outcome, failure, request, plan, outcome == LoadOutcome.AlreadyComplete
            ? null
            : run, services.Elapsed) with
        { Retries = retry.Count, FirstRetries = retry.Reports };
        if (known is not null)
        {
            var headline = outcome == LoadOutcome.AlreadyComplete || !known.WasComplete ? known.Headline : null;
            report = report with
            {
                Job = known.Identity.Id,
                Headline = headline,
                RepeatOf = known.RepeatOf,
                Notes = run is null ? [.. report.Notes, .. known.Notes] : report.Notes,
                Choices = known.Created is { } ledger ? [.. report.Choices, ledger] : report.Choices,
            };
        }

        return unmade is null ? report : report with { Notes = [.. report.Notes, unmade] };
    }
}
