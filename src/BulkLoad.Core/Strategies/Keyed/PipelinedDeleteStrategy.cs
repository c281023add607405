using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Insert;

namespace BulkLoad.Core.Strategies.Keyed;

/// <summary>
/// One prepared DELETE a record, sent ahead of the answers: what becomes of each record is known at once, an error is that of its record
/// alone, and the order of the records can be kept. MariaDB executes it for many records in one packet, as long as each of them finds its row.
/// </summary>
internal sealed class PipelinedDeleteStrategy : ILoadStrategy
{
    /// <summary>Whether some record is known to find no row, or to be refused, so that each goes by itself.</summary>
    public bool IsForFaults { get; init; }

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
            ? $", on this route too: the {milliseconds:F1} ms of an answer are waited for once a batch, as they are by lists"
            : "";
        return GoesInBulk(facts)
            ? $"one DELETE a record, sent ahead of the answers in packets of many records: exact for each of them, and more than twice the server's work of a list{route}"
            : $"one DELETE a record, sent ahead of the answers: exact for each of them, and three to four times the server's work of a list{route}";
    }

    public Cost CostOf(LoadFacts facts) => new(GoesInBulk(facts) ? KeyCosts.OfBulkDelete(facts) : KeyCosts.OfRowDelete(facts), 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => KeySizes.OfRows;

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.Savepoint(0), $"{KeySql.Of(facts).PreparedDelete()} ({(GoesInBulk(facts) ? $"executed for up to {PipelinedDeletes.KeysInBulk} records at once" : "for each record")})"];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new PipelinedDeleteSender(session, facts, sizes.RowsPerBatch, GoesInBulk(facts));

    /// <summary>Whether one answer for many records tells what became of each: where as many rows as records went, each has found its own.</summary>
    private bool GoesInBulk(LoadFacts facts) => !IsForFaults && facts.Key!.IsUnique && facts.Table.IsTransactional && !KeyRules.IsOneByOne(facts)
        && BulkExecuteStrategy.FindServerObstacle(facts) is null;
}
