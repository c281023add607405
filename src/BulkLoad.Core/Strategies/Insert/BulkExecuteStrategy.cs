using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>
/// An INSERT of one row, prepared once and executed for hundreds of rows of parameters in one packet (MariaDB's
/// COM_STMT_BULK_EXECUTE), one packet behind the other. As strict as an INSERT of many rows, and undone to a savepoint as that is. A
/// default is a mark in the packet, where other statements need literal text.
/// </summary>
internal sealed class BulkExecuteStrategy : ILoadStrategy
{
    private const int MostRowsPerPacket = 65_535;

    private static readonly TunedSize PacketSize = new(
        "bulk-execute", "rows-per-packet", 500, [100, 250, 1000, 2000, 4000], MostRowsPerPacket);
    private static readonly TunedSize BatchSize = InsertSizes.TunedRows("bulk-execute");

    public string Name => "bulk-execute";

    public IReadOnlyList<TunedSize> TunedSizes { get; } = [PacketSize, BatchSize];

    public string? FindObstacle(LoadFacts facts) =>
        NonTransactionalRules.FindSetObstacle(facts) ?? BulkRules.FindServerObstacle(facts) ?? new MultiRowInsertStrategy().FindObstacle(facts);

    public string Describe(LoadFacts facts) => "one prepared row executed for many at once is MariaDB's fastest way in, and strict";

    public Cost CostOf(LoadFacts facts) => new(2.2, 1, 2);

    public int RowsPerStatement(LoadFacts facts, BatchSizes sizes) => Math.Min(sizes.RowsPerBatch, (int)PacketSize.In(facts.Request));

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => (InsertSizes.Rows(BatchSize, facts), InsertSizes.Bytes(facts));

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        .. InsertForm.Of(facts)
            .Show(facts.Columns, "", $"executed for up to {Plural.Count(RowsPerStatement(facts, sizes), "row")} at once"),
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, RowsPerStatement(facts, sizes), isBulk: true);
}
