using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// A batch of staged rows, and one UPDATE of the target's rows that have their keys. Where it finds fewer rows than it has records it is
/// undone, and the server is asked which keys have rows; where keys are missing, it is asked first from then on, as long as they are.
/// </summary>
internal sealed class StagedUpdateSender : StagedSender
{
    private readonly ReadOnlyMemory<byte> _update;
    private readonly string _look;
    private readonly bool _tellsChanges;
    private bool _looksFirst;

    /// <param name="session">carries the statements</param>
    /// <param name="facts">with rows that can be staged</param>
    /// <param name="rowsPerBatch">rows that are staged together</param>
    /// <param name="isInMemory">whether the server keeps them in memory</param>
    public StagedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch, bool isInMemory)
        : base(session, facts, KeyOrder.OfChanges, rowsPerBatch, isInMemory)
    {
        _update = Encoding.UTF8.GetBytes(Stage.Sql.Update(facts.Key!.Index!, facts.Assignments, facts.Request.Key.Where));
        _look = Stage.Sql.Found(facts.Key.Index!, facts.Request.Key.Where);
        _tellsChanges = !facts.Request.Key.CountsMatched;
    }

    protected override async ValueTask<BatchOutcome> JoinAsync(StagedBatch batch, CancellationToken cancellationToken)
    {
        var count = batch.Rows.Count;
        if (!_looksFirst)
        {
            var answer = await Session.ExecuteAsync(TransactionSql.Savepoint(0), _update, cancellationToken);
            if (UpdateAnswer.Count(answer, count, _tellsChanges) is not { } counted)
            {
                return await UndoAsync(answer, count, batch.RowCount, cancellationToken);
            }

            if (counted.MatchedRows == count)
            {
                return counted + new RowCounts { Superseded = batch.Superseded };
            }

            // Nothing that it changed may tell whether a row is found.
            await Session.ExecuteAsync(TransactionSql.RollbackToSavepoint(0), cancellationToken);
        }
        else
        {
            await Session.ExecuteAsync(TransactionSql.Savepoint(0), cancellationToken);
        }

        return await LookAndUpdateAsync(batch, cancellationToken);
    }

    /// <summary>Asks which records have rows, and updates those; the savepoint is set.</summary>
    private async ValueTask<BatchOutcome> LookAndUpdateAsync(StagedBatch batch, CancellationToken cancellationToken)
    {
        var count = batch.Rows.Count;
        var found = (await Session.QueryAsync(_look, cancellationToken)).Rows.Select(row => int.Parse(row[0]!, CultureInfo.InvariantCulture)).ToHashSet();
        int[] missing = [.. Enumerable.Range(0, count).Where(key => !found.Contains(key)).Select(batch.Row).Order()];
        _looksFirst = missing.Length > 0;
        var taken = new RowCounts { Superseded = batch.Superseded };
        if (found.Count > 0)
        {
            var answer = await Session.ExecuteAsync(null, _update, cancellationToken);
            if (UpdateAnswer.Count(answer, count, _tellsChanges) is not { } counted || counted.MatchedRows != found.Count)
            {
                return await UndoAsync(answer, found.Count, batch.RowCount, cancellationToken);
            }

            taken += counted;
        }

        return (BatchOutcome)taken with { Missing = missing };
    }
}
