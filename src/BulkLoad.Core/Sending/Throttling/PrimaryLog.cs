using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Sending.Throttling;

/// <summary>What a primary had committed when it was asked.</summary>
/// <param name="Since">when it was asked before, by the job's clock: no change in it is older that the position before lacks</param>
/// <param name="Position">of its log, in the form of <see cref="LogForm"/></param>
internal sealed record LogSample(long Since, string Position);

/// <summary>How a primary and its replicas say how far they are.</summary>
internal enum LogForm
{
    /// <summary>The primary does not say it, or not to this account: what a replica reports must do.</summary>
    None,

    /// <summary>Sequence number of the primary's own domain (MariaDB Knowledge Base, "Global Transaction ID").</summary>
    Domain,

    /// <summary>A set of GTIDs (MySQL manual, "GTID Format and Storage"), without those from before the job.</summary>
    GtidSet,

    /// <summary>Name of a log file, a colon, and an offset.</summary>
    File,

    /// <summary>Sequence number of a Galera cluster's last write set.</summary>
    WriteSet,
}

/// <summary>Asks the primary how far its log is. What a replica lacks of that, and for how long, is its lag by the job's own clock. The
/// seconds that a replica reports are the age of what it applies: what is still to come from there is not in them.</summary>
internal sealed class PrimaryLog(Func<CancellationToken, Task<IServerSession>> connect, TimeProvider time) : IAsyncDisposable
{
    private readonly WatchSession _session = new(connect);
    private LogForm? _form;
    private string? _first;
    private string? _last;
    private long _seen;

    public LogForm Form => _form ?? LogForm.None;

    /// <summary>The Galera cluster's; null: it is no node of one.</summary>
    public string? Cluster { get; private set; }

    /// <summary>The domain of what the primary commits itself; null: it has none.</summary>
    public string? Domain { get; private set; }

    /// <summary>Null: nothing was committed since it was asked last, or this is the first time.</summary>
    public async Task<LogSample?> LookAsync(CancellationToken cancellationToken)
    {
        _form ??= await FindFormAsync(cancellationToken);
        var asked = time.GetTimestamp();
        var position = await AskAsync(cancellationToken);
        var since = _seen;
        _seen = asked;
        if (position is null || position == _last)
        {
            return null;
        }

        _last = position;
        if (_first is null)
        {
            _first = position;
            return null;
        }

        return new LogSample(since, position);
    }

    /// <summary>Host and port of each replica that the primary knows.</summary>
    /// <exception cref="PlanException">it does not tell this account, or not where they are</exception>
    public async Task<IReadOnlyList<(string Host, int Port)>> FindReplicasAsync(CancellationToken cancellationToken)
    {
        if (Form == LogForm.WriteSet)
        {
            var nodes = await _session.AskAsync(_ => WatchSql.ClusterAddresses, cancellationToken);
            return Require([.. (nodes.Rows is [[_, { } list]] ? list : "").Split(',').Select(one => one.Trim().Split(':'))
                .Select(parts => (parts[0], parts.Length == 2 ? parts[1] : null))]);
        }

        try
        {
            // An account that may see the replicas need not be allowed to see the members of a group.
            if (Form == LogForm.GtidSet
                && await TryAskAsync(_ => WatchSql.OtherMembers, cancellationToken) is { Rows: { Count: > 0 } members })
            {
                return Require([.. members.Select(row => (row[0], row[1]))]);
            }

            var replicas = await _session.AskAsync(WatchSql.KnownReplicas, cancellationToken);
            return Require([.. replicas.Rows.Select(row => (row[1], row[2]))]);
        }
        catch (ServerException fault) when (fault.Kind is FaultKind.Configuration or FaultKind.Other)
        {
            throw new PlanException($"--max-lag: the server does not say which replicas it has ({fault.Message}): name them with "
                + "--check-replica", fault);
        }
    }

    private static (string Host, int Port)[] Require((string? Host, string? Port)[] places) => places.All(place =>
        !string.IsNullOrEmpty(place.Host) && int.TryParse(place.Port, CultureInfo.InvariantCulture, out _))
        ? [.. places.Select(place => (place.Host!, int.Parse(place.Port!, CultureInfo.InvariantCulture)))]
        : throw new PlanException(
            "--max-lag: the server does not say where its replicas are (report_host): name them with --check-replica");

    /// <summary>Of MySQL: a question with a cell for each position, 1 where the server that is asked has all of it.</summary>
    public string AreThere(IEnumerable<string> positions) => WatchSql.HaveGtids(_first!, positions);

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private async Task<LogForm> FindFormAsync(CancellationToken cancellationToken)
    {
        Cluster = ClusterOf(await _session.AskAsync(_ => WatchSql.Cluster, cancellationToken));
        if (Cluster is not null)
        {
            return LogForm.WriteSet;
        }

        if ((await _session.AskAsync(WatchSql.LogPosition, cancellationToken)).Rows is [[{ Length: > 0 } position, var domain]])
        {
            Domain = domain;
            return domain is null ? LogForm.GtidSet : NumberIn(position, domain) is null ? LogForm.None : LogForm.Domain;
        }

        return await AskFileAsync(cancellationToken) is null ? LogForm.None : LogForm.File;
    }

    private async Task<string?> AskAsync(CancellationToken cancellationToken)
    {
        switch (Form)
        {
            case LogForm.WriteSet:
                return WriteSetOf(await _session.AskAsync(_ => WatchSql.Cluster, cancellationToken));
            case LogForm.File:
                return await AskFileAsync(cancellationToken);
            case LogForm.Domain or LogForm.GtidSet:
                var rows = (await _session.AskAsync(WatchSql.LogPosition, cancellationToken)).Rows;
                return rows is not [[{ } position, _]] ? null : Form == LogForm.GtidSet ? position : NumberIn(position, Domain);
            default:
                return null;
        }
    }

    /// <summary>Null: no log, or the account may not ask.</summary>
    private async Task<string?> AskFileAsync(CancellationToken cancellationToken) =>
        await TryAskAsync(WatchSql.LogFile, cancellationToken) is { Rows: [[{ Length: > 0 } file, { } offset, ..]] }
            ? $"{file}:{offset}" : null;

    /// <summary>Null: the account may not ask.</summary>
    private async Task<TextResultSet?> TryAskAsync(Func<ServerIdentity, string> question, CancellationToken cancellationToken)
    {
        try
        {
            return await _session.AskAsync(question, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind is FaultKind.Configuration or FaultKind.Other)
        {
            return null;
        }
    }

    internal static string? ClusterOf(TextResultSet status) =>
        ServerVariables.Read(status)["wsrep_cluster_state_uuid"] is { Length: > 0 } uuid ? uuid : null;

    internal static string? WriteSetOf(TextResultSet status) => ServerVariables.Read(status)["wsrep_last_committed"];

    /// <summary>The sequence number of a domain in a list such as <c>0-1-5,3-2-17</c>.</summary>
    internal static string? NumberIn(string positions, string? domain) => positions.Split(',').Select(one => one.Trim().Split('-'))
        .FirstOrDefault(parts => parts.Length == 3 && parts[0] == domain)?[2];

    /// <summary>Whether a replica is as far.</summary>
    /// <param name="reached">null: nothing of it is there</param>
    internal static bool IsReached(LogForm form, string? reached, string position) => form == LogForm.File
        ? reached is not null && PlaceOf(reached).CompareTo(PlaceOf(position)) >= 0
        : ulong.TryParse(reached, CultureInfo.InvariantCulture, out var there)
            && ulong.TryParse(position, CultureInfo.InvariantCulture, out var due) && there >= due;

    private static (long File, long Offset) PlaceOf(string position)
    {
        var colon = position.LastIndexOf(':');
        var dot = position.LastIndexOf('.', colon);
        return (long.TryParse(position[(dot + 1)..colon], CultureInfo.InvariantCulture, out var file) ? file : 0,
            long.TryParse(position[(colon + 1)..], CultureInfo.InvariantCulture, out var offset) ? offset : 0);
    }
}
