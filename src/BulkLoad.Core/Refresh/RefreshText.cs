using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Refresh;

/// <summary>What a full refresh has done, for people. Pure.</summary>
internal static class RefreshText
{
    public static string Describe(TableFacts table, RefreshReport result, long rejected) =>
        $"{table.DisplayName} is {Content(rejected)} now, by {result.Way} in {result.Exchange.TotalMilliseconds:N0} ms: {Rows(result)}"
            + (result.OldTable is null ? "" : $"; the former {(table.Partition is null ? "table" : "rows")} "
                + $"{(table.Partition is null ? "is" : "are in")} {result.OldTable}");

    public static string Content(long rejected) => rejected == 0 ? "exactly the input" : "the input without rejected records";

    public static string Rows(RefreshReport result) =>
        result.NewRows is null ? $"{Plural.Count(result.RowsAfter, "row")} in place of {result.RowsBefore:N0}"
            : $"{result.NewRows:N0} new, {result.ChangedRows:N0} changed, {result.GoneRows:N0} gone, {result.UnchangedRows:N0} unchanged";
}
