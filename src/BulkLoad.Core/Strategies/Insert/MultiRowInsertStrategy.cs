using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>
/// INSERT ... VALUES with many rows, prepared once and filled with binary values; as literal text where a row leaves a column to
/// an expression's default or where no statement can be prepared. Strict: a bad row fails its statement. Statements are small, since a
/// server is slower the more placeholders it has in hand, and sent one behind the other; a savepoint before them undoes them all.
/// </summary>
internal sealed class MultiRowInsertStrategy : ILoadStrategy
{
    /// <summary>The protocol's bound on placeholders in one statement.</summary>
    private const int MostPlaceholders = 65_535;

    private const int FewestRows = 16;

    private static readonly TunedSize StatementSize = new(
        "multi-row-insert", "placeholders-per-statement", 1500, [300, 600, 3000, 6000, 15_000], MostPlaceholders);
    private static readonly TunedSize BatchSize = InsertSizes.TunedRows("multi-row-insert");

    public string Name => "multi-row-insert";

    public IReadOnlyList<TunedSize> TunedSizes { get; } = [StatementSize, BatchSize];

    public string? FindObstacle(LoadFacts facts)
    {
        if (facts.RecordBytes > facts.Server.MaxAllowedPacket)
        {
            return $"records of about {facts.RecordBytes:N0} bytes do not fit into the server's max_allowed_packet of "
                + $"{facts.Server.MaxAllowedPacket:N0}";
        }

        return DuplicatePlan.Of(facts) is { Form: null, Reason: var reason } ? reason : null;
    }

    public string Describe(LoadFacts facts) =>
        !facts.Table.IsTransactional ? $"engine {facts.Table.Engine} cannot roll back, and an INSERT says at which of its rows it stopped"
        : facts.Server.IsMariaDb
        ? "prepared rows are strict, and faster than LOAD DATA on MariaDB"
        : "needs no rights but INSERT, and is strict; MySQL takes text by LOAD DATA faster";

    public Cost CostOf(LoadFacts facts) => new(facts.Server.IsMariaDb ? 2.35 : 4.0, 1, 2);

    public int RowsPerStatement(LoadFacts facts, BatchSizes sizes) => GoesRowByRow(facts) ? 1
        : Math.Min(sizes.RowsPerBatch,
            Math.Min(MostRows(facts), Math.Max(FewestRows, (int)StatementSize.In(facts.Request) / PlaceholdersOf(facts))));

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts) => (InsertSizes.Rows(BatchSize, facts), InsertSizes.Bytes(facts));

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        .. InsertForm.Of(facts).Show(facts.Columns, ", ...", $"up to {Plural.Count(RowsPerStatement(facts, sizes), "row")}"),
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, RowsPerStatement(facts, sizes), isBulk: false);

    /// <summary>Whether a refused statement of several rows would leave rows behind of which nobody knows what became.</summary>
    private static bool GoesRowByRow(LoadFacts facts) => !facts.Table.IsTransactional
        && (!NonTransactionalRules.TakesInOrder(facts.Table) || facts.Table.InsertTriggers.Count > 0
            || DuplicatePlan.Of(facts).Form is not (DuplicateForm.Plain or DuplicateForm.SkipAlone or DuplicateForm.ReplaceAlone));

    private static int MostRows(LoadFacts facts)
    {
        var most = MostPlaceholders / PlaceholdersOf(facts);
        if (facts.Assignments.Count == 0)
        {
            return most;
        }

        // Every row of a statement repeats the expressions, and the statement must fit into a packet.
        var rowBytes = Encoding.UTF8.GetByteCount(InsertSql.Prepared("", facts.Columns, TailOf(facts), 1)) + ",".Length;
        return (int)Math.Clamp(facts.Server.MaxAllowedPacket / 2 / rowBytes, 1, most);
    }

    /// <summary>Of a row; none where expressions fill every column and read no field.</summary>
    private static int PlaceholdersOf(LoadFacts facts) => Math.Max(1, facts.Columns.Count + TailOf(facts).Places.Length);

    private static SetText TailOf(LoadFacts facts) => InsertSql.Tail(facts.Assignments, facts.RowColumns);
}
