using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>A server in memory that greets, changes to TLS and lets everybody in.</summary>
internal sealed class TlsServer
{
    private readonly PipeStreamPair _pair = new();

    /// <summary>The client's end.</summary>
    public Stream Client => _pair.Client;

    /// <summary>The flags of the first packet, and of the one under TLS.</summary>
    public List<byte[]> Flags { get; } = [];

    /// <summary>Whether the answer to the first command is no TLS any more.</summary>
    public bool EndsInGarbage { get; init; }

    public X509Certificate2? ClientCertificate { get; private set; }

    /// <summary>Thumbprints of what the client sent with it.</summary>
    public IReadOnlyList<string> ClientChain { get; private set; } = [];

    /// <summary>Serves one client; ends early if that one hangs up.</summary>
    public async Task RunAsync(X509Certificate2 certificate, params X509Certificate2[] chain)
    {
        await SayAsync(_pair.Server, 0, ServerPayloads.Greeting(capabilities: ServerPayloads.MySqlCapabilities | Capabilities.Tls));
        Flags.Add((await HearAsync(_pair.Server))[..4]);
        await using var tls = new SslStream(_pair.Server);
        await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificateContext =
                SslStreamCertificateContext.Create(certificate, new X509Certificate2Collection(chain), offline: true),
            ClientCertificateRequired = true,
#pragma warning disable CA5359 // a server that takes any client is what the tests need
            RemoteCertificateValidationCallback = (_, client, chain, _) =>
            {
                ClientChain = [.. chain?.ChainPolicy.ExtraStore.Select(certificate => certificate.Thumbprint) ?? []];
                ClientCertificate = client is null ? null : X509CertificateLoader.LoadCertificate(client.GetRawCertData());
                return true;
            },
#pragma warning restore CA5359
        });
        Flags.Add((await HearAsync(tls))[..4]);
        await SayAsync(tls, 3, ServerPayloads.More(3));
        await SayAsync(tls, 4, ServerPayloads.Ok());
        await HearAsync(tls);
        if (EndsInGarbage)
        {
            await _pair.Server.WriteAsync(new byte[100]);
            return;
        }

        await SayAsync(tls, 1, ServerPayloads.Ok(9));
    }

    private static async Task SayAsync(Stream stream, int sequence, byte[] payload) =>
        await stream.WriteAsync(Script.Packets(sequence, payload));

    private static async Task<byte[]> HearAsync(Stream stream)
    {
        var header = new byte[4];
        await stream.ReadExactlyAsync(header);
        var payload = new byte[header[0] | (header[1] << 8) | (header[2] << 16)];
        await stream.ReadExactlyAsync(payload);
        return payload;
    }
}
