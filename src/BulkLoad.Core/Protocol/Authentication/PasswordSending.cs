using System.Security.Cryptography;

namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>Gives a SHA-256 plugin the password: in clear if nobody can listen, otherwise under the server's RSA key (MySQL manual,
/// "Caching SHA-2 Pluggable Authentication"). As in MySQL's clients, any TLS is enough. If the network is not trusted, use verify-ca or
/// verify-identity. A key that the server sends may be anybody's, so it needs the user's permission.
/// <para>With <paramref name="isClearOverSockets"/>, the server takes the password only in clear over a unix socket.</para></summary>
internal sealed class PasswordSending(string plugin, Credentials credentials, byte[] challenge, byte keyRequest, bool isClearOverSockets)
{
    private const int LongestKeyBytes = 16 * 1024;

    /// <summary>Whether the server's next message is its key.</summary>
    public bool IsKeyDue { get; private set; }

    /// <summary>The password, or the request for the key to encrypt it with.</summary>
    public byte[] Send()
    {
        var channel = credentials.Channel;
        if (channel.IsEncrypted || (channel.IsOfTrustedPeer && isClearOverSockets))
        {
            return credentials.TerminatedPassword();
        }

        if (channel.IsUnixSocket && isClearOverSockets)
        {
            throw Refused(
                "which is sent over a unix socket only to a server that runs as root, as mysql or as yourself; use TLS, which works over "
                    + "unix sockets too "
                + "(--ssl-mode=required), or TCP with --get-server-public-key or --server-public-key-path");
        }

        if (credentials.ServerKeyPem is { } pem)
        {
            return Seal(pem);
        }

        if (!credentials.MayAskForServerKey)
        {
            throw Refused(
                "which is not sent over an unencrypted connection; use TLS (--ssl-mode=required, over unix sockets too), or the "
                    + "server's RSA key: "
                + "its file (--server-public-key-path), or what the server sends (--get-server-public-key)");
        }

        IsKeyDue = true;
        return [keyRequest];
    }

    public byte[] Seal(ReadOnlySpan<byte> key)
    {
        IsKeyDue = false;
        return key.Length <= LongestKeyBytes ? Seal(Encoding.ASCII.GetString(key)) : throw ProtocolViolation.Of("its RSA key is too long");
    }

    private byte[] Seal(string pem)
    {
        var password = credentials.TerminatedPassword();
        Challenge.Mix(password, Challenge.Require(challenge));
        using var rsa = RSA.Create();
        try
        {
            rsa.ImportFromPem(pem);
            return rsa.Encrypt(password, RSAEncryptionPadding.OaepSHA1);
        }
        catch (Exception fault) when (fault is ArgumentException or CryptographicException)
        {
            throw new ServerException(FaultKind.Configuration, "the password cannot be encrypted with the server's RSA key", fault);
        }
    }

    private ServerException Refused(string why) => new(FaultKind.Configuration, $"{plugin} needs the password itself, {why}");
}
