using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Shows the server a statement before anything is sent: it prepares it, and runs nothing.</summary>
internal static class StatementProbe
{
    /// <returns>what the server has against it; null: nothing</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<ServerException?> FindRefusalAsync(IServerSession session, string statement, CancellationToken cancellationToken) =>
        (await FindFaultAsync(session, statement, cancellationToken)).Refusal;

    /// <returns>what the server has against it; or what it warns of, for people; null: nothing</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<(ServerException? Refusal, string? Warning)> FindFaultAsync(IServerSession session, string statement, CancellationToken cancellationToken)
    {
        try
        {
            var prepared = await session.PrepareAsync(statement, cancellationToken);
            var warnings = prepared.Warnings == 0 ? [] : (await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken)).Rows;
            await session.CloseAsync(prepared, cancellationToken);
            return (null, warnings.Count == 0 ? null : $"{warnings[0][2]} (warning {warnings[0][1]})");
        }
        catch (ServerException fault) when (fault.Error is not (0 or ServerError.MaxPreparedStmtCountReached) && session.IsUsable && !fault.EndsTransaction)
        {
            return (fault, null);
        }
    }
}
