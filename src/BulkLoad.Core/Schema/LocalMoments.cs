namespace BulkLoad.Core.Schema;

/// <summary>The moments that a time zone writes as one local time: none in the hour that clocks skip, two in the one that they repeat.</summary>
internal static class LocalMoments
{
    /// <param name="zone">any zone</param>
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
