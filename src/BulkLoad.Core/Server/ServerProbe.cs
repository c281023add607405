using BulkLoad.Core.Input;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Server;

/// <summary>Asks the server for its limits, and sets the session up.</summary>
internal static class ServerProbe
{
    /// <summary>Number of measured round trips. The fastest one counts: the others tell about a busy machine, not about the
    /// route.</summary>
    private const int RoundTrips = 5;

    /// <summary>Measuring ends after this time: the delays of a busy machine matter little on a long route.</summary>
    private static readonly TimeSpan MaxMeasuring = TimeSpan.FromMilliseconds(5);

    /// <summary>With a long round trip, none takes more than this times the fastest one.</summary>
    private const double MaxSpread = 1.25;

    /// <summary>Number of similar round trips that show that a route is long; more are needed if the address is local.</summary>
    private const int Alike = 2, AlikeOfLocal = 3;

    /// <summary>A round trip within this machine takes less. A route with a local address that takes longer leads to another
    /// machine.</summary>
    private static readonly TimeSpan MaxLocal = TimeSpan.FromMilliseconds(2);

    private static readonly Version FirstToNameRows = new(8, 0, 19);

    /// <summary>Sets the session up, and asks for the server's facts.</summary>
    /// <exception cref="PlanException">the server does not keep a setting that the promises depend on</exception>
    public static async Task<ServerFacts> LookAsync(
        IServerSession session, ValueOptions values, TimeProvider time, CancellationToken cancellationToken)
    {
        session.Bound(AnswerBound.LookUp);

        // Columns as in CatalogSql.Server.
        var asked = ValueZone.Asked(values.TimeZone);
        var profile = SessionSql.Profile(session.Server.IsMariaDb, values.ZeroDates, asked?.SessionOffset);
        var begun = time.GetTimestamp();
        string[] questions =
        [
            CatalogSql.Server(session.Server.IsMariaDb), CatalogSql.Uptime,
            TopologySql.Variables([.. ServerVariables.OfTransactions, .. ServerVariables.OfTopology]),
            CatalogSql.Replicas(session.Server.IsMariaDb, session.Server.Version),
        ];
        var answers = await session.QueryAllAsync([.. questions, .. profile], cancellationToken);
        var row = answers[0].FirstRow;
        var first = time.GetElapsedTime(begun);
        var variables = ServerVariables.Read(answers[2]);
        var replicas = answers[3].Rows is [[.., { } count]] ? int.Parse(count, CultureInfo.InvariantCulture) : 0;
        var logsStatements = row[4] == "1" && row[5] == "STATEMENT";
        begun = time.GetTimestamp();
        var kept = (await session.QueryAllAsync([SessionSql.Isolation(logsStatements), SessionSql.ReadBack], cancellationToken))[1];
        var second = time.GetElapsedTime(begun);
        var differences = SessionSql.Differences(kept.FirstRow, values.ZeroDates, asked?.SessionOffset);
        if (differences.Count > 0)
        {
            throw new PlanException(
                $"the server does not keep the session's settings ({string.Join("; ", differences)}): is there a proxy in between?");
        }

        var topology = await TopologyProbe.FindAsync(session, variables, row[12], replicas, cancellationToken);
        var roundTrip = await MeasureRoundTripAsync(session, time, [first, second], cancellationToken);
        session.Bound(AnswerBound.Lock);
        var ownZone = (row[2] == "SYSTEM" ? row[3] : row[2]) ?? "SYSTEM";
        return new ServerFacts
        {
            IsMariaDb = session.Server.IsMariaDb,
            VersionText = session.Server.VersionText,
            Endpoint = session.Server.Endpoint,
            Security = session.Server.Security,
            User = session.Server.User,
            Identity = row[6] ?? "",
            Incarnation = ReadIncarnation($"{row[6]}/{row[12]}", answers[1], session),
            IsGalera = variables.IsGalera,
            Topology = topology,
            TransactionLimits = [.. TransactionLimit.In(variables), .. SpeakerRules.Limits(topology)],
            LocalInfileRefusal = SpeakerRules.FindLoadObstacle(topology),
            RelaxedDurability = [.. RelaxedBy(row)],
            Replicas = replicas,
            ConnectionId = ulong.Parse(row[7]!, CultureInfo.InvariantCulture),
            MaxAllowedPacket = long.Parse(row[0]!, CultureInfo.InvariantCulture),
            MaxPreparedStatements = long.Parse(row[1]!, CultureInfo.InvariantCulture),
            TakesBulkExecutions = session.Server.TakesBulkExecutions,
            IsStepwise = session.Server.IsStepwise,
            NamesNewRow = !session.Server.IsMariaDb && session.Server.Version >= FirstToNameRows,
            Zone = asked ?? new ValueZone(ownZone, SessionZone.Find(ownZone)),
            LogsStatements = logsStatements,
            LocksIds = row[8] != "2",
            Database = row[9],
            RoundTrip = roundTrip,
            SharedCores = session.Server.IsLocal && roundTrip < MaxLocal ? Environment.ProcessorCount : null,
        };
    }

    public static async Task<Incarnation> AskIncarnationAsync(IServerSession session, CancellationToken cancellationToken)
    {
        var answers = await session.QueryAllAsync(
            [CatalogSql.IdentityWithId(session.Server.IsMariaDb), CatalogSql.Uptime], cancellationToken);
        return ReadIncarnation($"{answers[0].FirstRow[0]}/{answers[0].FirstRow[1]}", answers[1], session);
    }

    private static Incarnation ReadIncarnation(string server, TextResultSet uptime, IServerSession session)
    {
        var isTold = long.TryParse(uptime.Rows is [[_, var text]] ? text : null, CultureInfo.InvariantCulture, out var seconds);
        return new Incarnation(
            server, isTold ? TimeSpan.FromSeconds(seconds) : null, TimeProvider.System.GetElapsedTime(0), session.Server.ConnectionId);
    }

    private static IEnumerable<string> RelaxedBy(string?[] row)
    {
        if (row[10] != "1")
        {
            yield return $"innodb_flush_log_at_trx_commit={row[10]}";
        }

        if (row[4] == "1" && row[11] != "1")
        {
            yield return $"sync_binlog={row[11]}";
        }
    }

    /// <param name="taken">times of the questions so far: if those were slow, another one costs more than it tells</param>
    private static async Task<TimeSpan> MeasureRoundTripAsync(
        IServerSession session, TimeProvider time, List<TimeSpan> taken, CancellationToken cancellationToken)
    {
        var all = taken.Min();
        for (var i = 0; i < RoundTrips && (all < MaxMeasuring || !AreOfALongRoute(taken, session.Server.IsLocal)); i++)
        {
            var start = time.GetTimestamp();
            await session.ExecuteAsync(CatalogSql.RoundTrip, cancellationToken);
            taken.Add(time.GetElapsedTime(start));
            all += taken[^1];
        }

        return taken.Min();
    }

    /// <summary>Whether these are times of a long route: its round trips take about the same time, and the delays of a busy machine do
    /// not.</summary>
    private static bool AreOfALongRoute(List<TimeSpan> taken, bool isLocal)
    {
        var best = taken.Min();
        return best < MaxMeasuring || taken.Count(one => one <= best * MaxSpread) >= (isLocal ? AlikeOfLocal : Alike);
    }
}

/// <summary>Translates the server's name of a time zone to .NET's.</summary>
internal static class SessionZone
{
    /// <summary>Null: the name is unknown here, as most abbreviations such as <c>CEST</c>.</summary>
    public static TimeZoneInfo? Find(string name)
    {
        if (name is "UTC" or "+00:00")
        {
            return TimeZoneInfo.Utc;
        }

        // An abbreviation (CEST, +03, and GMT in London) says the offset of a season, not of the year. So only names of places count.
        return ValueZone.OfOffset(name) ?? (name.Contains('/') && TimeZoneInfo.TryFindSystemTimeZoneById(name, out var zone) ? zone : null);
    }
}

/// <summary>A session that is set up to carry rows.</summary>
/// <param name="Session">owned</param>
internal sealed record ReadySession(IServerSession Session, ServerFacts Server) : IAsyncDisposable
{
    /// <summary>The server would not alter or make a table that has a date of zero for a default. And where clocks are set back, two
    /// moments have one local time: as a default, in a sum, or where MySQL copies or compares a TIMESTAMP.</summary>
    private static readonly ValueOptions ForTables = new() { ZeroDates = true, TimeZone = "UTC" };

    /// <summary>A session in UTC that makes, alters and compares tables, and carries no rows of the client's.</summary>
    /// <exception cref="PlanException">the server does not keep a setting that the promises depend on</exception>
    public static Task<ReadySession> OpenForTablesAsync(
        ConnectionOptions connection, TimeProvider time, CancellationToken cancellationToken) => OpenAsync(
            async token => await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, token), ForTables, time,
            cancellationToken);

    /// <exception cref="PlanException">the server does not keep a setting that the promises depend on</exception>
    public static async Task<ReadySession> OpenAsync(
        Func<CancellationToken, Task<IServerSession>> connect, ValueOptions values, TimeProvider time, CancellationToken cancellationToken)
    {
        var session = await connect(cancellationToken);
        try
        {
            var server = await ServerProbe.LookAsync(session, values, time, cancellationToken);
            session.Bound(AnswerBound.Statement);
            return new ReadySession(session, server);
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    public ValueTask DisposeAsync() => Session.DisposeAsync();
}
