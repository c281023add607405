using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Shows the server a statement before anything is sent: it prepares it, and runs nothing.</summary>
internal static class StatementProbe
{
    /// <returns>what the server has against it; null: nothing</returns>
    /// <exception cref="ServerException">the session is lost, or the server prepares nothing at present</exception>
    public static async Task<ServerException?> FindRefusalAsync(
        IServerSession session, string statement, CancellationToken cancellationToken) =>
        (await FindFaultAsync(session, statement, cancellationToken)).Refusal;

    /// <returns>what the server has against it; or what it warns of, for people; null: nothing</returns>
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
    /// <exception cref="PlanException">the server cannot make sense of one, or warns of its text</exception>
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
                // Statements as text would raise it again and again, and its rows could not be told from those that the server has changed.
                throw new PlanException(
                    $"--set {assignment.Column}: the server warns of '{assignment.Expression}': {warning}: write it in another way");
            }
        }
    }
}
