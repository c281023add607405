using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Puts the loaded table in the place of the other one, by its name, and looks whether somebody has changed that
/// meanwhile.</summary>
internal sealed class SwapEnd(RefreshLead lead) : IRefreshEnd
{
    public async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        await MakeReadyAsync(twin, cancellationToken);
        var former = lead.Names.OfOld($"{before}");
        var took = TimeSpan.Zero;
        try
        {
            var exchange = lead.Sql.Rename((lead.Table.Name, former), (twin, lead.Table.Name));
            took = await BriefStatement.RunAsync(lead, exchange, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the names say.
            await lead.OpenAgainAsync(cancellationToken);
            if (!(await lead.FindTablesAsync(cancellationToken)).Contains(former))
            {
                throw;
            }
        }

        return (took, await EndAsync(lead, former, cancellationToken));
    }

    /// <summary>What is behind the exchange.</summary>
    /// <param name="former">the former table, whose name has the digest of what it was</param>
    /// <returns>the name under which it stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">others have changed it: it stays</exception>
    public static async Task<string?> EndAsync(RefreshLead lead, string former, CancellationToken cancellationToken)
    {
        var facts = await RefreshProbe.LookAsync(lead.Session, lead.Table.Database, former, partition: null, cancellationToken);
        var print = await RefreshProbe.TakeAsync(lead.Session, facts, locks: false, cancellationToken);
        var change = lead.Names.OfOld($"{print}") != former ? "was written to or altered by others while its new content was loaded"
            : RefreshRules.FindSwapObstacle(facts with { HasStatistics = false }) is { } obstacle
                ? $"has got something meanwhile that has followed the former table ({obstacle})"
            : null;
        return await FormerTable.EndAsync(lead, former, change, cancellationToken);
    }

    /// <summary>The last look before the exchange, and the last changes of the loaded table.</summary>
    /// <exception cref="ReconciliationException">somebody has altered the table, or it cannot be exchanged any more</exception>
    private async Task MakeReadyAsync(string twin, CancellationToken cancellationToken)
    {
        try
        {
            var now = await lead.LookAgainAsync(cancellationToken);
            if (RefreshRules.FindSwapObstacle(now) is { } obstacle)
            {
                throw new ReconciliationException($"{lead.Table.DisplayName} cannot be exchanged any more, and is as it was: {obstacle}: "
                    + "run the same command again");
            }

            // The number that the next row gets may be higher than that of the last row.
            if (TwinText.NextNumber(now.Definition) is { } next)
            {
                await lead.Session.ExecuteAsync(lead.Sql.ContinueWith(twin, next), cancellationToken);
            }

            await lead.Session.QueryAsync(lead.Sql.Analyze(twin), cancellationToken);
        }
        catch (BulkLoadException) when (lead.Session.IsUsable)
        {
            await lead.DropAsync(twin);
            throw;
        }
    }
}
