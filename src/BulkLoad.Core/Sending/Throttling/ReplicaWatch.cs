using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>How far a replica is behind. The job works for a burst, as long as the replica can follow in half of the limit by what was
/// measured so far; then it waits until the replica has all of that.</summary>
internal sealed class ReplicaWatch(
    string endpoint, TimeSpan most, Func<CancellationToken, Task<IServerSession>> connect, TimeProvider time, PrimaryLog? log = null)
    : IAsyncDisposable
{
    private const string Reason = "max-lag";

    /// <summary>Seconds that a replica takes for what the primary did in one, until it is measured.</summary>
    private const double UsualSlowness = 4;

    private const int MaxAsked = 16, MaxWaiting = 1000;

    /// <summary>Time between two looks whether it replicates.</summary>
    private static readonly TimeSpan BetweenStates = TimeSpan.FromSeconds(1);

    private readonly WatchSession _session = new(connect);
    private readonly List<LogSample> _due = [];
    private double _slowness = UsualSlowness;
    private bool _isKnown;
    private bool _hasFollowed;
    private LogForm? _form;
    private ThrottleState _reported;
    private string? _place;
    private long? _stateAsked;
    private (LogSample Until, long Began, long Stopped)? _wait;

    public TimeSpan GreatestLag { get; private set; }

    public TimeSpan Waited { get; set; }

    public ReplicaReport Report => new(endpoint, GreatestLag, Waited);

    /// <summary>The primary has committed something that the replica has to apply.</summary>
    public void Expect(LogSample sample)
    {
        if (_due.Count == MaxWaiting)
        {
            _due[^1] = sample with { Since = _due[^1].Since };
            return;
        }

        _due.Add(sample);
    }

    /// <summary>A replica that does not replicate, or cannot be asked at present, counts as behind by more than any time.</summary>
    /// <exception cref="PlanException">it is no replica, or does not let this account ask</exception>
    /// <exception cref="ConnectException">it has never been reached: its host or port are probably wrong</exception>
    public async Task<ThrottleState> LookAsync(CancellationToken cancellationToken)
    {
        try
        {
            _form ??= await FindFormAsync(cancellationToken);
            if (_form is LogForm.None or LogForm.File || _stateAsked is not { } asked || time.GetElapsedTime(asked) >= BetweenStates)
            {
                await AskStateAsync(cancellationToken);
            }

            if (_reported.Share == double.PositiveInfinity || _form == LogForm.None || !_hasFollowed)
            {
                _hasFollowed |= _form != LogForm.None && _reported.Share <= 1;
                return _reported;
            }

            await DropReachedAsync(cancellationToken);
        }
        catch (ConnectException fault) when (!_isKnown)
        {
            throw new ConnectException($"--check-replica {endpoint}: {fault.Message}");
        }
        catch (Exception fault) when (fault is ServerException or ConnectException)
        {
            return ChunkRetry.IsPassing(fault)
                ? ThrottleState.Stop(Reason, $"replica {endpoint} cannot be asked: {fault.Message}", this)
                : throw new PlanException($"--check-replica {endpoint}: {fault.Message}", fault);
        }

        return Judge();
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private ThrottleState Judge()
    {
        var now = time.GetTimestamp();
        var lag = _due.Count == 0 ? TimeSpan.Zero : time.GetElapsedTime(_due[0].Since, now);
        GreatestLag = lag > GreatestLag ? lag : GreatestLag;
        if (_wait is { } wait)
        {
            if (_due.Contains(wait.Until))
            {
                return Behind(lag);
            }

            var burst = time.GetElapsedTime(wait.Began, wait.Stopped).TotalSeconds;
            var measured = Math.Max(1, time.GetElapsedTime(wait.Began, now).TotalSeconds / Math.Max(burst, 0.001));
            _slowness = Math.Max(measured, (_slowness + measured) / 2);
            _wait = null;
        }

        if (lag <= most / 2 / _slowness)
        {
            return ThrottleState.None;
        }

        _wait = (_due[^1], _due[0].Since, now);
        return Behind(lag);
    }

    private ThrottleState Behind(TimeSpan lag) => ThrottleState.Stop(Reason, TextOf(lag.TotalSeconds), this);

    private string TextOf(double seconds) => $"replica {endpoint} is {seconds:0.#} s behind (--max-lag {most.TotalSeconds:0.#} s)";

    /// <summary>What the primary and this replica have in common.</summary>
    private async Task<LogForm> FindFormAsync(CancellationToken cancellationToken)
    {
        if (log is not { Form: LogForm.WriteSet })
        {
            return log?.Form ?? LogForm.None;
        }

        var status = await _session.AskAsync(_ => WatchSql.Cluster, cancellationToken);
        return PrimaryLog.ClusterOf(status) == log.Cluster ? LogForm.WriteSet : LogForm.None;
    }

    private async Task DropReachedAsync(CancellationToken cancellationToken)
    {
        while (_due.Count > 0)
        {
            var some = _due.Take(MaxAsked).Select(sample => sample.Position).ToArray();
            var reached = await CountReachedAsync(some, cancellationToken);
            _due.RemoveRange(0, reached);
            if (reached < some.Length)
            {
                return;
            }
        }
    }

    private async Task<int> CountReachedAsync(string[] positions, CancellationToken cancellationToken)
    {
        if (_form == LogForm.GtidSet)
        {
            var cells = (await _session.AskAsync(_ => log!.AreThere(positions), cancellationToken)).FirstRow;
            return cells.TakeWhile(cell => cell == "1").Count();
        }

        var there = _form switch
        {
            LogForm.WriteSet => PrimaryLog.WriteSetOf(await _session.AskAsync(_ => WatchSql.Cluster, cancellationToken)),
            LogForm.Domain => PrimaryLog.NumberIn(
                (await _session.AskAsync(_ => WatchSql.AppliedDomains, cancellationToken)).Scalar ?? "", log!.Domain),
            _ => _place,
        };
        return positions.TakeWhile(position => PrimaryLog.IsReached(_form!.Value, there, position)).Count();
    }

    /// <summary>What it says of itself: whether it replicates, and seconds.</summary>
    private async Task AskStateAsync(CancellationToken cancellationToken)
    {
        _stateAsked = time.GetTimestamp();
        if (_form == LogForm.WriteSet)
        {
            (_isKnown, _reported) = (true, ThrottleState.None);
            return;
        }

        TextResultSet rows;
        try
        {
            rows = await _session.AskAsync(WatchSql.Replication, cancellationToken);
        }
        catch (ServerException fault)
            when (fault.Kind is FaultKind.Configuration or FaultKind.Other && _form is LogForm.Domain or LogForm.GtidSet)
        {
            // No right is needed for the positions.
            (_isKnown, _reported) = (true, ThrottleState.None);
            return;
        }

        if (rows.Rows.Count == 0)
        {
            _reported = _isKnown || await IsMemberAsync(cancellationToken)
                ? _form == LogForm.GtidSet ? ThrottleState.None
                    : ThrottleState.Stop(Reason, $"replica {endpoint} is no replica any more", this)
                : throw new PlanException($"--check-replica {endpoint}: it is not a replica of any server");
            return;
        }

        _isKnown = true;
        _place = PlaceIn(rows);
        var column = rows.IndexOf(WatchSql.LagColumns);
        _reported = column < 0
            ? throw new PlanException(
                $"--check-replica {endpoint}: does not say how far it is behind (no column {string.Join(" or ", WatchSql.LagColumns)})")
            : rows.Rows.Select(row => StrainOf(row[column])).Aggregate(ThrottleState.None, (worst, next) => worst.Or(next));
        if (!_hasFollowed || _form == LogForm.None)
        {
            GreatestLag = TimeSpan.FromSeconds(rows.Rows.Max(row => SecondsOf(row[column]) ?? 0)) is var lag && lag > GreatestLag
                ? lag : GreatestLag;
        }
    }

    /// <summary>Of Group Replication.</summary>
    private async Task<bool> IsMemberAsync(CancellationToken cancellationToken) => _form == LogForm.GtidSet
        && (_isKnown = (await _session.AskAsync(_ => WatchSql.OwnMembership, cancellationToken)).Rows.Count > 0);

    private static string? PlaceIn(TextResultSet rows)
    {
        var (file, offset) = (rows.IndexOf(WatchSql.AppliedFileColumns), rows.IndexOf(WatchSql.AppliedOffsetColumns));
        return file < 0 || offset < 0 || rows.Rows is not [{ } row] ? null : $"{row[file]}:{row[offset]}";
    }

    private static double? SecondsOf(string? lag) =>
        double.TryParse(lag, NumberStyles.Float, CultureInfo.InvariantCulture, out var seconds) ? seconds : null;

    private ThrottleState StrainOf(string? lag) => SecondsOf(lag) is { } seconds
        ? new ThrottleState(Reason, TextOf(seconds), seconds / most.TotalSeconds, this)
        : ThrottleState.Stop(Reason, $"replica {endpoint} does not replicate at present", this);
}
