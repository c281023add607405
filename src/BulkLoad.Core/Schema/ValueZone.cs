namespace BulkLoad.Core.Schema;

/// <summary>The time zone of times in the input. Null zone: the server's name for it is unknown here.</summary>
internal sealed record ValueZone(string Name, TimeZoneInfo? Zone)
{
    private const string Utc = "+00:00";

    private static readonly TimeSpan Widest = TimeSpan.FromHours(14);

    // The limits that both servers accept for a session: MariaDB's (its manual, "Time Zones").
    private static readonly TimeSpan MinForSession = new(-12, -59, 0);
    private static readonly TimeSpan MaxForSession = new(13, 0, 0);

    /// <summary>The offset for the session's time_zone. Null: it does not change.</summary>
    public string? SessionOffset { get; private init; }

    /// <summary>Whether the session runs in UTC, and the rule converts TIMESTAMP values: time_zone can only be an offset, and this zone has
    /// several.</summary>
    public bool ConvertsTimestamps { get; private init; }

    /// <summary>Whether the session may have one time for two moments, since its clocks are set back, as far as is known.</summary>
    public bool RepeatsTimes => SessionOffset is null && Zone?.HasOneOffset() != true;

    /// <summary>The zone of <c>--time-zone</c>; null: the server's.</summary>
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

        return zone.HasOneOffset() && zone.BaseUtcOffset >= MinForSession && zone.BaseUtcOffset <= MaxForSession
            ? new ValueZone(name, zone) { SessionOffset = Text(zone.BaseUtcOffset) }
            : new ValueZone(name, zone) { SessionOffset = Utc, ConvertsTimestamps = true };
    }

    /// <summary>Null: the name is not of the form <c>+hh:mm</c>.</summary>
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

/// <summary>The moments with one local time in a zone: none in the hour that clocks skip, two in the hour that they repeat.</summary>
internal static class LocalMoments
{
    /// <summary>The local time must be at least a day away from either end of the calendar. <paramref name="utc"/> is the earlier moment.
    /// Returns how many there are.</summary>
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

    /// <summary>Whether the zone has had its present offset since 1970, where TIMESTAMP begins.</summary>
    public static bool HasOneOffset(this TimeZoneInfo zone) => !zone.GetAdjustmentRules().Any(rule =>
        rule.DateEnd.Year >= 1970 && (rule.DaylightDelta != TimeSpan.Zero || rule.BaseUtcOffsetDelta != TimeSpan.Zero));

    private static bool IsUsed(TimeZoneInfo zone, DateTime local, TimeSpan offset) =>
        zone.GetUtcOffset(new DateTime(local.Ticks - offset.Ticks, DateTimeKind.Utc)) == offset;
}
