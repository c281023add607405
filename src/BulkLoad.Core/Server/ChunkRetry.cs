using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.Retry;

namespace BulkLoad.Core.Server;

/// <summary>Runs the sending of chunks, and what comes before it, again after faults that pass: exponentially longer waits, and a bound
/// that begins again whenever a chunk is committed.</summary>
/// <remarks>A chunk is tried again, never a batch: most such faults have undone the whole transaction.</remarks>
internal sealed class ChunkRetry
{
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(30);

    private readonly RetryOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _log;
    private readonly List<RetryReport> _reports = [];
    private long _firstFault;
    private bool _wasReached;
    private Func<Exception, bool> _canRetry = _ => false;

    public ChunkRetry(RetryOptions options, TimeProvider time, ILogger log) => (_options, _time, _log) = (options, time, log);

    /// <summary>Retries that were made.</summary>
    public int Count { get; private set; }

    /// <summary>The first of them.</summary>
    public IReadOnlyList<RetryReport> Reports => _reports;

    /// <summary>Runs what comes before the first chunk until it goes well, or until a fault that another try would not help. A server that
    /// never answered is not waited for: host or port are likelier to be wrong.</summary>
    /// <param name="run">can be called again; gets the fault that ended the try before</param>
    /// <exception cref="BulkLoadException">the last fault</exception>
    public async Task<T> MakeReadyAsync<T>(Func<Exception?, Task<T>> run, CancellationToken stop)
    {
        var before = Count;
        T? made = default;
        Exception? last = null;
        try
        {
            await RunAsync(
                async _ =>
                {
                    try
                    {
                        made = await run(last);
                    }
                    catch (Exception fault)
                    {
                        last = fault;
                        throw;
                    }
                },
                fault => WasReached(fault) && !stop.IsCancellationRequested, () => 0, stop);
            _wasReached = true;
            return made!;
        }
        catch (ConnectException fault) when (Count > before)
        {
            throw new ConnectException($"{fault.Message}{DescribeTries(Count - before)}", fault.InnerException);
        }
        catch (ServerException fault) when (Count > before)
        {
            throw new ServerException($"{fault.Message}{DescribeTries(Count - before)}", fault);
        }
    }

    /// <summary>For people, behind what went wrong.</summary>
    public static string DescribeTries(int retries) => retries == 0 ? "" : $"; tried again {(retries == 1 ? "once" : $"{retries} times")}";

    /// <summary>Runs until the end, or until a fault that another try would not help.</summary>
    /// <param name="run">begins behind what is committed; called once more after each fault</param>
    /// <param name="canRetry">whether it can be called after this fault</param>
    public async Task RunAsync(
        Func<CancellationToken, Task> run, Func<Exception, bool> canRetry, Func<long> committed, CancellationToken stop)
    {
        _canRetry = canRetry;
        Exception? carried = null;
        var pipeline = CreatePipeline();
        for (var isDone = false; !isDone;)
        {
            var before = committed();
            isDone = await pipeline.ExecuteAsync(
                async token =>
                {
                    if (carried is { } first)
                    {
                        // The first fault, and the first one behind a commit, is the first of a new count.
                        carried = null;
                        throw first;
                    }

                    try
                    {
                        await run(token);
                        return true;
                    }
                    catch (Exception fault) when (committed() > before && CanGoOn(fault))
                    {
                        carried = fault;
                        return false;
                    }
                },
                stop);
        }
    }

    /// <summary>Whether the same may go well another time.</summary>
    public static bool IsPassing(Exception fault) => fault switch
    {
        ServerException server => server.EndsTransaction,
        ConnectException { InnerException: ServerException refusal } => IsPassing(refusal),
        ConnectException { InnerException: { } cause } =>
            cause is System.IO.IOException or OperationCanceledException or ObjectDisposedException or System.ComponentModel.Win32Exception,
        PlanException { InnerException: ServerException { IsReadOnly: true } } => true,
        _ => false,
    };

    private bool WasReached(Exception fault) => _wasReached |= fault is not ConnectException { IsNobodyThere: true };

    private bool CanGoOn(Exception fault) => _options.Most > 0 && IsPassing(fault) && _canRetry(fault);

    private ResiliencePipeline<bool> CreatePipeline() => new ResiliencePipelineBuilder<bool> { TimeProvider = _time }
        .AddRetry(new RetryStrategyOptions<bool>
        {
            MaxRetryAttempts = Math.Max(1, _options.Most),
            BackoffType = DelayBackoffType.Exponential,
            UseJitter = true,
            Delay = FirstWait,
            MaxDelay = LongestWait,
            ShouldHandle = arguments =>
                ValueTask.FromResult(arguments.Outcome.Exception is { } fault && CanRetry(fault, arguments.AttemptNumber)),
            OnRetry = arguments =>
            {
                Report(arguments.Outcome.Exception!, arguments.RetryDelay);
                return ValueTask.CompletedTask;
            },
        })
        .Build();

    private bool CanRetry(Exception fault, int attempt)
    {
        if (!CanGoOn(fault))
        {
            return false;
        }

        _firstFault = attempt == 0 ? _time.GetTimestamp() : _firstFault;
        return _time.GetElapsedTime(_firstFault) < _options.For;
    }

    private void Report(Exception fault, TimeSpan wait)
    {
        Count++;
        if (_reports.Count < LoadReport.MostRetriesKept)
        {
            _reports.Add(new RetryReport(fault.Message, (fault as ServerException)?.Code ?? 0, wait));
        }

        _log.ChunkRetried(Count, wait.TotalSeconds, fault.Message);
    }
}
