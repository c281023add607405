using System.Threading.Channels;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>Slows a job down, makes it wait, or stops it for the sake of others; called before each batch. It asks over separate sessions,
/// about once a second. It waits only where no transaction is open, since a job that waits with one disturbs others itself; only the rate
/// of <c>--max-rate</c> waits anywhere.</summary>
/// <param name="onHeld">gets why the job waits or rests, repeatedly, and null when it continues; must be quick</param>
internal sealed class Throttle(
    LoadRequest request, Func<ConnectionOptions, CancellationToken, Task<IServerSession>> connect, JobServices services,
    Action<string?> onHeld) : IAsyncDisposable
{
    private const string PaceReason = "max-rate";

    private static readonly TimeSpan LongestBetweenLooks = TimeSpan.FromSeconds(1), LeastBetweenLooks = TimeSpan.FromSeconds(0.1);
    private static readonly TimeSpan LongestRest = TimeSpan.FromSeconds(10);

    private readonly ThrottleOptions _options = request.Throttle;
    private readonly bool _isOneChunk = request.IsOneChunk;
    private readonly TimeSpan _faultsFor = request.Retry.MaxRetries == 0 ? TimeSpan.Zero : request.Retry.For;
    private readonly TimeProvider _time = services.Time;
    private readonly RateLimiter? _pace = request.Throttle.MaxRate is { } rate ? new RateLimiter(rate, services.Time) : null;
    private readonly ServerWatch? _server = request.Throttle.WatchesServer
        ? new ServerWatch(request.Throttle, token => connect(request.SideConnection, token))
        : null;

    private readonly PrimaryLog? _log = request.Throttle.MaxLag is null
        ? null
        : new PrimaryLog(token => connect(request.SideConnection, token), services.Time);

    private readonly List<ReplicaWatch> _replicas = [];

    private readonly WaitTimes _waits = new();
    private readonly HashSet<string> _reported = [];
    private ThrottleState _last;
    private long? _looked;
    private long? _working;
    private long? _lost;

    /// <summary>When the first record could be sent; null: not yet.</summary>
    private long? _began;

    public static Throttle? Of(
        LoadRequest request, Func<ConnectionOptions, CancellationToken, Task<IServerSession>> connect, JobServices services,
        Action<string?> onHeld) => request.Throttle.IsAny ? new Throttle(request, connect, services, onHeld) : null;

    public IReadOnlyList<WaitReport> Waited => _waits.Reports;

    /// <summary>Null: nobody asked for any.</summary>
    public IReadOnlyList<ReplicaReport>? Replicas => _log is null ? null : [.. _replicas.Select(replica => replica.Report)];

    /// <summary>Several times in the time that a replica may be behind.</summary>
    private TimeSpan BetweenLooks => _options.MaxLag is { } lag
        ? TimeSpan.FromTicks(Math.Clamp((lag / 16).Ticks, LeastBetweenLooks.Ticks, LongestBetweenLooks.Ticks))
        : LongestBetweenLooks;

    /// <summary>Called before anything is sent: checks that the server knows what will be asked, and that each replica can be
    /// reached.</summary>
    /// <exception cref="ConnectException">a replica cannot be reached: its host or port are probably wrong</exception>
    /// <exception cref="PlanException">the server does not know a variable; a replica is none, or does not let this account ask</exception>
    public async Task RequireAnswersAsync(CancellationToken stop)
    {
        if (_server is not null)
        {
            await _server.RequireNamesAsync(stop);
        }

        if (_log is null || _options.MaxLag is not { } lag)
        {
            return;
        }

        await _log.LookAsync(stop);
        IReadOnlyList<ConnectionOptions> servers = request.Throttle.Replicas.Count > 0 ? [.. request.Replicas]
            : [.. from place in await _log.FindReplicasAsync(stop)
                  select request.SideConnection with { Host = place.Host, Port = place.Port, Socket = null, Route = new() }];
        foreach (var server in servers)
        {
            var replica = new ReplicaWatch(server.Endpoint, lag, token => connect(server, token), _time, _log);
            _replicas.Add(replica);
            await replica.LookAsync(stop);
        }
    }

    /// <summary>Called before a batch is sent; waits until it may be.</summary>
    /// <param name="isBetweenChunks">whether no transaction is open</param>
    /// <exception cref="StoppedException">nothing more may be sent</exception>
    /// <exception cref="PlanException">this server or replica cannot answer the question</exception>
    /// <exception cref="BulkLoadException">the server could not be asked, for too long</exception>
    public async ValueTask WaitAsync(int rows, long bytes, bool isBetweenChunks, CancellationToken stop)
    {
        if (isBetweenChunks || _isOneChunk)
        {
            RequireTime();
        }

        if (isBetweenChunks)
        {
            await GiveWayAsync(stop);
        }
        else if (_server is { CanStop: true } && IsLookDue)
        {
            _looked = _time.GetTimestamp();
            await TryAsync(async () =>
            {
                await _server.LookForCriticalAsync(stop);
                return ThrottleState.None;
            });
        }

        if (_pace is not null)
        {
            await KeepPaceAsync(isBetweenChunks, stop);
            _pace.Sends(rows, bytes);
        }

        if (isBetweenChunks)
        {
            _working = _time.GetTimestamp();
        }
    }

    /// <summary>Waits for the next block, at most until <c>--run-time</c> plus the grace time.</summary>
    /// <param name="isPreparing">whether the first block is still being prepared, for example sorted: the run time has not begun
    /// then</param>
    public async ValueTask<bool> WaitToReadAsync(ChannelReader<RowBlock> feed, bool isPreparing, CancellationToken stop)
    {
        if (_options.RunTime is null || feed.TryPeek(out _) || (isPreparing && _began is null))
        {
            return await feed.WaitToReadAsync(stop);
        }

        _began ??= _time.GetTimestamp();
        return await WithinTimeAsync(token => feed.WaitToReadAsync(token).AsTask(), stop);
    }

    /// <summary>Runs work before the next batch, at most until <c>--run-time</c> plus the grace time. Work before the first batch is not
    /// limited: otherwise a job whose keys take long to read would never begin, however often it is started.</summary>
    public async Task<T> WithinTimeAsync<T>(Func<CancellationToken, Task<T>> work, CancellationToken stop)
    {
        if (_began is null || _options.RunTime + request.Grace - Elapsed is not { } left)
        {
            return await work(stop);
        }

        using var overdue = new CancellationTokenSource(left > TimeSpan.Zero ? left : TimeSpan.Zero, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(stop, overdue.Token);
        try
        {
            return await work(either.Token);
        }
        catch (OperationCanceledException) when (overdue.IsCancellationRequested && !stop.IsCancellationRequested)
        {
            throw TimeIsOver;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_log?.DisposeAsync() ?? ValueTask.CompletedTask);
        foreach (var replica in _replicas)
        {
            await replica.DisposeAsync();
        }
    }

    /// <summary>Since the first record could be sent.</summary>
    private TimeSpan Elapsed => _time.GetElapsedTime(_began ??= _time.GetTimestamp());

    private bool IsLookDue => _looked is not { } looked || _time.GetElapsedTime(looked) >= BetweenLooks;

    private StoppedException TimeIsOver => new($"stopped: its time is over (--run-time {_options.RunTime!.Value.TotalSeconds:0.###} s)");

    /// <summary>Waits until nothing exceeds its limit; rests where something comes near it.</summary>
    private async Task GiveWayAsync(CancellationToken stop)
    {
        var worked = _working is { } since ? _time.GetElapsedTime(since) : TimeSpan.Zero;
        if (IsLookDue)
        {
            _last = await LookAsync(stop);
        }

        if (_last.IsTooMuch)
        {
            await WaitUntilFineAsync(stop);
            return;
        }

        var rest = worked * _last.Rest;
        if (rest > TimeSpan.Zero)
        {
            var strain = _last;
            onHeld($"slows down: {strain.Text}");
            var before = _time.GetTimestamp();
            await DelayAsync(rest < LongestRest ? rest : LongestRest, stop);
            AddWait(strain, before);
            onHeld(null);
        }
    }

    private async Task WaitUntilFineAsync(CancellationToken stop)
    {
        var start = _time.GetTimestamp();
        var reported = "";
        do
        {
            if (reported != _last.Reason)
            {
                reported = _last.Reason;
                LogWait(_last);
            }

            var strain = _last;
            onHeld($"waits: {strain.Text}");
            var before = _time.GetTimestamp();
            await DelayAsync(BetweenLooks, stop);
            RequireTime();
            _last = await LookAsync(stop);
            AddWait(strain, before);
        }
        while (_last.IsTooMuch);
        onHeld(null);
        services.Log.WentOn(_time.GetElapsedTime(start).TotalSeconds);
    }

    /// <summary>The first wait of each kind is a warning; a load that comes and goes must not fill the screen.</summary>
    private void LogWait(ThrottleState strain)
    {
        if (_reported.Add(strain.Reason))
        {
            services.Log.Waits(strain.Text);
        }
        else
        {
            services.Log.WaitsAgain(strain.Text);
        }
    }

    private async Task KeepPaceAsync(bool isBetweenChunks, CancellationToken stop)
    {
        var isReported = false;
        for (var due = _pace!.Due; due > TimeSpan.Zero; due = _pace.Due)
        {
            if (due >= LongestBetweenLooks)
            {
                isReported = true;
                onHeld($"waits: --max-rate {_options.MaxRate!.Amount} {(_options.MaxRate.IsBytes ? "bytes" : "rows")}/s");
            }

            var before = _time.GetTimestamp();
            await DelayAsync(due < LongestBetweenLooks ? due : LongestBetweenLooks, stop);
            _waits.Add(PaceReason, _time.GetElapsedTime(before));
            if (isBetweenChunks || _isOneChunk)
            {
                RequireTime();
            }
        }

        if (isReported)
        {
            onHeld(null);
        }
    }

    private void AddWait(ThrottleState strain, long since)
    {
        var time = _time.GetElapsedTime(since);
        _waits.Add(strain.Reason, time);
        if (strain.Replica is { } replica)
        {
            replica.Waited += time;
        }
    }

    /// <summary>At most until the job's time limit.</summary>
    private Task DelayAsync(TimeSpan time, CancellationToken stop)
    {
        var left = _options.RunTime - Elapsed;
        return Task.Delay(left < time ? left > TimeSpan.Zero ? left.Value : TimeSpan.Zero : time, _time, stop);
    }

    /// <summary>The cheapest question comes first, and none after one that makes the job wait.</summary>
    private Task<ThrottleState> LookAsync(CancellationToken stop)
    {
        _looked = _time.GetTimestamp();
        if (_options.PauseFile is { } path && File.Exists(path))
        {
            return Task.FromResult(ThrottleState.Stop("pause-file", $"'{path}' is there (--pause-file)"));
        }

        return TryAsync(async () =>
        {
            var worst = _server is null ? ThrottleState.None : await _server.LookAsync(stop);
            var sample = _log is null ? null : await _log.LookAsync(stop);
            foreach (var replica in _replicas)
            {
                if (sample is not null)
                {
                    replica.Expect(sample);
                }

                worst = worst.Or(await replica.LookAsync(stop));
            }

            return worst;
        });
    }

    /// <summary>If the server cannot be asked, nothing is sent, at most for as long as retries may last.</summary>
    private async Task<ThrottleState> TryAsync(Func<Task<ThrottleState>> look)
    {
        try
        {
            var strain = await look();
            _lost = null;
            return strain;
        }
        catch (BulkLoadException fault) when (ChunkRetry.IsPassing(fault))
        {
            _lost ??= _time.GetTimestamp();
            if (_time.GetElapsedTime(_lost.Value) >= _faultsFor)
            {
                throw;
            }

            return ThrottleState.Stop("no-answer", $"the server's load cannot be read: {fault.Message}");
        }
    }

    private void RequireTime()
    {
        if (_options.RunTime is { } most && Elapsed >= most)
        {
            throw TimeIsOver;
        }
    }
}

/// <summary>Limits the rate of what is sent. Idle time does not allow a higher rate later.</summary>
/// <param name="rate">per second</param>
internal sealed class RateLimiter(MaxRate rate, TimeProvider time)
{
    /// <summary>When the next batch may be sent, in the clock's ticks.</summary>
    private double _free;

    /// <summary>Time until more may be sent.</summary>
    public TimeSpan Due => TimeSpan.FromSeconds(Math.Max(0, (_free - time.GetTimestamp()) / time.TimestampFrequency));

    public void Sends(int rows, long bytes) =>
        _free = Math.Max(_free, time.GetTimestamp()) + ((double)(rate.IsBytes ? bytes : rows) / rate.Amount * time.TimestampFrequency);
}

/// <summary>How near a watched value is to its limit.</summary>
/// <param name="Text">for people: the value and the limit</param>
/// <param name="Share">of the limit: above 1 the job waits</param>
/// <param name="Replica">whose value it is; null: the server's</param>
internal readonly record struct ThrottleState(string Reason, string Text, double Share, ReplicaWatch? Replica = null)
{
    /// <summary>From this share on the job slows down.</summary>
    public const double Noticeable = 0.8;

    private const double MaxRest = 4;

    public static ThrottleState None { get; } = new("", "", 0);

    public bool IsTooMuch => Share > 1;

    /// <summary>Seconds of rest for each second of work: none below <see cref="Noticeable"/>, four at the limit.</summary>
    public double Rest => Math.Clamp((Share - Noticeable) / (1 - Noticeable), 0, 1) * MaxRest;

    public ThrottleState Or(ThrottleState other) => other.Share > Share ? other : this;

    /// <summary>Nothing may be sent, whatever the values.</summary>
    public static ThrottleState Stop(string reason, string text, ReplicaWatch? replica = null) =>
        new(reason, text, double.PositiveInfinity, replica);
}
