namespace BulkLoad.Core.Common;

/// <summary>Something that is opened beside other work, such as a session, and given up where nobody takes it.</summary>
/// <typeparam name="T">what is opened</typeparam>
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

    /// <summary>What was opened, which is the caller's from here on.</summary>
    /// <param name="opened">ends as the opening does</param>
    /// <returns>false: it was taken before</returns>
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
