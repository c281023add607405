namespace BulkLoad.Core.Mapping;

/// <summary>How many moments a time zone writes as one local time: none in the hour that clocks skip, two in the one that they repeat.</summary>
internal static class LocalMoments
{
    /// <param name="zone">any zone</param>
    /// <param name="local">at least a day away from either end of the calendar</param>
    public static int Count(TimeZoneInfo zone, DateTime local)
    {
        // No zone is more than 14 hours from UTC, so that a day before and behind is on either side of a change.
        var before = zone.GetUtcOffset(new DateTime(local.Ticks - TimeSpan.TicksPerDay, DateTimeKind.Utc));
        var behind = zone.GetUtcOffset(new DateTime(local.Ticks + TimeSpan.TicksPerDay, DateTimeKind.Utc));
        var count = IsUsed(zone, local, before) ? 1 : 0;
        return before == behind || !IsUsed(zone, local, behind) ? count : count + 1;
    }

    private static bool IsUsed(TimeZoneInfo zone, DateTime local, TimeSpan offset) =>
        zone.GetUtcOffset(new DateTime(local.Ticks - offset.Ticks, DateTimeKind.Utc)) == offset;
}
