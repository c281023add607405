using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Sending;

/// <summary>Looks at the table's columns again where the server says of a row that a column without a default got no value. The plan has
/// seen to all columns that were there, so that another one has come since then, or a trigger's own statement has failed. The rows are not
/// at fault for the first.</summary>
/// <param name="sender">the strategy at work; owned from here on</param>
/// <param name="columns">of this session</param>
internal sealed class ColumnSender(IBatchSender sender, IServerSession session, ColumnWatch columns) : IBatchSender
{
    /// <summary>The sender itself where no rows are made.</summary>
    public static IBatchSender Around(IBatchSender sender, IServerSession session, LoadFacts facts) =>
        facts.Request.Kind == JobKind.Import ? new ColumnSender(sender, session, new ColumnWatch(facts)) : sender;

    public EncodedBatch Encode(RowBlock block, int from, int most) => sender.Encode(block, from, most);

    /// <exception cref="AlteredTableException">the rows need a column that they do not have</exception>
    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var outcome = await sender.SendAsync(batch, isMoreToCome, onSent, cancellationToken);
        if (Lacks(outcome.Refusal) || outcome.Refused.Any(refused => Lacks(refused.Refusal)))
        {
            await columns.CheckAsync(session, cancellationToken);
        }

        return outcome;
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();

    private static bool Lacks(BatchRefusal? refusal) => refusal?.Code == (int)ServerError.NoDefaultForField;
}
