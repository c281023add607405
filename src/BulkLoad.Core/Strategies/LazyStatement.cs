using BulkLoad.Core.Protocol;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies;

/// <summary>A sender's only prepared statement: made when it is first needed, and held on the server until the sender is done.</summary>
/// <param name="sql">with a placeholder for each value of a row</param>
internal sealed class LazyStatement(IServerSession session, string sql) : IAsyncDisposable
{
    /// <summary>Null before it was needed.</summary>
    public PreparedStatement? Prepared { get; private set; }

    public async ValueTask<PreparedStatement> GetAsync(CancellationToken cancellationToken) =>
        Prepared ??= await session.PrepareAsync(sql, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (Prepared is { } statement)
        {
            Prepared = null;
            await InsertStatements.CloseAsync(session, statement);
        }
    }
}
