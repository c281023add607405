using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Server;

/// <summary>The server's name for a time zone, as .NET's.</summary>
internal static class SessionZone
{
    /// <summary>Null where the name is not known here, as with most abbreviations such as <c>CEST</c>.</summary>
    public static TimeZoneInfo? Find(string name)
    {
        if (name is "UTC" or "+00:00")
        {
            return TimeZoneInfo.Utc;
        }

        // An abbreviation (CEST, +03, and GMT in London) says the offset of a season, not of the year; only names of places are taken.
        return ValueZone.OfOffset(name) ?? (name.Contains('/') && TimeZoneInfo.TryFindSystemTimeZoneById(name, out var zone) ? zone : null);
    }
}
