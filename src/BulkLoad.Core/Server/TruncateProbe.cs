using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Whether a table may be emptied.</summary>
internal static class TruncateProbe
{
    /// <exception cref="PlanException">its database is not one for that, nothing could be undone, or other tables have rows that refer to
    /// it</exception>
    public static async Task RequireAsync(
        IServerSession session, TableFacts table, LoadRequest request, CancellationToken cancellationToken)
    {
        if (DatabaseGuard.FindObstacle("--truncate", table.Database, request.AllowedDatabase) is { } obstacle)
        {
            throw new PlanException(obstacle);
        }

        if (!table.IsTransactional)
        {
            throw new PlanException($"--truncate: engine {table.Engine} of {table.DisplayName} cannot roll back, and the table could end "
                + "up empty: empty it yourself");
        }

        var rows = (await session.QueryAsync(CatalogSql.ReferringColumns(table.Database, table.Name), cancellationToken)).Rows;
        foreach (var key in rows.GroupBy(row => (Database: row[0]!, Table: row[1]!, Key: row[2]!)))
        {
            if (key.Key.Database == table.Database && key.Key.Table == table.Name)
            {
                continue;
            }

            try
            {
                if ((await session.QueryAsync(CatalogSql.HasReference(key.Key.Database, key.Key.Table, [.. key.Select(row => row[3]!)]),
                    cancellationToken)).Rows.Count > 0)
                {
                    throw new PlanException($"--truncate: rows of {key.Key.Database}.{key.Key.Table} refer to {table.DisplayName} "
                        + $"(foreign key {key.Key.Key}): empty that table first");
                }
            }
            catch (ServerException fault) when (fault.IsAccessDenied)
            {
                throw new PlanException($"--truncate: it is not known whether rows of {key.Key.Database}.{key.Key.Table} refer to "
                    + $"{table.DisplayName}: {fault.ServerText}: GRANT SELECT ON {key.Key.Database}.{key.Key.Table} to the account", fault);
            }
        }
    }
}
