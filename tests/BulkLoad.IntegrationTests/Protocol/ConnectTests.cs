using System.Net.Sockets;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

public sealed class ConnectTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_says_who_answers_and_how(string name)
    {
        var server = Servers.Get(name);
        await using var session =
            await ServerSession.ConnectAsync(server.Options() with { SslMode = SslMode.Disabled, GetServerPublicKey = true }, default);
        Assert.StartsWith(server.Version, session.Server.VersionText, StringComparison.Ordinal);
        Assert.StartsWith(session.Server.Version.ToString(3), server.Version, StringComparison.Ordinal);
        Assert.Equal(server.IsMariaDb, session.Server.IsMariaDb);
        Assert.Equal($"{server.Host}:{server.Port}", session.Server.Endpoint);
        Assert.Equal("not encrypted", session.Server.Security);
        Assert.Equal($"{session.Server.ConnectionId}", (await session.QueryAsync("SELECT CONNECTION_ID()", default)).Scalar);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_character_set_is_utf8mb4_from_the_start(string name)
    {
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options(), default);
        var row = (await session.QueryAsync(
            "SELECT @@character_set_client, @@character_set_connection, @@character_set_results, @@collation_connection, 'Grüße 🚀'",
            default)).Rows[0];
        Assert.Equal("utf8mb4 utf8mb4 utf8mb4 utf8mb4_general_ci Grüße 🚀", string.Join(" ", row));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_opens_over_a_unix_socket(string name)
    {
        var server = Servers.Get(name);
        await using var session = await ServerSession.ConnectAsync(server.Options() with { Socket = server.Socket }, default);
        Assert.Equal("unix socket", session.Server.Security);
        Assert.False(session.Server.IsEncrypted);
        Assert.Equal(server.Socket, session.Server.Endpoint);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_address_of_a_name_is_tried(string name)
    {
        // localhost is ::1 too, where these servers do not listen.
        await using var session = await ServerSession.ConnectAsync(Servers.Get(name).Options() with { Host = "localhost" }, default);
        Assert.True(session.IsUsable);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_session_opens_over_IPv6(string name)
    {
        Assert.SkipUnless(Socket.OSSupportsIPv6, "this machine has no IPv6");
        var server = Servers.Get(name);
        await using var relay = new Relay(server, address: "::1");
        await using var session = await ServerSession.ConnectAsync(server.Options() with { Host = "::1", Port = relay.Port }, default);
        Assert.Equal($"[::1]:{relay.Port}", session.Server.Endpoint);
    }

    [Theory]
    [CombinatorialServers(SslMode.Disabled, SslMode.Preferred, SslMode.Required, SslMode.VerifyCa, SslMode.VerifyIdentity)]
    public async Task Each_ssl_mode_encrypts_as_it_says(string name, SslMode mode)
    {
        var options = Servers.Get(name).Options() with { SslMode = mode, SslCa = Servers.TlsCa, GetServerPublicKey = true };
        await using var session = await ServerSession.ConnectAsync(options, default);
        Assert.Equal(mode != SslMode.Disabled, session.Server.IsEncrypted);
        var cipher = await session.QueryAsync("SHOW SESSION STATUS LIKE 'Ssl_cipher'", default);
        Assert.Equal(mode != SslMode.Disabled, cipher.Rows[0][1] is not "");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_unix_socket_is_encrypted_only_on_demand(string name)
    {
        var server = Servers.Get(name);
        var options =
            server.Options() with { Socket = server.Socket, SslMode = SslMode.VerifyIdentity, SslCa = Servers.TlsCa, Host = "localhost" };
        await using var session = await ServerSession.ConnectAsync(options, default);
        Assert.StartsWith("TLS", session.Server.Security, StringComparison.Ordinal);
    }

    [Theory]
    [CombinatorialServers(SslMode.VerifyCa, SslMode.VerifyIdentity)]
    public async Task A_certificate_of_another_CA_is_refused(string name, SslMode mode)
    {
        var options = Servers.Get(name).Options() with { SslMode = mode, SslCa = Servers.TlsOtherCa };
        var fault = await RefusedAsync(options);
        Assert.Contains("is not trusted", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--ssl-ca", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_private_CA_is_not_trusted_by_itself(string name)
    {
        var fault = await RefusedAsync(Servers.Get(name).Options() with { SslMode = SslMode.VerifyIdentity });
        Assert.Contains("give the file of its CA with --ssl-ca", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_certificate_for_another_name_is_refused_by_verify_identity_only(string name)
    {
        var server = Servers.Get(name);
        await using (var relay = new Relay(server))
        {
            var fault = await RefusedAsync(
                server.Options() with { Host = Relay.Host, Port = relay.Port, SslMode = SslMode.VerifyIdentity, SslCa = Servers.TlsCa });
            Assert.Contains($"is not for '{Relay.Host}'", fault.Message, StringComparison.Ordinal);
        }

        await using (var relay = new Relay(server))
        {
            await using var session = await ServerSession.ConnectAsync(
                server.Options() with { Host = Relay.Host, Port = relay.Port, SslMode = SslMode.VerifyCa, SslCa = Servers.TlsCa }, default);
            Assert.True(session.Server.IsEncrypted);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_that_requires_a_certificate_gets_one(string name)
    {
        var server = Servers.Get(name);
        var method = server.IsMariaDb ? "IDENTIFIED BY 'secret'" : "IDENTIFIED WITH caching_sha2_password BY 'secret'";
        await using var account = await TestAccount.CreateAsync(server, $"{method} REQUIRE X509", "secret");
        var with = account.Options() with { SslMode = SslMode.Required, SslCert = Servers.TlsClientCert, SslKey = Servers.TlsClientKey };
        await using var session = await ServerSession.ConnectAsync(with, default);
        Assert.True(session.Server.IsEncrypted);
        await RefusedAsync(with with { SslCert = null, SslKey = null });
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_unusable_certificate_file_is_named(string name)
    {
        var options = Servers.Get(name).Options() with { SslMode = SslMode.VerifyCa, SslCa = "/no/such/ca.pem" };
        Assert.Contains("/no/such/ca.pem", (await RefusedAsync(options)).Message, StringComparison.Ordinal);
        options = options with { SslCa = null, SslMode = SslMode.Required, SslCert = Servers.TlsCa, SslKey = Servers.TlsClientKey };
        Assert.Contains(
            $"cannot use --ssl-cert '{Servers.TlsCa}' with its key", (await RefusedAsync(options)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Refusals_say_where_and_why(string name)
    {
        var server = Servers.Get(name);
        var at = $"{server.Host}:{server.Port}";
        var wrong = await RefusedAsync(server.Options() with { Password = "wrong-secret" });
        Assert.StartsWith($"account '{server.User}' at {at}: the server refused the account or password (error 1045: ", wrong.Message,
            StringComparison.Ordinal);
        Assert.DoesNotContain("wrong-secret", wrong.ToString(), StringComparison.Ordinal);
        Assert.Equal(1045, Assert.IsType<ServerException>(wrong.InnerException).Code);

        var missing = await RefusedAsync(server.Options() with { Database = "no_such_database" });
        Assert.Contains("there is no database 'no_such_database' (error 1049: ", missing.Message, StringComparison.Ordinal);

        var closed = await RefusedAsync(server.Options() with { Port = 1 });
        Assert.Equal(
            $"cannot connect to {server.Host}:1: connection refused (is the server running, are --host and --port right?)", closed.Message);

        var unknown = await RefusedAsync(server.Options() with { Host = "no-such-host.invalid" });
        Assert.StartsWith($"cannot connect to no-such-host.invalid:{server.Port}: ", unknown.Message, StringComparison.Ordinal);

        var socket = await RefusedAsync(server.Options() with { Socket = "/no/such.sock" });
        Assert.Contains("there is no such socket", socket.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_account_with_too_many_sessions_cannot_connect(string name)
    {
        var server = Servers.Get(name);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 1", "secret");
        await using var first = await ServerSession.ConnectAsync(account.Options(), default);
        var fault = await RefusedAsync(account.Options());
        Assert.Equal(FaultKind.CannotConnect, Assert.IsType<ServerException>(fault.InnerException).Kind);
    }

    private static Task<ConnectException> RefusedAsync(ConnectionOptions options) =>
        Assert.ThrowsAsync<ConnectException>(() => ServerSession.ConnectAsync(options, default));
}
