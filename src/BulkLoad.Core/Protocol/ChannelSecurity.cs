using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace BulkLoad.Core.Protocol;

/// <summary>What a connection protects against. It decides which secrets may travel over it.</summary>
internal readonly record struct ChannelSecurity
{
    /// <summary>Nobody can listen, but anyone on the machine may have made it.</summary>
    public bool IsUnixSocket { get; init; }

    /// <summary>A unix socket whose other end belongs to an account that may see the password (<see cref="PeerAccount"/>).</summary>
    public bool IsOfTrustedPeer { get; init; }

    public bool IsLoopback { get; init; }

    public bool IsEncrypted { get; init; }

    public bool IsVerified { get; init; }

    public bool IsLocal => IsLoopback || IsUnixSocket;

    /// <summary>The peer is who it says it is.</summary>
    public bool IsTrusted => IsVerified || IsOfTrustedPeer;
}

/// <summary>Who listens at a unix socket, by Linux's SO_PEERCRED (unix(7)): anyone may make a socket in an open folder, so the path proves
/// nothing. On other systems nobody is trusted.</summary>
internal static class PeerAccount
{
    private const int SocketLevel = 1;
    private const int PeerCredentials = 17;

    /// <summary>struct ucred: process, user and group, four bytes each.</summary>
    private const int CredentialBytes = 12;

    private const int UserOffset = 4;
    private const string ServerUser = "mysql";
    private const string UserFile = "/etc/passwd";

    /// <summary>Whether the other end runs as root, as the same user, or as mysql.</summary>
    public static bool IsTrusted(Socket socket) =>
        OperatingSystem.IsLinux() && UserOf(socket) is { } user && IsTrusted(user, CurrentUser(), Users);

    /// <summary><paramref name="users"/> are the lines of the file of users, read only if the numbers do not decide.</summary>
    internal static bool IsTrusted(uint user, uint self, Func<IEnumerable<string>> users) =>
        user == 0 || user == self || users().Any(line => IsServerUser(line, user));

    /// <summary>Null: the system does not say.</summary>
    internal static uint? UserOf(Socket socket)
    {
        Span<byte> credentials = stackalloc byte[CredentialBytes];
        try
        {
            return socket.GetRawSocketOption(SocketLevel, PeerCredentials, credentials) == CredentialBytes
                ? MemoryMarshal.Read<uint>(credentials[UserOffset..])
                : null;
        }
        catch (SocketException)
        {
            return null;
        }
    }

    private static bool IsServerUser(string line, uint user) => line.Split(':') is [ServerUser, _, var number, ..]
        && uint.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out var known) && known == user;

    private static string[] Users()
    {
        try
        {
            return File.ReadAllLines(UserFile);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    [DllImport("libc", EntryPoint = "geteuid", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern uint CurrentUser();
}
