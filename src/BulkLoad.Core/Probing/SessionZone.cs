using System.Globalization;

namespace BulkLoad.Core.Probing;

/// <summary>The server's name for a time zone, as .NET's.</summary>
internal static class SessionZone
{
    /// <summary>Null where the name is not known here, as with most abbreviations such as <c>CEST</c>.</summary>
    public static TimeZoneInfo? Find(string name)
    {
        if (name is "UTC" or "GMT" or "+00:00")
        {
            return TimeZoneInfo.Utc;
        }

        if (name.Length > 0 && name[0] is '+' or '-' && TimeSpan.TryParse(name[1..], CultureInfo.InvariantCulture, out var size))
        {
            var offset = name[0] == '-' ? -size : size;
            return TimeZoneInfo.CreateCustomTimeZone(name, offset, name, name);
        }

        // An abbreviation says the offset of a season, not of the year; only names of places are taken.
        return name.Contains('/') && TimeZoneInfo.TryFindSystemTimeZoneById(name, out var zone) ? zone : null;
    }
}
