using LinqToDB;
using LinqToDB.Data;
using LinqToDB.DataProvider.MySql;

namespace BulkLoad.Benchmarks.Objects;

/// <summary>With linq2db's BulkCopy, over MySqlConnector.</summary>
internal static class Linq2DbObjects
{
    /// <summary>All that it can do.</summary>
    public static IEnumerable<ObjectLoad> All =>
    [
        new("linq2db/provider", task => BulkCopyAsync(task, BulkCopyType.ProviderSpecific)),
        new("linq2db/rows", task => BulkCopyAsync(task, BulkCopyType.MultipleRows)),
    ];

    private static async Task<long> BulkCopyAsync(ObjectTask task, BulkCopyType type)
    {
        await using var connection = new DataConnection(new DataOptions().UseMySql(
            MySqlConnectorObjects.ConnectionString(task), MySqlVersion.AutoDetect, MySqlProvider.MySqlConnector));
        var copied = await connection.BulkCopyAsync(
            new BulkCopyOptions { BulkCopyType = type, TableName = task.Table, BulkCopyTimeout = 0 }, task.Users);
        return copied.RowsCopied;
    }
}
