using BulkLoad.Core.Checking;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Probing;

/// <summary>Whether the server would compare keys in a temporary table: that is tried, not deduced, with an empty one.</summary>
internal static class StagingProbe
{
    /// <returns>the server's reason why not; null where it would, or where nobody has to ask it</returns>
    public static async Task<string?> FindRefusalAsync(IServerSession session, TableFacts table, IReadOnlyList<TableColumn> key, CancellationToken cancellationToken)
    {
        if (key.All(column => KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact))
        {
            return null;
        }

        var sql = new StagedKeySql(table, key);
        try
        {
            await session.ExecuteAsync(sql.Create, cancellationToken);
            await session.ExecuteAsync(sql.Drop, cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable)
        {
            return fault.Message;
        }
    }
}
