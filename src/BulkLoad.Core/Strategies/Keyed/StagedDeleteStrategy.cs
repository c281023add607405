using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// Keys into a temporary table with the columns' own types, by the fastest way in, and one DELETE of all rows that they join. The statement
/// takes the keys that it finds with the rows, so that those left are of no row.
/// </summary>
internal sealed class StagedDeleteStrategy : ILoadStrategy
{
    public string Name => "staged-join";

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

    public string Describe(LoadFacts facts) =>
        $"one join a batch with {Stage.Describe(facts, Stage.RowsPerBatch(facts))}; "
            + $"{(facts.Key!.Index is null ? "reads the table once a batch" : "pays where lists must be short")}";

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfStagedDelete(facts, Stage.RowsPerBatch(facts)), Stage.RoundTrips(facts) + 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => Stage.SizeBatches;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes)
    {
        var stage = Stage.SqlOf(facts, Stage.IsInMemory(facts, sizes.RowsPerBatch));
        return [stage.Create, Stage.Statement(facts, stage), TransactionSql.Savepoint(0),
            stage.Delete(facts.Key!.Index, facts.Request.Key.Where)];
    }

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new StagedDeleteSender(session, facts, sizes.RowsPerBatch, Stage.IsInMemory(facts, sizes.RowsPerBatch));

    /// <summary>Tells for each record what its DELETE came to, without taking sets apart.</summary>
    public ILoadStrategy NarrowsBy(LoadFacts facts) => new InListDeleteStrategy().NarrowsBy(facts);
}

/// <summary>A batch of staged keys, and one DELETE of their rows and of the keys that have some.</summary>
internal sealed class StagedDeleteSender : StagedSender
{
    private readonly ReadOnlyMemory<byte> _delete;
    private readonly bool _isUnique;

    /// <param name="facts">with a key that can be staged</param>
    /// <param name="isInMemory">whether the server keeps them in memory</param>
    public StagedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, bool isInMemory)
        : base(session, facts, KeyOrder.OfSets, rowsPerBatch, isInMemory)
    {
        _delete = Encoding.UTF8.GetBytes(Stage.Sql.Delete(facts.Key!.Index, facts.Request.Key.Where));
        _isUnique = facts.Key!.IsUnique;
    }

    protected override async ValueTask<BatchOutcome> JoinAsync(StagedBatch batch, CancellationToken cancellationToken)
    {
        // Several keys may find the same rows, and one several: then the rows that went do not tell how many keys had any.
        var different = _isUnique ? 0 : await CountDifferentAsync(cancellationToken);
        var answer = await Session.ExecuteAsync(TransactionSql.Savepoint(0), _delete, cancellationToken);
        var count = batch.Rows.Count;
        if (answer.Warnings > 0)
        {
            return await UndoAsync(answer, count, batch.RowCount, cancellationToken);
        }

        if (_isUnique && answer.AffectedRows == 2UL * (ulong)count)
        {
            return new RowCounts { Deleted = count, DeletedRows = count, Superseded = batch.Superseded };
        }

        var left = (await Session.QueryAsync(Stage.Sql.Numbers, cancellationToken)).Rows;
        var found = count - left.Count;
        var rows = (long)answer.AffectedRows - found;
        var deleted = _isUnique ? rows : different - (left.Count == 0 ? 0 : await CountDifferentAsync(cancellationToken));
        if (rows < deleted || deleted > found || (deleted == 0 && found > 0))
        {
            return await UndoAsync(answer, count, batch.RowCount, cancellationToken);
        }

        var missing = left.Select(row => batch.Row(int.Parse(row[0]!, CultureInfo.InvariantCulture))).Order().ToArray();
        return (BatchOutcome)new RowCounts { Deleted = deleted, DeletedRows = rows, Superseded = batch.Superseded + found - deleted }
            with
        { Missing = missing };
    }

    private async ValueTask<long> CountDifferentAsync(CancellationToken cancellationToken) =>
        long.Parse((await Session.QueryAsync(Stage.Sql.CountDifferent, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
}
