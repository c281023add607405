namespace BulkLoad.Core.Protocol.Authentication;

/// <summary>The password, and what may be done with it on this connection. Never printed.</summary>
/// <param name="password">UTF-8; empty for none</param>
/// <param name="channel">what the connection protects against</param>
/// <param name="mayAskForServerKey">whether an RSA key that the server sends in clear may be used</param>
/// <param name="serverKeyPem">the server's RSA key, where the user has it</param>
internal sealed class Credentials(byte[] password, Channel channel, bool mayAskForServerKey, string? serverKeyPem)
{
    public byte[] Password => password;

    public bool HasPassword => password.Length > 0;

    public Channel Channel => channel;

    public string? ServerKeyPem => serverKeyPem;

    /// <summary>Inside the machine nobody on the way can answer with a key of their own.</summary>
    public bool MayAskForServerKey => mayAskForServerKey || channel.IsLocal;

    /// <summary>The password with the zero byte that ends it on the wire.</summary>
    public byte[] TerminatedPassword() => [.. password, 0];
}
