namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>MySQL manual, "Client-Side Cleartext Pluggable Authentication". Any server can ask for it. So the password is sent only if the
/// user allows the plugin, and only to a server whose certificate was checked or whose unix socket is trusted. The SHA-256 plugins are less
/// strict (<see cref="PasswordSending"/>), as in MySQL's clients.</summary>
internal sealed class ClearPassword(Credentials credentials) : IAuthentication
{
    public const string Name = "mysql_clear_password";

    public byte[] Begin()
    {
        if (!credentials.HasPassword)
        {
            return credentials.TerminatedPassword();
        }

        if (!credentials.MayUseClearPlugin)
        {
            throw Refused("which is sent only where --enable-cleartext-plugin allows it");
        }

        return credentials.Channel.IsTrusted
            ? credentials.TerminatedPassword()
            : throw Refused(
                "which is sent only over verified TLS (--ssl-mode=verify-ca or verify-identity, on unix sockets too) or over a unix socket "
                + "whose server runs as root, as mysql or as yourself");
    }

    private static ServerException Refused(string why) =>
        new(FaultKind.Configuration, $"the server asks for the password in clear ({Name}), {why}");
}
