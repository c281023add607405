using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// Believes the answers to a batch only where the transaction that carries it is still open: whatever a sender makes of them, behind a lost
/// transaction it is a fault, and no word about the rows.
/// </summary>
/// <param name="sender">the strategy at work; owned from here on</param>
internal sealed class WatchedSender(IBatchSender sender, TransactionWatch watch) : IBatchSender
{
    /// <inheritdoc/>
    public bool IsOpen => sender.IsOpen;

    /// <inheritdoc/>
    public bool SpansChunks => sender.SpansChunks;

    /// <summary>The sender itself where nobody watches the session.</summary>
    public static IBatchSender Around(IBatchSender sender, TransactionWatch? watch) =>
        watch is null ? sender : new WatchedSender(sender, watch);

    /// <inheritdoc/>
    public EncodedBatch Encode(RowBlock block, int from, int most) => sender.Encode(block, from, most);

    /// <inheritdoc/>
    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        BatchOutcome outcome;
        try
        {
            outcome = await sender.SendAsync(batch, isMoreToCome, onSent, cancellationToken);
        }
        catch (BulkLoadException fault) when (watch.IsBroken && fault is not ServerException { EndsTransaction: true })
        {
            throw watch.Fault();
        }

        watch.Require();
        return outcome;
    }

    /// <inheritdoc/>
    public async ValueTask EndAsync(CancellationToken cancellationToken)
    {
        await sender.EndAsync(cancellationToken);
        watch.Require();
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();
}
