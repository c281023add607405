using System.Runtime.ExceptionServices;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Core.Library;

/// <summary>One call of the library: runs a job away from the caller's thread, and makes a result or an exception of its report.</summary>
/// <param name="disposed">cancelled with the loader</param>
internal sealed class LibraryJob(BulkOptions options, CancellationToken disposed)
{
    private readonly ILoggerFactory _loggers = options.Loggers ?? NullLoggerFactory.Instance;
    private ObjectStream? _objects;
    private Exception? _callbackFault;
    private long _told;

    /// <summary>Whether the caller gets objects back.</summary>
    private bool KeepsObjects => options.Rejected is not null || options.IdGenerated is not null;

    /// <summary>Runs a job whose records are objects.</summary>
    public Task<LoadResult> RunAsync<T>(LoadRequest request, ObjectSource<T> source, CancellationToken cancellationToken) =>
        AwayAsync(stop => WithAsync(source, request, stop, with => LoadAsync(with, stop, cancellationToken)), cancellationToken);

    /// <summary>Runs a job whose records are in files.</summary>
    public Task<LoadResult> RunAsync(LoadRequest request, CancellationToken cancellationToken) =>
        AwayAsync(stop => LoadAsync(request, stop, cancellationToken), cancellationToken);

    public Task<BulkPlan> PlanAsync<T>(LoadRequest request, ObjectSource<T> source, CancellationToken cancellationToken) =>
        AwayAsync(stop => WithAsync(source, request, stop, with => PlanAsync(with, stop)), cancellationToken);

    public Task<BulkPlan> PlanAsync(LoadRequest request, CancellationToken cancellationToken) =>
        AwayAsync(stop => PlanAsync(request, stop), cancellationToken);

    /// <summary>Heads are read, and pipes are waited for, by the thread that runs the job: it must not be the caller's.</summary>
    private async Task<TResult> AwayAsync<TResult>(Func<CancellationTokenSource, Task<TResult>> run, CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, disposed);
        return await Task.Run(() => run(stop), CancellationToken.None);
    }

    private async Task<TResult> WithAsync<T, TResult>(
        ObjectSource<T> source, LoadRequest request, CancellationTokenSource stop, Func<LoadRequest, Task<TResult>> run)
    {
        // A reject may name any object that is not settled, and only an import settles them in their order.
        _objects = source.Open(request.StartAt, KeepsObjects, stop.Token);
        try
        {
            return await run(request with { StandardInput = _objects });
        }
        finally
        {
            // The sequence is the caller's again when this returns, unless it does not listen.
            await stop.CancelAsync();
            _objects.Abandon();
            await Task.WhenAny(_objects.Ended, Task.Delay(request.Grace, CancellationToken.None));
        }
    }

    private async Task<BulkPlan> PlanAsync(LoadRequest request, CancellationTokenSource stop)
    {
        try
        {
            return new BulkPlan(await new LoadJob(request, _loggers).PlanAsync(stop.Token), LibraryWords.Of);
        }
        catch (BulkLoadException) when (_objects?.Fault is { } own)
        {
            ExceptionDispatchInfo.Throw(own);
            throw;
        }
        catch (BulkLoadException fault)
        {
            throw new LoadRefusedException(fault, LibraryWords.Of(fault.Message));
        }
    }

    private async Task<LoadResult> LoadAsync(LoadRequest request, CancellationTokenSource stop, CancellationToken cancellationToken)
    {
        request = request with
        {
            OnReject = KeepsObjects ? reject => Tell(reject, stop) : null,
            OnId = options.IdGenerated is null ? null : (input, record, id) => Tell(input, record, id, stop),
        };
        var progress = new Watch(this, request.Kind == JobKind.Import, options.Progress);
        using var telemetry = new Telemetry(request);
        var report = await new LoadJob(request, _loggers, progress).RunAsync(stop.Token);
        var result = new LoadResult(report, LibraryWords.Of);
        telemetry.End(report);
        if (_callbackFault is not null)
        {
            ExceptionDispatchInfo.Throw(_callbackFault);
        }

        if (report.Outcome is LoadOutcome.Complete or LoadOutcome.AlreadyComplete)
        {
            return result;
        }

        if (stop.IsCancellationRequested && (report.Outcome == LoadOutcome.Interrupted || _objects?.Fault is OperationCanceledException))
        {
            throw new LoadCanceledException(result, cancellationToken);
        }

        if (_objects?.Fault is { } fault)
        {
            ExceptionDispatchInfo.Throw(fault);
        }

        throw new LoadFailedException(report.Failure!, LibraryWords.Of(report.Failure!.Message), result);
    }

    private void Tell(Reject reject, CancellationTokenSource stop)
    {
        _told++;
        if (options.Rejected is { } rejected)
        {
            Call(rejected, new RejectedRow(reject, _objects?.Find(reject.Record), LibraryWords.Of(reject.Message)), stop);
        }
    }

    private void Tell(string source, long record, ulong id, CancellationTokenSource stop) =>
        Call(options.IdGenerated!, new GeneratedId(_objects?.Find(record), source, record, id), stop);

    /// <summary>Nothing may come through a job from a caller's code: what it throws comes out of the call.</summary>
    private void Call<T>(Action<T> callback, T value, CancellationTokenSource stop)
    {
        if (_callbackFault is not null)
        {
            return;
        }

        try
        {
            callback(value);
        }
        catch (Exception fault)
        {
            _callbackFault = fault;
            stop.Cancel();
        }
    }

    private sealed class Watch(LibraryJob job, bool isInOrder, IProgress<LoadProgress>? progress) : IProgress<LoadProgress>
    {
        public void Report(LoadProgress value)
        {
            if (isInOrder)
            {
                // Each record up to there is committed, or a reject that was told.
                job._objects?.Release(value.RecordsCommitted + job._told + 1);
            }

            if (job._callbackFault is null)
            {
                progress?.Report(value);
            }
        }
    }
}
