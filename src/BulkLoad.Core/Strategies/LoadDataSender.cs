using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>One LOAD DATA statement a batch, each behind a savepoint that undoes it.</summary>
internal sealed class LoadDataSender(IServerSession session, string statement, string fileName) : IBatchSender
{
    private readonly LoadDataText[] _texts = [new(), new()];
    private int _turn;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var text = _texts[_turn++ & 1];
        text.Fill(block, from, Math.Min(most, block.RowCount - from));
        return text;
    }

    public async ValueTask<BatchRefusal?> SendAsync(EncodedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var text = (LoadDataText)batch;
        BatchRefusal? refusal;
        try
        {
            var answer = await session.LoadLocalAsync(TransactionSql.MarkBatch, statement, fileName, text.Content, onSent, cancellationToken);
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)text.RowCount)
            {
                return null;
            }

            refusal = BatchRefusals.OfAnswer(
                answer.AffectedRows, text.RowCount, await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Data)
        {
            refusal = BatchRefusals.OfError(fault);
        }

        await session.ExecuteAsync(TransactionSql.UndoBatch, cancellationToken);
        return refusal;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
