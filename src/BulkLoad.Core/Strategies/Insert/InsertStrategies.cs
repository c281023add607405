using BulkLoad.Core.Facts;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies.Insert;

/// <summary>INSERT ... VALUES with many rows, prepared once and filled with binary values; literal text where a row leaves a column to an
/// expression's default or where no statement can be prepared. Strict: a bad row fails its statement. Statements are small, since servers
/// get slower with many placeholders; several are sent without a wait, and a savepoint before them undoes them all.</summary>
internal sealed class MultiRowInsertStrategy : ILoadStrategy
{
    /// <summary>The protocol's limit for one statement.</summary>
    private const int MaxPlaceholders = 65_535;

    private const int MinRows = 16;

    /// <summary>Microseconds for each row, measured with shards of Spider on the same machine.</summary>
    private const double RowByRow = 150;

    private static readonly TunedSize StatementSize = new(
        "multi-row-insert", "placeholders-per-statement", 1500, [300, 600, 3000, 6000, 15_000], MaxPlaceholders);
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

    public Assessment Assess(LoadFacts facts) => new(
        !facts.Table.IsTransactional ? $"engine {facts.Table.Engine} cannot roll back, and an INSERT says at which of its rows it stopped"
        : GoesRowByRow(facts) ? $"engine {facts.Table.Engine} undoes no more than a row that it refuses"
        : !facts.Table.UndoesBatches ? $"engine {facts.Table.Engine} undoes no more than an INSERT that it refuses"
        : facts.Server.IsMariaDb ? "prepared rows are strict, and faster than LOAD DATA on MariaDB"
        : "needs no rights but INSERT, and is strict; MySQL takes text by LOAD DATA faster",
        new Cost(GoesRowByRow(facts) ? RowByRow : facts.Server.IsMariaDb ? 2.35 : 4.0, 1, 2),
        InsertSizes.Of(BatchSize, facts),
        RowsPerStatement(facts));

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        .. InsertForm.Of(facts).Show(facts.Columns, ", ...", $"up to {Plural.Count(RowsPerStatement(facts, sizes), "row")}"),
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, RowsPerStatement(facts, sizes), isBulk: false);

    private static int RowsPerStatement(LoadFacts facts, BatchSizes sizes) => Math.Min(sizes.RowsPerBatch, RowsPerStatement(facts));

    private static int RowsPerStatement(LoadFacts facts) => GoesRowByRow(facts) ? 1
        : Math.Min(MaxRows(facts), Math.Max(MinRows, (int)StatementSize.In(facts.Request) / PlaceholdersOf(facts)));

    /// <summary>Whether a refused statement of several rows would leave an unknown number of its rows in the table.</summary>
    private static bool GoesRowByRow(LoadFacts facts) => facts.Table.IsTransactional ? facts.Table.UndoPart == UndoPart.Row
        : !NonTransactionalRules.TakesInOrder(facts.Table) || facts.Table.InsertTriggers.Count > 0
            || DuplicatePlan.Of(facts).Form is not (DuplicateForm.Plain or DuplicateForm.SkipAlone or DuplicateForm.ReplaceAlone);

    private static int MaxRows(LoadFacts facts)
    {
        var max = MaxPlaceholders / PlaceholdersOf(facts);
        if (facts.Assignments.Count == 0)
        {
            return max;
        }

        // Every row of a statement repeats the expressions, and the statement must fit into a packet.
        var rowBytes = Encoding.UTF8.GetByteCount(InsertSql.Prepared("", facts.Columns, TailOf(facts), 1)) + ",".Length;
        return (int)Math.Clamp(facts.Server.MaxAllowedPacket / 2 / rowBytes, 1, max);
    }

    private static int PlaceholdersOf(LoadFacts facts) => Math.Max(1, facts.Columns.Count + TailOf(facts).Places.Length);

    private static SetText TailOf(LoadFacts facts) => InsertSql.Tail(facts.Assignments, facts.RowColumns);
}

/// <summary>An INSERT of one row, prepared once and executed for hundreds of rows of parameters in each packet (MariaDB's
/// COM_STMT_BULK_EXECUTE). As strict as an INSERT of many rows, and undone to a savepoint like it. A default is a mark in the packet, where
/// other statements need literal text.</summary>
internal sealed class BulkExecuteStrategy : ILoadStrategy
{
    private const int MaxRowsPerPacket = 65_535;

    private static readonly TunedSize PacketSize = new(
        "bulk-execute", "rows-per-packet", 500, [100, 250, 1000, 2000, 4000], MaxRowsPerPacket);
    private static readonly TunedSize BatchSize = InsertSizes.TunedRows("bulk-execute");

    public string Name => "bulk-execute";

    public IReadOnlyList<TunedSize> TunedSizes { get; } = [PacketSize, BatchSize];

    public string? FindObstacle(LoadFacts facts) =>
        (facts.Request.KeepsIds ? IdRules.OnlyByInserts : null)
        ?? NonTransactionalRules.FindSetObstacle(facts) ?? BulkRules.FindServerObstacle(facts)
        ?? new MultiRowInsertStrategy().FindObstacle(facts);

    public Assessment Assess(LoadFacts facts) => new(
        "one prepared row executed for many at once is MariaDB's fastest way in, and strict", new Cost(2.2, 1, 2),
        InsertSizes.Of(BatchSize, facts), (int)PacketSize.In(facts.Request));

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
    [
        TransactionSql.Savepoint(0),
        .. InsertForm.Of(facts)
            .Show(facts.Columns, "", $"executed for up to {Plural.Count(RowsPerPacket(facts, sizes), "row")} at once"),
    ];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, RowsPerPacket(facts, sizes), isBulk: true);

    private static int RowsPerPacket(LoadFacts facts, BatchSizes sizes) => Math.Min(sizes.RowsPerBatch, (int)PacketSize.In(facts.Request));
}

/// <summary>Sizes for INSERTs: a batch is several of them, sent without a wait and undone together.</summary>
internal static class InsertSizes
{
    private const int BestRows = 4000;
    private const int MaxRows = 65_535;
    private const long BestBytes = 1024 * 1024;

    /// <summary>The server has work for so many round trips in each batch, since a session waits for one behind it. Measured: with work for
    /// one and a half an import took 1.7 times as long as without the route.</summary>
    private const int RoundTripsOfWork = 8;

    /// <summary>What a server takes for a small row, about.</summary>
    private const double MicrosecondsPerRow = 3;

    /// <summary>By a long route more bytes are worth their memory.</summary>
    private const long BestBytesFarAway = 2 * 1024 * 1024;

    public static TunedSize TunedRows(string strategy) => new(strategy, "rows-per-batch", BestRows, [1000, 2000, 8000], MaxRows);

    public static (SizeRange Rows, SizeRange Bytes) Of(TunedSize rows, LoadFacts facts) => (Rows(rows, facts), Bytes(facts));

    private static SizeRange Rows(TunedSize tuned, LoadFacts facts)
    {
        var worth = (long)(RoundTripsOfWork * facts.Server.RoundTrip.TotalMicroseconds / MicrosecondsPerRow);
        var best = tuned.Plan(facts.Request, "measured optimum");
        if (facts.Server.IsFar && worth > best.Value && tuned.FindMeasured(facts.Request) is null)
        {
            best = best with
            {
                Value = Math.Min(
                worth, MaxRows),
                SetBy = $"the server works on them for as long as {RoundTripsOfWork} round trips take"
            };
        }

        return new SizeRange(tuned.Name, best.Value, best.SetBy, MaxRows, "more gain nothing, and are more to undo");
    }

    private static SizeRange Bytes(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        var (best, reason) = facts.Server.IsFar
            ? (BestBytesFarAway, "few waits for an answer, each of which takes long here")
            : (BestBytes, "measured optimum: little to undo when a batch fails");
        return new SizeRange("bytes-per-batch", best, reason, packet / 2, $"half of the server's max_allowed_packet of {packet:N0}");
    }
}
