namespace BulkLoad.Core.Schema;

/// <summary>Which server answered, and since when it runs: behind a failover or a restart it is another one, which may have lost what was committed before.</summary>
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
