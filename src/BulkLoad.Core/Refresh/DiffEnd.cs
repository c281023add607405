using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Changes what differs between the table and the loaded one, in one transaction.</summary>
internal sealed class DiffEnd(RefreshLead lead, TableSync sync) : IRefreshEnd
{
    public async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        var session = lead.Session;
        var begin = lead.Time.GetTimestamp();
        await session.QueryAllAsync(RefreshSql.BeginChange, cancellationToken);
        try
        {
            if ((await RefreshProbe.TakeAsync(session, lead.Facts, locks: true, cancellationToken)).Sum != before.Sum)
            {
                throw new ReconciliationException($"{lead.Table.DisplayName} was written to by others while its new content was loaded, "
                    + "and these rows are not in the input: nothing of it was changed; run the same command again to replace them too");
            }

            // From the first look in a transaction on, nobody can alter the table.
            await lead.LookAgainAsync(cancellationToken);
            await sync.RunAsync(cancellationToken);
            await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
        }
        catch (Exception fault) when (session.IsUsable)
        {
            await session.ExecuteAsync(TransactionSql.RollBack, CancellationToken.None);
            await lead.DropAsync(twin);
            throw fault is ServerException { Code: > 0 } refused
                ? new ServerException($"{lead.Table.DisplayName} could not be changed, and is as it was: {refused.Message}", refused)
                : fault;
        }

        await session.ExecuteAsync(lead.Sql.Drop(twin), cancellationToken);
        return (lead.Time.GetElapsedTime(begin), null);
    }
}
