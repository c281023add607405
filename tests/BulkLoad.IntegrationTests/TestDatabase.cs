using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests;

/// <summary>A database of one test, with a session in it; dropped at the end.</summary>
internal sealed class TestDatabase : IAsyncDisposable
{
    private readonly TestServer _server;

    private TestDatabase(TestServer server, string name, ServerSession session)
    {
        _server = server;
        Name = name;
        Session = session;
    }

    public string Name { get; }

    /// <summary>A session with this default database.</summary>
    public ServerSession Session { get; }

    /// <param name="server">where</param>
    /// <param name="options">how the test's session connects; null: by the socket</param>
    public static async Task<TestDatabase> CreateAsync(TestServer server, ConnectionOptions? options = null)
    {
        var name = $"bulkload_{Guid.NewGuid():N}";
        await AdministerAsync(server, $"CREATE DATABASE {name} CHARACTER SET utf8mb4");
        try
        {
            return new TestDatabase(
                server, name, await ServerSession.ConnectAsync((options ?? server.Options(Way.Socket)) with { Database = name }, default));
        }
        catch
        {
            await AdministerAsync(server, $"DROP DATABASE {name}");
            throw;
        }
    }

    /// <summary>Runs statements by the test's session; the rows that ANALYZE answers with are dropped.</summary>
    public async Task RunAsync(params IEnumerable<string> statements)
    {
        foreach (var statement in statements)
        {
            if (statement.StartsWith("ANALYZE", StringComparison.Ordinal))
            {
                await Session.QueryAsync(statement, default);
            }
            else
            {
                await Session.ExecuteAsync(statement, default);
            }
        }
    }

    /// <summary>Another session with the same default database.</summary>
    public Task<ServerSession> ConnectAsync() =>
        ServerSession.ConnectAsync(_server.Options(Way.Socket) with { Database = Name }, default);

    /// <summary>The only value of a query, by a session of its own.</summary>
    public async Task<string?> ScalarAsync(string query)
    {
        await using var session = await ConnectAsync();
        return (await session.QueryAsync(query, default)).Scalar;
    }

    public async ValueTask DisposeAsync()
    {
        await Session.DisposeAsync();
        await AdministerAsync(_server, $"DROP DATABASE {Name}");
    }

    private static async Task AdministerAsync(TestServer server, string statement)
    {
        await using var admin = await ServerSession.ConnectAsync(server.AdminOptions(), default);
        await admin.ExecuteAsync(statement, default);
    }
}
