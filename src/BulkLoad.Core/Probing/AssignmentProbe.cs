using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Probing;

/// <summary>Shows the server the expressions of <c>--set</c> before anything is sent: it prepares a statement with each, and runs none.</summary>
internal static class AssignmentProbe
{
    /// <exception cref="PlanException">the server cannot make sense of one</exception>
    public static async Task CheckAsync(
        IServerSession session, TableFacts table, IReadOnlyList<TableColumn> columns, IReadOnlyList<ColumnAssignment> assignments,
        JobKind kind, CancellationToken cancellationToken)
    {
        foreach (var assignment in assignments)
        {
            var head = InsertSql.Head(table.Database, table.Name, [.. columns.Select(column => column.Name), assignment.Column]);
            try
            {
                var statement = await session.PrepareAsync(
                    kind == JobKind.Update ? UpdateSql.Sample(table, assignment) : InsertSql.Prepared(head, columns, InsertSql.Tail([assignment]), 1), cancellationToken);
                await session.CloseAsync(statement, cancellationToken);
            }
            catch (ServerException fault) when (fault.Code != 0 && session.IsUsable && fault.Code != TooManyStatements)
            {
                throw new PlanException($"--set {assignment.Column}: the server refuses '{assignment.Expression}': {fault.Message}", fault);
            }
        }
    }

    /// <summary>ER_MAX_PREPARED_STMT_COUNT_REACHED: tells nothing of the expression.</summary>
    private const int TooManyStatements = 1461;
}
