namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>
/// mysql_clear_password (MySQL manual, "Client-Side Cleartext Pluggable Authentication"). Any server can ask for it, so
/// the password goes only to one whose certificate was checked, or over a unix socket.
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

    public byte[]? Continue(ReadOnlySpan<byte> question) =>
        throw ProtocolViolation.Of($"{Name} asks a question that it does not have");
}
