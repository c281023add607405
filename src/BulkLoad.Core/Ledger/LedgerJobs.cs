using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Forgets what a ledger knows of tables that are emptied.</summary>
internal static class LedgerJobs
{
    /// <summary>Forgets all jobs that have loaded the tables, in the open transaction.</summary>
    /// <param name="schema">that has the ledger</param>
    /// <param name="tables">as <c>database.table</c></param>
    /// <exception cref="PlanException">a job has dropped indexes that only the ledger knows</exception>
    public static async Task ForgetAsync(
        IServerSession session, string schema, IReadOnlyList<string> tables, CancellationToken cancellationToken)
    {
        var sql = new LedgerSql(schema);
        try
        {
            foreach (var row in (await session.QueryAsync(sql.ListJobs(), cancellationToken)).Rows)
            {
                var job = JobRecord.Read(row[1]);
                if (!tables.Contains(job.Table))
                {
                    continue;
                }

                if (job.Dropped is { } dropped)
                {
                    throw new PlanException($"job {row[0]} has dropped {dropped.Describe()}: 'bulkload jobs restore {row[0]}' adds "
                        + $"{dropped.Them} again; nothing was deleted");
                }

                await session.QueryAllAsync([.. sql.DeleteJobs(job.Family, [row[0]!])], cancellationToken);
            }
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // There is no ledger yet.
        }
    }
}
