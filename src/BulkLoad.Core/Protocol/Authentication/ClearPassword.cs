namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>
/// mysql_clear_password (MySQL manual, "Client-Side Cleartext Pluggable Authentication"). Any server can ask for it, so
/// the password goes only to one whose certificate was checked, or over a unix socket. The SHA-256 plugins are less strict
/// (<see cref="PasswordSending"/>), as in MySQL's clients.
/// </summary>
internal sealed class ClearPassword(Credentials credentials) : IAuthentication
{
    public const string Name = "mysql_clear_password";

    public byte[] Begin() => credentials.Channel.IsTrusted
        ? credentials.TerminatedPassword()
        : throw new ServerException(
            FaultKind.Configuration,
            $"the server asks for the password in clear ({Name}), which is only sent over verified TLS "
            + "(--ssl-mode=verify-ca or verify-identity) or a unix socket");
}
