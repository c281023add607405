using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli.Connecting;

/// <param name="Files">those that were read, and those that connecting reads</param>
internal sealed record ResolvedConnection(
    ConnectionOptions Options, bool AsksPassword, ConnectionOrigins Origins, IReadOnlyList<string> Files);

/// <summary>Combines the sources of connection settings; the nearest that sets something wins: command line, <c>BULKLOAD_URL</c>, login
/// path, option files, environment.</summary>
internal sealed class ConnectionResolver(HostEnvironment host, Action<string> warn)
{
    /// <summary>Only in folders that belong to the server's account: in /tmp anybody can make one.</summary>
    private static readonly string[] DefaultSockets =
        ["/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock"];

    /// <summary>Number of the nearest sources that belong to one call: the command line and <c>BULKLOAD_URL</c>.</summary>
    private const int OfTheCall = 2;

    /// <exception cref="RequestException">a source cannot be read or understood</exception>
    public ResolvedConnection Resolve(ConnectionSettings typed, OptionFileChoice files)
    {
        var loginPath = new LoginPath(host, warn);
        var optionFiles = new OptionFiles(host, warn);
        ConnectionSettings[] layers =
        [
            typed,
            ConnectionUrl.Read(host.Variable(ConnectionUrl.Variable)),
            loginPath.Read(files),
            optionFiles.Read(files),
            EnvironmentSettings.Read(host.Variable),
        ];
        var said = layers.Aggregate((nearer, farther) => nearer.Over(farther));
        return new ResolvedConnection(
            said.ToOptions() with { Socket = SocketOf(layers, said), User = said.User ?? host.LoginName },
            said.AsksPassword,
            new ConnectionOrigins(layers, loginPath.Origins, optionFiles.Origins),
            [
                .. optionFiles.Files, loginPath.FilePath,
                .. new[] { said.SslCa, said.SslCert, said.SslKey, said.ServerPublicKeyPath }.OfType<string>(),
            ]);
    }

    /// <summary>The unix socket, or null for TCP. As in MySQL's clients <c>localhost</c>, written or by default, means the socket, and any
    /// other host means TCP. Otherwise the nearest source decides: one with a socket means the socket, one with a port but no socket means
    /// TCP (MySQL would silently ignore that port). Without such a source, it is a default socket that exists, else TCP. A socket in a file
    /// says where the server of this machine listens, not that it is meant: a host of any source comes before it, even of a farther
    /// one.</summary>
    private string? SocketOf(ConnectionSettings[] layers, ConnectionSettings said)
    {
        string? host = null;
        for (var i = 0; i < layers.Length; i++)
        {
            var layer = layers[i];
            host = i < OfTheCall ? host ?? layer.Host : said.Host;
            if (layer.Protocol is { } transport)
            {
                return transport == Transport.Tcp ? null : said.Socket ?? DefaultSocket() ?? DefaultSockets[0];
            }

            if (host is not null && !IsLocal(host))
            {
                return null;
            }

            if (layer.Socket is { } socket)
            {
                return socket;
            }

            if (layer.Port is not null)
            {
                return null;
            }
        }

        return DefaultSocket();
    }

    private static bool IsLocal(string host) => host.Length == 0 || host.Equals("localhost", StringComparison.OrdinalIgnoreCase);

    private string? DefaultSocket() => DefaultSockets.FirstOrDefault(host.Files.Exists);
}

/// <summary>MySQL's environment variables (MySQL manual, "Environment Variables").</summary>
internal static class EnvironmentSettings
{
    public static ConnectionSettings Read(Func<string, string?> variable)
    {
        try
        {
            return new ConnectionSettings
            {
                Host = NotEmpty(variable("MYSQL_HOST")),
                Port = NotEmpty(variable("MYSQL_TCP_PORT")) is { } port ? ConnectionText.ParsePort(port) : null,
                Socket = NotEmpty(variable("MYSQL_UNIX_PORT")),
                Password = NotEmpty(variable("MYSQL_PWD")),
            };
        }
        catch (FormatException wrong)
        {
            throw new RequestException($"MYSQL_TCP_PORT: {wrong.Message}");
        }
    }

    private static string? NotEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;
}

/// <summary>The CAs that the system trusts, which take long to read.</summary>
internal static class SystemTrust
{
    /// <summary>Lets them be read only if a connection needs them.</summary>
    /// <param name="host">reads them at the first handshake</param>
    /// <param name="connections">all that will be opened</param>
    public static void PassOverUnlessNeeded(HostEnvironment host, params IEnumerable<ConnectionOptions> connections)
    {
        if (!connections.Any(connection => connection.RestsOnSystemTrust))
        {
            host.PassOverSystemTrust();
        }
    }
}
