namespace BulkLoad.Benchmarks.Objects;

/// <summary>One way to load objects, as a user of the library would write it.</summary>
/// <param name="Way">the library, and its way behind a slash</param>
/// <param name="RunAsync">returns how many rows are there now</param>
internal sealed record ObjectLoad(string Way, Func<ObjectTask, Task<long>> RunAsync)
{
    /// <summary>Those of the libraries that the program was built with.</summary>
    public static IEnumerable<ObjectLoad> All =>
    [
        new("BulkLoad/objects", task => LoadAsync(task, new BulkOptions())),
        new("BulkLoad/rejects", task => LoadAsync(task, new BulkOptions { MaxRejects = 100, Rejected = _ => { } })),
        new("BulkLoad/stream", LoadStreamAsync),
#if PEER_MYSQLCONNECTOR
        .. MySqlConnectorObjects.All,
#endif
#if PEER_LINQ2DB
        .. Linq2DbObjects.All,
#endif
    ];

    private static async Task<long> LoadAsync(ObjectTask task, BulkOptions options)
    {
        await using var loader = BulkLoader.Into(task.Connection, task.Table);
        return (await loader.LoadAsync(task.Users, options)).Counts.Inserted;
    }

    private static async Task<long> LoadStreamAsync(ObjectTask task)
    {
        await using var loader = BulkLoader.Into(task.Connection, task.Table);
        return (await loader.LoadAsync(task.Users.ToAsyncEnumerable())).Counts.Inserted;
    }
}

/// <summary>What is to be done.</summary>
/// <param name="Table">with the columns of <see cref="BenchUser"/>; empty</param>
internal sealed record ObjectTask(ConnectionOptions Connection, string Table, IReadOnlyList<BenchUser> Users);
