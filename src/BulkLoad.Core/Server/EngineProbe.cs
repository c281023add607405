using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Tries a storage engine that is not known here: does it give back what it got?</summary>
internal static class EngineProbe
{
    /// <returns>the table with what was found; unchanged: the engine is known, or keeps everything</returns>
    /// <exception cref="PlanException">the engine keeps no rows</exception>
    public static async Task<TableFacts> TryAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var sql = new EngineSql(table);
        if (EngineRules.IsKnown(table.Engine) || sql.Columns.Count == 0)
        {
            return table;
        }

        try
        {
            var nulls = await CompareAsync(session, sql, sql.InsertNulls, cancellationToken);
            var samples = await CompareAsync(session, sql, sql.InsertSamples, cancellationToken);
            return nulls is null || samples is null
                ? throw new PlanException($"table {table.DisplayName} uses engine {table.Engine}, which keeps no rows")
                : table with
                {
                    Columns = [.. table.Columns.Select(column => column with { LosesNull = nulls.Contains(column.Name) })],
                    ChangedByEngine = samples,
                };
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            return table with { EngineRefusal = fault.Message };
        }
    }

    /// <returns>names of the columns that do not have what InnoDB has; null: the row is not there</returns>
    private static async Task<IReadOnlySet<string>?> CompareAsync(
        IServerSession session, EngineSql sql, string insert, CancellationToken cancellationToken)
    {
        var model = await FillAsync(sql.CreateModel) ?? [];
        var tried = await FillAsync(sql.CreateTried);
        return tried is null ? null
            : sql.Columns.Where((_, i) => tried[i] != model[i]).Select(column => column.Name).ToHashSet(StringComparer.OrdinalIgnoreCase);

        async Task<string?[]?> FillAsync(string create)
        {
            await session.ExecuteAsync(sql.Drop, cancellationToken);
            try
            {
                await session.ExecuteAsync(create, cancellationToken);
                await session.ExecuteAsync(insert, cancellationToken);
                return (await session.QueryAsync(sql.Select, cancellationToken)).Rows is [var row, ..] ? row : null;
            }
            finally
            {
                if (session.IsUsable)
                {
                    await session.ExecuteAsync(sql.Drop, cancellationToken);
                }
            }
        }
    }
}
