using System.Security.Cryptography.X509Certificates;
using System.Text;
using BulkLoad.Core;
using BulkLoad.Core.Protocol;
using Xunit;

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
        var session = await ServerSession.ConnectAsync(options, _ => Task.FromResult(new Wire(server.Client, Peers.Remote)), default);

        // A server that lost its client has no more to say.
        _ = serving.ContinueWith(task => task.Exception, TaskScheduler.Default);
        return session;
    }

    private static Task<ConnectException> RefusedAsync(ConnectionOptions options, X509Certificate2 certificate) =>
        Assert.ThrowsAsync<ConnectException>(() => ConnectAsync(new TlsServer(), options, certificate));
}
