using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace BulkLoad.IntegrationTests;

/// <summary>Forwards connections to a server whose greeting names another version: what speaks the protocol in its place is known by
/// that.</summary>
internal sealed class GreetingRelay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly TestServer _server;
    private readonly byte[] _version;
    private readonly List<Task> _work = [];

    public GreetingRelay(TestServer server, string version)
    {
        (_server, _version) = (server, Encoding.ASCII.GetBytes(version));
        _listener.Start();
        _work.Add(AcceptAsync());
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await Task.WhenAll(_work).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            var client = await _listener.AcceptTcpClientAsync(_stop.Token);
            _work.Add(ForwardAsync(client));
        }
    }

    private async Task ForwardAsync(TcpClient accepted)
    {
        using var client = accepted;
        using var upstream = new TcpClient();
        await upstream.ConnectAsync(_server.Host, _server.Port, _stop.Token);
        var (down, up) = (client.GetStream(), upstream.GetStream());
        await down.WriteAsync(await ReadGreetingAsync(up), _stop.Token);
        await Task.WhenAny(up.CopyToAsync(down, _stop.Token), down.CopyToAsync(up, _stop.Token));
    }

    /// <summary>The first packet: length and number, the protocol's version, then that of the server, which ends with a NUL (MySQL's
    /// "Protocol::HandshakeV10").</summary>
    private async Task<byte[]> ReadGreetingAsync(NetworkStream up)
    {
        var head = new byte[4];
        await up.ReadExactlyAsync(head, _stop.Token);
        var length = BinaryPrimitives.ReadInt32LittleEndian(head) & 0xFFFFFF;
        var content = new byte[length];
        await up.ReadExactlyAsync(content, _stop.Token);
        var rest = content[Array.IndexOf(content, (byte)0)..];
        byte[] changed = [content[0], .. _version, .. rest];
        BinaryPrimitives.WriteInt32LittleEndian(head, changed.Length);
        head[3] = 0;
        return [.. head, .. changed];
    }
}
