using System.Buffers.Binary;
using System.Net.Sockets;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests;

/// <summary>Forwards connections to a server whose greeting names another version: what speaks the protocol in its place is known by
/// that.</summary>
internal sealed class GreetingRelay : Forwarder
{
    private readonly byte[] _version;

    public GreetingRelay(TestServer server, string version)
        : base(server)
    {
        _version = Encoding.ASCII.GetBytes(version);
        Listen();
    }

    protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
    {
        await client.WriteAsync(await ReadGreetingAsync(upstream), Stopped);
        await PassAsync(client, upstream);
    }

    /// <summary>The first packet: length and number, the protocol's version, then that of the server, which ends with a NUL (MySQL's
    /// "Protocol::HandshakeV10").</summary>
    private async Task<byte[]> ReadGreetingAsync(NetworkStream upstream)
    {
        var head = new byte[4];
        await upstream.ReadExactlyAsync(head, Stopped);
        var length = BinaryPrimitives.ReadInt32LittleEndian(head) & 0xFFFFFF;
        var content = new byte[length];
        await upstream.ReadExactlyAsync(content, Stopped);
        var rest = content[Array.IndexOf(content, (byte)0)..];
        byte[] changed = [content[0], .. _version, .. rest];
        BinaryPrimitives.WriteInt32LittleEndian(head, changed.Length);
        head[3] = 0;
        return [.. head, .. changed];
    }
}
