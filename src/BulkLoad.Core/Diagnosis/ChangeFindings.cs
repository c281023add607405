using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Refresh;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Diagnosis;

/// <summary>Whether a table can become exactly a file, and whether what an import inserts into it can be taken back.</summary>
internal static class ChangeFindings
{
    public const string Table = "table";

    /// <summary>What both need for the table beside, as GRANT writes it.</summary>
    private static readonly string[] Needed = RefreshSql.Rights.Split(", ");

    /// <param name="rights">on all tables of the database</param>
    public static async Task<IReadOnlyList<Finding>> LookAsync(
        IServerSession session, TableFacts table, string account, IReadOnlyList<ProbedRight> rights, CancellationToken cancellationToken)
    {
        string[] missing = [.. Needed.Where(right => rights.Any(one => one.Right == right && one.State == RightState.Missing))];
        var grant = SqlGrant.Of(string.Join(", ", missing), table.Database, null, account);
        var lacks = $"missing on {table.Database}.*, where a table is made beside it: {string.Join(", ", missing)}";
        return
        [
            await OfRefreshAsync(),
            await FindUndoObstacleAsync() is { } obstacle
                ? new Finding(Table, "undo", FindingState.Note, $"what an import inserts cannot be taken back: {obstacle}")
                : missing.Length > 0 ? new Finding(Table, "undo", FindingState.Note, lacks, grant)
                : new Finding(Table, "undo", FindingState.Ok, $"what an import inserts can be taken back{Unless(table)}"),
        ];

        async Task<Finding> OfRefreshAsync()
        {
            try
            {
                var facts = await RefreshProbe.LookAsync(session, table.Database, table.Name, partition: null, cancellationToken);
                var (way, reason) = RefreshRules.Choose(new RefreshOptions(RefreshWay.Auto), facts);
                var text = $"by {RefreshWays.Of(way)}: {reason}";
                return missing.Length == 0 ? new Finding(Table, "full-refresh", FindingState.Ok, text)
                    : new Finding(Table, "full-refresh", FindingState.Note, $"{text}; {lacks}", grant);
            }
            catch (Exception fault) when (session.IsUsable && fault is PlanException or ServerException)
            {
                var why = fault.Message.Replace("--full-refresh: ", "", StringComparison.Ordinal);
                return new Finding(Table, "full-refresh", FindingState.Note, why);
            }
        }

        async Task<string?> FindUndoObstacleAsync()
        {
            if (UndoRules.FindObstacle(table) is { } rule)
            {
                return rule;
            }

            try
            {
                var (_, references) = await TableProbe.DefineAsync(session, table, cancellationToken);
                foreach (var question in new UndoSql(table, table.Name, [.. references.Where(key => !key.IsToItself)], []).LookAtReferring)
                {
                    await session.QueryAsync(question, cancellationToken);
                }

                return null;
            }
            catch (ServerException fault) when (session.IsUsable)
            {
                return $"it is not known whether rows refer to it: {fault.ServerText}"
                    + await AccountGrant.ForAsync(session, fault, table.Database, cancellationToken);
            }
        }
    }

    private static string Unless(TableFacts table) =>
        UndoRules.MadeByServer(table).Select(column => column.Name).ToList() is { Count: > 0 } made
            ? $", if its file fills {string.Join(", ", made)}: else the server makes the values" : "";
}
