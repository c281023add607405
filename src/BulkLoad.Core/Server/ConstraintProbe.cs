using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Asks the catalogue what the target's rows must agree with, and the table whether it has rows.</summary>
internal static class ConstraintProbe
{
    public static async Task<TableConstraints> LookAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        var (database, name) = (table.Database, table.Name);
        var answers = await session.QueryAllAsync(
            [ConstraintSql.ForeignKeys(database, name), ConstraintSql.CountChecks(database, name, session.Server.IsMariaDb),
                ConstraintSql.CountBoundedPartitions(database, name)],
            cancellationToken);
        var constraints = new TableConstraints
        {
            ForeignKeys = [.. answers[0].Rows.GroupBy(row => row[0]!)
                .Select(key => new ForeignKey(key.Key, [.. key.Select(row => row[1]!)]))],
            HasChecks = Number(answers[1].Scalar!) > 0,
            CanLackPartition = Number(answers[2].Scalar!) > 0,
            HasRows = await HasRowsAsync(session, table, cancellationToken),
        };

        // With autocommit off these questions have begun a transaction, which would keep others from altering the table.
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return constraints;
    }

    private static async Task<bool?> HasRowsAsync(IServerSession session, TableFacts table, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(ConstraintSql.AnyRow(table.Database, table.Name), cancellationToken)).Rows.Count > 0;
        }
        catch (ServerException fault) when (fault.Error is ServerError.TableAccessDenied or ServerError.ColumnAccessDenied)
        {
            // INSERT is enough for an import, and SELECT is another right.
            return null;
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
