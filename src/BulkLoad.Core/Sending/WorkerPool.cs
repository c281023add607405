using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending;

/// <summary>The sessions of a run: the lead, which is always there, and those beside it that carry chunks at the same time.</summary>
/// <param name="lead">owned from here on</param>
/// <param name="ledger">takes what is committed; stays the caller's; null: nobody keeps it</param>
/// <param name="columns">asked before a chunk is committed; null: nobody is</param>
internal sealed class WorkerPool(WorkerSession lead, Func<CancellationToken, Task<WorkerSession>> openAsync, JobLedger? ledger,
    ColumnWatch? columns = null) : IAsyncDisposable
{
    private readonly List<WorkerSession> _others = [];

    /// <summary>The session that does also what is done once.</summary>
    public WorkerSession Lead => lead;

    /// <summary>The lead as a worker, for a try.</summary>
    public Worker LeadWorker(INarrowed outcome) => WorkerOf(lead, outcome);

    /// <summary>Opens another session.</summary>
    /// <exception cref="BulkLoadException">the server does not let us</exception>
    public async Task<Worker> OpenWorkerAsync(INarrowed outcome, CancellationToken cancellationToken)
    {
        var session = await openAsync(cancellationToken);
        lock (_others)
        {
            _others.Add(session);
        }

        return WorkerOf(session, outcome);
    }

    /// <summary>After a fault: the lead again, with another session where it needs one. The others are opened again when there is work for
    /// them.</summary>
    /// <param name="isElsewhere">whether the server that the lead has reached is of no use any more</param>
    public async Task RenewAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        await EndOthersAsync();
        await lead.RenewAsync(isElsewhere, cancellationToken);
    }

    /// <summary>Interrupts what the sessions are running.</summary>
    /// <exception cref="BulkLoadException">it cannot be done</exception>
    public async Task KillQueriesAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        WorkerSession[] sessions;
        lock (_others)
        {
            sessions = [lead, .. _others];
        }

        await Task.WhenAll(sessions.Select(
            session => QueryKiller.KillQueryAsync(options, session.Server, session.Session.Server.ConnectionId, cancellationToken)));
    }

    public async ValueTask DisposeAsync()
    {
        await EndOthersAsync();
        await lead.DisposeAsync();
    }

    private Worker WorkerOf(WorkerSession session, INarrowed outcome) =>
        new(session.Session, session.Sender, session.Narrower, new LedgerEntry(ledger, columns), outcome, session.Watch);

    private async Task EndOthersAsync()
    {
        foreach (var session in _others)
        {
            await session.DisposeAsync();
        }

        _others.Clear();
    }
}

/// <summary>
/// How many sessions a team has. Where more may be tried they are, twice as many each time, after a stretch of chunks that tells how fast
/// the former number is: they stay where the next stretch is faster, and else rest. Chunks are all of one size, so that they are counted.
/// </summary>
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

    /// <summary>As many as may have a chunk.</summary>
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
