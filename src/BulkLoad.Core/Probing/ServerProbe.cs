using System.Globalization;
using BulkLoad.Core.Mapping;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Probing;

/// <summary>Asks the server for its limits and gives the session its profile.</summary>
internal static class ServerProbe
{
    /// <summary>The fastest of so many counts: the others tell of a busy machine, not of the route.</summary>
    private const int RoundTrips = 5;

    private static readonly Version FirstToNameRows = new(8, 0, 19);

    /// <summary>Sets the session up and says what the server is.</summary>
    /// <param name="session">a new session</param>
    /// <param name="values">what the session's settings depend on</param>
    /// <param name="time">the clock</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="PlanException">the server does not keep a setting that the promises rest on</exception>
    public static async Task<ServerFacts> LookAsync(IServerSession session, ValueOptions values, TimeProvider time, CancellationToken cancellationToken)
    {
        // Columns as in CatalogSql.Server.
        var row = (await session.QueryAsync(CatalogSql.Server, cancellationToken)).FirstRow;
        var logsStatements = row[4] == "1" && row[5] == "STATEMENT";
        var asked = ValueZone.Asked(values.TimeZone);
        foreach (var statement in SessionSql.Profile(session.Server.IsMariaDb, logsStatements, values.ZeroDates, asked?.SessionOffset))
        {
            await session.ExecuteAsync(statement, cancellationToken);
        }

        var differences = SessionSql.Differences(
            (await session.QueryAsync(SessionSql.ReadBack, cancellationToken)).FirstRow, values.ZeroDates, asked?.SessionOffset);
        if (differences.Count > 0)
        {
            throw new PlanException($"the server does not keep the session's settings ({string.Join("; ", differences)}): is there a proxy in between?");
        }

        var ownZone = (row[2] == "SYSTEM" ? row[3] : row[2]) ?? "SYSTEM";
        return new ServerFacts
        {
            IsMariaDb = session.Server.IsMariaDb,
            VersionText = session.Server.VersionText,
            Endpoint = session.Server.Endpoint,
            Security = session.Server.Security,
            User = session.Server.User,
            Identity = row[6] ?? "",
            ConnectionId = ulong.Parse(row[7]!, CultureInfo.InvariantCulture),
            MaxAllowedPacket = long.Parse(row[0]!, CultureInfo.InvariantCulture),
            MaxPreparedStatements = long.Parse(row[1]!, CultureInfo.InvariantCulture),
            TakesBulkExecutions = session.Server.TakesBulkExecutions,
            NamesNewRow = !session.Server.IsMariaDb && session.Server.Version >= FirstToNameRows,
            Zone = asked ?? new ValueZone(ownZone, SessionZone.Find(ownZone)),
            LogsStatements = logsStatements,
            LocksIds = row[8] != "2",
            RoundTrip = await MeasureRoundTripAsync(session, time, cancellationToken),
        };
    }

    /// <summary>The session's default database, or null.</summary>
    public static async Task<string?> FindDatabaseAsync(IServerSession session, CancellationToken cancellationToken) =>
        (await session.QueryAsync(CatalogSql.Database, cancellationToken)).Scalar;

    private static async Task<TimeSpan> MeasureRoundTripAsync(IServerSession session, TimeProvider time, CancellationToken cancellationToken)
    {
        var best = TimeSpan.MaxValue;
        for (var i = 0; i < RoundTrips; i++)
        {
            var start = time.GetTimestamp();
            await session.ExecuteAsync(CatalogSql.RoundTrip, cancellationToken);
            var elapsed = time.GetElapsedTime(start);
            best = elapsed < best ? elapsed : best;
        }

        return best;
    }
}
