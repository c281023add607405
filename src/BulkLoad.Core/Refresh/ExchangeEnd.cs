namespace BulkLoad.Core.Refresh;

/// <summary>A last step that leaves a table with the former rows: it goes, or stays under another name.</summary>
internal abstract class ExchangeEnd(RefreshLead lead) : IRefreshEnd
{
    protected RefreshLead Lead => lead;

    /// <summary>That of the whole table, or of the partition that was asked for.</summary>
    public static ExchangeEnd Of(RefreshLead lead) => lead.Options.Partition is null ? new SwapEnd(lead) : new PartitionEnd(lead);

    public abstract Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken);

    /// <summary>An earlier start was killed behind the exchange, or between its preparation and it.</summary>
    /// <exception cref="ReconciliationException">others have changed the former rows</exception>
    public async Task EndEarlierAsync(CancellationToken cancellationToken)
    {
        foreach (var former in (await lead.FindTablesAsync(cancellationToken)).Where(lead.Names.IsOld))
        {
            if (await IsUnusedAsync(former, cancellationToken))
            {
                await lead.Session.ExecuteAsync(lead.Sql.Drop(former), cancellationToken);
                continue;
            }

            var kept = await EndAsync(former, cancellationToken);
            lead.Notes.Add($"an earlier start had exchanged {lead.Table.DisplayName} and was killed: the former table "
                + (kept is null ? "is gone now" : $"is {lead.Table.Database}.{kept} now"));
        }
    }

    /// <summary>Whether a table with the name of a former one has the new rows yet: the exchange was not done.</summary>
    protected virtual Task<bool> IsUnusedAsync(string former, CancellationToken cancellationToken) => Task.FromResult(false);

    /// <param name="former">the table with the former rows, whose name has the digest of what they were</param>
    /// <returns>what others have done to them since, for people; null: nothing</returns>
    protected abstract Task<string?> FindChangeAsync(string former, CancellationToken cancellationToken);

    /// <summary>What is behind the exchange.</summary>
    /// <param name="former">see <see cref="FindChangeAsync"/></param>
    /// <returns>the name under which it stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">others have changed it: it stays</exception>
    protected async Task<string?> EndAsync(string former, CancellationToken cancellationToken)
    {
        var change = await FindChangeAsync(former, cancellationToken);
        if (change is null && !lead.Options.KeepOld)
        {
            await lead.Session.ExecuteAsync(lead.Sql.Drop(former), cancellationToken);
            return null;
        }

        var kept = lead.Names.OfKept(lead.Time.GetUtcNow().UtcDateTime);
        await lead.Session.ExecuteAsync(lead.Sql.Rename((former, kept)), cancellationToken);
        if (change is null)
        {
            return kept;
        }

        var what = lead.Table.Partition is null ? "is the former table" : "has the former rows";
        var fault = new ReconciliationException($"{lead.Table.DisplayName} {change}");
        fault.End($"{lead.Table.DisplayName} is the input now, and {lead.Table.Database}.{kept} {what}, with everything that others have "
            + "done to it: move what you need, and drop it", null, []);
        throw fault;
    }

    /// <summary>Looks at a table of the job, and sums its rows.</summary>
    protected async Task<(RefreshFacts Facts, Fingerprint Print)> TakeAsync(string table, CancellationToken cancellationToken)
    {
        var facts = await RefreshProbe.LookAsync(lead.Session, lead.Table.Database, table, partition: null, cancellationToken);
        return (facts, await RefreshProbe.TakeAsync(lead.Session, facts, locks: false, cancellationToken));
    }
}
