using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies.LoadData;

/// <summary>
/// One LOAD DATA statement a batch, each behind a savepoint that undoes it. Where another batch follows at once, its savepoint and
/// statement are sent behind the content of the one before, so that the server goes from one to the other without a wait. A refusal
/// of the one before then says how many rows and warnings were counted, and not why.
/// </summary>
/// <param name="session">carries the batches</param>
/// <param name="columns">of a row</param>
/// <param name="statement">that reads the file</param>
/// <param name="fileName">its name, which nobody can guess</param>
/// <param name="undoes">whether the engine does</param>
/// <param name="keys">asked before a batch of an engine that cannot roll back; null: the server has nothing to refuse</param>
internal sealed class LoadDataSender(
    IServerSession session, IReadOnlyList<TableColumn> columns, string statement, string fileName, bool undoes, NewKeys? keys) : IBatchSender
{
    private readonly LoadDataText[] _texts = [new(columns), new(columns)];

    // Two savepoints take turns: a batch may have to be undone when that of the next one is set already.
    private readonly LocalLoad[] _loads =
        [new(undoes ? TransactionSql.Savepoint(0) : null, statement, fileName), new(undoes ? TransactionSql.Savepoint(1) : null, statement, fileName)];

    private int _encoded;
    private int _sent;

    public EncodedBatch Encode(RowBlock block, int from, int most)
    {
        var text = _texts[_encoded++ & 1];
        text.Fill(block, from, Math.Min(most, block.RowCount - from));
        return text;
    }

    public async ValueTask<BatchOutcome> SendAsync(
        EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
    {
        var text = (LoadDataText)batch;
        if (keys is not null && text is { RowCount: > 1, Rows: var (block, from) } && !await keys.AreInAsync(block, from, text.RowCount, cancellationToken))
        {
            return new BatchRefusal(0, "some of these rows may be duplicates, and LOAD DATA does not say which", null) { Kind = RefusalKind.Unsent };
        }

        var turn = _sent++ & 1;

        // A refused batch of one row is taken apart no further, so its refusal has to say why: nothing may come before SHOW WARNINGS.
        var next = isMoreToCome && text.RowCount > 1 && keys is null ? _loads[turn ^ 1] : null;
        try
        {
            var answer = await session.LoadLocalAsync(_loads[turn], text.Content, next, onSent, cancellationToken);
            if (answer.Warnings == 0 && answer.AffectedRows == (ulong)text.RowCount)
            {
                return new RowCounts(text.RowCount);
            }

            // An announced load runs over an empty file before SHOW WARNINGS can, which would then tell of that one.
            var refusal = next is not null
                ? BatchRefusals.OfCounts(answer, text.RowCount)
                : BatchRefusals.OfAnswer(
                    answer.AffectedRows, text.RowCount, await session.QueryAsync(TransactionSql.FirstWarnings, cancellationToken));
            await UndoAsync(refusal, turn, isAny: text.RowCount > 1 || answer.AffectedRows > 0, cancellationToken);
            return refusal;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Data)
        {
            var refusal = BatchRefusals.OfError(fault);
            await UndoAsync(refusal, turn, isAny: text.RowCount > 1, cancellationToken);
            return refusal;
        }
    }

    /// <param name="refusal">why</param>
    /// <param name="turn">whose savepoint</param>
    /// <param name="isAny">whether a row may have been taken: of an only one that was refused, nothing is there</param>
    /// <param name="cancellationToken">closes the session</param>
    /// <exception cref="ReconciliationException">the engine cannot roll back</exception>
    private async ValueTask UndoAsync(BatchRefusal refusal, int turn, bool isAny, CancellationToken cancellationToken)
    {
        if (!undoes)
        {
            if (isAny)
            {
                throw BatchRefusals.NotUndone(refusal);
            }

            return;
        }

        await session.ExecuteAsync(TransactionSql.RollbackToSavepoint(turn), cancellationToken);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
