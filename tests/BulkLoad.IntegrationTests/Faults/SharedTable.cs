using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A table <c>t</c> that others change too.</summary>
internal static class SharedTable
{
    /// <summary>With ids from 1 on.</summary>
    public const int Rows = 400;

    private const string Table =
        "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, hits INT NOT NULL DEFAULT 0, others INT NOT NULL DEFAULT 0);";

    /// <summary>With rows, and with files of the same keys for every kind of job.</summary>
    public static Task<Workplace> CreateAsync(string server, bool isEmpty = false) => CreateAsync(Servers.Get(server), isEmpty);

    /// <summary>The same on a server of the test's own.</summary>
    public static async Task<Workplace> CreateAsync(TestServer server, bool isEmpty = false)
    {
        var place = await Workplace.CreateAsync(
            server, Table + (isEmpty ? "" : "INSERT INTO t (id, n) WITH RECURSIVE i AS (SELECT 1 id UNION ALL SELECT id + 1 FROM i WHERE "
                + $"id < {Rows}) SELECT id, 1 FROM i;"));
        place.Write("changes.csv", "id,n\n" + Lines(i => $"{i},2"));
        place.Write("ids.txt", Lines(i => $"{i}"));
        return place;
    }

    private static string Lines(Func<int, string> line) => string.Concat(Enumerable.Range(1, Rows).Select(i => $"{line(i)}\n"));

    /// <summary>A job that sets <c>n</c> and counts in <c>hits</c> how often it did.</summary>
    public static BulkLoadProcess StartUpdate(Workplace place)
    {
        var program = place.Start("update", "changes.csv", "--table", "t", "--set", "hits=hits+1", "--rows-per-chunk", "50");
        program.Input.Close();
        return program;
    }

    /// <summary>A session of somebody else's that has changed a row and not committed.</summary>
    public static async Task<ServerSession> HoldAsync(Workplace place, int id)
    {
        var session = await ServerSession.ConnectAsync(place.Server.Options() with { Database = place.Database }, default);
        await session.ExecuteAsync("BEGIN", default);
        await session.ExecuteAsync($"UPDATE t SET others = others + 1 WHERE id = {id}", default);
        return session;
    }
}
