using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// One UPDATE a record, sent ahead of the answers: what becomes of each record is known at once, an error is that of its record alone, the
/// order of the records can be kept, and each can change other columns.
/// </summary>
internal sealed class PipelinedUpdateStrategy : ILoadStrategy
{
    public string Name => "pipelined";

    public string? FindObstacle(LoadFacts facts) => null;

    public string Describe(LoadFacts facts) => UpdateRules.CanSort(facts)
        ? "one UPDATE a record, sent ahead of the answers: exact for each of them, and three times the server's work of a set"
        : "one UPDATE a record in the file's order, sent ahead of the answers";

    /// <summary>Measured with three values a row (docs/strategies.md).</summary>
    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfRowUpdate(facts), 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfRows;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0), $"{new UpdateSql(facts).PreparedRow()} (for each record{(facts.RecordsCanLackColumns ? ", with the columns that it has" : "")})"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) => new PipelinedUpdateSender(session, facts, sizes.RowsPerBatch);
}
