using BulkLoad.Core.Keys;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Tries a temporary table for keys, and LOAD DATA LOCAL into it: both are tried, not deduced, and leave nothing.</summary>
internal static class StageProbe
{
    /// <param name="session">usable, but for what the probe of LOAD DATA LOCAL may cost</param>
    /// <param name="row">what is staged</param>
    /// <returns>why keys cannot be staged, and why not by LOAD DATA LOCAL, for people; null: they can</returns>
    public static async Task<(string? Refusal, string? LocalInfileRefusal)> FindRefusalsAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> row, CancellationToken cancellationToken)
    {
        var sql = new StagedKeySql(table, row);
        if (await CreateAsync(session, sql, cancellationToken) is { } fault)
        {
            return ($"the server creates no temporary table here: {fault.Message}", null);
        }

        var (stage, columns) = sql.AsTarget;
        var refusal = await LocalInfileProbe.FindRefusalAsync(session, stage, columns, [], cancellationToken);
        if (session.IsUsable)
        {
            await session.ExecuteAsync(sql.Drop, cancellationToken);
        }

        return (null, refusal);
    }

    /// <summary>Whether the server would compare keys in a temporary table.</summary>
    /// <returns>the server's reason why not; null where it would, or where nobody has to ask it</returns>
    public static async Task<string?> FindComparisonRefusalAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> key, CancellationToken cancellationToken)
    {
        if (key.All(column => KeyComparisons.Of(column, column.Collation) == KeyComparison.Exact))
        {
            return null;
        }

        var sql = new StagedKeySql(table, key);
        if (await CreateAsync(session, sql, cancellationToken) is { } fault)
        {
            return fault.Message;
        }

        await session.ExecuteAsync(sql.Drop, cancellationToken);
        return null;
    }

    private static async Task<ServerException?> CreateAsync(IServerSession session, StagedKeySql sql, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(sql.Create, cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.Code > 0 && session.IsUsable && !fault.EndsTransaction)
        {
            return fault;
        }
    }
}
