using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Asks the server for a table's indexes, as it would make them again.</summary>
internal static class IndexProbe
{
    /// <summary>Which of them can be dropped and added again.</summary>
    public static async Task<IndexFacts> LookAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var sql = new IndexSql(table.Database, table.Name);
        var definitions = await ReadAsync(session, table.Database, table.Name, cancellationToken);
        var answers = await session.QueryAllAsync(
            [sql.Columns, ConstraintSql.ForeignKeys(table.Database, table.Name), sql.ReferredColumns, sql.Rows], cancellationToken);
        var (columns, referring, referred, rows) = (answers[0], answers[1], answers[2], answers[3]);
        var facts = RebuildRules.Judge(
            table, definitions, columns.Rows.ToLookup(row => row[0]!, row => row[1], StringComparer.OrdinalIgnoreCase),
            [.. referring.Rows.Select(row => row[1]!)], [.. referred.Rows.Select(row => row[0]!)]);
        return facts with
        {
            Rows = rows.Rows is [[{ } count]] && long.TryParse(count, CultureInfo.InvariantCulture, out var number)
            ? number
            : null
        };
    }

    /// <summary>All but the primary key, in the table's order.</summary>
    /// <exception cref="ServerException">1146: the table is gone</exception>
    public static async Task<IReadOnlyList<IndexDefinition>> ReadAsync(
        IServerSession session, string database, string table, CancellationToken cancellationToken)
    {
        var row = (
            await session.QueryAllAsync([IndexSql.QuoteNames, new IndexSql(database, table).Definition], cancellationToken))[1].FirstRow;
        return TableText.Indexes(row.ElementAtOrDefault(1) ?? "");
    }

    /// <summary>Has the server drop an index that there is not, which it refuses for that reason only if the account may.</summary>
    /// <exception cref="PlanException">the account may not, or the server alters no such table</exception>
    public static async Task RequireRightAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(
                new IndexSql(table.Database, table.Name).Drop([$"bulkload_none_{Guid.NewGuid():N}"], tag: ""), cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.CantDropFieldOrKey)
        {
            // As it should be.
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.TableAccessDenied or ServerError.DbAccessDenied or ServerError.SpecificAccessDenied)
        {
            throw new PlanException($"--rebuild-indexes: the account may not alter {table.DisplayName}: {fault.ServerText}: GRANT ALTER "
                + $"ON {table.DisplayName} to it, or leave out --rebuild-indexes", fault);
        }
    }
}
