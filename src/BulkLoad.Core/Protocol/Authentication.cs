using System.Security.Cryptography;

namespace BulkLoad.Core.Protocol;

/// <summary>The only list of authentication plugins.</summary>
internal static class AuthenticationPlugins
{
    private const string Supported =
        $"{CachingSha2Password.Name}, {NativePassword.Name}, {Sha256Password.Name}, {ClearPassword.Name}, "
        + $"{SocketIdentity.MySqlName}, {SocketIdentity.MariaDbName}";

    public static IAuthentication Create(string name, Credentials credentials, byte[] challenge) => name switch
    {
        CachingSha2Password.Name => new CachingSha2Password(credentials, challenge),
        NativePassword.Name => new NativePassword(credentials, challenge),
        Sha256Password.Name => new Sha256Password(credentials, challenge),
        ClearPassword.Name => new ClearPassword(credentials),
        SocketIdentity.MySqlName or SocketIdentity.MariaDbName => new SocketIdentity(),
        _ => throw new ServerException(
            FaultKind.Configuration,
            $"the account uses the authentication plugin '{name}', which is not supported; supported are {Supported}"),
    };

    /// <summary>The plugin for the first answer, before the server says what the account uses. It never shows the password.</summary>
    public static string First(string serverDefault) =>
        serverDefault == NativePassword.Name ? NativePassword.Name : CachingSha2Password.Name;
}

/// <summary>The server's messages while logging in (MySQL "Protocol::AuthSwitchRequest" and "Protocol::AuthMoreData").</summary>
internal static class AuthenticationSwitch
{
    public const byte Header = 0xfe;

    private const byte MoreDataHeader = 0x01;

    public static (string Plugin, byte[] Challenge) Parse(ReadOnlySpan<byte> payload)
    {
        if (payload.Length == 1)
        {
            // Protocol::OldAuthSwitchRequest
            return ("mysql_old_password", []);
        }

        var reader = new PayloadReader(payload[1..]);
        return (ServerText.Decode(reader.ReadTerminated()), reader.ReadRest().ToArray());
    }

    public static ReadOnlySpan<byte> MoreData(ReadOnlySpan<byte> payload) => payload is [MoreDataHeader, .. var question]
        ? question
        : throw ProtocolViolation.Of("an unknown packet came while logging in");
}

/// <summary>One side of a conversation with an authentication plugin (MySQL client/server protocol, "Authentication Phase"). Does no input
/// or output.</summary>
internal interface IAuthentication
{
    byte[] Begin();

    /// <summary>Answers a further question (Protocol::AuthMoreData). Null: no answer is due.</summary>
    byte[]? Continue(ReadOnlySpan<byte> question) =>
        throw ProtocolViolation.Of("an authentication plugin asks a question that it does not have");
}

/// <summary>Random bytes of the server, to be mixed with the password.</summary>
internal static class ServerChallenge
{
    private const int Length = 20;

    /// <summary>Most servers add a zero byte, which is removed.</summary>
    public static byte[] Require(ReadOnlySpan<byte> challenge) => challenge.Length >= Length
        ? challenge[..Length].ToArray()
        : throw ProtocolViolation.Of($"its authentication challenge has {challenge.Length} bytes, not {Length}");

    /// <summary>Exclusive-or in place; the key is repeated.</summary>
    public static void Mix(Span<byte> target, ReadOnlySpan<byte> key)
    {
        for (var i = 0; i < target.Length; i++)
        {
            target[i] ^= key[i % key.Length];
        }
    }
}

/// <summary>The password, and what may be done with it on this connection. Never printed. Empty: no password.</summary>
internal sealed class Credentials(byte[] password, ChannelSecurity channel)
{
    public byte[] Password => password;

    public bool HasPassword => password.Length > 0;

    public ChannelSecurity Channel => channel;

    public string? ServerKeyPem { get; init; }

    /// <summary>Whether an RSA key that the server sends in clear may be used. Not even on this machine by default: anyone may listen at a
    /// free port, and forwarded ports end there.</summary>
    public bool MayAskForServerKey { get; init; }

    public bool MayUseClearPlugin { get; init; }

    public byte[] TerminatedPassword() => [.. password, 0];
}

/// <summary>MySQL client/server protocol, "Native Authentication".</summary>
internal sealed class NativePassword(Credentials credentials, byte[] challenge) : IAuthentication
{
    public const string Name = "mysql_native_password";

    public byte[] Begin() => credentials.HasPassword ? Proof(credentials.Password, ServerChallenge.Require(challenge)) : [];

    // The method is the protocol's; only the server decides whether an account uses it.
#pragma warning disable CA5350
    internal static byte[] Proof(ReadOnlySpan<byte> password, ReadOnlySpan<byte> challenge)
    {
        var once = SHA1.HashData(password);
        var twice = SHA1.HashData(once);
        var proof = SHA1.HashData([.. challenge, .. twice]);
        ServerChallenge.Mix(proof, once);
        return proof;
    }
#pragma warning restore CA5350
}

/// <summary>MySQL client/server protocol, "Caching_sha2_password information". A proof is enough while the server's cache has the account;
/// otherwise the server needs the password.</summary>
internal sealed class CachingSha2Password(Credentials credentials, byte[] challenge) : IAuthentication
{
    public const string Name = "caching_sha2_password";

    private const byte FastSuccess = 3;
    private const byte FullAuthentication = 4;
    private const byte KeyRequest = 2;

    private readonly PasswordSending _sending = new(Name, credentials, challenge, KeyRequest, isClearOverSockets: true);

    public byte[] Begin() => credentials.HasPassword ? Proof(credentials.Password, ServerChallenge.Require(challenge)) : [0];

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
        ServerChallenge.Mix(proof, SHA256.HashData([.. twice, .. challenge]));
        return proof;
    }
}

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

/// <summary>Gives a SHA-256 plugin the password: in clear if nobody can listen, otherwise under the server's RSA key (MySQL manual,
/// "Caching SHA-2 Pluggable Authentication"). As in MySQL's clients, any TLS is enough. If the network is not trusted, use verify-ca or
/// verify-identity. A key that the server sends may be anybody's, so it needs the user's permission.
/// <para>With <paramref name="isClearOverSockets"/>, the server takes the password only in clear over a unix socket.</para></summary>
internal sealed class PasswordSending(string plugin, Credentials credentials, byte[] challenge, byte keyRequest, bool isClearOverSockets)
{
    private const int MaxKeyBytes = 16 * 1024;

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
        return key.Length <= MaxKeyBytes ? Seal(Encoding.ASCII.GetString(key)) : throw ProtocolViolation.Of("its RSA key is too long");
    }

    private byte[] Seal(string pem)
    {
        var password = credentials.TerminatedPassword();
        ServerChallenge.Mix(password, ServerChallenge.Require(challenge));
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

/// <summary>auth_socket and unix_socket (MySQL manual, "Socket Peer-Credential Pluggable Authentication"; MariaDB, "Unix Socket"). The
/// server asks the operating system for the user, so the answer is empty.</summary>
internal sealed class SocketIdentity : IAuthentication
{
    public const string MySqlName = "auth_socket";
    public const string MariaDbName = "unix_socket";

    public byte[] Begin() => [];
}
