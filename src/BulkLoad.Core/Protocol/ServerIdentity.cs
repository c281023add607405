namespace BulkLoad.Core.Protocol;

/// <summary>Who answered the handshake, and how the connection was made.</summary>
internal sealed record ServerIdentity
{
    /// <summary>As sent by the server, such as <c>10.11.14-MariaDB-0+deb12u2</c> or <c>9.7.4</c>; MariaDB's replication prefix <c>5.5.5-</c> is removed.</summary>
    public required string VersionText { get; init; }

    public required bool IsMariaDb { get; init; }

    /// <summary>Major, minor, patch.</summary>
    public required Version Version { get; init; }

    public required uint ConnectionId { get; init; }

    /// <summary>Whether many rows of parameters may go in one packet (MariaDB's COM_STMT_BULK_EXECUTE).</summary>
    public bool TakesBulkExecutions { get; init; }

    /// <summary>True over TLS; a unix socket is not encrypted but private to the machine.</summary>
    public required bool IsEncrypted { get; init; }

    /// <summary>For people: <c>TLS 1.3</c>, <c>not encrypted</c>, <c>unix socket</c>.</summary>
    public required string Security { get; init; }

    /// <summary>Whether it is on this machine, by its address: over a loopback address or a unix socket. A relay may stand there for one elsewhere.</summary>
    public bool IsLocal { get; init; }

    /// <summary>For people: <c>127.0.0.1:3306</c> or the socket's path.</summary>
    public required string Endpoint { get; init; }

    /// <summary>The account as the client named it.</summary>
    public required string User { get; init; }
}
