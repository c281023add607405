using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>A batch of rows in a <see cref="Keyed.Stage"/>, and statements that join it.</summary>
internal abstract class StagedSender : KeyedSender<StagedBatch>
{
    /// <param name="facts">with a key that can be staged</param>
    /// <param name="order">makes the order of a batch's keys</param>
    /// <param name="isInMemory">whether the server keeps them in memory</param>
    protected StagedSender(IServerSession session, LoadFacts facts, Func<LoadFacts, KeyOrder> order, int rowsPerBatch, bool isInMemory)
        : this(session, facts, order, rowsPerBatch, new Stage(session, facts, isInMemory))
    {
    }

    private StagedSender(IServerSession session, LoadFacts facts, Func<LoadFacts, KeyOrder> order, int rowsPerBatch, Stage stage)
        : base(session, rowsPerBatch, () => new StagedBatch(order(facts), stage.CreateRows(facts))) => Stage = stage;

    protected Stage Stage { get; }

    protected override async ValueTask<BatchOutcome> SendAsync(StagedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        if (batch.Rows.Count == 0)
        {
            onSent();
            return new RowCounts { Superseded = batch.Superseded };
        }

        try
        {
            if (await Stage.FillAsync(batch.Rows, onSent, cancellationToken) is { } refusal)
            {
                return refusal with { Row = null };
            }
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            return BatchRefusals.OfError(fault) with { Row = null };
        }

        try
        {
            return await JoinAsync(batch, cancellationToken);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
        }
    }

    /// <summary>Has the rows joined that are staged, behind the batch's savepoint.</summary>
    protected abstract ValueTask<BatchOutcome> JoinAsync(StagedBatch batch, CancellationToken cancellationToken);

    /// <summary>Undoes a batch. The warnings can be asked for where nothing came behind them.</summary>
    protected async ValueTask<BatchRefusal> UndoAsync(OkResult answer, int count, int rows, CancellationToken cancellationToken)
    {
        var refusal = rows > 1 || answer.Warnings == 0
            ? BatchRefusals.OfCounts(answer, count) with { Kind = rows == 1 ? RefusalKind.Miscount : RefusalKind.Values }
            : await BatchRefusals.AskAsync(Session, answer, count, cancellationToken);
        await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        return refusal;
    }
}
