using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// An INSERT of one row, prepared once and executed for thousands of rows of parameters in one packet (MariaDB's
/// COM_STMT_BULK_EXECUTE). As strict as an INSERT of many rows, and it undoes itself as that does; a savepoint before it undoes one that
/// succeeded with a warning or a wrong count. A default is a mark in the packet, where other statements need literal text.
/// </summary>
internal sealed class BulkExecuteStrategy : ILoadStrategy
{
    private const int BestRows = 2000;
    private const long BestBytes = 1024 * 1024;

    /// <summary>Larger batches gain nothing, and both sides hold one in memory.</summary>
    private const int MostRows = 65_535;

    public string Name => "bulk-execute";

    public string? FindObstacle(LoadFacts facts)
    {
        if (!facts.Server.TakesBulkExecutions)
        {
            return facts.Server.IsMariaDb
                ? "this server or a proxy in front of it does not offer bulk execution (MariaDB 10.2 and newer do)"
                : "MySQL has no bulk execution; it is MariaDB's";
        }

        if (facts.Server.LogsStatements)
        {
            return "the server's binary log by statement refuses bulk execution (error 4033)";
        }

        return facts.Server.MaxPreparedStatements == 0
            ? "the server allows no prepared statements (max_prepared_stmt_count is 0)"
            : new MultiRowInsertStrategy().FindObstacle(facts);
    }

    public string Describe(LoadFacts facts) => "one statement for thousands of rows of parameters, as strict as prepared rows and as fast";

    /// <summary>
    /// Near the server both are the same, by measure. What fewer questions save on wide tables was not measured, and is not reckoned with:
    /// of the two, <c>multi-row-insert</c> is taken.
    /// </summary>
    public Cost CostOf(LoadFacts facts)
    {
        var other = new MultiRowInsertStrategy();
        var (rows, _) = SizeBatches(facts);
        var (otherRows, _) = other.SizeBatches(facts);
        var asked = facts.Request.RowsPerBatch;
        var questions = (double)rows.Choose(asked).Value / otherRows.Choose(asked).Value;
        return other.CostOf(facts) with { MicrosecondsPerRow = 2.36, RoundTripsPerBatch = Math.Max(1, questions) };
    }

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return (
            new SizeRange("rows-per-batch", BestRows, "measured optimum", MostRows, "more gain nothing, and are more to undo"),
            new SizeRange(
                "bytes-per-batch", BestBytes, "measured optimum: little to undo when a batch fails",
                packet / 2, $"half of the server's max_allowed_packet of {packet:N0}"));
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.MarkBatch(0), .. Statements(InsertForm.Of(facts), facts.Columns, sizes.RowsPerBatch)];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, sizes.RowsPerBatch, isBulk: true);

    private static IEnumerable<string> Statements(InsertForm form, IReadOnlyList<TableColumn> columns, int rows)
    {
        yield return $"{InsertSql.Prepared(form.Head, columns, form.Tail, 1, form.AreAllOwnIds ? form.OwnIdEnding : form.Ending)} (executed for up to {rows} rows at once)";
        if (form.OwnId is not null && form.OwnIdEnding != form.Ending)
        {
            yield return $"{InsertSql.Prepared(form.Head, columns, form.Tail, 1, form.OwnIdEnding)} (rows without an id)";
        }

        if (form.Duplicates == DuplicateForm.ReplaceAlone)
        {
            yield return $"{InsertSql.Prepared(form.ReplaceHead, columns, form.Tail, 1)} (a duplicate)";
        }
    }
}
