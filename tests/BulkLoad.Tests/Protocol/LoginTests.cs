using System.Buffers.Binary;
using BulkLoad.Core.Protocol;
using static BulkLoad.Tests.Protocol.ServerPayloads;

namespace BulkLoad.Tests.Protocol;

public sealed class LoginTests
{
    [Theory]
    [InlineData("9.7.4", "9.7.4", "9.7.4", false)]
    [InlineData("8.0.36-28", "8.0.36-28", "8.0.36", false)]
    [InlineData("5.5.5-10.11.14-MariaDB-0+deb12u2", "10.11.14-MariaDB-0+deb12u2", "10.11.14", true)]
    [InlineData("11.4.2-MariaDB-log", "11.4.2-MariaDB-log", "11.4.2", true)]
    [InlineData("8.4", "8.4", "8.4.0", false)]
    [InlineData("99999999999999.x", "99999999999999.x", "0.0.0", false)]
    [InlineData("", "", "0.0.0", false)]
    public async Task The_servers_version_is_understood(string sent, string text, string version, bool isMariaDb)
    {
        var (session, _) = await Peers.ConnectAsync(new Script().Then(0, 0, Greeting(sent)).Then(1, 2, Ok()));
        Assert.Equal((text, isMariaDb, 42u), (session.Server.VersionText, session.Server.IsMariaDb, session.Server.ConnectionId));
        Assert.Equal(Version.Parse(version), session.Server.Version);
    }

    [Fact]
    public async Task A_server_with_the_extended_capabilities_of_MariaDB_is_MariaDB()
    {
        var (session, peer) = await Peers.ConnectAsync(
            new Script().Then(0, 0, Greeting("11.0.0", MariaDbCapabilities, extended: 0x1d)).Then(1, 2, Ok()));
        Assert.True(session.Server.IsMariaDb);
        Assert.False(SentCapabilities(peer.Heard[0]).HasFlag(Capabilities.Mysql));
    }

    [Theory]
    [InlineData(true, 0x1du, 4u)]
    [InlineData(true, 0x1bu, 0u)]
    [InlineData(false, 0xffffffffu, 0u)]
    public async Task Bulk_execution_is_agreed_on_where_MariaDB_offers_it(bool isExtended, uint extended, uint agreed)
    {
        var offered = isExtended ? MariaDbCapabilities : MySqlCapabilities;
        var (session, peer) = await Peers.ConnectAsync(
            new Script().Then(0, 0, Greeting("11.0.0-MariaDB", offered, extended: extended)).Then(1, 2, Ok()));
        Assert.Equal(agreed > 0, session.Server.TakesBulkExecutions);
        Assert.Equal(agreed, BinaryPrimitives.ReadUInt32LittleEndian(peer.Heard[0].AsSpan(28)));
    }

    [Fact]
    public async Task The_response_has_the_agreed_capabilities_names_and_attributes()
    {
        var peer = new ScriptedPeer(Peers.Login);
        await Peers.ConnectAsync(peer, options: Peers.Options with { User = "bób", Database = "größe" });
        var response = peer.Heard[0];
        var capabilities = SentCapabilities(response);
        Assert.Equal(MySqlCapabilities & ~(Capabilities)(1 << 16), capabilities);
        Assert.Equal(45, response[8]);
        var text = Encoding.UTF8.GetString(response.AsSpan(32));
        Assert.StartsWith("bób\0", text, StringComparison.Ordinal);
        Assert.Contains("größe\0caching_sha2_password\0", text, StringComparison.Ordinal);
        Assert.Contains("program_name\u0008bulkload", text, StringComparison.Ordinal);
        Assert.Equal([1], peer.HeardSequences);
    }

    [Fact]
    public async Task Local_files_and_a_database_are_offered_only_on_demand()
    {
        var peer = new ScriptedPeer(Peers.Login);
        await Peers.ConnectAsync(peer, options: Peers.Options with { OffersLocalInfile = false });
        Assert.Equal(Capabilities.None, SentCapabilities(peer.Heard[0]) & (Capabilities.LocalFiles | Capabilities.ConnectWithDatabase));
    }

    [Fact]
    public async Task The_account_may_use_another_plugin_than_the_servers_default()
    {
        byte[] other = [.. Challenge.Reverse()];
        var peer = new ScriptedPeer(new Script()
            .Then(0, 0, Greeting(plugin: "mysql_native_password"))
            .Then(1, 2, Switch("caching_sha2_password", other))
            .Then(1, 4, More(3), Ok()));
        var session = await Peers.ConnectAsync(peer);
        Assert.True(session.IsUsable);
        Assert.Equal(32, peer.Heard[1].Length);
        Assert.Equal([1, 3], peer.HeardSequences);
    }

    [Theory]
    [InlineData("mysql_clear_password")]
    [InlineData("sha256_password")]
    [InlineData("client_ed25519")]
    public async Task The_first_answer_never_shows_the_password_whatever_the_server_prefers(string plugin)
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Greeting(plugin: plugin)).Then(1, 2, Ok()));
        await Peers.ConnectAsync(peer, Peers.Verified);
        Assert.Contains("caching_sha2_password\0", Encoding.UTF8.GetString(peer.Heard[0]), StringComparison.Ordinal);
        AssertNotSent(peer, "hush7");
    }

    [Theory]
    [InlineData("mysql_clear_password")]
    [InlineData("sha256_password")]
    [InlineData("dialog")]
    [InlineData("mysql_old_password")]
    [InlineData("client_ed25519")]
    public async Task A_server_that_switches_to_a_weaker_plugin_does_not_get_the_password(string plugin)
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Greeting()).Then(1, 2, Switch(plugin)).Then(1, 4, Ok()));
        var fault = await RefusedAsync(peer);
        Assert.Contains(plugin, fault.Message, StringComparison.Ordinal);
        Assert.StartsWith("account 'bob' at db.example:3306: ", fault.Message, StringComparison.Ordinal);
        AssertNotSent(peer, "hush7");
        Assert.True(peer.IsClosed);
    }

    [Fact]
    public async Task A_server_that_asks_for_the_password_in_clear_text_does_not_get_it()
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Greeting()).Then(1, 2, More(4)).Then(1, 4, Ok()));
        await RefusedAsync(peer);
        AssertNotSent(peer, "hush7");
    }

    [Fact]
    public async Task The_old_switch_is_refused()
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Greeting()).Then(1, 2, [0xfe]));
        Assert.Contains("'mysql_old_password'", (await RefusedAsync(peer)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("08004")]
    [InlineData(null)]
    public async Task A_server_that_greets_with_an_error_is_quoted(string? sqlState)
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Error(1040, "Too many connections", sqlState)));
        var fault = await RefusedAsync(peer);
        var cause = Assert.IsType<ServerException>(fault.InnerException);
        Assert.Equal((1040, FaultKind.CannotConnect, sqlState ?? "HY000"), (cause.Code, cause.Kind, cause.SqlState));
        Assert.Equal(
            "account 'bob' at db.example:3306: the server takes no more sessions at present (error 1040: Too many connections)",
            fault.Message);
    }

    [Theory]
    [InlineData("secret", "the server refused the account or password (error 1045: ")]
    [InlineData(null,
        "the server refused the account, and no password was sent: -p asks for it, MYSQL_PWD or an option file can hold it (error 1045: ")]
    [InlineData("",
        "the server refused the account, and no password was sent: -p asks for it, MYSQL_PWD or an option file can hold it (error 1045: ")]
    public async Task A_refusal_says_whether_a_password_was_sent(string? password, string expected)
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Error(1045, "Access denied")));
        Assert.StartsWith($"account 'bob' at db.example:3306: {expected}",
            (await RefusedAsync(peer, Peers.Options with { Password = password })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_error_instead_of_a_greeting_was_told_as_if_a_verified_server_had_said_it()
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Error(1045, "Access denied")));
        Assert.EndsWith(
            "(error 1045: Access denied, said before encryption was set up)",
            (await RefusedAsync(peer, Peers.Options with { SslMode = SslMode.VerifyIdentity })).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_database_that_the_server_does_not_take_at_the_login_was_dropped_in_silence()
    {
        var peer = new ScriptedPeer(
            new Script().Then(0, 0, Greeting(capabilities: MySqlCapabilities & ~Capabilities.ConnectWithDatabase)).Then(1, 2, Ok()));
        Assert.Contains(
            "leave --database out", (await RefusedAsync(peer, Peers.Options with { Database = "shop" })).Message, StringComparison.Ordinal);
        Assert.True(peer.Written.IsEmpty);
    }

    [Fact]
    public async Task A_message_of_the_servers_stays_one_line()
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, Error(1130, "no\r\n\u001b[31mway")));
        Assert.EndsWith("(error 1130: no   [31mway)", (await RefusedAsync(peer)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_port_of_another_service_is_told()
    {
        var peer = new ScriptedPeer(new Script().Then(0, 0, [9, .. "old"u8]));
        Assert.Contains("is this a MySQL or MariaDB port?", (await RefusedAsync(peer)).Message, StringComparison.Ordinal);
        peer = new ScriptedPeer(new Script(new Turn(0, "SSH-2.0-OpenSSH_9.2\r\n"u8.ToArray())));
        await RefusedAsync(peer);
    }

    [Fact]
    public async Task A_server_without_TLS_is_refused_where_TLS_is_demanded()
    {
        foreach (var mode in (SslMode[])[SslMode.Required, SslMode.VerifyIdentity])
        {
            var peer = new ScriptedPeer(Peers.Login);
            var fault = await RefusedAsync(peer, Peers.Options with { SslMode = mode });
            Assert.Contains("does not offer TLS", fault.Message, StringComparison.Ordinal);
            Assert.True(peer.Written.IsEmpty);
        }
    }

    [Fact]
    public async Task Verify_ca_without_a_CA_trusted_every_public_one_for_any_name()
    {
        var peer = new ScriptedPeer(Peers.Login);
        var fault = await RefusedAsync(peer, Peers.Options with { SslMode = SslMode.VerifyCa });
        Assert.Equal(
            "--ssl-mode=verify-ca needs the CA that must have signed: give its file with --ssl-ca, or use --ssl-mode=verify-identity",
            fault.Message);
        Assert.True(peer.Written.IsEmpty);
    }

    [Fact]
    public async Task Questions_without_end_are_refused()
    {
        var script = new Script().Then(0, 0, Greeting());
        for (var i = 0; i < 100; i++)
        {
            script = script.Then(1, 2 + (2 * i), Switch("mysql_native_password"));
        }

        Assert.Contains("does not come to an end", (await RefusedAsync(new ScriptedPeer(script))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_says_nothing_runs_into_the_time_limit()
    {
        var peer = new ScriptedPeer(new Script().Then(1, 0, Greeting()));
        var options = Peers.Options with { ConnectTimeout = TimeSpan.FromMilliseconds(50) };
        var fault = await Assert.ThrowsAsync<ConnectException>(
            () => ServerSession.ConnectAsync(options, _ => Task.FromResult(new PacketConnection(peer, Peers.Remote)), default));
        Assert.StartsWith("cannot connect to db.example:3306: no answer within 0.1 s", fault.Message, StringComparison.Ordinal);
        Assert.True(peer.IsClosed);
    }

    [Fact]
    public async Task Cancelling_is_not_a_fault_of_the_connection()
    {
        var peer = new ScriptedPeer(new Script().Then(1, 0, Greeting()));
        using var cancel = new CancellationTokenSource();
        var connecting =
            ServerSession.ConnectAsync(Peers.Options, _ => Task.FromResult(new PacketConnection(peer, Peers.Remote)), cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => connecting);
        Assert.True(peer.IsClosed);
    }

    [Theory]
    [InlineData(null, "", 3306, "there can be no server at ")]
    [InlineData(null, "db", 70000, "there can be no server at db:70000")]
    [InlineData("", "db", 3306, "the path of a unix socket")]
    public async Task What_cannot_be_a_server_is_not_connected_to(string? socket, string host, int port, string message)
    {
        var options = Peers.Options with { Socket = socket, Host = host, Port = port };
        var fault = await Assert.ThrowsAsync<ConnectException>(() => ServerSession.ConnectAsync(options, default));
        Assert.StartsWith(message, fault.Message, StringComparison.Ordinal);
    }

    private static async Task<ConnectException> RefusedAsync(ScriptedPeer peer, ConnectionOptions? options = null)
    {
        var fault = await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(peer, options: options));
        Assert.DoesNotContain("hush7", fault.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);
        return fault;
    }

    private static void AssertNotSent(ScriptedPeer peer, string secret) =>
        Assert.True(peer.Written.IndexOf(Encoding.UTF8.GetBytes(secret)) < 0);

    private static Capabilities SentCapabilities(byte[] response) =>
        (Capabilities)BinaryPrimitives.ReadUInt32LittleEndian(response);
}
