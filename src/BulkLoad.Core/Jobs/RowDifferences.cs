using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Differences between a table and the table that would be created.</summary>
internal static class RowDifferences
{
    /// <summary>What counts differences, in order.</summary>
    public static IReadOnlyList<string> Questions(StageSql sql) => [sql.CountRecords, sql.CountRows, sql.CountPresent];

    public static async Task<(long New, long Changed, long Extra)> CountAsync(
        IServerSession session, StageSql sql, CancellationToken cancellationToken)
    {
        // The two tables are joined once: a key is that of one record and of one row.
        var answers = await session.QueryAllAsync(Questions(sql), cancellationToken);
        var (records, rows, present) = (Number(answers[0].Scalar), Number(answers[1].Scalar), Number(answers[2].FirstRow[0]));
        return (records - present, Number(answers[2].FirstRow[1]), rows - present);
    }

    public static async Task<IReadOnlyList<RowChange>> ShowAsync(
        IServerSession session, StageSql sql, int max, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync([sql.ShowNew(max), sql.ShowChanged(max), sql.ShowExtra(max)], cancellationToken);
        return
        [
            .. answers[0].Rows.Select(row => new RowChange("inserted", row[0] ?? "", [])),
            .. answers[1].Rows.Select(row => new RowChange("updated", row[0] ?? "", ValuesOf(row, sql))),
            .. answers[2].Rows.Select(row => new RowChange("deleted", row[0] ?? "", [])),
        ];
    }

    private static IReadOnlyList<ChangedValue> ValuesOf(string?[] row, StageSql sql) =>
    [
        .. sql.Comparable.Index().Where(one => row[1 + (3 * one.Index)] == "1")
            .Select(one => new ChangedValue(one.Item.Name, row[2 + (3 * one.Index)], row[3 + (3 * one.Index)])),
    ];

    private static long Number(string? value) => long.Parse(value!, CultureInfo.InvariantCulture);
}
