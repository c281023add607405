using BulkLoad.Core.Ledger;

namespace BulkLoad.Core.Refresh;

/// <summary>The former table takes its name again, by the same exchange; what the input had made goes, unless somebody has written to it
/// meanwhile.</summary>
/// <param name="lead">of a request that keeps no former table</param>
internal sealed class TableBack(RefreshLead lead) : SwapEnd(lead)
{
    protected override string Describe(string kept) => FormerBack.Describe(Lead, kept);

    protected override Task GiveUpAsync(string twin) => Task.CompletedTask;
}

/// <summary>The former rows of a partition come back. The table beside keeps its name: its rows tell whether that was done.</summary>
internal sealed class PartitionBack(RefreshLead lead, KeptTable kept) : ExchangeEnd(lead)
{
    public override async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        var took = TimeSpan.Zero;
        try
        {
            await Lead.LookAgainAsync(cancellationToken);
            var exchange = Lead.Sql.ExchangePartition(Lead.Table.Name, Lead.Table.Partition!, twin);
            took = await BriefStatement.RunAsync(Lead, exchange, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the rows say.
            await Lead.OpenAgainAsync(cancellationToken);
            if ((await Lead.TakeAsync(twin, cancellationToken)).Print.Sum == kept.Old.Sum)
            {
                throw;
            }
        }

        return (took, await EndAsync(twin, cancellationToken));
    }

    protected override string Describe(string kept) => FormerBack.Describe(Lead, kept);

    protected override async Task<string?> FindChangeAsync(string former, CancellationToken cancellationToken) =>
        (await Lead.TakeAsync(former, cancellationToken)).Print.Sum == kept.New.Sum ? null : $"was written to by others {Lead.Meanwhile}";
}

internal static class FormerBack
{
    public static string Describe(RefreshLead lead, string kept) => lead.Table.Partition is null
        ? $"{lead.Table.DisplayName} is the former table again, and {lead.Table.Database}.{kept} is what the input had made"
        : $"{lead.Table.DisplayName} has its former rows again, and {lead.Table.Database}.{kept} has those of the input";
}
