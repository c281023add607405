using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// Rows into a temporary table with the columns' own types, by the fastest way in, and one UPDATE of all rows that they join, however few
/// of them the server would take in a statement.
/// </summary>
internal sealed class StagedUpdateStrategy : ILoadStrategy
{
    public string Name => "staged-join";

    public string? FindObstacle(LoadFacts facts) =>
        NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts) ?? Stage.FindObstacle(facts);

    public string Describe(LoadFacts facts) =>
        $"one join a batch with {Stage.Describe(facts, Stage.RowsPerBatch(facts))}; pays where max_allowed_packet lets few rows fit into "
            + "a list";

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfStagedUpdate(facts), Stage.RoundTrips(facts) + 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => Stage.SizeBatches;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var stage = Stage.SqlOf(facts, Stage.IsInMemory(facts, sizes.RowsPerBatch));
        return [stage.Create, Stage.Statement(facts, stage), TransactionSql.Savepoint(0),
            stage.Update(facts.Key!.Index!, facts.Assignments, facts.Request.Key.Where)];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedUpdateSender(session, facts, sizes.RowsPerBatch, Stage.IsInMemory(facts, sizes.RowsPerBatch));

    /// <summary>Tells for each record what its UPDATE came to, without taking sets apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}

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

    /// <param name="facts">with rows that can be staged</param>
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
        var found = (await Session.QueryAsync(_look, cancellationToken)).Rows.Select(
            row => int.Parse(row[0]!, CultureInfo.InvariantCulture)).ToHashSet();
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

/// <summary>
/// An UPDATE's answer: its text has the rows found, the rows changed and the warnings (MySQL manual, "mysql_info()"), while the count of
/// affected rows is that of the changed ones.
/// </summary>
internal static class UpdateAnswer
{
    /// <summary>What became of records with a row each.</summary>
    /// <param name="changed">of these, those that are others now</param>
    /// <param name="tellsChanges">whether they are told apart; else all found ones count as updated</param>
    public static RowCounts Count(long matched, long changed, bool tellsChanges) => tellsChanges
        ? new RowCounts(0, changed, matched - changed) { MatchedRows = matched, ChangedRows = changed }
        : new RowCounts(0, matched) { MatchedRows = matched };

    /// <summary>What became of a statement's records with a row each; null where the answer cannot be that of such a statement.</summary>
    /// <param name="answer">of one UPDATE</param>
    /// <param name="rows">records that were sent</param>
    public static RowCounts? Count(OkResult answer, int rows, bool tellsChanges) =>
        answer.Warnings > 0 || Read(answer) is not (var matched, var changed) || matched > rows
            ? null
            : Count(matched, changed, tellsChanges);

    /// <summary>Rows found and rows changed; null where the text does not say it.</summary>
    public static (long Matched, long Changed)? Read(OkResult answer)
    {
        Span<long> numbers = stackalloc long[4];
        return answer.ReadNumbers(numbers) == 3 && numbers[1] <= numbers[0] ? (numbers[0], numbers[1]) : null;
    }
}
