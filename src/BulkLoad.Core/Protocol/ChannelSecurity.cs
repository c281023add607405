namespace BulkLoad.Core.Protocol;

/// <summary>What a connection protects against. It decides which secrets may travel over it.</summary>
internal readonly record struct ChannelSecurity
{
    /// <summary>Nobody can listen, but anyone on the machine may have made it.</summary>
    public bool IsUnixSocket { get; init; }

    /// <summary>A unix socket whose other end belongs to an account that may see the password (<see cref="PeerAccount"/>).</summary>
    public bool IsOfTrustedPeer { get; init; }

    public bool IsLoopback { get; init; }

    public bool IsEncrypted { get; init; }

    public bool IsVerified { get; init; }

    public bool IsLocal => IsLoopback || IsUnixSocket;

    /// <summary>The peer is who it says it is.</summary>
    public bool IsTrusted => IsVerified || IsOfTrustedPeer;
}
