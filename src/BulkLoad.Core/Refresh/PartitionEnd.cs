namespace BulkLoad.Core.Refresh;

/// <summary>Exchanges the rows of one partition with those of the loaded table, and looks whether somebody has changed them
/// meanwhile.</summary>
internal sealed class PartitionEnd(RefreshLead lead) : IRefreshEnd
{
    private string Partition => lead.Table.Partition!;

    public async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        var former = lead.Names.OfOld(before.Sum, await SumAsync(lead, twin, cancellationToken));
        try
        {
            await lead.LookAgainAsync(cancellationToken);
            await RequireFitAsync(twin, cancellationToken);
        }
        catch (BulkLoadException) when (lead.Session.IsUsable)
        {
            await lead.DropAsync(twin);
            throw;
        }

        // Behind the exchange this table has the former rows. Its name tells a later start whether they are what they were.
        await lead.Session.ExecuteAsync(lead.Sql.Rename((twin, former)), cancellationToken);
        var took = TimeSpan.Zero;
        try
        {
            var exchange = lead.Sql.ExchangePartition(lead.Table.Name, Partition, former);
            took = await BriefStatement.RunAsync(lead, exchange, cancellationToken);
        }
        catch (ServerException fault) when (lead.Session.IsUsable && fault.Error is ServerError.RowDoesNotMatchPartition
            or ServerError.PartitionExchangeDifferentOption or ServerError.TablesDifferentMetadata)
        {
            await lead.DropAsync(former);
            throw new PlanException(
                $"--partition: {lead.Table.DisplayName} cannot be exchanged, and is as it was: {fault.ServerText}", fault);
        }
        catch (Exception fault) when (lead.Session.IsUsable && fault is BulkLoadException or OperationCanceledException)
        {
            await lead.Session.ExecuteAsync(lead.Sql.Rename((former, twin)), CancellationToken.None);
            throw;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the rows say.
            await lead.OpenAgainAsync(cancellationToken);
            if (await IsUnusedAsync(lead, former, cancellationToken))
            {
                throw;
            }
        }

        return (took, await EndAsync(lead, former, cancellationToken));
    }

    /// <summary>Whether a table has the new rows yet: the exchange was not done.</summary>
    public static async Task<bool> IsUnusedAsync(RefreshLead lead, string former, CancellationToken cancellationToken) =>
        RefreshNames.HasContent(former, await SumAsync(lead, former, cancellationToken));

    /// <summary>What is behind the exchange.</summary>
    /// <param name="former">the table with the former rows, whose name has the digest of what they were</param>
    /// <returns>the name under which it stays; null: it is gone</returns>
    /// <exception cref="ReconciliationException">others have changed the rows: the table stays</exception>
    public static async Task<string?> EndAsync(RefreshLead lead, string former, CancellationToken cancellationToken)
    {
        var change = RefreshNames.Had(former, await SumAsync(lead, former, cancellationToken)) ? null
            : "was written to by others while its new content was loaded";
        return await FormerTable.EndAsync(lead, former, change, cancellationToken);
    }

    private static async Task<string> SumAsync(RefreshLead lead, string table, CancellationToken cancellationToken)
    {
        var facts = await RefreshProbe.LookAsync(lead.Session, lead.Table.Database, table, partition: null, cancellationToken);
        return (await RefreshProbe.TakeAsync(lead.Session, facts, locks: false, cancellationToken)).Sum;
    }

    /// <exception cref="PlanException">rows belong to other partitions</exception>
    private async Task RequireFitAsync(string twin, CancellationToken cancellationToken)
    {
        var others = lead.Facts.Partitions.First(one => one.Name == Partition).Others;
        if (others is null)
        {
            return;
        }

        var key = lead.Table.PrimaryKey;
        var found = (await lead.Session.QueryAsync(lead.Sql.FindRows(twin, others, key), cancellationToken)).FirstRow;
        if (long.Parse(found[0]!, CultureInfo.InvariantCulture) is > 0 and var count)
        {
            var example = key.Count == 0 ? "" : $", such as that with {Plural.Names(key)} {found[1]}";
            throw new PlanException($"--partition {Partition}: {Plural.Count(count, "row")} of the input "
                + $"{Plural.For(count, "belongs", "belong")} to other partitions{example}: {lead.Table.DisplayName} is as it was");
        }
    }
}
