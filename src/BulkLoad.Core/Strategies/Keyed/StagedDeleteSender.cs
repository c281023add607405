using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>A batch of staged keys, and one DELETE of their rows and of the keys that have some.</summary>
internal sealed class StagedDeleteSender : StagedSender
{
    private readonly ReadOnlyMemory<byte> _delete;
    private readonly bool _isUnique;

    /// <param name="session">carries the statements</param>
    /// <param name="facts">with a key that can be staged</param>
    /// <param name="rowsPerBatch">rows that are staged together</param>
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
        return (BatchOutcome)new RowCounts { Deleted = deleted, DeletedRows = rows, Superseded = batch.Superseded + found - deleted } with { Missing = missing };
    }

    private async ValueTask<long> CountDifferentAsync(CancellationToken cancellationToken) =>
        long.Parse((await Session.QueryAsync(Stage.Sql.CountDifferent, cancellationToken)).Scalar!, CultureInfo.InvariantCulture);
}
