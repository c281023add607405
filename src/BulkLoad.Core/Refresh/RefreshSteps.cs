using BulkLoad.Core.Options;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Refresh;

/// <summary>The statements of a full refresh, as a plan shows them: those that make, compare, change, exchange and drop tables, and not the
/// looks between them.</summary>
internal static class RefreshSteps
{
    /// <summary>What comes behind the load, in order.</summary>
    /// <param name="twin">name of the loaded table</param>
    public static IReadOnlyList<string> Behind(RefreshLead lead, RefreshPlan way, string twin)
    {
        var (sql, table, former) = (lead.Sql, lead.Table, lead.Names.OldToShow);
        var sync = new TableSync(lead.Session, lead.Facts, twin);
        var leave = lead.Options.KeepOld ? sql.Rename((former, lead.Names.OfKept(lead.Time.GetUtcNow().UtcDateTime))) : sql.Drop(former);
        IReadOnlyList<string> end = way.Way switch
        {
            _ when lead.Request.Mode == JobMode.Preview => [sql.Drop(twin)],
            RefreshWay.Diff => [.. RefreshSql.BeginChange, .. sync.Changing, TransactionSql.Commit, sql.Drop(twin)],
            RefreshWay.Partition =>
                [sql.Rename((twin, former)), sql.ExchangePartition(table.Name, table.Partition!, former), leave],
            _ => [.. SwapEnd.Preparing(sql, lead.Facts.Definition, twin), SwapEnd.Exchange(sql, table.Name, former, twin), leave],
        };
        return [.. sync.Comparing, .. end];
    }
}
