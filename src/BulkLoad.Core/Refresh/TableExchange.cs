using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Puts a loaded table in the place of another one, and looks whether somebody has changed that meanwhile.</summary>
/// <param name="session">that no transaction is open in</param>
internal sealed class TableExchange(IServerSession session, TableFacts table, RefreshNames names, RetryOptions retry, TimeProvider time)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);

    private readonly RefreshSql _sql = new(table.Database);

    /// <summary>Exchanges the names in one step, or throws before it has.</summary>
    /// <param name="former">the name that the table gets</param>
    /// <returns>the time of the step that succeeded</returns>
    public async Task<TimeSpan> RenameAsync(string loaded, string former, CancellationToken stop)
    {
        await session.ExecuteAsync(RefreshSql.WaitBriefly, stop);
        var statement = _sql.Rename((table.Name, former), (loaded, table.Name));
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
                // Others use the table, and those that come now must not wait longer.
                if (time.GetElapsedTime(begin) >= retry.For)
                {
                    throw new ServerException($"{table.DisplayName} was in use for {retry.For.TotalSeconds:N0} s (--retry-for), so that it "
                        + $"could not be exchanged: nothing of it has changed: {fault.Message}", fault);
                }

                await Task.Delay(Pause, time, stop);
            }
            catch (ServerException fault) when (session.IsUsable && fault.IsAccessDenied)
            {
                var grant = await AccountGrant.OfAsync(session, "SELECT, INSERT, CREATE, ALTER, DROP", table.Database, null, stop);
                throw new PlanException(
                    $"--full-refresh: {table.DisplayName} cannot be exchanged, and is as it was: {fault.ServerText}: {grant}", fault);
            }
        }
    }

    /// <summary>What is behind the exchange: the former table goes, or stays under another name.</summary>
    /// <param name="former">its name, which has the digest of what it was</param>
    /// <param name="keeps">whether it stays in any case</param>
    /// <returns>the name under which it stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">somebody has changed it: it stays</exception>
    public async Task<string?> EndAsync(string former, bool keeps, CancellationToken stop)
    {
        var facts = await RefreshProbe.LookAsync(session, table.Database, former, stop);
        var print = await RefreshProbe.TakeAsync(session, facts, locks: false, stop);
        var change = names.OfOld($"{print}") != former ? "was written to or altered by others while its new content was loaded"
            : RefreshRules.FindSwapObstacle(facts with { HasStatistics = false }) is { } obstacle
                ? $"has got something meanwhile that has followed the former table ({obstacle})"
            : null;
        if (change is null && !keeps)
        {
            await session.ExecuteAsync(_sql.Drop(former), stop);
            return null;
        }

        var kept = names.OfKept(time.GetUtcNow().UtcDateTime);
        await session.ExecuteAsync(_sql.Rename((former, kept)), stop);
        if (change is null)
        {
            return kept;
        }

        var fault = new ReconciliationException($"{table.DisplayName} {change}");
        fault.End(
            $"{table.DisplayName} is the input now, and {table.Database}.{kept} is the former table, with everything that others have done "
                + "to it: move what you need, and drop it", null, []);
        throw fault;
    }
}
