using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>A prepared DELETE for each key.</summary>
internal sealed class PipelinedDeleteSender : PipelinedSender
{
    private readonly bool _isUnique;

    /// <param name="session">carries the pipelines</param>
    /// <param name="facts">with a key</param>
    /// <param name="rowsPerBatch">rows that are put in order together</param>
    public PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch)
        : this(session, facts, rowsPerBatch, new LoneStatement(session, KeySql.Of(facts).PreparedDelete()), new RowEncoder(facts.Columns))
    {
    }

    private PipelinedDeleteSender(IServerSession session, LoadFacts facts, int rowsPerBatch, LoneStatement statement, RowEncoder encoder)
        : base(session, facts, rowsPerBatch, statement, () => new PipelinedDeletes(KeyOrder.OfRows(facts), statement, encoder, facts.Server.MaxAllowedPacket)) =>
        _isUnique = facts.Key!.IsUnique;

    protected override bool TrySettle(int row, Answer answer, RowOutcomes outcomes)
    {
        if (_isUnique && answer.AffectedRows > 1)
        {
            return false;
        }

        if (answer.AffectedRows == 0)
        {
            outcomes.Miss(row);
        }
        else
        {
            outcomes.Take(new TakenRows { Deleted = 1, DeletedRows = (long)answer.AffectedRows });
        }

        return true;
    }
}
