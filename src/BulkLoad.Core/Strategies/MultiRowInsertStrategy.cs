using System.Text;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Strategies;

/// <summary>
/// INSERT ... VALUES with many rows, prepared once and filled with binary values; as literal text where a row leaves a column to
/// an expression's default or where no statement can be prepared. Strict: a bad row fails its statement, which undoes itself; a savepoint
/// before it undoes one that succeeded with a warning or a wrong count.
/// </summary>
internal sealed class MultiRowInsertStrategy : ILoadStrategy
{
    /// <summary>The protocol's bound on placeholders in one statement.</summary>
    private const int MostPlaceholders = 65_535;

    private const int BestRows = 2000;
    private const int BestRowsOnMySql = 1000;
    private const long BestBytes = 1024 * 1024;

    public string Name => "multi-row-insert";

    public string? FindObstacle(LoadFacts facts)
    {
        if (facts.RecordBytes > facts.Server.MaxAllowedPacket)
        {
            return $"records of about {facts.RecordBytes:N0} bytes do not fit into the server's max_allowed_packet of {facts.Server.MaxAllowedPacket:N0}";
        }

        return DuplicatePlan.Of(facts) is { Form: null, Reason: var reason } ? reason : null;
    }

    public string Describe(LoadFacts facts) => facts.Server.IsMariaDb
        ? "prepared rows are MariaDB's fastest way in, and strict"
        : "needs no rights but INSERT, and is strict; MySQL takes LOAD DATA faster";

    public Cost CostOf(LoadFacts facts) => new(facts.Server.IsMariaDb ? 2.35 : 4.0, 1, 2);

    public (SizeRange Rows, SizeRange Bytes) SizeBatches(LoadFacts facts)
    {
        var packet = facts.Server.MaxAllowedPacket;
        return (
            new SizeRange(
                "rows-per-batch", facts.Server.IsMariaDb ? BestRows : BestRowsOnMySql, "measured optimum",
                MostRows(facts), MostRows(facts) < MostPlaceholders / facts.Columns.Count
                    ? $"the expressions of --set in half of the server's max_allowed_packet of {packet:N0}"
                    : $"{MostPlaceholders:N0} placeholders over {facts.Columns.Count} columns"),
            new SizeRange(
                "bytes-per-batch", BestBytes, "measured optimum: little to undo when a batch fails",
                packet / 2, $"half of the server's max_allowed_packet of {packet:N0}"));
    }

    public IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes) =>
        [TransactionSql.MarkBatch(0), .. Statements(InsertForm.Of(facts), facts.Columns, sizes.RowsPerBatch)];

    public IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes) =>
        new InsertSender(session, InsertForm.Of(facts), facts, Math.Min(sizes.RowsPerBatch, MostRows(facts)), isBulk: false);

    private static int MostRows(LoadFacts facts)
    {
        var most = MostPlaceholders / facts.Columns.Count;
        if (facts.Assignments.Count == 0)
        {
            return most;
        }

        // Every row of a statement repeats the expressions, and the statement must fit into a packet.
        var rowBytes = Encoding.UTF8.GetByteCount(InsertSql.Tail(facts.Assignments)) + InsertSql.Prepared("", facts.Columns, "", 1).Length + ",".Length;
        return (int)Math.Clamp(facts.Server.MaxAllowedPacket / 2 / rowBytes, 1, most);
    }

    private static IEnumerable<string> Statements(InsertForm form, IReadOnlyList<TableColumn> columns, int rows)
    {
        yield return $"{InsertSql.Prepared(form.Head, columns, form.Tail, 1)}, ... (up to {rows} rows){(form.AreAllOwnIds ? form.OwnIdEnding : form.Ending)}";
        if (form.OwnId is not null && form.OwnIdEnding != form.Ending)
        {
            yield return $"{InsertSql.Prepared(form.Head, columns, form.Tail, 1)}, ... (rows without an id){form.OwnIdEnding}";
        }

        if (form.Duplicates == DuplicateForm.ReplaceAlone)
        {
            yield return $"{InsertSql.Prepared(form.ReplaceHead, columns, form.Tail, 1)} (a duplicate)";
        }
    }
}
