using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>A server at its own pace, behind buffers that a test makes small.</summary>
/// <param name="client">the program's end; owned</param>
/// <param name="server">the other end; owned</param>
internal sealed class PipelineServer(Stream client, Stream server)
{
    /// <summary>Under TLS or not.</summary>
    private Stream _server = server;

    private PipelineServer(PipeStreamPair pair)
        : this(pair.Client, pair.Server)
    {
    }

    /// <param name="bufferBytes">what each direction takes before the other side reads</param>
    public PipelineServer(int bufferBytes)
        : this(new PipeStreamPair(bufferBytes))
    {
    }

    /// <summary>At the other end of a real connection.</summary>
    public static async Task<PipelineServer> ListenAsync()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await client.ConnectAsync(listener.LocalEndpoint);
        var server = await listener.AcceptSocketAsync();
        server.NoDelay = true;
        return new PipelineServer(new NetworkStream(client, ownsSocket: true), new NetworkStream(server, ownsSocket: true));
    }

    /// <summary>Lets a client in.</summary>
    public async Task<ServerSession> LetInAsync()
    {
        var connecting =
            ServerSession.ConnectAsync(Peers.Options, _ => Task.FromResult(new PacketConnection(client, Peers.Remote)), default);
        await SayAsync(0, ServerPayloads.Greeting());
        await HearAsync();
        await SayAsync(2, ServerPayloads.More(3));
        await SayAsync(3, ServerPayloads.Ok());
        return await connecting;
    }

    /// <summary>Lets a client in under TLS.</summary>
    /// <param name="certificate">the server's</param>
    /// <param name="beneath">what the server's bytes go through after that; null: nothing</param>
    public async Task<ServerSession> LetInAsync(X509Certificate2 certificate, Func<Stream, Stream>? beneath = null)
    {
        var connecting = ServerSession.ConnectAsync(
            Peers.Options with { SslMode = SslMode.Required }, _ => Task.FromResult(new PacketConnection(client, Peers.Remote)), default);
        await SayAsync(0, ServerPayloads.Greeting(capabilities: ServerPayloads.MySqlCapabilities | Capabilities.Tls));
        await HearAsync();
        var tls = new SslStream(beneath?.Invoke(_server) ?? _server);
        await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = certificate });
        _server = tls;
        await HearAsync();
        await SayAsync(3, ServerPayloads.More(3));
        await SayAsync(4, ServerPayloads.Ok());
        return await connecting;
    }

    /// <summary>One packet of the client's.</summary>
    public async Task<byte[]> HearAsync()
    {
        var header = new byte[4];
        await _server.ReadExactlyAsync(header);
        var payload = new byte[header[0] | (header[1] << 8) | (header[2] << 16)];
        await _server.ReadExactlyAsync(payload);
        return payload;
    }

    /// <summary>Bytes, whatever they are part of.</summary>
    public async Task SayAsync(ReadOnlyMemory<byte> bytes) => await _server.WriteAsync(bytes);

    /// <summary>Waits until the client has taken enough of it.</summary>
    public async Task SayAsync(int sequence, params byte[][] payloads) => await _server.WriteAsync(Script.Packets(sequence, payloads));

    public void Close() => _server.Dispose();
}
