using System.Security.Cryptography;

namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>
/// Gives a SHA-256 plugin the password itself: in clear where nobody can listen, otherwise under the server's RSA key
/// (MySQL manual, "Caching SHA-2 Pluggable Authentication"). As in MySQL's clients, TLS is enough for it, with the certificate
/// checked or not. Who must not trust the route demands verify-ca or verify-identity. A key that the server is asked for may be anybody's,
/// so it is asked for only where the user says so.
/// </summary>
/// <param name="credentials">the password, and what may be done with it</param>
/// <param name="challenge">the server's random bytes</param>
/// <param name="keyRequest">how this plugin is asked for the server's key</param>
/// <param name="isClearOverSockets">whether the server's side of this plugin counts a unix socket as private, and takes the password only
/// in clear there</param>
internal sealed class PasswordSending(string plugin, Credentials credentials, byte[] challenge, byte keyRequest, bool isClearOverSockets)
{
    private const int LongestKeyBytes = 16 * 1024;

    /// <summary>Whether the server's next message is its key.</summary>
    public bool IsKeyDue { get; private set; }

    /// <summary>The password, sealed where it must be, or the question for the key to seal it with.</summary>
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

    /// <param name="key">the server's key as it sent it</param>
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
