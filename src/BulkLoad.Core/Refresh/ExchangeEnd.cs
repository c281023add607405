using BulkLoad.Core.Ledger;

namespace BulkLoad.Core.Refresh;

/// <summary>A last step that leaves a table with the former rows: it goes, or stays under another name.</summary>
internal abstract class ExchangeEnd(RefreshLead lead) : IRefreshEnd
{
    private readonly KeptLedger _ledger = new(lead);

    protected RefreshLead Lead => lead;

    /// <summary>The job of the ledger that takes the exchange back; null: there is none.</summary>
    public string? Job { get; private set; }

    /// <summary>What is where when others have written to the former table, for people.</summary>
    /// <param name="kept">its name</param>
    protected virtual string Describe(string kept) => $"{lead.Table.DisplayName} is the input now, and {lead.Table.Database}.{kept} "
        + (lead.Table.Partition is null ? "is the former table" : "has the former rows");

    /// <summary>That of the whole table, or of the partition that was asked for.</summary>
    public static ExchangeEnd Of(RefreshLead lead) => lead.Options.Partition is null ? new SwapEnd(lead) : new PartitionEnd(lead);

    public abstract Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken);

    /// <summary>An earlier start was killed behind the exchange, or between its preparation and it.</summary>
    /// <exception cref="ReconciliationException">others have changed the former rows</exception>
    public async Task EndEarlierAsync(CancellationToken cancellationToken)
    {
        foreach (var former in (await lead.FindTablesAsync(cancellationToken)).Where(lead.Names.IsOld))
        {
            await _ledger.FindAsync(former, cancellationToken);
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

    /// <summary>Lets the ledger know what the exchange will leave, if that stays.</summary>
    /// <param name="former">its name behind the exchange</param>
    protected async Task NoteAsync(string former, TableState next, TableState before, CancellationToken cancellationToken)
    {
        if (lead.Options.KeepOld)
        {
            var name = await lead.FindKeptNameAsync(cancellationToken);
            await _ledger.NoteAsync(
                new KeptTable(lead.Table.Database, lead.Table.Name, lead.Table.Partition, name, former) { New = next, Old = before },
                cancellationToken);
        }
    }

    /// <summary>What is behind the exchange.</summary>
    /// <param name="former">see <see cref="FindChangeAsync"/></param>
    /// <returns>the name under which it stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">others have changed it: it stays</exception>
    public async Task<string?> EndAsync(string former, CancellationToken cancellationToken)
    {
        var change = await FindChangeAsync(former, cancellationToken);
        if (change is null && !lead.Options.KeepOld)
        {
            await lead.Session.ExecuteAsync(lead.Sql.Drop(former), cancellationToken);
            return null;
        }

        if (change is null)
        {
            // The job first: no table gets its name that nobody can tell.
            Job = await EnterAsync(cancellationToken);
            return await RenameAsync(_ledger.Noted?.Name ?? await lead.FindKeptNameAsync(cancellationToken));
        }

        var kept = await RenameAsync(await lead.FindKeptNameAsync(cancellationToken));
        var fault = new ReconciliationException($"{lead.Table.DisplayName} {change}");
        fault.End($"{Describe(kept)}, with everything that others have done to it: move what you need, and drop it", null, []);
        throw fault;

        async Task<string> RenameAsync(string name)
        {
            await lead.Session.ExecuteAsync(lead.Sql.Rename((former, name)), cancellationToken);
            return name;
        }
    }

    private async Task<string?> EnterAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await _ledger.EnterAsync(cancellationToken);
        }
        catch (BulkLoadException fault)
        {
            lead.Notes.Add($"'bulkload undo' cannot bring the former table back, since the ledger has no job for it: {fault.Message}");
            return null;
        }
    }
}
