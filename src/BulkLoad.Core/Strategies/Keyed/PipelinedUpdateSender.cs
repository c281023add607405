using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>An UPDATE for each row.</summary>
internal sealed class PipelinedUpdateSender : PipelinedSender
{
    private readonly bool _isUnique;
    private readonly bool _countsMatched;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
        : this(session, facts, rowsPerBatch, new UpdateSql(facts))
    {
    }

    private PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch, UpdateSql sql)
        : this(session, facts, rowsPerBatch, sql, new LazyStatement(session, sql.PreparedRow()), new RowEncoder(facts.RowColumns))
    {
    }

    private PipelinedUpdateSender(IServerSession session, LoadFacts facts, int rowsPerBatch, UpdateSql sql, LazyStatement statement, RowEncoder encoder)
        : base(session, facts, rowsPerBatch, statement, () => new PipelinedUpdates(KeyOrder.OfChanges(facts), statement, sql, encoder, UpdateSql.OrderOfRow(facts), LimitsOf(facts))) =>
        (_isUnique, _countsMatched) = (facts.Key!.IsUnique, facts.Request.Key.CountsMatched);

    protected override bool TrySettle(int row, OkResult answer, RowOutcomes outcomes)
    {
        if (UpdateAnswer.Read(answer) is not (var matched, var changed) || (_isUnique && matched > 1))
        {
            return false;
        }

        if (matched == 0)
        {
            outcomes.Miss(row);
            return true;
        }

        var isChanged = _countsMatched || changed > 0;
        outcomes.Take(new RowCounts(0, isChanged ? 1 : 0, isChanged ? 0 : 1) { MatchedRows = matched, ChangedRows = _countsMatched ? 0 : changed });
        return true;
    }

    private static PipelineLimits LimitsOf(LoadFacts facts) =>
        new(facts.Server.MaxPreparedStatements > 0, facts.RecordsCanLackColumns || facts.DefaultedColumn is not null, facts.Server.MaxAllowedPacket);
}
