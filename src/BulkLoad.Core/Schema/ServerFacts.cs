namespace BulkLoad.Core.Schema;

internal sealed record ServerFacts
{
    public required bool IsMariaDb { get; init; }

    public required string VersionText { get; init; }

    public required string Endpoint { get; init; }

    public required string Security { get; init; }

    public required string User { get; init; }

    /// <summary>Which of the servers at the same address it is: host name, port and data folder.</summary>
    public required string Identity { get; init; }

    public Incarnation? Incarnation { get; init; }

    /// <summary>A node of a Galera cluster may be behind others.</summary>
    public bool IsGalera { get; init; }

    /// <summary>Null: a server by itself, as far as the account may see.</summary>
    public Topology? Topology { get; init; }

    /// <summary>What one transaction may have; empty: no limit is known.</summary>
    public IReadOnlyList<TransactionLimit> TransactionLimits { get; init; } = [];

    /// <summary>Settings with which it may lose commits when its machine fails, as <c>name=value</c>.</summary>
    public IReadOnlyList<string> RelaxedDurability { get; init; } = [];

    /// <summary>Connected replicas that the account may see.</summary>
    public int Replicas { get; init; }

    public required ulong ConnectionId { get; init; }

    /// <summary>Bytes. The limit of a statement, a packet and a row's text on both sides.</summary>
    public required long MaxAllowedPacket { get; init; }

    /// <summary>For all sessions together. 0: none are allowed.</summary>
    public required long MaxPreparedStatements { get; init; }

    /// <summary>Whether one packet can execute a prepared statement for many rows (MariaDB).</summary>
    public bool TakesBulkExecutions { get; init; }

    /// <summary>Whether an INSERT can name its row, and VALUES() is deprecated (MySQL from 8.0.19 on).</summary>
    public bool NamesNewRow { get; init; }

    /// <inheritdoc cref="Protocol.ServerIdentity.IsStepwise"/>
    public bool IsStepwise { get; init; }

    /// <summary>The requested zone or the server's, with <c>SYSTEM</c> resolved.</summary>
    public required ValueZone Zone { get; init; }

    /// <summary>Binary logging by statement forbids READ COMMITTED (error 1665).</summary>
    public required bool LogsStatements { get; init; }

    /// <summary>Whether an INSERT locks a table with AUTO_INCREMENT until it ends (innodb_autoinc_lock_mode 0 and 1).</summary>
    public bool LocksIds { get; init; }

    public string? Database { get; init; }

    /// <summary>The time of one query on this connection.</summary>
    public required TimeSpan RoundTrip { get; init; }

    /// <summary>Whether a round trip takes longer than it takes to send a little more at once.</summary>
    public bool IsFar => RoundTrip >= TimeSpan.FromMilliseconds(5);

    /// <summary>Cores that it shares with this program on one machine; null: unknown, or another machine.</summary>
    public int? SharedCores { get; init; }

    /// <summary>Why LOAD DATA LOCAL does not work on this connection.</summary>
    public string? LocalInfileRefusal { get; init; }

    /// <summary>The server's error for a change while it is read-only. Null: it is not, or nobody tried.</summary>
    public string? ReadOnlyRefusal { get; init; }

    public string Kind => IsMariaDb ? "MariaDB" : "MySQL";
}

/// <summary>Which server answered, and since when it runs. After a failover or a restart it is another one, which may have lost commits.
/// <para><paramref name="Server"/>: host name, port, data folder and server id. <paramref name="Asked"/>: by a monotonic clock.
/// <paramref name="Connection"/>: the number in the greeting; a restarted server begins with small ones.</para></summary>
internal sealed record Incarnation(string Server, TimeSpan? Uptime, TimeSpan Asked, uint Connection)
{
    /// <summary>The server counts whole seconds, and its answer takes time.</summary>
    private static readonly TimeSpan Tolerance = TimeSpan.FromSeconds(2);

    /// <summary>Whether this is the same server as in an earlier session, or in this one, without a restart. The uptime of a server that
    /// had just been started does not show that: then the sessions' numbers must rise, which they do not where a proxy keeps
    /// sessions.</summary>
    public bool IsStill(Incarnation before) => this == before || (Server == before.Server
        && (Uptime is not { } now || before.Uptime is not { } then
            || (now >= then && now + Tolerance >= then + (Asked - before.Asked)
                && (then > Tolerance || Connection > before.Connection))));
}
