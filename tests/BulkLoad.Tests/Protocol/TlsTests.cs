using System.Security.Cryptography.X509Certificates;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

public sealed class TlsTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData(SslMode.Preferred)]
    [InlineData(SslMode.Required)]
    [InlineData(SslMode.VerifyCa)]
    [InlineData(SslMode.VerifyIdentity)]
    public async Task A_session_under_TLS_works(SslMode mode)
    {
        using var certificate = TestCertificates.Sign(_certificates.Root);
        var server = new TlsServer();
        var options = Options(mode, _certificates.Root);
        await using var session = await ConnectAsync(server, options, certificate);
        Assert.True(session.Server.IsEncrypted);
        Assert.StartsWith("TLS 1.", session.Server.Security, StringComparison.Ordinal);
        Assert.Equal(9ul, (await session.ExecuteAsync("x", default)).AffectedRows);
        Assert.Equal(server.Flags[0], server.Flags[1]);
        Assert.Null(server.ClientCertificate);
    }

    [Theory]
    [InlineData(SslMode.VerifyCa)]
    [InlineData(SslMode.VerifyIdentity)]
    public async Task A_certificate_of_another_CA_is_refused(SslMode mode)
    {
        using var certificate = TestCertificates.Sign(_certificates.Other);
        var fault = await RefusedAsync(Options(mode, _certificates.Root), certificate);
        Assert.Contains("is not trusted", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_expired_certificate_is_refused()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root, isExpired: true);
        var fault = await RefusedAsync(Options(SslMode.VerifyCa, _certificates.Root), certificate);
        Assert.Contains("expired", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_clients_certificate_does_not_make_a_server()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root, isForClients: true);
        await RefusedAsync(Options(SslMode.VerifyCa, _certificates.Root), certificate);
    }

    [Fact]
    public async Task A_certificate_for_another_name_is_refused_by_verify_identity_only()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root);
        var options = Options(SslMode.VerifyIdentity, _certificates.Root) with { Host = "other.example" };
        var fault = await RefusedAsync(options, certificate);
        Assert.Contains("is not for 'other.example'", fault.Message, StringComparison.Ordinal);
        await using var session = await ConnectAsync(new TlsServer(), options with { SslMode = SslMode.VerifyCa }, certificate);
    }

    [Fact]
    public async Task An_intermediate_CA_may_be_sent_by_the_server_or_stand_in_the_file()
    {
        using var certificate = TestCertificates.Sign(_certificates.Middle);
        await using (await ConnectAsync(new TlsServer(), Options(SslMode.VerifyCa, _certificates.Root), certificate, _certificates.Middle))
        {
        }

        await using (await ConnectAsync(new TlsServer(), Options(SslMode.VerifyCa, _certificates.Root, _certificates.Middle), certificate))
        {
        }

        await RefusedAsync(Options(SslMode.VerifyCa, _certificates.Root), certificate);
    }

    [Fact]
    public async Task A_client_certificate_is_shown()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root);
        using var client = TestCertificates.Sign(_certificates.Root, isForClients: true);
        var server = new TlsServer();
        var options = Options(SslMode.Required) with
        {
            SslCert = _certificates.File("client.pem", client),
            SslKey = _certificates.KeyFile("client-key.pem", client),
        };
        await using var session = await ConnectAsync(server, options, certificate);
        await session.ExecuteAsync("x", default);
        Assert.Equal(client.Thumbprint, server.ClientCertificate?.Thumbprint);
    }

    [Fact]
    public async Task Of_a_clients_certificate_only_the_first_of_its_file_was_sent()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root);
        using var client = TestCertificates.Sign(_certificates.Middle, isForClients: true);
        var server = new TlsServer();
        var options = Options(SslMode.Required) with
        {
            SslCert = _certificates.File("client.pem", client, _certificates.Middle),
            SslKey = _certificates.KeyFile("client-key.pem", client),
        };
        await using var session = await ConnectAsync(server, options, certificate);
        await session.ExecuteAsync("x", default);
        Assert.Equal(client.Thumbprint, server.ClientCertificate?.Thumbprint);
        Assert.Contains(_certificates.Middle.Thumbprint, server.ClientChain);
    }

    [Theory]
    [InlineData(SslMode.Preferred)]
    [InlineData(SslMode.Required)]
    public async Task A_CA_that_was_given_was_passed_over_in_silence_by_a_mode_that_does_not_check(SslMode mode)
    {
        using var certificate = TestCertificates.Sign(_certificates.Other);
        Assert.Contains(
            "is not trusted", (await RefusedAsync(Options(mode, _certificates.Root), certificate)).Message, StringComparison.Ordinal);
        await using var session = await ConnectAsync(new TlsServer(), Options(mode), certificate);
    }

    [Theory]
    [InlineData("ca", "", "--ssl-ca names no file")]
    [InlineData("ca", "missing.pem", "cannot use --ssl-ca '")]
    [InlineData("ca", ".", "cannot use --ssl-ca '")]
    [InlineData("ca", "empty.pem", "has no certificate in PEM form")]
    [InlineData("ca", "broken.pem", "cannot use --ssl-ca '")]
    [InlineData("cert", "", "--ssl-cert names no file")]
    [InlineData("cert", "missing.pem", "cannot use --ssl-cert '")]
    [InlineData("cert", "empty.pem", "cannot use --ssl-cert '")]
    [InlineData("cert", "broken.pem", "cannot use --ssl-cert '")]
    [InlineData("key", "", "--ssl-key names no file")]
    [InlineData("key", "missing.pem", "cannot use --ssl-key '")]
    [InlineData("key", "empty.pem", "has no private key in PEM form")]
    [InlineData("key", "other-key.pem", "cannot use --ssl-cert '")]
    [InlineData("key", null, "has no private key in it: give that with --ssl-key")]
    [InlineData("no cert", null, "--ssl-key is the key to a certificate: give that with --ssl-cert")]
    [InlineData("server key", "", "--server-public-key-path names no file")]
    [InlineData("server key", "missing.pem", "cannot use --server-public-key-path '")]
    public async Task A_file_that_cannot_be_used_is_told_with_its_option_before_anything_is_connected(
        string which, string? name, string expected)
    {
        using var client = TestCertificates.Sign(_certificates.Root, isForClients: true);
        var certificate = _certificates.File("client.pem", client);
        _certificates.File("empty.pem");
        await File.WriteAllTextAsync(
            Path.Combine(Path.GetDirectoryName(certificate)!, "broken.pem"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", TestContext.Current.CancellationToken);
        _certificates.KeyFile("other-key.pem", _certificates.Other);
        var path = string.IsNullOrEmpty(name) ? name : Path.Combine(Path.GetDirectoryName(certificate)!, name);
        var options = Options(SslMode.Required);
        options = which switch
        {
            "ca" => options with { SslCa = path },
            "cert" => options with { SslCert = path, SslKey = _certificates.KeyFile("client-key.pem", client) },
            "key" => options with { SslCert = certificate, SslKey = path },
            "no cert" => options with { SslKey = _certificates.KeyFile("client-key.pem", client) },
            _ => options with { ServerPublicKeyPath = path },
        };
        var isConnected = false;
        var fault = await Assert.ThrowsAsync<ConnectException>(() => ServerSession.ConnectAsync(
            options,
            _ =>
            {
                isConnected = true;
                throw new IOException();
            },
            default));
        Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', fault.Message);

        // What passes is told by its cause, and would be tried again.
        Assert.Null(fault.InnerException);
        Assert.False(isConnected);
    }

    [Fact]
    public async Task Garbage_under_TLS_ends_the_session()
    {
        using var certificate = TestCertificates.Sign(_certificates.Root);
        await using var session = await ConnectAsync(new TlsServer { EndsInGarbage = true }, Options(SslMode.Required), certificate);
        var fault = await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync("x", default));
        Assert.Equal(FaultKind.SessionLost, fault.Kind);
        Assert.False(session.IsUsable);
    }

    [Theory]
    [InlineData(SslMode.Preferred)]
    [InlineData(SslMode.Required)]
    public async Task A_handshake_that_fails_does_not_fall_back_to_clear_text(SslMode mode)
    {
        var peer = new ScriptedPeer(new Script()
            .Then(0, 0, ServerPayloads.Greeting(capabilities: ServerPayloads.MySqlCapabilities | Capabilities.Tls))
            .Then(new Script(new Turn(1, Encoding.ASCII.GetBytes(new string('x', 100))))));
        await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(peer, options: Options(mode)));
        Assert.Equal(32, peer.Heard[0].Length);
        Assert.True(peer.Written.IndexOf("bob"u8) < 0);
    }

    [Fact]
    public async Task Nothing_in_clear_is_taken_after_TLS_was_agreed_on()
    {
        var peer = new ScriptedPeer(new Script().Then(
            0, 0, ServerPayloads.Greeting(capabilities: ServerPayloads.MySqlCapabilities | Capabilities.Tls), ServerPayloads.Ok()));
        var fault = await Assert.ThrowsAsync<ConnectException>(() => Peers.ConnectAsync(peer, options: Options(SslMode.Required)));
        Assert.Contains("more came in clear", fault.Message, StringComparison.Ordinal);
    }

    private ConnectionOptions Options(SslMode mode, params X509Certificate2[] trusted) => Peers.Options with
    {
        SslMode = mode,
        SslCa = trusted.Length == 0 ? null : _certificates.File("ca.pem", trusted),
    };

    private static async Task<ServerSession> ConnectAsync(
        TlsServer server, ConnectionOptions options, X509Certificate2 certificate, params X509Certificate2[] chain)
    {
        var serving = server.RunAsync(certificate, chain);
        var session =
            await ServerSession.ConnectAsync(options, _ => Task.FromResult(new PacketConnection(server.Client, Peers.Remote)), default);

        // A server that lost its client has no more to say.
        _ = serving.ContinueWith(task => task.Exception, TaskScheduler.Default);
        return session;
    }

    private static Task<ConnectException> RefusedAsync(ConnectionOptions options, X509Certificate2 certificate) =>
        Assert.ThrowsAsync<ConnectException>(() => ConnectAsync(new TlsServer(), options, certificate));
}
