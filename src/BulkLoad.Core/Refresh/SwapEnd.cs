using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>Puts the loaded table in the place of the other one, by its name, and looks whether somebody has changed that
/// meanwhile.</summary>
internal class SwapEnd(RefreshLead lead) : ExchangeEnd(lead)
{
    /// <summary>The last changes of the loaded table before the exchange.</summary>
    /// <param name="definition">of the table in whose place it comes</param>
    public static IEnumerable<string> Preparing(RefreshSql sql, string definition, string twin)
    {
        // The number that the next row gets may be higher than that of the last row.
        string[] number = TwinText.NextNumber(definition) is { } next ? [sql.ContinueWith(twin, next)] : [];
        return [.. number, sql.Analyze(twin)];
    }

    /// <summary>Gives the table the former one's name, and that another one, in one step.</summary>
    public static string Exchange(RefreshSql sql, string table, string former, string twin) => sql.Rename((table, former), (twin, table));

    public override async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        var former = Lead.Names.OfOld($"{before}");
        if (Lead.Options.KeepOld)
        {
            await NoteAsync(former, (await Lead.TakeAsync(twin, cancellationToken)).Print.State, before.State, cancellationToken);
        }

        await MakeReadyAsync(twin, cancellationToken);
        var took = TimeSpan.Zero;
        try
        {
            took = await BriefStatement.RunAsync(Lead, Exchange(Lead.Sql, Lead.Table.Name, former, twin), cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the names say.
            await Lead.OpenAgainAsync(cancellationToken);
            if (!(await Lead.FindTablesAsync(cancellationToken)).Contains(former))
            {
                throw;
            }
        }

        return (took, await EndAsync(former, cancellationToken));
    }

    protected override async Task<string?> FindChangeAsync(string former, CancellationToken cancellationToken)
    {
        var (facts, print) = await Lead.TakeAsync(former, cancellationToken);
        return Lead.Names.OfOld($"{print}") != former ? $"was written to or altered by others {Lead.Meanwhile}"
            : RefreshRules.FindSwapObstacle(facts with { HasStatistics = false }) is { } obstacle
                ? $"has got something meanwhile that has followed the former table ({obstacle})"
            : null;
    }

    /// <summary>What becomes of the other table where it cannot be exchanged.</summary>
    protected virtual Task GiveUpAsync(string twin) => Lead.DropAsync(twin);

    /// <summary>The last look before the exchange, and the last changes of the loaded table.</summary>
    /// <exception cref="ReconciliationException">somebody has altered the table, or it cannot be exchanged any more</exception>
    private async Task MakeReadyAsync(string twin, CancellationToken cancellationToken)
    {
        try
        {
            var now = await Lead.LookAgainAsync(cancellationToken);
            if (RefreshRules.FindSwapObstacle(now) is { } obstacle)
            {
                throw new ReconciliationException($"{Lead.Table.DisplayName} cannot be exchanged any more, and is as it was: {obstacle}: "
                    + "run the same command again");
            }

            foreach (var statement in Preparing(Lead.Sql, now.Definition, twin))
            {
                await Lead.Session.QueryAsync(statement, cancellationToken);
            }
        }
        catch (BulkLoadException fault) when (Lead.Session.IsUsable)
        {
            await GiveUpAsync(twin);
            throw fault is ServerException { IsAccessDenied: true } denied ? await Lead.DenyAsync(denied, cancellationToken) : fault;
        }
    }
}
