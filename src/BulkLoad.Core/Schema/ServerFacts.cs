namespace BulkLoad.Core.Schema;

internal sealed record ServerFacts
{
    public required bool IsMariaDb { get; init; }

    public required string VersionText { get; init; }

    public required string Endpoint { get; init; }

    public required string Security { get; init; }

    public required string User { get; init; }

    /// <summary>Which server this is, among those that answer at the same address: host name, port and data folder.</summary>
    public required string Identity { get; init; }

    /// <summary>The same, with its start: null where it did not say.</summary>
    public Incarnation? Incarnation { get; init; }

    /// <summary>Whether it is a node of a Galera cluster, which may be behind others.</summary>
    public bool IsGalera { get; init; }

    /// <summary>Settings by which it may lose what it has committed when its machine fails, as <c>name=value</c>.</summary>
    public IReadOnlyList<string> RelaxedDurability { get; init; } = [];

    /// <summary>Connected replicas, as far as the account may see them.</summary>
    public int Replicas { get; init; }

    /// <summary>The session's number as the server itself knows it.</summary>
    public required ulong ConnectionId { get; init; }

    /// <summary>Bytes; bounds a statement, a packet and a row's text on both sides.</summary>
    public required long MaxAllowedPacket { get; init; }

    /// <summary>Prepared statements that the server keeps for all sessions together; 0: none allowed.</summary>
    public required long MaxPreparedStatements { get; init; }

    /// <summary>Whether a prepared statement can be executed for many rows in one packet (MariaDB).</summary>
    public bool TakesBulkExecutions { get; init; }

    /// <summary>Whether the row of an INSERT can be given a name, and VALUES() is on its way out (MySQL from 8.0.19 on).</summary>
    public bool NamesNewRow { get; init; }

    /// <summary>The one asked for, or the server's own, with <c>SYSTEM</c> resolved to the host's.</summary>
    public required ValueZone Zone { get; init; }

    /// <summary>Whether binary logging by statement forbids READ COMMITTED (error 1665).</summary>
    public required bool LogsStatements { get; init; }

    /// <summary>Whether a statement keeps others from a table with AUTO_INCREMENT until it ends (innodb_autoinc_lock_mode 0 and
    /// 1).</summary>
    public bool LocksIds { get; init; }

    /// <summary>The session's default database; null: it has none.</summary>
    public string? Database { get; init; }

    /// <summary>One question and its answer on this route.</summary>
    public required TimeSpan RoundTrip { get; init; }

    /// <summary>Whether a round trip takes longer than reading or sending a little more at once would.</summary>
    public bool IsFar => RoundTrip >= TimeSpan.FromMilliseconds(5);

    /// <summary>Cores that it shares with this program, where both are on one machine; null: nobody knows how many it has.</summary>
    public int? SharedCores { get; init; }

    /// <summary>Null where LOAD DATA LOCAL works on this route; else why not.</summary>
    public string? LocalInfileRefusal { get; init; }

    /// <summary>What it says to who tries to change something while it is read-only; null: it is not, or nobody tried.</summary>
    public string? ReadOnlyRefusal { get; init; }

    public string Kind => IsMariaDb ? "MariaDB" : "MySQL";
}

/// <summary>Which server answered, and since when it runs: behind a failover or a restart it is another one, which may have lost what was
/// committed before.</summary>
/// <param name="Server">host name, port, data folder and the server's own id</param>
/// <param name="Uptime">since its start; null: not known</param>
/// <param name="Asked">when it was asked, by a clock that nobody sets</param>
/// <param name="Connection">the number in its greeting to the session; a server that is started begins with small ones again</param>
internal sealed record Incarnation(string Server, TimeSpan? Uptime, TimeSpan Asked, uint Connection)
{
    /// <summary>The server counts whole seconds, and its answer takes a while.</summary>
    private static readonly TimeSpan Tolerance = TimeSpan.FromSeconds(2);

    /// <summary>Whether this is the same server as another one was for an earlier session, and has run all the time since.</summary>
    public bool IsStill(Incarnation before) => Server == before.Server
        && (Uptime is not { } now || before.Uptime is not { } then
            || (now >= then && now + Tolerance >= then + (Asked - before.Asked) && Connection > before.Connection));
}
