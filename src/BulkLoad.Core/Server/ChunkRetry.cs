using System.Runtime.ExceptionServices;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging;
using Polly;
using Polly.Retry;

namespace BulkLoad.Core.Server;

/// <summary>Retries chunks, and what comes before them, after faults that pass. Waits grow exponentially; each commit begins a new count. A
/// chunk is retried, never a batch: most such faults have undone the whole transaction.</summary>
internal sealed class ChunkRetry
{
    private static readonly TimeSpan FirstWait = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    private readonly RetryOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _log;
    private readonly List<RetryReport> _reports = [];
    private bool _wasReached;

    public ChunkRetry(RetryOptions options, TimeProvider time, ILogger log) => (_options, _time, _log) = (options, time, log);

    public int Count { get; private set; }

    /// <summary>The first of the retries.</summary>
    public IReadOnlyList<RetryReport> Reports => _reports;

    /// <summary>Runs what comes before the first chunk until it succeeds, or until a fault that another try would not help. A server that
    /// has never answered is not waited for: probably host or port are wrong.</summary>
    /// <param name="run">can be called again; gets the fault of the try before</param>
    /// <exception cref="BulkLoadException">the last fault</exception>
    public async Task<T> MakeReadyAsync<T>(Func<Exception?, Task<T>> run, CancellationToken stop)
    {
        var before = Count;
        T? made = default;
        try
        {
            await RunAsync(
                async fault => made = await run(fault), fault => WasReached(fault) && !stop.IsCancellationRequested, () => 0, stop);
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

    /// <summary>For people, after the error.</summary>
    public static string DescribeTries(int retries) => retries == 0 ? "" : $"; tried again {(retries == 1 ? "once" : $"{retries} times")}";

    /// <summary>Runs until the end, or until a fault that another try would not help.</summary>
    /// <param name="run">begins after what is committed; gets the fault of the try before</param>
    /// <param name="canRetry">whether <paramref name="run"/> can be called after this fault</param>
    public async Task RunAsync(
        Func<Exception?, Task> run, Func<Exception, bool> canRetry, Func<long> committed, CancellationToken stop)
    {
        var pipeline = CreatePipeline(canRetry);
        TryEnd end;
        TryEnd? first = null;
        do
        {
            // Tries without a commit. A fault after a commit ends them, and the next ones begin with it: so it is the first of a new count.
            var (given, before, last) = (first, committed(), (Exception?)null);
            end = await pipeline.ExecuteAsync(
                async _ =>
                {
                    var one = given ?? await TryAsync(run, last, () => committed() > before);
                    (given, last) = (null, one.Fault);
                    return one;
                },
                stop);
            first = end with { HasCommitted = false };
        }
        while (end is { HasCommitted: true, Fault: { } fault } && CanGoOn(fault, canRetry));
        if (end.Fault is not null)
        {
            ExceptionDispatchInfo.Throw(end.Fault);
        }
    }

    public static bool IsPassing(Exception fault) => fault switch
    {
        ServerException server => server.Passes,
        ConnectException { InnerException: ServerException refusal } => IsPassing(refusal),
        ConnectException { InnerException: { } cause } =>
            cause is System.IO.IOException or OperationCanceledException or ObjectDisposedException or System.ComponentModel.Win32Exception,
        PlanException { InnerException: ServerException { IsReadOnly: true } } => true,
        _ => false,
    };

    private bool WasReached(Exception fault) => _wasReached |= fault is not ConnectException { IsNobodyThere: true };

    private static async ValueTask<TryEnd> TryAsync(Func<Exception?, Task> run, Exception? last, Func<bool> hasCommitted)
    {
        try
        {
            await run(last);
            return new TryEnd(Fault: null, HasCommitted: false);
        }
        catch (Exception fault)
        {
            return new TryEnd(fault, hasCommitted());
        }
    }

    private bool CanGoOn(Exception fault, Func<Exception, bool> canRetry) => _options.MaxRetries > 0 && IsPassing(fault) && canRetry(fault);

    private ResiliencePipeline<TryEnd> CreatePipeline(Func<Exception, bool> canRetry)
    {
        var firstFault = 0L;
        return new ResiliencePipelineBuilder<TryEnd> { TimeProvider = _time }
            .AddRetry(new RetryStrategyOptions<TryEnd>
            {
                MaxRetryAttempts = Math.Max(1, _options.MaxRetries),
                BackoffType = DelayBackoffType.Exponential,
                UseJitter = true,
                Delay = FirstWait,
                MaxDelay = MaxWait,
                ShouldHandle = arguments => ValueTask.FromResult(
                    arguments.Outcome.Result is { Fault: { } fault, HasCommitted: false } && CanGoOn(fault, canRetry)
                        && IsInTime(arguments.AttemptNumber)),
                OnRetry = arguments =>
                {
                    Report(arguments.Outcome.Result.Fault!, arguments.RetryDelay);
                    return ValueTask.CompletedTask;
                },
            })
            .Build();

        bool IsInTime(int attempt)
        {
            firstFault = attempt == 0 ? _time.GetTimestamp() : firstFault;
            return _time.GetElapsedTime(firstFault) < _options.For;
        }
    }

    private void Report(Exception fault, TimeSpan wait)
    {
        Count++;
        if (_reports.Count < LoadReport.MaxRetriesListed)
        {
            _reports.Add(new RetryReport(fault.Message, (fault as ServerException)?.Code ?? 0, wait));
        }

        _log.ChunkRetried(Count, wait.TotalSeconds, fault.Message);
    }

    /// <summary>How a try ended.</summary>
    /// <param name="Fault">null: success</param>
    /// <param name="HasCommitted">whether it had committed before the fault</param>
    private readonly record struct TryEnd(Exception? Fault, bool HasCommitted);
}
