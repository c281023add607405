namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>auth_socket and unix_socket (MySQL manual, "Socket Peer-Credential Pluggable Authentication"; MariaDB, "Unix Socket"). The
/// server asks the operating system for the user, so the answer is empty.</summary>
internal sealed class SocketIdentity : IAuthentication
{
    public const string MySqlName = "auth_socket";
    public const string MariaDbName = "unix_socket";

    public byte[] Begin() => [];
}
