namespace BulkLoad.Core.Refresh;

/// <summary>Exchanges the rows of one partition with those of the loaded table, and looks whether somebody has changed them
/// meanwhile.</summary>
internal sealed class PartitionEnd(RefreshLead lead) : ExchangeEnd(lead)
{
    private string Partition => Lead.Table.Partition!;

    public override async Task<(TimeSpan Took, string? Kept)> RunAsync(string twin, Fingerprint before, CancellationToken cancellationToken)
    {
        var (beside, next) = await Lead.TakeAsync(twin, cancellationToken);
        var former = Lead.Names.OfOld(before.Sum, next.Sum);
        try
        {
            await Lead.LookAgainAsync(cancellationToken);
            await RequireFitAsync(twin, cancellationToken);
        }
        catch (BulkLoadException) when (Lead.Session.IsUsable)
        {
            await Lead.DropAsync(twin);
            throw;
        }

        await NoteAsync(
            former, Fingerprint.Of(next.Sum, Lead.Facts.Lasting), Fingerprint.Of(before.Sum, beside.Lasting), cancellationToken);

        // Behind the exchange this table has the former rows. Its name tells a later start whether they are what they were.
        await Lead.Session.ExecuteAsync(Lead.Sql.Rename((twin, former)), cancellationToken);
        var took = TimeSpan.Zero;
        try
        {
            var exchange = Lead.Sql.ExchangePartition(Lead.Table.Name, Partition, former);
            took = await BriefStatement.RunAsync(Lead, exchange, cancellationToken);
        }
        catch (ServerException fault) when (Lead.Session.IsUsable && fault.Error is ServerError.RowDoesNotMatchPartition
            or ServerError.PartitionExchangeDifferentOption or ServerError.TablesDifferentMetadata)
        {
            await Lead.DropAsync(former);
            throw new PlanException(
                $"--partition: {Lead.Table.DisplayName} cannot be exchanged, and is as it was: {fault.ServerText}", fault);
        }
        catch (Exception fault) when (Lead.Session.IsUsable && fault is BulkLoadException or OperationCanceledException)
        {
            await Lead.Session.ExecuteAsync(Lead.Sql.Rename((former, twin)), CancellationToken.None);
            throw;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost)
        {
            // Whether it was done, only the rows say.
            await Lead.OpenAgainAsync(cancellationToken);
            if (await IsUnusedAsync(former, cancellationToken))
            {
                throw;
            }
        }

        return (took, await EndAsync(former, cancellationToken));
    }

    protected override async Task<bool> IsUnusedAsync(string former, CancellationToken cancellationToken) =>
        RefreshNames.HasContent(former, await SumAsync(former, cancellationToken));

    protected override async Task<string?> FindChangeAsync(string former, CancellationToken cancellationToken) =>
        RefreshNames.Had(former, await SumAsync(former, cancellationToken)) ? null
            : $"was written to by others {Lead.Meanwhile}";

    private async Task<string> SumAsync(string table, CancellationToken cancellationToken) =>
        (await Lead.TakeAsync(table, cancellationToken)).Print.Sum;

    /// <exception cref="PlanException">rows belong to other partitions</exception>
    private async Task RequireFitAsync(string twin, CancellationToken cancellationToken)
    {
        var others = Lead.Facts.Partitions.First(one => one.Name == Partition).Others;
        if (others is null)
        {
            return;
        }

        var key = Lead.Table.PrimaryKey;
        var found = (await Lead.Session.QueryAsync(Lead.Sql.FindRows(twin, others, key), cancellationToken)).FirstRow;
        if (long.Parse(found[0]!, CultureInfo.InvariantCulture) is > 0 and var count)
        {
            var example = key.Count == 0 ? "" : $", such as that with {Plural.Names(key)} {found[1]}";
            throw new PlanException($"--partition {Partition}: {Plural.Count(count, "row")} of the input "
                + $"{Plural.For(count, "belongs", "belong")} to other partitions{example}: {Lead.Table.DisplayName} is as it was");
        }
    }
}
