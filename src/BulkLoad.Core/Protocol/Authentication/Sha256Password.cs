namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>MySQL manual, "SHA-256 Pluggable Authentication". The server always needs the password.</summary>
internal sealed class Sha256Password(Credentials credentials, byte[] challenge) : IAuthentication
{
    public const string Name = "sha256_password";

    private const byte KeyRequest = 1;

    // Unlike caching_sha2_password, the server does not count a unix socket as private here.
    private readonly PasswordSending _sending = new(Name, credentials, challenge, KeyRequest, isClearOverSockets: false);

    public byte[] Begin() => credentials.HasPassword ? _sending.Send() : [0];

    public byte[]? Continue(ReadOnlySpan<byte> question) => _sending.IsKeyDue
        ? _sending.Seal(question)
        : throw ProtocolViolation.Of($"{Name} asks an unknown question");
}
