using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>The sessions of a run: the lead, which is always there, and others that carry chunks at the same time.</summary>
/// <param name="lead">its session is the first one; owned from here on</param>
internal sealed class WorkerPool(
    Worker lead, Func<CancellationToken, Task<ReadySession>> reconnectAsync, Func<CancellationToken, Task<Worker>> openAsync)
    : IAsyncDisposable
{
    private readonly List<Worker> _others = [];
    private long _narrowedByOthers;

    /// <summary>Also does work that is done once.</summary>
    public Worker Lead => lead;

    public long NarrowedBatches => lead.NarrowedBatches + _narrowedByOthers + _others.Sum(worker => worker.NarrowedBatches);

    public async Task<Worker> OpenAsync(INarrowed results, CancellationToken cancellationToken)
    {
        var worker = await openAsync(cancellationToken);
        lock (_others)
        {
            _others.Add(worker);
        }

        worker.Start(results);
        return worker;
    }

    /// <summary>Renews the lead after a fault, with another session if it needs one. The others are opened again when there is work for
    /// them.</summary>
    /// <param name="isElsewhere">whether the lead's server is of no use any more</param>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndOthersAsync();
        await lead.RenewAsync(isElsewhere, reconnectAsync, cancellationToken);
    }

    public async Task KillQueriesAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        Worker[] workers;
        lock (_others)
        {
            workers = [lead, .. _others];
        }

        await Task.WhenAll(workers.Select(
            worker => QueryKiller.KillQueryAsync(options, worker.Server, worker.Session.Server.ConnectionId, cancellationToken)));
    }

    public async ValueTask DisposeAsync()
    {
        await EndOthersAsync();
        await lead.DisposeAsync();
    }

    private async Task EndOthersAsync()
    {
        foreach (var worker in _others)
        {
            await worker.DisposeAsync();
        }

        _narrowedByOthers += _others.Sum(worker => worker.NarrowedBatches);
        _others.Clear();
    }
}

/// <summary>Finds the number of sessions that carry chunks. It doubles the number after a stretch of chunks that has shown the speed of the
/// former number, and keeps the higher number only if the next stretch is faster. It counts chunks, since all have one size.</summary>
/// <param name="most">limit; at most <paramref name="usual"/>: none are tried</param>
internal sealed class WorkerCountTuner(int usual, int most, TimeProvider time)
{
    /// <summary>Minimum gain for twice as many sessions.</summary>
    public const double MinGain = 1.1;

    /// <summary>Chunks a session: those at the beginning, which are not measured, and those that are.</summary>
    public const int Unsteady = 2, Steady = 8;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    private volatile int _now = usual;
    private bool _isSettled = most <= usual;
    private (int Sessions, double Rate) _best = (usual, 0);
    private int _chunks;
    private long _since;

    public int Now => _now;

    /// <summary>The result for people; null: no trial has ended.</summary>
    public string? Finding { get; private set; }

    /// <summary>A chunk is committed.</summary>
    public void Count()
    {
        if (_isSettled)
        {
            return;
        }

        _chunks++;
        if (_chunks <= Unsteady * _now)
        {
            _since = time.GetTimestamp();
            return;
        }

        var (counted, seconds) = (_chunks - (Unsteady * _now), time.GetElapsedTime(_since).TotalSeconds);
        if (counted >= Steady * _now && seconds >= Shortest.TotalSeconds)
        {
            Judge(counted / seconds);
        }
    }

    /// <summary>After a fault: an interrupted stretch begins again.</summary>
    public void BeginAgain() => _chunks = 0;

    /// <summary>The server refuses so many sessions: the trial ends without a result.</summary>
    public void Refuse() => (_now, _isSettled) = (_best.Sessions, true);

    private void Judge(double rate)
    {
        var (sessions, before) = _best;
        var isFaster = rate >= before * MinGain;
        if (_now > sessions)
        {
            Finding = $"{_now:N0} sessions were {rate / before:0.00} times as fast as {sessions:N0}, "
                + $"{(isFaster ? "and were kept" : $"and {sessions:N0} were kept")}";
        }

        _best = isFaster ? (_now, rate) : _best;
        _isSettled = !isFaster || _now >= most;
        _now = _isSettled ? _best.Sessions : Math.Min(2 * _now, most);
        _chunks = 0;
    }
}
