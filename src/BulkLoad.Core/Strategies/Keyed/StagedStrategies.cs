using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>Loads keys into a temporary table with the columns' own types, by the fastest way in, and deletes all rows that join them by
/// one DELETE. The statement also deletes the keys that find rows: those that are left have none.</summary>
internal sealed class StagedDeleteStrategy : ILoadStrategy
{
    public string Name => Stage.Strategy;

    public string? FindObstacle(LoadFacts facts)
    {
        if (KeyRules.FindOrder(facts) is { } order)
        {
            return $"the order of the records decides, and a join has none: {order}";
        }

        if (facts.Key!.Index is null && !StageFacts.CanBeIndexed(facts.Key.Columns))
        {
            return "no index begins with the key, and its values are too long to be looked up in a temporary table: the join would read "
                + "the whole table for every one of them";
        }

        return NonTransactionalRules.FindSetObstacle(facts) ?? Stage.FindObstacle(facts);
    }

    public Assessment Assess(LoadFacts facts) => new(
        $"one join a batch with {Stage.Describe(facts)}; "
            + $"{(facts.Key!.Index is null ? "reads the table once a batch" : "pays where lists must be short")}",
        new Cost(KeyCosts.OfStagedDelete(facts, Stage.RowsPerBatch(facts)), Stage.RoundTrips(facts) + 1, 2), Stage.SizeBatches);

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        Stage.Statements(facts, sizes, new DeleteStatement(facts));

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedSender(session, facts, new DeleteStatement(facts), new Stage(session, facts, sizes), sizes.RowsPerBatch);

    public ILoadStrategy NarrowsBy(LoadFacts facts) => new InListDeleteStrategy().NarrowsBy(facts);
}

/// <summary>Loads rows into a temporary table with the columns' own types, by the fastest way in, and changes all rows that join them by
/// one UPDATE, even if a statement can have few rows.</summary>
internal sealed class StagedUpdateStrategy : ILoadStrategy
{
    public string Name => Stage.Strategy;

    public string? FindObstacle(LoadFacts facts) =>
        NonTransactionalRules.FindSetObstacle(facts) ?? UpdateRules.FindSetObstacle(facts) ?? Stage.FindObstacle(facts);

    public Assessment Assess(LoadFacts facts) => new(
        $"one join a batch with {Stage.Describe(facts)}; pays where max_allowed_packet lets few rows fit into a list",
        new Cost(KeyCosts.OfStagedUpdate(facts), Stage.RoundTrips(facts) + 1, 2), Stage.SizeBatches);

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        Stage.Statements(facts, sizes, new UpdateStatement(facts));

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedSender(session, facts, new UpdateStatement(facts), new Stage(session, facts, sizes), sizes.RowsPerBatch);

    public ILoadStrategy NarrowsBy(LoadFacts facts) => new PipelinedUpdateStrategy();
}

/// <summary>A batch of rows in a <see cref="Stage"/>, and one statement that joins it. A DELETE removes the keys that it finds from the
/// stage. An UPDATE that finds fewer rows than it has records is undone, and the server is asked which keys have rows; from then on, while
/// keys are missing, it is asked first.</summary>
internal sealed class StagedSender(IServerSession session, LoadFacts facts, KeyedStatement statement, Stage stage, int rowsPerBatch)
    : KeyedSender<StagedBatch>(session, facts, rowsPerBatch)
{
    private readonly ReadOnlyMemory<byte> _join = Encoding.UTF8.GetBytes(statement.Join(stage.Sql));
    private readonly string? _look = statement.Look(stage.Sql);
    private readonly bool _isUnique = facts.Key!.IsUnique;
    private bool _looksFirst;

    protected override StagedBatch CreateBatch() => stage.CreateBatch(statement.CreateOrder(areAlone: false), Facts.RowColumns);

    protected override async ValueTask<BatchOutcome> SendAsync(StagedBatch batch, Action onSent, CancellationToken cancellationToken)
    {
        try
        {
            if (await stage.FillAsync(batch, onSent, cancellationToken) is { } refusal)
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
            return await (_look is null ? DeleteAsync(batch, cancellationToken) : UpdateAsync(batch, _look, cancellationToken));
        }
        catch (ServerException fault) when (BatchRefusals.AreAboutRows(fault) && Session.IsUsable)
        {
            return await UndoAsync(batch, fault, cancellationToken);
        }
    }

    private async ValueTask<BatchOutcome> DeleteAsync(StagedBatch batch, CancellationToken cancellationToken)
    {
        // Several keys may find the same rows, and one key several: then the number of deleted rows does not tell how many keys had one.
        var different = _isUnique ? 0 : await CountDifferentAsync(cancellationToken);
        var answer = await Session.ExecuteAsync(TransactionSql.Savepoint(0), _join, cancellationToken);
        var count = batch.KeyCount;
        if (answer.Warnings > 0)
        {
            return await UndoAsync(batch, answer, count, cancellationToken);
        }

        if (_isUnique && answer.AffectedRows == 2UL * (ulong)count)
        {
            return new RowCounts { Deleted = count, DeletedRows = count, Superseded = batch.Superseded };
        }

        var left = await AskNumbersAsync(stage.Sql.Numbers, cancellationToken);
        var found = count - left.Count;
        var rows = (long)answer.AffectedRows - found;
        var deleted = _isUnique ? rows : different - (left.Count == 0 ? 0 : await CountDifferentAsync(cancellationToken));
        if (rows < deleted || deleted > found || (deleted == 0 && found > 0))
        {
            return await UndoAsync(batch, answer, count, cancellationToken);
        }

        var taken = new RowCounts { Deleted = deleted, DeletedRows = rows, Superseded = batch.Superseded + found - deleted };
        return (BatchOutcome)taken with { Missing = [.. left.Select(batch.Row).Order()] };
    }

    private async ValueTask<BatchOutcome> UpdateAsync(StagedBatch batch, string look, CancellationToken cancellationToken)
    {
        var taken = new RowCounts { Superseded = batch.Superseded };
        var count = batch.KeyCount;
        if (!_looksFirst)
        {
            var answer = await Session.ExecuteAsync(TransactionSql.Savepoint(0), _join, cancellationToken);
            if (statement.Count(answer, count) is not { } counted)
            {
                return await UndoAsync(batch, answer, count, cancellationToken);
            }

            if (counted.Count == count)
            {
                return taken + counted;
            }

            // The UPDATE is undone before the question: its changes must not decide whether a row is found.
            await RollBackAsync(cancellationToken);
        }
        else
        {
            await Session.ExecuteAsync(TransactionSql.Savepoint(0), cancellationToken);
        }

        var found = (await AskNumbersAsync(look, cancellationToken)).ToHashSet();
        _looksFirst = found.Count < count;
        if (found.Count > 0)
        {
            var answer = await Session.ExecuteAsync(null, _join, cancellationToken);
            if (statement.Count(answer, count) is not { } counted || counted.Count != found.Count)
            {
                return await UndoAsync(batch, answer, found.Count, cancellationToken);
            }

            taken += counted;
        }

        int[] missing = [.. Enumerable.Range(0, count).Where(key => !found.Contains(key)).Select(batch.Row).Order()];
        return (BatchOutcome)taken with { Missing = missing };
    }

    private async ValueTask<List<int>> AskNumbersAsync(string question, CancellationToken cancellationToken) =>
        [.. (await Session.QueryAsync(question, cancellationToken)).Rows.Select(row => int.Parse(row[0]!, CultureInfo.InvariantCulture))];

    private async ValueTask<long> CountDifferentAsync(CancellationToken cancellationToken) =>
        long.Parse((await Session.QueryAsync(stage.Sql.CountDifferent, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
}
