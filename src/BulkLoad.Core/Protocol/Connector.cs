using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using static BulkLoad.Core.Common.ServerError;

namespace BulkLoad.Core.Protocol;

/// <summary>Opens sockets: TCP to the first address that answers, or a unix socket.</summary>
internal static class Connector
{
    private const int KeepAliveSeconds = 60;
    private const int KeepAliveIntervalSeconds = 10;
    private const int KeepAliveTries = 6;

    // sockaddr_un on Linux, and RFC 1035.
    private const int MaxSocketPathLength = 107;
    private const int MaxHostLength = 253;

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

        if (options.Socket is { } path && Encoding.UTF8.GetByteCount(path) is 0 or > MaxSocketPathLength)
        {
            throw new ConnectException($"the path of a unix socket has 1 to {MaxSocketPathLength} bytes: '{options.Socket}'");
        }

        if (options.Port is < 1 or > ushort.MaxValue || options.Host.Length is 0 or > MaxHostLength)
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

internal static class ConnectFault
{
    /// <summary>Null: the fault is a bug.</summary>
    public static ConnectException? Explain(ConnectionOptions options, Exception fault) => fault switch
    {
        ConnectException known => known,
        SocketException socket => new ConnectException($"cannot connect to {options.Endpoint}: {Reason(options, socket)}", fault)
        {
            IsNobodyThere = socket.SocketErrorCode is not SocketError.TryAgain,
            ServerMayBeStarting = true,
        },
        ServerException error =>
            new ConnectException(Refusal(options, error), fault)
            {
                ServerMayBeStarting = error.Error is 0 or ConCountError or ServerShutdown,
            },
        AuthenticationException or CryptographicException =>
            new ConnectException($"cannot connect to {options.Endpoint} by TLS: {Innermost(fault)}", fault),
        OperationCanceledException => new ConnectException(
            $"cannot connect to {options.Endpoint}: no answer within {options.ConnectTimeout.TotalSeconds:0.#} s "
            + "(is it the right host, is a firewall in between?)", fault)
        {
            IsNobodyThere = true,
            ServerMayBeStarting = true,
        },
        IOException or ObjectDisposedException => new ConnectException(
            $"cannot connect to {options.Endpoint}: the connection broke while logging in: {fault.GetBaseException().Message}", fault)
        { ServerMayBeStarting = true },
        _ => null,
    };

    /// <summary>For a server that accepted the login and then gave no answer.</summary>
    public static ConnectException Silent(ConnectionOptions options, TimeSpan waited) => new(
        $"{options.Endpoint} has accepted the login and then gave no answer within {waited.TotalSeconds:0.#} s (--connect-timeout; is "
            + "there a proxy whose server is gone?)",
        new OperationCanceledException())
    {
        IsNobodyThere = true,
    };

    private static string Reason(ConnectionOptions options, SocketException fault) => options.Socket is { } path
        ? File.Exists(path) ? fault.SocketErrorCode switch
        {
            SocketError.ConnectionRefused => "connection refused (is the server running?)",
            SocketError.AccessDenied => "permission denied",
            _ => fault.Message,
        }
            : "there is no such socket (is the server running, is --socket right? --host 127.0.0.1 goes by TCP)"
        : fault.SocketErrorCode switch
        {
            SocketError.ConnectionRefused => "connection refused (is the server running, are --host and --port right?)",
            SocketError.HostNotFound or SocketError.NoData => "unknown host (is --host right?)",
            SocketError.TryAgain => "the host's name cannot be resolved at present",
            SocketError.TimedOut => "no answer (is it the right host, is a firewall in between?)",
            _ => fault.Message,
        };

    private static string Refusal(ConnectionOptions options, ServerException error)
    {
        var account = $"account '{options.User}' at {options.Endpoint}";
        var reason = $"(error {error.Code}: {error.ServerText})";
        return error.Error switch
        {
            0 => $"{account}: cannot log in: {error.Message}",
            AccessDenied or AccessDeniedNoPassword when string.IsNullOrEmpty(options.Password) =>
                $"{account}: the server refused the account, and no password was sent: -p asks for it, MYSQL_PWD or an option file can "
                    + $"hold it {reason}",
            AccessDenied or AccessDeniedNoPassword => $"{account}: the server refused the account or password {reason}",
            DbAccessDenied => $"{account}: the account has no right to database '{options.Database}' {reason}",
            BadDb => $"{account}: there is no database '{options.Database}' {reason}: name another with --database, "
                + $"or make it: CREATE DATABASE {SqlName.Quote(options.Database ?? "")}",
            ConCountError or TooManyUserConnections or UserLimitReached =>
                $"{account}: the server takes no more sessions at present {reason}",
            HostIsBlocked =>
                $"{account}: the server has blocked this host after too many failures; its administrator can run FLUSH HOSTS {reason}",
            HostNotPrivileged => $"{account}: the server takes no sessions from this host {reason}",
            AccountHasBeenLocked or MariaDbAccountIsLocked => $"{account}: the account is locked {reason}",
            MustChangePasswordLogin => $"{account}: the password has expired and must be changed first {reason}",
            SecureTransportRequired => $"{account}: the server demands TLS; use --ssl-mode=required {reason}",
            _ => $"{account}: the server refused the session {reason}",
        };
    }

    private static string Innermost(Exception fault) =>
        fault.InnerException is null or AuthenticationException ? fault.Message : fault.GetBaseException().Message;
}
