using System.Net;
using System.Net.Sockets;

namespace BulkLoad.Core.Protocol;

/// <summary>Opens sockets: TCP to the first address that answers, or a unix socket.</summary>
internal static class Connector
{
    private const int KeepAliveSeconds = 60;
    private const int KeepAliveIntervalSeconds = 10;
    private const int KeepAliveTries = 6;

    // sockaddr_un on Linux, and RFC 1035.
    private const int LongestSocketPath = 107;
    private const int LongestHost = 253;

    public static Task<PacketConnection> OpenAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        RequirePossible(options);
        return options.Socket is { } path
            ? OpenUnixAsync(path, options.KeepsThread, cancellationToken)
            : OpenTcpAsync(options, cancellationToken);
    }

    private static void RequirePossible(ConnectionOptions options)
    {
        if (options.User.Contains('\0') || options.Database?.Contains('\0') == true)
        {
            throw new ConnectException("the names of account and database cannot have a zero byte");
        }

        if (options.Socket is { } path && Encoding.UTF8.GetByteCount(path) is 0 or > LongestSocketPath)
        {
            throw new ConnectException($"the path of a unix socket has 1 to {LongestSocketPath} bytes: '{options.Socket}'");
        }

        if (options.Port is < 1 or > ushort.MaxValue || options.Host.Length is 0 or > LongestHost)
        {
            throw new ConnectException($"there can be no server at {options.Endpoint}");
        }
    }

    private static async Task<PacketConnection> OpenUnixAsync(string path, bool keepsThread, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        var stream = await ConnectAsync(socket, new UnixDomainSocketEndPoint(path), keepsThread, cancellationToken);
        return new PacketConnection(stream, new ChannelSecurity { IsUnixSocket = true, IsOfTrustedPeer = PeerAccount.IsTrusted(socket) });
    }

    private static async Task<PacketConnection> OpenTcpAsync(ConnectionOptions options, CancellationToken cancellationToken)
    {
        var addresses = IPAddress.TryParse(options.Host, out var literal)
            ? [literal]
            : await Dns.GetHostAddressesAsync(options.Host, cancellationToken);
        if (addresses.Length == 0)
        {
            throw new SocketException((int)SocketError.HostNotFound);
        }

        // One address that swallows packets must not use up the time of those after it.
        var share = options.ConnectTimeout / addresses.Length;
        foreach (var address in addresses[..^1])
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
            limit.CancelAfter(share);
            try
            {
                return await OpenTcpAsync(address, options, limit.Token);
            }
            catch (Exception fault) when (fault is SocketException or OperationCanceledException)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }
        }

        return await OpenTcpAsync(addresses[^1], options, cancellationToken);
    }

    private static async Task<PacketConnection> OpenTcpAsync(
        IPAddress address, ConnectionOptions options, CancellationToken cancellationToken)
    {
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, KeepAliveSeconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, KeepAliveIntervalSeconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, KeepAliveTries);
        return new PacketConnection(await ConnectAsync(socket, new IPEndPoint(address, options.Port), options.KeepsThread,
            cancellationToken), new ChannelSecurity { IsLoopback = IPAddress.IsLoopback(address) });
    }

    private static async Task<NetworkStream> ConnectAsync(
        Socket socket, EndPoint endpoint, bool keepsThread, CancellationToken cancellationToken)
    {
        try
        {
            if (keepsThread)
            {
                return BlockingStream.Connect(socket, endpoint, cancellationToken);
            }

            await socket.ConnectAsync(endpoint, cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
