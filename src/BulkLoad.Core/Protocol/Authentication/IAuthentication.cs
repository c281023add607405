namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>
/// The client's side of one conversation with one authentication plugin (MySQL client/server protocol, "Authentication
/// Phase"). It makes payloads and does no input or output.
/// </summary>
internal interface IAuthentication
{
    /// <summary>The answer to the server's challenge.</summary>
    byte[] Begin();

    /// <summary>The answer to what the plugin asks next (Protocol::AuthMoreData), if it asks at all; null where none is due.</summary>
    /// <exception cref="ServerException">it asks for something unknown, or for a secret that must not travel here</exception>
    byte[]? Continue(ReadOnlySpan<byte> question) =>
        throw ProtocolViolation.Of("an authentication plugin asks a question that it does not have");
}

/// <summary>The random bytes that a server sends for the password to be mixed with.</summary>
internal static class Challenge
{
    private const int Length = 20;

    /// <summary>The 20 bytes themselves, without the zero byte that most servers add.</summary>
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

/// <summary>The password, and what may be done with it on this connection. Never printed.</summary>
/// <param name="password">UTF-8; empty for none</param>
/// <param name="channel">what the connection protects against</param>
internal sealed class Credentials(byte[] password, ChannelSecurity channel)
{
    public byte[] Password => password;

    public bool HasPassword => password.Length > 0;

    public ChannelSecurity Channel => channel;

    /// <summary>The server's RSA key, where the user has it.</summary>
    public string? ServerKeyPem { get; init; }

    /// <summary>
    /// Whether an RSA key that the server sends in clear may be used. Not on this machine either, unless the user says so: anyone may
    /// listen at a port that is free, and forwarded ports end there.
    /// </summary>
    public bool MayAskForServerKey { get; init; }

    /// <summary>Whether the plugin that shows the password itself may be used at all.</summary>
    public bool MayUseClearPlugin { get; init; }

    /// <summary>The password with the zero byte that ends it on the wire.</summary>
    public byte[] TerminatedPassword() => [.. password, 0];
}
