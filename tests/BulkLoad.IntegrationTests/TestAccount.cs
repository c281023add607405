using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests;

/// <summary>An account of one test, reachable from anywhere; dropped at the end.</summary>
internal sealed class TestAccount : IAsyncDisposable
{
    private readonly TestServer _server;

    private TestAccount(TestServer server, string user, string? password)
    {
        _server = server;
        User = user;
        Password = password;
    }

    public string User { get; }

    public string? Password { get; }

    /// <param name="server">where</param>
    /// <param name="identity">what follows the name in CREATE USER</param>
    /// <param name="password">what the client will use</param>
    /// <param name="stem">start of the name; the whole has at most 32 characters</param>
    public static async Task<TestAccount> CreateAsync(TestServer server, string identity, string? password, string stem = "t_")
    {
        var account = new TestAccount(server, stem + Guid.NewGuid().ToString("N")[..12], password);
        await account.RunAsync($"CREATE USER '{account.User}'@'%' {identity}");
        return account;
    }

    public ConnectionOptions Options() => _server.Options() with { User = User, Password = Password };

    public ConnectionOptions SocketOptions() => Options() with { Socket = _server.Socket };

    public async ValueTask DisposeAsync() => await RunAsync($"DROP USER '{User}'@'%'");

    private async Task RunAsync(string statement)
    {
        await using var admin = await ServerSession.ConnectAsync(_server.AdminOptions(), default);
        await admin.ExecuteAsync(statement, default);
    }
}
