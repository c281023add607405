using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>A prepared statement of a sender: made when it is first needed, and held on the server until it is disposed of.</summary>
internal sealed class LazyStatement(IServerSession session, Func<string> write) : IAsyncDisposable
{
    public PreparedStatement? Prepared { get; private set; }

    public async ValueTask<PreparedStatement> GetAsync(CancellationToken cancellationToken) =>
        Prepared ??= await session.PrepareAsync(write(), cancellationToken);

    /// <summary>Best effort: what matters was answered before, and whatever is sent next finds out that a session is lost.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Prepared is not { } statement)
        {
            return;
        }

        Prepared = null;
        try
        {
            if (session.IsUsable)
            {
                await session.CloseAsync(statement, CancellationToken.None);
            }
        }
        catch (ServerException)
        {
        }
    }
}
