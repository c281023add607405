namespace BulkLoad.Core.Schema;

/// <summary>The time zone in which times are meant, and what the session's own has to be for that.</summary>
/// <param name="Zone">null where the server's name for it is not known here</param>
internal sealed record ValueZone(string Name, TimeZoneInfo? Zone)
{
    private const string Utc = "+00:00";

    private static readonly TimeSpan Widest = TimeSpan.FromHours(14);

    // What both servers take for a session; MariaDB's bounds (its manual, "Time Zones").
    private static readonly TimeSpan LeastOfSession = new(-12, -59, 0);
    private static readonly TimeSpan MostOfSession = new(13, 0, 0);

    /// <summary>An offset for the session's time_zone; null: it stays as the server has it.</summary>
    public string? SessionOffset { get; private init; }

    /// <summary>Whether the session runs in UTC instead, since its time_zone can only be an offset and this zone has several: then
    /// TIMESTAMP values are converted by their rule.</summary>
    public bool ConvertsTimestamps { get; private init; }

    /// <summary>The zone of <c>--time-zone</c>; null: the server's.</summary>
    /// <exception cref="RequestException">no such zone</exception>
    public static ValueZone? Asked(string? name)
    {
        if (name is null || name.Equals("server", StringComparison.OrdinalIgnoreCase))
        {
            return null;
        }

        var zone = name.Equals("UTC", StringComparison.OrdinalIgnoreCase) ? TimeZoneInfo.Utc : OfOffset(name);
        if (zone is null && (name.Length == 0 || !TimeZoneInfo.TryFindSystemTimeZoneById(name, out zone)))
        {
            throw new RequestException(
                $"--time-zone: '{name}' is not a time zone known here: write server, UTC, an offset such as +02:00, or a name such as " +
                "Europe/Berlin");
        }

        return zone.HasOneOffset() && zone.BaseUtcOffset >= LeastOfSession && zone.BaseUtcOffset <= MostOfSession
            ? new ValueZone(name, zone) { SessionOffset = Text(zone.BaseUtcOffset) }
            : new ValueZone(name, zone) { SessionOffset = Utc, ConvertsTimestamps = true };
    }

    /// <summary>The zone that is always so far from UTC; null where the name is not an offset of the form <c>+hh:mm</c>.</summary>
    public static TimeZoneInfo? OfOffset(string name)
    {
        if (name.Length != 6 || name[0] is not ('+' or '-')
            || !TimeSpan.TryParseExact(name.AsSpan(1), @"hh\:mm", CultureInfo.InvariantCulture, out var size) || size > Widest)
        {
            return null;
        }

        return TimeZoneInfo.CreateCustomTimeZone(name, name[0] == '-' ? -size : size, name, name);
    }

    private static string Text(TimeSpan offset) => offset == TimeSpan.Zero
        ? Utc
        : $"{(offset < TimeSpan.Zero ? '-' : '+')}{offset:hh\\:mm}";
}

/// <summary>The moments that a time zone writes as one local time: none in the hour that clocks skip, two in the one that they
/// repeat.</summary>
internal static class LocalMoments
{
    /// <param name="local">at least a day away from either end of the calendar</param>
    /// <param name="utc">the only moment, or the earlier of two</param>
    /// <returns>how many there are</returns>
    public static int Find(TimeZoneInfo zone, DateTime local, out DateTime utc)
    {
        // No zone is more than 14 hours from UTC, so that a day before and behind is on either side of a change.
        var before = zone.GetUtcOffset(new DateTime(local.Ticks - TimeSpan.TicksPerDay, DateTimeKind.Utc));
        var behind = zone.GetUtcOffset(new DateTime(local.Ticks + TimeSpan.TicksPerDay, DateTimeKind.Utc));
        var isBefore = IsUsed(zone, local, before);
        var isBehind = before != behind && IsUsed(zone, local, behind);
        utc = new DateTime(local.Ticks - (isBefore ? before : behind).Ticks, DateTimeKind.Utc);
        return (isBefore ? 1 : 0) + (isBehind ? 1 : 0);
    }

    /// <summary>Whether the zone has been as far from UTC as now since 1970, where TIMESTAMP begins.</summary>
    public static bool HasOneOffset(this TimeZoneInfo zone) => !zone.GetAdjustmentRules().Any(rule =>
        rule.DateEnd.Year >= 1970 && (rule.DaylightDelta != TimeSpan.Zero || rule.BaseUtcOffsetDelta != TimeSpan.Zero));

    private static bool IsUsed(TimeZoneInfo zone, DateTime local, TimeSpan offset) =>
        zone.GetUtcOffset(new DateTime(local.Ticks - offset.Ticks, DateTimeKind.Utc)) == offset;
}
