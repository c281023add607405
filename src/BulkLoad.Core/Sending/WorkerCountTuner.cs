namespace BulkLoad.Core.Sending;

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
