using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>A batch of rows in a <see cref="Strategies.Stage"/>, and statements that join it.</summary>
internal abstract class StagedSender : IBatchSender
{
    private readonly StagedBatch[] _batches;
    private readonly int _rowsPerBatch;
    private int _turn;

    /// <param name="session">carries the statements</param>
    /// <param name="facts">with a key that can be staged</param>
    /// <param name="order">makes the order of a batch's keys</param>
    /// <param name="rowsPerBatch">rows that are staged together</param>
    /// <param name="isInMemory">whether the server keeps them in memory</param>
    protected StagedSender(IServerSession session, LoadFacts facts, Func<LoadFacts, KeyOrder> order, int rowsPerBatch, bool isInMemory)
    {
        (Session, _rowsPerBatch) = (session, rowsPerBatch);
        Stage = new Stage(session, facts, isInMemory);
        _batches = [new(order(facts), Stage.CreateRows(facts)), new(order(facts), Stage.CreateRows(facts))];
    }

    protected IServerSession Session { get; }

    protected Stage Stage { get; }

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var batch = _batches[_turn++ & 1];
        batch.Fill(block, from, Math.Min(Math.Min(most, block.RowCount - from), _rowsPerBatch));
        return batch;
    }

    public async ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var rows = (StagedBatch)batch;
        if (rows.Rows.Count == 0)
        {
            onSent();
            return new TakenRows { Superseded = rows.Repeated };
        }

        try
        {
            if (await Stage.FillAsync(rows.Rows, onSent, cancellationToken) is { } refusal)
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
            return await JoinAsync(rows, cancellationToken);
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            await Session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
            return BatchRefusals.OfError(fault) with { Row = batch.RowCount == 1 ? 0 : null };
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>Has the rows joined that are staged, behind the batch's savepoint.</summary>
    protected abstract ValueTask<BatchOutcome> JoinAsync(StagedBatch batch, CancellationToken cancellationToken);

    /// <summary>Undoes a batch. The warnings can be asked for where nothing came behind them.</summary>
    protected async ValueTask<BatchRefusal> UndoAsync(Answer answer, int count, int rows, CancellationToken cancellationToken)
    {
        var refusal = rows > 1 || answer.Warnings == 0
            ? BatchRefusals.OfCounts(answer, count) with { IsMiscount = rows == 1 }
            : await BatchRefusals.AskAsync(Session, answer, count, cancellationToken);
        await Session.ExecuteAsync(TransactionSql.UndoBatch(0), cancellationToken);
        return refusal;
    }
}
