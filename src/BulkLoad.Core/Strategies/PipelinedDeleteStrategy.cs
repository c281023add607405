using System.Globalization;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// One prepared DELETE a record, sent ahead of the answers: what becomes of each record is known at once, an error is that of its record
/// alone, and the order of the records can be kept.
/// </summary>
internal sealed class PipelinedDeleteStrategy : ILoadStrategy
{
    public string Name => "pipelined";

    public string? FindObstacle(LoadFacts facts) =>
        facts.Server.MaxPreparedStatements > 0 ? null : "the server keeps no prepared statements (max_prepared_stmt_count is 0)";

    public string Describe(LoadFacts facts)
    {
        if (KeyRules.IsOneByOne(facts))
        {
            return "one DELETE a record in the file's order, which decides, sent ahead of the answers";
        }

        // On a slow route a round trip a row would be the whole of it; neither of the two makes one.
        var route = facts.Server.RoundTrip.TotalMilliseconds is >= 1 and var milliseconds
            ? string.Create(CultureInfo.InvariantCulture, $", on this route too: the {milliseconds:F1} ms of an answer are waited for once a batch, as they are by lists")
            : "";
        return $"one DELETE a record, sent ahead of the answers: exact for each of them, and three to four times the server's work of a list{route}";
    }

    public Cost CostOf(LoadFacts facts) => new(KeyCosts.OfRowDelete(facts), 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfRows;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.MarkBatch(0), $"{KeySql.Of(facts).PreparedDelete()} (for each record)"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedDeleteSender(session, facts, sizes.RowsPerBatch);
}
