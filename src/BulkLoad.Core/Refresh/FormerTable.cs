namespace BulkLoad.Core.Refresh;

/// <summary>The table that has the former rows behind an exchange: it goes, or stays under another name.</summary>
internal static class FormerTable
{
    /// <summary>An earlier start was killed behind the exchange, or between its preparation and it.</summary>
    /// <exception cref="ReconciliationException">others have changed the former rows</exception>
    public static async Task EndEarlierAsync(RefreshLead lead, CancellationToken cancellationToken)
    {
        foreach (var former in (await lead.FindTablesAsync(cancellationToken)).Where(lead.Names.IsOld))
        {
            if (lead.Options.Partition is not null && await PartitionEnd.IsUnusedAsync(lead, former, cancellationToken))
            {
                await lead.Session.ExecuteAsync(lead.Sql.Drop(former), cancellationToken);
                continue;
            }

            var kept = lead.Options.Partition is null
                ? await SwapEnd.EndAsync(lead, former, cancellationToken) : await PartitionEnd.EndAsync(lead, former, cancellationToken);
            lead.Notes.Add($"an earlier start had exchanged {lead.Table.DisplayName} and was killed: the former table "
                + (kept is null ? "is gone now" : $"is {lead.Table.Database}.{kept} now"));
        }
    }

    /// <param name="change">what others have done to the former rows, for people; null: nothing</param>
    /// <returns>the name under which the table stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">others have changed it: it stays</exception>
    public static async Task<string?> EndAsync(RefreshLead lead, string former, string? change, CancellationToken cancellationToken)
    {
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

        var fault = new ReconciliationException($"{lead.Table.DisplayName} {change}");
        var what = lead.Table.Partition is null ? "is the former table" : "has the former rows";
        fault.End($"{lead.Table.DisplayName} is the input now, and {lead.Table.Database}.{kept} {what}, with everything that others have "
            + "done to it: move what you need, and drop it", null, []);
        throw fault;
    }
}
