using System.Security.Cryptography;

namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>MySQL client/server protocol, "Native Authentication".</summary>
internal sealed class NativePassword(Credentials credentials, byte[] challenge) : IAuthentication
{
    public const string Name = "mysql_native_password";

    public byte[] Begin() => credentials.HasPassword ? Proof(credentials.Password, Challenge.Require(challenge)) : [];

    // The method is the protocol's; only the server decides whether an account uses it.
#pragma warning disable CA5350
    internal static byte[] Proof(ReadOnlySpan<byte> password, ReadOnlySpan<byte> challenge)
    {
        var once = SHA1.HashData(password);
        var twice = SHA1.HashData(once);
        var proof = SHA1.HashData([.. challenge, .. twice]);
        Challenge.Mix(proof, once);
        return proof;
    }
#pragma warning restore CA5350
}
