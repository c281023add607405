using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// A statement for each row. One that fails has undone itself, and is its record's reject; what had not been sent by then goes afterwards.
/// Only a warning, or a count that cannot be, undoes the batch.
/// </summary>
internal abstract class PipelinedSender : KeyedSender<PipelinedBatch>
{
    private readonly LazyStatement _statement;
    private readonly long _maxPacket;
    private readonly bool _undoes;

    /// <param name="facts">with a key</param>
    /// <param name="createBatch">makes each of the two batches that take turns</param>
    protected PipelinedSender(
        IServerSession session, LoadFacts facts, int rowsPerBatch, LazyStatement statement, Func<PipelinedBatch> createBatch)
        : base(session, rowsPerBatch, () => Prepare(createBatch(), facts), statement) =>
        (_statement, _maxPacket, _undoes) = (statement, facts.Server.MaxAllowedPacket, facts.Table.IsTransactional);

    protected override async ValueTask<BatchOutcome> SendAsync(PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        if (!batch.IsWritten)
        {
            await _statement.GetAsync(cancellationToken);
            batch.Write();
        }

        if (batch.IsInBulk)
        {
            if (await TrySendInBulkAsync(batch, onSent, cancellationToken) is { } outcome)
            {
                return outcome;
            }

            onSent = static () => { };
        }

        return await SendOneByOneAsync(batch, onSent, cancellationToken);
    }

    /// <summary>Sends a batch that <see cref="PipelinedBatch.IsInBulk"/>.</summary>
    /// <returns>null: what became of each row cannot be told; nothing of it is left in the transaction, and it is written row by
    /// row</returns>
    /// <inheritdoc cref="IBatchSender.SendAsync"/>
    protected virtual ValueTask<BatchOutcome?> TrySendInBulkAsync(
        PipelinedBatch batch, Action onSent, CancellationToken cancellationToken) =>
        throw new InvalidOperationException("these rows are never written in bulk");

    private async ValueTask<BatchOutcome> SendOneByOneAsync(PipelinedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        var outcomes = new RowOutcomes(batch.Superseded);
        do
        {
            await PipelineFaults.RunAsync(Session, batch.Pipeline, onSent, cancellationToken);
            onSent = static () => { };
            foreach (var (row, answer, error) in batch.ReadAnswers())
            {
                if (error is not null)
                {
                    outcomes.Refuse(row, error);
                }
                else if (answer.Warnings > 0 || !TrySettle(row, answer, outcomes))
                {
                    return await UndoAsync(answer, batch.RowCount, row, cancellationToken);
                }
            }
        }
        while (batch.KeepUnsent());

        foreach (var (key, bytes) in batch.TooLarge)
        {
            outcomes.RefuseTooLarge(batch.Row(key), bytes, _maxPacket);
        }

        return outcomes.End();
    }

    /// <summary>Tells what became of a row.</summary>
    /// <param name="row">0-based, of the batch</param>
    /// <param name="answer">without a warning</param>
    /// <returns>false: such a count cannot be</returns>
    protected abstract bool TrySettle(int row, OkResult answer, RowOutcomes outcomes);

    private static PipelinedBatch Prepare(PipelinedBatch batch, LoadFacts facts)
    {
        batch.HasSavepoint = facts.Table.IsTransactional;
        return batch;
    }

    /// <summary>Undoes a batch over the answer to one of its rows. The warnings can be asked for where nothing came behind it.</summary>
    private async ValueTask<BatchOutcome> UndoAsync(OkResult answer, int rows, int row, CancellationToken cancellationToken)
    {
        var refusal = rows > 1
            ? BatchRefusals.OfCounts(answer, 1) with { Row = row }
            : await BatchRefusals.AskAsync(Session, answer, 1, cancellationToken);
        if (!_undoes)
        {
            throw BatchRefusals.NotUndone(refusal);
        }

        await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        return refusal;
    }
}
