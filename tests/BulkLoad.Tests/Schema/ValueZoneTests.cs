using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Schema;

/// <summary><c>--time-zone</c>: what the session is set to, and what the rules then write.</summary>
public sealed class ValueZoneTests
{
    [Theory]
    [InlineData(null)]
    [InlineData("server")]
    [InlineData("Server")]
    public void The_servers_zone_is_not_asked_for(string? name) => Assert.Null(ValueZone.Asked(name));

    [Theory]
    [InlineData("UTC", "+00:00", false)]
    [InlineData("utc", "+00:00", false)]
    [InlineData("+00:00", "+00:00", false)]
    [InlineData("-00:00", "+00:00", false)]
    [InlineData("+05:30", "+05:30", false)]
    [InlineData("-12:59", "-12:59", false)]
    [InlineData("+13:00", "+13:00", false)]
    [InlineData("+13:01", "+00:00", true)] // MariaDB refuses these for a session.
    [InlineData("+14:00", "+00:00", true)]
    [InlineData("-13:00", "+00:00", true)]
    [InlineData("Etc/UTC", "+00:00", false)]
    [InlineData("Asia/Kolkata", "+05:30", false)] // Its last change was in 1945.
    [InlineData("Europe/Berlin", "+00:00", true)]
    [InlineData("Europe/Moscow", "+00:00", true)]
    [InlineData("Pacific/Kiritimati", "+00:00", true)]
    public void A_session_has_the_zones_only_offset_or_runs_in_utc(string name, string session, bool converts)
    {
        var zone = ValueZone.Asked(name)!;
        Assert.Equal((name, session, converts), (zone.Name, zone.SessionOffset, zone.ConvertsTimestamps));
    }

    [Theory]
    [InlineData("")]
    [InlineData("Europe/Berlim")]
    [InlineData("+2")]
    [InlineData("+02")]
    [InlineData("0200")]
    [InlineData("+14:01")]
    [InlineData("+02:60")]
    [InlineData("../etc/passwd")]
    [InlineData("SYSTEM")]
    public void A_zone_that_is_not_known_is_refused(string name) => Assert.Equal(
        $"--time-zone: '{name}' is not a time zone known here: write server, UTC, an offset such as +02:00, or a name such as "
            + "Europe/Berlin",
        Assert.Throws<RequestException>(() => ValueZone.Asked(name)).Message);

    [Theory]
    [InlineData("2024-01-02 03:04:05", "2024-01-02 02:04:05")]
    [InlineData("2024-07-02 03:04:05", "2024-07-02 01:04:05")]
    [InlineData("2024-07-02T03:04:05Z", "2024-07-02 03:04:05")]
    [InlineData("2024-07-02T03:04:05-08:00", "2024-07-02 11:04:05")]
    [InlineData("2024-03-31 01:59:59", "2024-03-31 00:59:59")]
    [InlineData("2024-03-31 02:30:00", "!impossible-date")]
    [InlineData("2024-03-31 03:00:00", "2024-03-31 01:00:00")]
    [InlineData("2024-10-27 01:59:59", "2024-10-26 23:59:59")]
    [InlineData("2024-10-27 02:30:00", "!ambiguous-time")]
    [InlineData("2024-10-27T02:30:00+02:00", "2024-10-27 00:30:00")]
    [InlineData("2024-10-27T02:30:00+01:00", "2024-10-27 01:30:00")]
    [InlineData("2024-10-27 03:00:00", "2024-10-27 02:00:00")]
    [InlineData("1970-01-01 01:00:01", "1970-01-01 00:00:01")]
    [InlineData("1970-01-01 01:00:00", "!out-of-range")]
    [InlineData("1970-01-01T00:00:00Z", "!out-of-range")]
    [InlineData("9999-12-31 23:59:59", "!out-of-range")]
    [InlineData("2024-01-02 03:04:60", "!impossible-date")]
    public void A_timestamp_in_a_zone_of_several_offsets_is_sent_as_utc(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Timestamp(), text, In("Europe/Berlin")));

    [Theory]
    [InlineData("2024-10-27 02:30:00", "2024-10-27 02:30:00")]
    [InlineData("2024-03-31 02:30:00", "2024-03-31 02:30:00")]
    [InlineData("2024-07-02T03:04:05Z", "2024-07-02 05:04:05")]
    [InlineData("2024-10-27T00:30:00Z", "2024-10-27 02:30:00")]
    public void A_datetime_in_a_zone_of_several_offsets_is_local_time(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.DateTime(), text, In("Europe/Berlin")));

    [Theory]
    [InlineData("+14:00", "2024-01-02 03:04:05", "2024-01-01 13:04:05")]
    [InlineData("+05:30", "2024-01-02 03:04:05", "2024-01-02 03:04:05")]
    [InlineData("+05:30", "2024-01-02T03:04:05Z", "2024-01-02 08:34:05")]
    public void An_offset_that_a_session_can_have_needs_no_converting(string zone, string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Timestamp(), text, In(zone)));

    [Fact]
    public void A_value_with_an_offset_in_an_unknown_zone_names_the_option() =>
        Assert.Contains(
            "name it with --time-zone", Rules.Fault(Columns.DateTime(), "2024-01-01T00:00Z")?.Message, StringComparison.Ordinal);

    private static RuleOptions In(string zone) => Rules.Options() with { Zone = ValueZone.Asked(zone)! };
}
