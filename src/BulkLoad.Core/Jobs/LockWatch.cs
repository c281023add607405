using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;

namespace BulkLoad.Core.Jobs;

/// <summary>Passes progress on. After seconds without any, another session asks which lock the job waits for.</summary>
internal sealed class LockWatch : IProgress<LoadProgress>, IAsyncDisposable
{
    private const string Reason = "lock";

    /// <summary>Time without progress before the server is asked.</summary>
    private static readonly TimeSpan SilenceBeforeLook = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan BetweenLooks = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private readonly LoadRequest _request;
    private readonly JobConnections _connections;
    private readonly JobServices _services;
    private readonly CancellationTokenSource _end = new();
    private readonly Lock _gate = new();
    private readonly WaitTimes _waits = new();
    private readonly Task _watching;
    private LoadProgress _last;
    private long _changed;
    private long? _waitsSince;
    private IServerSession? _side;

    /// <param name="services">have the receiver of the progress</param>
    public LockWatch(LoadRequest request, JobConnections connections, JobServices services)
    {
        (_request, _connections, _services) = (request, connections, services);
        _changed = services.Time.GetTimestamp();
        _watching = Task.Run(WatchAsync);
    }

    /// <summary>The table that the job writes to; null: not known yet.</summary>
    public (string Database, string Table)? Table { get; set; }

    /// <summary>How long the job has waited, by reason.</summary>
    public IReadOnlyList<WaitReport> Waited
    {
        get
        {
            lock (_gate)
            {
                return _waits.Reports;
            }
        }
    }

    private (string Database, string Table)? TypedTable =>
        _request.Table is { } typed && TableName.Parse(typed) is var name && (name.Database ?? _request.Connection.Database) is { } database
            ? (database, name.Table)
            : null;

    public void Report(LoadProgress value)
    {
        lock (_gate)
        {
            if (value != _last)
            {
                EndWait();
                (_last, _changed) = (value, _services.Time.GetTimestamp());
            }
        }

        _services.Progress?.Report(value);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _watching;
        lock (_gate)
        {
            EndWait();
        }

        await (_side?.DisposeAsync() ?? ValueTask.CompletedTask);
        _end.Dispose();
    }

    private void EndWait()
    {
        if (_waitsSince is { } since)
        {
            _waits.Add(Reason, _services.Time.GetElapsedTime(since));
            _waitsSince = null;
        }
    }

    private async Task WatchAsync()
    {
        try
        {
            var pause = BetweenLooks;
            while (true)
            {
                if (SilenceBeforeLook - Silence is { Ticks: > 0 } rest)
                {
                    pause = BetweenLooks;
                    await Task.Delay(rest, _services.Time, _end.Token);
                    continue;
                }

                if (await FindAsync() is { } found)
                {
                    pause = BetweenLooks;
                    Tell(found);
                }
                else
                {
                    // A job that is silent for another reason, such as a pipe, is asked about less and less often.
                    pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
                }

                await Task.Delay(pause, _services.Time, _end.Token);
            }
        }
        catch (OperationCanceledException) when (_end.IsCancellationRequested)
        {
            // The job has ended.
        }
    }

    private TimeSpan Silence
    {
        get
        {
            lock (_gate)
            {
                return _services.Time.GetElapsedTime(_changed);
            }
        }
    }

    private void Tell((long Since, LoadProgress At, string Text) found)
    {
        lock (_gate)
        {
            if (_changed != found.Since)
            {
                return;
            }

            if (_waitsSince is null)
            {
                _waitsSince = found.Since;
                _services.Log.Waits(found.Text);
            }
        }

        _services.Progress?.Report(found.At with { Held = $"waits: {found.Text}" });
    }

    /// <returns>null: the job does not wait for a lock that this account may see</returns>
    private async Task<(long Since, LoadProgress At, string Text)?> FindAsync()
    {
        var (since, at) = (0L, default(LoadProgress));
        lock (_gate)
        {
            (since, at) = (_changed, _last);
        }

        try
        {
            var own = _connections.Sessions;
            foreach (var session in own)
            {
                _side ??= await _connections.ConnectAsync(_request.SideConnection, _end.Token);
                _side.Bound(AnswerBound.LookUp);
                if (await LockHolders.FindAsync(_side, session, own, Table ?? TypedTable, _end.Token) is { } text)
                {
                    return (since, at, text);
                }
            }
        }
        catch (Exception fault) when (fault is not OperationCanceledException || !_end.IsCancellationRequested)
        {
            _services.Log.HintFailed(fault);
            await (_side?.DisposeAsync() ?? ValueTask.CompletedTask);
            _side = null;
        }

        return null;
    }
}
