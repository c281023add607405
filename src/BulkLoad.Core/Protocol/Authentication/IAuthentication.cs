namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>One side of a conversation with an authentication plugin (MySQL client/server protocol, "Authentication Phase"). Does no input
/// or output.</summary>
internal interface IAuthentication
{
    /// <summary>Answers the challenge.</summary>
    byte[] Begin();

    /// <summary>Answers a further question (Protocol::AuthMoreData). Null: no answer is due.</summary>
    byte[]? Continue(ReadOnlySpan<byte> question) =>
        throw ProtocolViolation.Of("an authentication plugin asks a question that it does not have");
}

/// <summary>Random bytes of the server, to be mixed with the password.</summary>
internal static class Challenge
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
