using System.Security.Cryptography;

namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>MySQL client/server protocol, "Caching_sha2_password information". A proof is enough while the server's cache has the account;
/// otherwise the server needs the password.</summary>
internal sealed class CachingSha2Password(Credentials credentials, byte[] challenge) : IAuthentication
{
    public const string Name = "caching_sha2_password";

    private const byte FastSuccess = 3;
    private const byte FullAuthentication = 4;
    private const byte KeyRequest = 2;

    private readonly PasswordSending _sending = new(Name, credentials, challenge, KeyRequest, isClearOverSockets: true);

    public byte[] Begin() => credentials.HasPassword ? Proof(credentials.Password, Challenge.Require(challenge)) : [0];

    public byte[]? Continue(ReadOnlySpan<byte> question)
    {
        if (_sending.IsKeyDue)
        {
            return _sending.Seal(question);
        }

        return question switch
        {
            [FastSuccess] => null,
            [FullAuthentication] => _sending.Send(),
            _ => throw ProtocolViolation.Of($"{Name} asks an unknown question"),
        };
    }

    internal static byte[] Proof(ReadOnlySpan<byte> password, ReadOnlySpan<byte> challenge)
    {
        var proof = SHA256.HashData(password);
        var twice = SHA256.HashData(proof);
        Challenge.Mix(proof, SHA256.HashData([.. twice, .. challenge]));
        return proof;
    }
}
