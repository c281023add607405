namespace BulkLoad.Core.Protocol.Authentication;

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
    /// Whether an RSA key that the server sends in clear may be used. Not on this machine either, unless the user says so: anyone may listen at a port that
    /// is free, and forwarded ports end there.
    /// </summary>
    public bool MayAskForServerKey { get; init; }

    /// <summary>Whether the plugin that shows the password itself may be used at all.</summary>
    public bool MayUseClearPlugin { get; init; }

    /// <summary>The password with the zero byte that ends it on the wire.</summary>
    public byte[] TerminatedPassword() => [.. password, 0];
}
