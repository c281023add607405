using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Drops indexes of a table and adds them again, in separate sessions: ALTER TABLE commits what is open in its session, and
/// releases the session's locks.</summary>
/// <param name="tag">the comment in the statements</param>
/// <param name="grace">time for each step of an orderly stop</param>
internal sealed class TableIndexes(
    ConnectionOptions connection, string database, string table, string tag, TimeSpan grace, JobServices services)
{
    /// <summary>How often others may drop or add the same indexes between a look and a statement.</summary>
    private const int MaxLooks = 5;

    private readonly IndexSql _sql = new(database, table);

    private string DisplayName => $"{database}.{table}";

    /// <summary>Drops all indexes that can be dropped, or none.</summary>
    /// <param name="noteAsync">called before the drop with what was found, and again if others have changed it meanwhile</param>
    /// <exception cref="ServerException">nothing was dropped</exception>
    public async Task DropAsync(TableFacts facts, Func<IndexFacts, Task> noteAsync, CancellationToken stop)
    {
        var (session, server) = await OpenAsync(stop);
        await using var owned = session;

        // While this waits for others' transactions, all later sessions wait for it.
        await session.ExecuteAsync(CreateTableSql.WaitBriefly, stop);
        for (var looks = 1; ; looks++)
        {
            var found = await IndexProbe.LookAsync(session, facts, stop);
            await noteAsync(found);
            if (found.Dropped.Count == 0)
            {
                return;
            }

            try
            {
                await AlterAsync(session, server, _sql.Drop(found.Dropped.Select(index => index.Name), tag), stop);
                services.Log.IndexesDropped(found.Dropped.Count, DisplayName);
                return;
            }
            catch (ServerException fault) when (fault.Error == ServerError.CantDropFieldOrKey && looks < MaxLooks)
            {
                // Another job was faster.
            }
        }
    }

    /// <summary>Adds all that are missing, or none.</summary>
    /// <param name="stop">ends it in an orderly way; ignored once the indexes are there</param>
    /// <returns>notes on indexes that are not as they were, for people</returns>
    /// <exception cref="ServerException">none was added</exception>
    public async Task<IReadOnlyList<string>> AddAsync(IReadOnlyList<string> definitions, CancellationToken stop)
    {
        var (session, server) = await OpenAsync(stop);
        await using var owned = session;
        for (var looks = 1; ; looks++)
        {
            var there = (await IndexProbe.ReadAsync(session, database, table, CancellationToken.None))
                .ToDictionary(index => index.Name, index => index.Text, StringComparer.OrdinalIgnoreCase);
            string[] missing = [.. definitions.Where(definition => !there.ContainsKey(TableText.NameOf(definition)))];
            if (missing.Length == 0)
            {
                return [.. Different(definitions, there)];
            }

            try
            {
                await AlterAsync(session, server, _sql.Add(missing, tag), stop);
                services.Log.IndexesAdded(missing.Length, DisplayName);
            }
            catch (ServerException fault) when (fault.Error == ServerError.DupKeyName && looks < MaxLooks)
            {
                // Another session has added one: that of an earlier start, or an administrator's.
            }
        }
    }

    private IEnumerable<string> Different(IReadOnlyList<string> definitions, Dictionary<string, string> there) => definitions
        .Where(definition => there[TableText.NameOf(definition)] != definition)
        .Select(definition => $"index {TableText.NameOf(definition)} of {DisplayName} was {definition}, and is "
            + $"{there[TableText.NameOf(definition)]}: it stays as it is");

    private async Task AlterAsync(IServerSession session, ServerFacts server, string statement, CancellationToken stop)
    {
        await using var orderly = new OrderlyStop(
            grace, token => QueryKiller.KillQueryAsync(connection, server, session.Server.ConnectionId, token), services.Time, services.Log,
            stop);
        try
        {
            await session.ExecuteAsync(statement, orderly.Abort);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && stop.IsCancellationRequested)
        {
            throw new OperationCanceledException(fault.Message, fault, stop);
        }
    }

    private Task<ReadySession> OpenAsync(CancellationToken cancellationToken) =>
        ReadySession.OpenForTablesAsync(connection, services.Time, cancellationToken);
}

/// <summary>Asks the server for a table's indexes, as it would make them again.</summary>
internal static class IndexProbe
{
    public static async Task<IndexFacts> LookAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var sql = new IndexSql(table.Database, table.Name);
        var definitions = await ReadAsync(session, table.Database, table.Name, cancellationToken);
        var answers = await session.QueryAllAsync(
            [sql.Columns, ConstraintSql.ForeignKeys(table.Database, table.Name), sql.ReferredColumns, sql.Rows], cancellationToken);
        var (columns, referring, referred, rows) = (answers[0], answers[1], answers[2], answers[3]);
        var facts = RebuildRules.Judge(
            table, definitions, columns.Rows.ToLookup(row => row[0]!, row => row[1], StringComparer.OrdinalIgnoreCase),
            [.. ForeignKey.Read(referring.Rows).SelectMany(key => key.Columns)], [.. referred.Rows.Select(row => row[0]!)]);
        var isKnown = long.TryParse(rows.Rows is [[var count]] ? count : null, CultureInfo.InvariantCulture, out var number);
        return facts with { Rows = isKnown ? number : null };
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

    /// <summary>Makes the server drop an index that does not exist. It reports that only if the account may drop indexes.</summary>
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
            // This is the expected refusal.
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.TableAccessDenied or ServerError.DbAccessDenied or ServerError.SpecificAccessDenied)
        {
            var grant = await AccountGrant.OfAsync(session, "ALTER", table.Database, table.Name, cancellationToken);
            throw new PlanException($"--rebuild-indexes: this account may not alter {table.DisplayName} ({fault.ServerText}): {grant}; or "
                + "leave out --rebuild-indexes", fault);
        }
    }
}
