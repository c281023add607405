namespace BulkLoad.Core.Feed;

/// <summary>The pass over the inputs that feeds the sending side, one at a time.</summary>
internal sealed class InputFeed : IAsyncDisposable
{
    private InputPass? _pass;
    private ReplayQueue? _feed;
    private InputReader? _ahead;

    /// <summary>The feed of a pass that still has all that is not committed; null: it takes another pass.</summary>
    public ReplayQueue? Kept => _ahead is null && _feed is { Keeps: true } ? _feed : null;

    /// <summary>Whether the pass has given up some of what is not committed: only another pass has all of it.</summary>
    public bool HasGivenUp => _feed is { HasGivenUp: true };

    /// <summary>Begins a pass that somebody may need soon: <see cref="TakeAhead"/>.</summary>
    /// <param name="keeps">whether a chunk can be had once more until it is committed</param>
    /// <param name="most">bytes of memory of what is kept</param>
    public void ReadAhead(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        _ahead = reading;
        _pass = reading.Start(cancellationToken);
        _feed = new ReplayQueue(_pass.Blocks, reading.Blocks, keeps, most);
    }

    /// <summary>The pass that was begun ahead, once; null: there is none.</summary>
    public (InputReader Reading, ReplayQueue Feed)? TakeAhead()
    {
        var ahead = _ahead;
        _ahead = null;
        return ahead is null ? null : (ahead, _feed!);
    }

    public async Task<ReplayQueue> StartAsync(InputReader reading, bool keeps, long most, CancellationToken cancellationToken)
    {
        await DisposeAsync();
        _ahead = null;
        _pass = reading.Start(cancellationToken);
        return _feed = new ReplayQueue(_pass.Blocks, reading.Blocks, keeps, most);
    }

    /// <summary>The pass is of no use any more: another one begins with the inputs.</summary>
    public async Task ForgetAsync()
    {
        await DisposeAsync();
        (_pass, _feed, _ahead) = (null, null, null);
    }

    public ValueTask DisposeAsync() => _pass?.DisposeAsync() ?? ValueTask.CompletedTask;
}
