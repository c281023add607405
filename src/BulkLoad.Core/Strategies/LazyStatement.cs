using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Strategies;

/// <summary>A prepared statement of a sender: prepared when it is first needed, and held by the server until disposed.</summary>
internal sealed class LazyStatement(IServerSession session, Func<string> write) : IAsyncDisposable
{
    public PreparedStatement? Prepared { get; private set; }

    public async ValueTask<PreparedStatement> GetAsync(CancellationToken cancellationToken) =>
        Prepared ??= await session.PrepareAsync(write(), cancellationToken);

    /// <summary>Drops errors: all answers that matter have been read, and the next statement notices a lost session.</summary>
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
