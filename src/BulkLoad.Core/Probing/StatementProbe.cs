using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Probing;

/// <summary>Shows the server a statement before anything is sent: it prepares it, and runs nothing.</summary>
internal static class StatementProbe
{
    /// <summary>ER_MAX_PREPARED_STMT_COUNT_REACHED: tells nothing of the statement.</summary>
    private const int TooManyStatements = 1461;

    /// <returns>what the server has against it; null: nothing</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<ServerException?> FindRefusalAsync(IServerSession session, string statement, CancellationToken cancellationToken)
    {
        try
        {
            await session.CloseAsync(await session.PrepareAsync(statement, cancellationToken), cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.Code is not (0 or TooManyStatements) && session.IsUsable && !fault.EndsTransaction)
        {
            return fault;
        }
    }
}
