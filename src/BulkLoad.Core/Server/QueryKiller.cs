using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>A second session, to stop what the one that loads is running.</summary>
internal static class QueryKiller
{
    /// <summary>
    /// Interrupts a session's statement, within <see cref="ConnectionOptions.ConnectTimeout"/>. Behind a balancer or a proxy the same
    /// number can be somebody else's session: nothing is killed unless the same server answers, and by its own number.
    /// </summary>
    /// <exception cref="ConnectException">no session could be opened in time, or not with that server</exception>
    /// <exception cref="ServerException">such as 1094: there is no such session any more</exception>
    public static async Task KillQueryAsync(
        ConnectionOptions options, ServerFacts server, uint connectionId, CancellationToken cancellationToken)
    {
        // A greeting has room for 32 bits.
        if ((uint)server.ConnectionId != connectionId)
        {
            throw new ConnectException($"a proxy at {options.Endpoint} gives sessions its own numbers: none can be killed there");
        }

        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(options.ConnectTimeout);
        try
        {
            await using var side = await ServerSession.ConnectAsync(
                options with { Database = null, OffersLocalInfile = false }, limit.Token);
            await KillQueryAsync(side, server, limit.Token);
        }
        catch (OperationCanceledException fault) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ConnectException($"{options.Endpoint} did not answer within {options.ConnectTimeout.TotalSeconds:0.#} s", fault);
        }
    }

    internal static async Task KillQueryAsync(IServerSession side, ServerFacts server, CancellationToken cancellationToken)
    {
        var identity = (await side.QueryAsync(CatalogSql.Identity, cancellationToken)).Scalar;
        if (identity != server.Identity)
        {
            throw new ConnectException(
                $"another server answers at {side.Server.Endpoint} ({identity}, not {server.Identity}): nothing is killed there");
        }

        await side.ExecuteAsync(SessionSql.KillQuery(server.ConnectionId), cancellationToken);
    }
}
