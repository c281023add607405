namespace BulkLoad.Core.Common;

/// <summary>Opens something, such as a session, while other work runs. Disposes of it if nobody takes it.</summary>
internal sealed class BackgroundTask<T> : IAsyncDisposable where T : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop;
    private readonly Task<T> _opening;
    private int _isTaken;

    public BackgroundTask(Func<CancellationToken, Task<T>> openAsync, CancellationToken cancellationToken)
    {
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _opening = Task.Run(() => openAsync(_stop.Token), CancellationToken.None);
    }

    /// <summary>False: it was taken before. The caller owns what is opened.</summary>
    public bool TryTake(out Task<T> opened)
    {
        opened = _opening;
        return Interlocked.Exchange(ref _isTaken, 1) == 0;
    }

    public async ValueTask DisposeAsync()
    {
        if (TryTake(out _))
        {
            await _stop.CancelAsync();
            await ((Task)_opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_opening.IsCompletedSuccessfully)
            {
                await (await _opening).DisposeAsync();
            }
        }

        _stop.Dispose();
    }
}
