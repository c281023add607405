using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Sends a statement that must have a table alone. While it waits, everybody waits who comes after it: so it waits briefly, and
/// tries again.</summary>
internal static class BriefStatement
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    /// <returns>the time of the try that succeeded</returns>
    public static async Task<TimeSpan> RunAsync(RefreshLead lead, string statement, CancellationToken stop)
    {
        var (session, time, table) = (lead.Session, lead.Time, lead.Table);
        var most = lead.Request.Retry.For;
        await session.ExecuteAsync(RefreshSql.WaitBriefly, stop);

        // With autocommit off, MariaDB's EXCHANGE PARTITION waits for its own transaction.
        await session.ExecuteAsync(WatchSql.EachByItself, stop);
        var begin = time.GetTimestamp();
        for (; ; )
        {
            var start = time.GetTimestamp();
            try
            {
                await session.ExecuteAsync(statement, CancellationToken.None);
                return time.GetElapsedTime(start);
            }
            catch (ServerException fault) when (session.IsUsable && fault.Kind is FaultKind.StatementLost or FaultKind.TransactionLost)
            {
                if (time.GetElapsedTime(begin) >= most)
                {
                    throw new ServerException($"{table.DisplayName} was in use for {most.TotalSeconds:N0} s (--retry-for), so that it "
                        + $"could not be exchanged: nothing of it has changed{Ways(lead)}: {fault.Message}", fault);
                }

                await Task.Delay(Pause, time, stop);
            }
            catch (ServerException fault) when (session.IsUsable && fault.IsAccessDenied)
            {
                throw await lead.DenyAsync(fault, stop);
            }
        }
    }

    private static string Ways(RefreshLead lead) =>
        lead.IsContinued ? ", and the same command continues with this step" : "";
}
