using System.Globalization;

namespace BulkLoad.Core.Probing;

/// <summary>The server's name for a time zone, as .NET's.</summary>
internal static class SessionZone
{
    private static readonly TimeSpan Widest = TimeSpan.FromHours(14);

    /// <summary>Null where the name is not known here, as with most abbreviations such as <c>CEST</c>.</summary>
    public static TimeZoneInfo? Find(string name)
    {
        if (name is "UTC" or "+00:00")
        {
            return TimeZoneInfo.Utc;
        }

        if (name.Length == 6 && name[0] is '+' or '-'
            && TimeSpan.TryParseExact(name.AsSpan(1), @"hh\:mm", CultureInfo.InvariantCulture, out var size) && size <= Widest)
        {
            var offset = name[0] == '-' ? -size : size;
            return TimeZoneInfo.CreateCustomTimeZone(name, offset, name, name);
        }

        // An abbreviation (CEST, +03, and GMT in London) says the offset of a season, not of the year; only names of places are taken.
        return name.Contains('/') && TimeZoneInfo.TryFindSystemTimeZoneById(name, out var zone) ? zone : null;
    }
}
