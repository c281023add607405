using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>The sessions of a run: the lead, which is always there, and those beside it that carry chunks at the same time.</summary>
/// <param name="lead">its session is the first one; owned from here on</param>
internal sealed class WorkerPool(
    Worker lead, Func<CancellationToken, Task<ReadySession>> reconnectAsync, Func<CancellationToken, Task<Worker>> openAsync)
    : IAsyncDisposable
{
    private readonly List<Worker> _others = [];
    private long _narrowedByOthers;

    /// <summary>Does also what is done once.</summary>
    public Worker Lead => lead;

    /// <summary>Batches that were taken apart.</summary>
    public long NarrowedBatches => lead.NarrowedBatches + _narrowedByOthers + _others.Sum(worker => worker.NarrowedBatches);

    /// <summary>Opens another worker.</summary>
    /// <exception cref="BulkLoadException">the server does not let us</exception>
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

    /// <summary>After a fault: the lead again, with another session where it needs one. The others are opened again when there is work for
    /// them.</summary>
    /// <param name="isElsewhere">whether the server that the lead has reached is of no use any more</param>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndOthersAsync();
        await lead.RenewAsync(isElsewhere, reconnectAsync, cancellationToken);
    }

    /// <summary>Interrupts what the sessions are running.</summary>
    /// <exception cref="BulkLoadException">it cannot be done</exception>
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

/// <summary>How many sessions carry chunks. Where more may be tried they are, twice as many each time, after a stretch of chunks that shows
/// how fast the former number is: they stay where the next stretch is faster, and else rest. Chunks are counted, since all are of one
/// size.</summary>
/// <param name="most">tried; no more than <paramref name="usual"/>: none are</param>
internal sealed class WorkerCountTuner(int usual, int most, TimeProvider time)
{
    /// <summary>How much faster it must be to keep twice as many.</summary>
    public const double LeastGain = 1.1;

    /// <summary>Chunks a session that are not counted, while the new ones begin, and that are.</summary>
    public const int Unsteady = 2, Steady = 8;

    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);

    private volatile int _now = usual;
    private bool _isSettled = most <= usual;
    private (int Sessions, double Rate) _best = (usual, 0);
    private int _chunks;
    private long _since;

    /// <summary>The number of workers that may have a chunk.</summary>
    public int Now => _now;

    /// <summary>What was found out, for people; null: nothing was tried to its end.</summary>
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

    /// <summary>After a fault: a stretch that it has interrupted begins again.</summary>
    public void BeginAgain() => _chunks = 0;

    /// <summary>The server does not give as many: nothing more is tried, and nothing is said of what was under way.</summary>
    public void Refuse() => (_now, _isSettled) = (_best.Sessions, true);

    private void Judge(double rate)
    {
        var (sessions, before) = _best;
        var isFaster = rate >= before * LeastGain;
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
