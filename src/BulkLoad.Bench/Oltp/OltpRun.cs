using System.Runtime.ExceptionServices;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Bench.Oltp;

/// <summary>One run: sessions do transactions until time or events are over. <paramref name="report"/> gets their number every
/// second.</summary>
internal sealed class OltpRun(
    OltpRequest request, OltpWorkload workload, ConnectionOptions connection, TimeProvider time, Action<long, TimeSpan>? report = null)
{
    private static readonly TimeSpan BetweenReports = TimeSpan.FromSeconds(1);

    /// <summary>Deadlock, lock wait, a changed row, and a row that another session has inserted first.</summary>
    private static readonly ServerError[] Ignored =
        [ServerError.LockDeadlock, ServerError.LockWaitTimeout, ServerError.CheckRead, ServerError.DupEntry];

    private readonly ConnectionOptions _connection = connection with { KeepsThread = request.RunsKeepThread };

    private readonly double _millisecondsOfTick = 1000.0 / time.TimestampFrequency;
    private readonly LatencyHistogram _latencies = new();
    private readonly Lock _gate = new();
    private readonly List<(TimeSpan At, long Transactions)> _marks = [];
    private long _started;
    private long _begun;
    private long _transactions;
    private long _errors;
    private long _reconnects;

    private ExceptionDispatchInfo? _failure;

    /// <summary>From the first transaction to the last, or to the stop of the run.</summary>
    public TimeSpan Elapsed { get; private set; }

    public long Transactions => Interlocked.Read(ref _transactions);

    /// <summary>The counts at each report, and at the end if that is at least half an interval later.</summary>
    public IReadOnlyList<(TimeSpan At, long Transactions)> Marks => _marks;

    public KeyValuePair<string, double>[] Values
    {
        get
        {
            var others = workload.IsTransaction ? 2 : 0;
            var seconds = Math.Max(Elapsed.TotalSeconds, double.Epsilon);
            return
            [
                new("transactions", Transactions),
                new("queriesPerSecond", Transactions * (workload.Reads + workload.Writes + others) / seconds),
                new("reads", Transactions * workload.Reads),
                new("writes", Transactions * workload.Writes),
                new("others", Transactions * others),
                new("latencyMinMs", _latencies.Min),
                new("latencyAvgMs", _latencies.Average),
                new("latencyMaxMs", _latencies.Max),
                new("latencyPercentileMs", _latencies.Percentile(request.Percentile)),
                new("errorsIgnored", Interlocked.Read(ref _errors)),
                new("reconnects", Interlocked.Read(ref _reconnects)),
            ];
        }
    }

    public async Task RunAsync(int threads, TimeSpan longest, CancellationToken cancellationToken)
    {
        using var failed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var sessions = new List<ServerSession>();
        try
        {
            for (var i = 0; i < threads; i++)
            {
                await OwnThread.RunAsync(async () => sessions.Add(await BenchPlace.OpenSessionAsync(_connection, cancellationToken)));
            }

            _started = time.GetTimestamp();
            var workers = Enumerable.Range(0, threads)
                .Select(i => OwnThread.RunAsync(() => WorkAsync(sessions, i, longest, failed))).ToList();
            var all = Task.WhenAll(workers);
            try
            {
                await Task.WhenAll(
                    EveryAsync(request.ReportInterval, Mark, all, failed.Token),
                    EveryAsync(
                        report is null ? TimeSpan.Zero : BetweenReports,
                        () => report!(Transactions, time.GetElapsedTime(_started)),
                        all,
                        failed.Token));
                await all;
            }
            catch (Exception) when (_failure is not null)
            {
                // This failure has stopped the others, or lost their sessions.
                _failure.Throw();
            }
            finally
            {
                Elapsed = time.GetElapsedTime(_started);
                MarkEnd();
            }
        }
        finally
        {
            foreach (var session in sessions)
            {
                await session.DisposeAsync();
            }
        }
    }

    private void Mark() => _marks.Add((time.GetElapsedTime(_started), Transactions));

    /// <summary>With a rate, the last transaction ends before the time.</summary>
    private void MarkEnd()
    {
        var last = _marks.Count > 0 ? _marks[^1].At : TimeSpan.Zero;
        if (request.ReportInterval > TimeSpan.Zero && Elapsed - last >= request.ReportInterval / 2)
        {
            _marks.Add((Elapsed, Transactions));
        }
    }

    /// <summary>Zero interval: never.</summary>
    private async Task EveryAsync(TimeSpan interval, Action act, Task all, CancellationToken cancellationToken)
    {
        if (interval <= TimeSpan.Zero)
        {
            return;
        }

        for (var due = interval; ; due += interval)
        {
            var left = due - time.GetElapsedTime(_started);
            await Task.WhenAny(all, Task.Delay(left > TimeSpan.Zero ? left : TimeSpan.Zero, time, cancellationToken));
            if (all.IsCompleted || cancellationToken.IsCancellationRequested)
            {
                return;
            }

            act();
        }
    }

    /// <summary>A worker replaces its lost session.</summary>
    private async Task WorkAsync(List<ServerSession> sessions, int worker, TimeSpan longest, CancellationTokenSource failed)
    {
        var latencies = new LatencyHistogram();
        try
        {
            var random = new Random();
            var session = new OltpSession(sessions[worker], request, random);
            var now = time.GetTimestamp();
            while (await TakeAsync(now, longest, failed.Token) is { } begun)
            {
                try
                {
                    await session.RunAsync(workload, failed.Token);
                    now = time.GetTimestamp();
                    latencies.Add((now - begun) * _millisecondsOfTick);
                    Interlocked.Increment(ref _transactions);
                }
                catch (ServerException fault) when (Ignored.Contains(fault.Error) && sessions[worker].IsUsable)
                {
                    Interlocked.Increment(ref _errors);
                    await session.UndoAsync(failed.Token);
                    now = time.GetTimestamp();
                }
                catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !failed.IsCancellationRequested)
                {
                    Interlocked.Increment(ref _reconnects);
                    await sessions[worker].DisposeAsync();
                    sessions[worker] = await ReopenAsync(fault, failed.Token);
                    session = new OltpSession(sessions[worker], request, random);
                    now = time.GetTimestamp();
                }
            }
        }
        catch (Exception fault)
        {
            Interlocked.CompareExchange(ref _failure, ExceptionDispatchInfo.Capture(fault), null);
            await failed.CancelAsync();
            throw;
        }
        finally
        {
            lock (_gate)
            {
                _latencies.Add(latencies);
            }
        }
    }

    /// <summary>If no session can be opened, the server is gone.</summary>
    private async Task<ServerSession> ReopenAsync(ServerException lost, CancellationToken cancellationToken)
    {
        try
        {
            return await BenchPlace.OpenSessionAsync(_connection, cancellationToken);
        }
        catch (BulkLoadException fault)
            when (fault is ConnectException or ServerException { Kind: FaultKind.SessionLost or FaultKind.CannotConnect })
        {
            throw new ServerException(FaultKind.SessionLost, $"{lost.Message}; and no other session could be opened: {fault.Message}");
        }
    }

    /// <summary>Timestamp at which the next transaction began or, with a rate, should begin. Null: there is no next one.</summary>
    private ValueTask<long?> TakeAsync(long now, TimeSpan longest, CancellationToken cancellationToken)
    {
        var number = Interlocked.Increment(ref _begun) - 1;
        if ((request.Events > 0 && number >= request.Events) || time.GetElapsedTime(_started, now) >= longest)
        {
            return default;
        }

        return request.Rate == 0 ? new(now) : WaitAsync(number, longest, cancellationToken);
    }

    private async ValueTask<long?> WaitAsync(long number, TimeSpan longest, CancellationToken cancellationToken)
    {
        var due = TimeSpan.FromSeconds((double)number / request.Rate);
        if (due >= longest)
        {
            return null;
        }

        var left = due - time.GetElapsedTime(_started);
        if (left > TimeSpan.Zero)
        {
            await Task.Delay(left, time, cancellationToken);
        }

        // A wait takes whole milliseconds, and may end too early.
        return Math.Min(_started + (long)(due.TotalSeconds * time.TimestampFrequency), time.GetTimestamp());
    }
}
