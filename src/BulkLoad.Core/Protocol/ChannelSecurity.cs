namespace BulkLoad.Core.Protocol;

/// <summary>What a connection protects against; decides which secrets may travel over it.</summary>
internal readonly record struct ChannelSecurity
{
    /// <summary>A unix socket: nobody can listen, but anyone of the machine may have made it.</summary>
    public bool IsUnixSocket { get; init; }

    /// <summary>A unix socket whose other end belongs to an account that the password may be shown to
    /// (<see cref="PeerAccount"/>).</summary>
    public bool IsOfTrustedPeer { get; init; }

    /// <summary>TCP to the same machine.</summary>
    public bool IsLoopback { get; init; }

    /// <summary>TLS.</summary>
    public bool IsEncrypted { get; init; }

    /// <summary>TLS, and the server's certificate was checked.</summary>
    public bool IsVerified { get; init; }

    /// <summary>To the same machine.</summary>
    public bool IsLocal => IsLoopback || IsUnixSocket;

    /// <summary>The peer is who it says it is.</summary>
    public bool IsTrusted => IsVerified || IsOfTrustedPeer;
}
