using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace BulkLoad.Core.Protocol;

/// <summary>
/// Who listens at a unix socket, by Linux's SO_PEERCRED (unix(7)): anyone may make a socket in a folder that is open to all, so that its
/// path alone proves nothing. Other systems are not asked: their sockets are taken for a stranger's.
/// </summary>
internal static class PeerAccount
{
    private const int SocketLevel = 1;
    private const int PeerCredentials = 17;

    /// <summary>struct ucred: process, user and group, four bytes each.</summary>
    private const int CredentialBytes = 12;

    private const int UserOffset = 4;
    private const string ServerUser = "mysql";
    private const string UserFile = "/etc/passwd";

    /// <summary>Whether the other end is root's, one's own or the user mysql's.</summary>
    public static bool IsTrusted(Socket socket) =>
        OperatingSystem.IsLinux() && UserOf(socket) is { } user && IsTrusted(user, CurrentUser(), Users);

    /// <param name="user">the other end's number</param>
    /// <param name="self">one's own number</param>
    /// <param name="users">the lines of the file of users; read only where the numbers do not decide</param>
    internal static bool IsTrusted(uint user, uint self, Func<IEnumerable<string>> users) =>
        user == 0 || user == self || users().Any(line => IsServerUser(line, user));

    /// <summary>The number of the account that listens; null where the system does not say.</summary>
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
