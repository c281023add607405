using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Shows the server a statement before anything is sent: the server prepares it, and runs nothing.</summary>
internal static class StatementProbe
{
    /// <returns>the server's error; null: none</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<ServerException?> FindRefusalAsync(
        IServerSession session, string statement, CancellationToken cancellationToken) =>
        (await FindFaultAsync(session, statement, cancellationToken)).Refusal;

    /// <returns>the server's error; or its warning, for people; null: none</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<(ServerException? Refusal, string? Warning)> FindFaultAsync(
        IServerSession session, string statement, CancellationToken cancellationToken)
    {
        try
        {
            var prepared = await session.PrepareAsync(statement, cancellationToken);
            var warnings = prepared.Warnings == 0 ? [] : (await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken)).Rows;
            await session.CloseAsync(prepared, cancellationToken);
            return (null, warnings.Count == 0 ? null : $"{warnings[0][2]} (warning {warnings[0][1]})");
        }
        catch (ServerException fault)
            when (fault.Error is not (0 or ServerError.MaxPreparedStmtCountReached) && session.IsUsable && !fault.EndsTransaction)
        {
            return (fault, null);
        }
    }
}

/// <summary>Shows the server the expressions of <c>--set</c> before anything is sent, each in a statement.</summary>
internal static class AssignmentProbe
{
    /// <exception cref="PlanException">the server does not understand an expression, or warns of its text</exception>
    public static async Task CheckAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> columns, IReadOnlyList<TableColumn> fields,
        IReadOnlyList<ColumnAssignment> assignments,
        JobKind kind, CancellationToken cancellationToken)
    {
        IReadOnlyList<TableColumn> row = [.. columns, .. fields];
        foreach (var assignment in assignments)
        {
            var head = InsertSql.Head(table.Database, table.Name, [.. columns.Select(column => column.Name), assignment.Column]);
            var statement = kind == JobKind.Update
                ? UpdateSql.Sample(table, row, assignment)
                : InsertSql.Prepared(head, columns, InsertSql.Tail([assignment], row), 1);
            var (fault, warning) = await StatementProbe.FindFaultAsync(session, statement, cancellationToken);
            if (fault is not null)
            {
                throw new PlanException($"--set {assignment.Column}: the server refuses '{assignment.Expression}': {fault.Message}", fault);
            }

            if (warning is not null)
            {
                // Statements as text would raise the warning again and again, and its rows would look like those that the server has
                // changed.
                throw new PlanException(
                    $"--set {assignment.Column}: the server warns of '{assignment.Expression}': {warning}: write it in another way");
            }
        }
    }
}

/// <summary>Tries LOAD DATA LOCAL on the route itself: zero bytes into the target write nothing, and prove all of it. No rule could tell,
/// since server, account, route and proxies decide together.</summary>
internal static class LocalInfileProbe
{
    private const string FileName = "bulkload-probe";

    /// <summary>Null: it works. Otherwise why not, for people. The try may have cost the session.</summary>
    /// <exception cref="PlanException">the account may not insert into the table, or an expression reads the table itself</exception>
    public static async Task<string?> FindRefusalAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> row, IReadOnlyList<ColumnAssignment> assignments,
        CancellationToken cancellationToken, string? rightsOfNew = null)
    {
        try
        {
            var statement = LoadDataSql.Local(FileName, table, row, assignments);
            await session.LoadLocalAsync(
                new LocalLoad(null, statement, FileName), ReadOnlyMemory<byte>.Empty, null, null, cancellationToken);
            return null;
        }
        catch (ServerException fault) when (fault.IsAccessDenied)
        {
            var grant = await AccountGrant.OfAsync(
                session, rightsOfNew ?? "INSERT", table.Database, rightsOfNew is null ? table.Name : null, cancellationToken);
            throw new PlanException($"this account may not insert into {table.OwnName} ({fault.ServerText}): {grant}", fault);
        }
        catch (ServerException fault) when (fault.Error == ServerError.UpdateTableUsed && assignments.Count > 0)
        {
            throw new PlanException($"--set: an expression must not read the table that is loaded ({fault.ServerText})", fault);
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // The table will be made later. Both servers check it after everything else.
            return null;
        }
        catch (ServerException fault) when (fault.IsReadOnly)
        {
            // Nothing else would work either.
            throw;
        }
        catch (ServerException fault)
            when (fault.Error is ServerError.NotAllowedCommand or ServerError.ClientLocalFilesDisabled
            or ServerError.LoadInfileCapabilityDisabled)
        {
            return $"the server refuses LOAD DATA LOCAL (error {fault.Code}; its local_infile is off)";
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Protocol)
        {
            return $"LOAD DATA LOCAL does not get through here: {fault.Message} (is there a proxy in between?)";
        }
        catch (ServerException fault) when (fault.Code != 0)
        {
            return $"LOAD DATA LOCAL of nothing failed here: {fault.Message}";
        }
    }
}
