using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>A session for questions alone, opened when the first one is asked, and again when it was lost.</summary>
internal sealed class WatchSession(Func<CancellationToken, Task<IServerSession>> connect) : IAsyncDisposable
{
    private IServerSession? _session;

    /// <summary>Asks.</summary>
    /// <exception cref="ServerException">the question is refused, or the session is lost</exception>
    public async Task<TextResultSet> AskAsync(Func<ServerIdentity, string> question, CancellationToken cancellationToken)
    {
        if (_session is not { IsUsable: true })
        {
            await DisposeAsync();
            _session = await OpenAsync(cancellationToken);
        }

        return await _session.QueryAsync(question(_session.Server), cancellationToken);
    }

    public ValueTask DisposeAsync() => _session?.DisposeAsync() ?? ValueTask.CompletedTask;

    private async Task<IServerSession> OpenAsync(CancellationToken cancellationToken)
    {
        var session = await connect(cancellationToken);
        try
        {
            session.Bound(AnswerBound.LookUp);
            await session.ExecuteAsync(WatchSql.EachByItself, cancellationToken);
            return session;
        }
        catch
        {
            // Its first question would open a transaction that stays open, and sees nothing new.
            await session.DisposeAsync();
            throw;
        }
    }
}
