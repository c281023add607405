using BulkLoad.Core.Protocol;

namespace BulkLoad.Core;

/// <summary>A session that is opened beside other work, and given up where that fails.</summary>
internal sealed class EarlySession : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly Task<IServerSession> _connecting;
    private bool _isTaken;

    /// <param name="connect">opens it</param>
    /// <param name="cancellationToken">gives up</param>
    public EarlySession(Func<CancellationToken, Task<IServerSession>> connect, CancellationToken cancellationToken)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _connecting = Task.Run(() => connect(_stop.Token), CancellationToken.None);
    }

    /// <summary>The session, which is the caller's from here on.</summary>
    /// <exception cref="ConnectException">it could not be opened</exception>
    public Task<IServerSession> TakeAsync()
    {
        _isTaken = true;
        return _connecting;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_isTaken)
        {
            await _stop.CancelAsync();
            await ((Task)_connecting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_connecting.IsCompletedSuccessfully)
            {
                await (await _connecting).DisposeAsync();
            }
        }

        _stop.Dispose();
    }
}
