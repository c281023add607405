namespace BulkLoad.Tests.Values;

public sealed class DateTimeRuleTests
{
    private static readonly TimeZoneInfo Berlin = TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin");

    [Fact]
    public void A_datetime_with_an_offset_is_refused_if_the_servers_zone_is_not_known() =>
        Assert.Equal("!unknown-zone", Rules.Apply(Columns.DateTime(), "2024-01-02 03:04:05Z"));

    [Theory]
    [InlineData("2024-01-02T03:04:05Z", "2024-01-02 04:04:05")]
    [InlineData("2024-07-02T03:04:05z", "2024-07-02 05:04:05")]
    [InlineData("2024-07-02T03:04:05+00:00", "2024-07-02 05:04:05")]
    [InlineData("2024-07-02T03:04:05+0530", "2024-07-01 23:34:05")]
    [InlineData("2024-07-02T03:04:05-08", "2024-07-02 13:04:05")]
    [InlineData("2024-12-31T23:30:00Z", "2025-01-01 00:30:00")]
    [InlineData("2024-03-31T00:59:59Z", "2024-03-31 01:59:59")]
    [InlineData("2024-03-31T01:00:00Z", "2024-03-31 03:00:00")]
    [InlineData("2024-10-27T00:30:00Z", "2024-10-27 02:30:00")]
    [InlineData("2024-10-27T01:30:00Z", "2024-10-27 02:30:00")]
    [InlineData("2024-03-31 02:30:00", "2024-03-31 02:30:00")]
    [InlineData("0001-01-01T00:00:00+02:00", "!out-of-range")]
    [InlineData("9999-12-31T23:00:00-10:00", "!out-of-range")]
    public void A_datetime_with_an_offset_is_converted_to_the_sessions_zone(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.DateTime(), text, Berlin));

    [Theory]
    [InlineData("1970-01-02 00:00:00", "1970-01-02 00:00:00")]
    [InlineData("1968-12-31 23:59:59", "!out-of-range")]
    [InlineData("0001-01-01 00:00:00", "!out-of-range")]
    [InlineData("2038-01-19 03:14:07", "2038-01-19 03:14:07")]
    [InlineData("9999-12-31 23:59:59", "!out-of-range")]
    [InlineData("2024-03-31 01:59:59", "2024-03-31 01:59:59")]
    [InlineData("2024-03-31 02:00:00", "!impossible-date")]
    [InlineData("2024-03-31 02:59:59", "!impossible-date")]
    [InlineData("2024-03-31 03:00:00", "2024-03-31 03:00:00")]
    [InlineData("2024-10-27 01:59:59", "2024-10-27 01:59:59")]
    [InlineData("2024-10-27 03:00:00", "2024-10-27 03:00:00")]
    [InlineData("2024-10-26T23:59:59Z", "2024-10-27 01:59:59")]
    [InlineData("2024-10-27T02:00:00Z", "2024-10-27 03:00:00")]
    public void A_timestamp_is_a_moment_that_the_sessions_zone_has(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Timestamp(), text, Berlin));

    [Theory]
    [InlineData("2024-10-27 02:00:00")]
    [InlineData("2024-10-27 02:30:00")]
    [InlineData("2024-10-27 02:59:59.999999")]
    public void A_time_of_the_repeated_hour_without_an_offset_was_taken_for_one_of_two_moments(string text)
    {
        Assert.Equal("!ambiguous-time", Rules.Apply(Columns.Timestamp(6), text, Berlin));
        Assert.Equal(text, Rules.Apply(Columns.DateTime(6), text, Berlin));
    }

    [Theory]
    [InlineData("2024-10-27T00:30:00Z")]
    [InlineData("2024-10-27T01:30:00Z")]
    [InlineData("2024-10-27T02:30:00+02:00")]
    [InlineData("2024-10-27T02:30:00+01:00")]
    public void Two_moments_of_the_repeated_hour_became_one_in_a_timestamp(string text) =>
        Assert.Equal("!ambiguous-time", Rules.Apply(Columns.Timestamp(), text, Berlin));

    [Fact]
    public void A_change_of_the_zone_without_summer_time_repeats_an_hour_too()
    {
        var moscow = TimeZoneInfo.FindSystemTimeZoneById("Europe/Moscow");
        Assert.Equal("!ambiguous-time", Rules.Apply(Columns.Timestamp(), "2014-10-25T21:30:00Z", moscow));
        Assert.Equal("!ambiguous-time", Rules.Apply(Columns.Timestamp(), "2014-10-25T22:30:00Z", moscow));
        Assert.Equal("2014-10-26 02:30:00", Rules.Apply(Columns.Timestamp(), "2014-10-25T23:30:00Z", moscow));
    }

    [Fact]
    public void A_zone_without_changes_has_every_moment_once() =>
        Assert.Equal("2024-10-27 00:30:00", Rules.Apply(Columns.Timestamp(), "2024-10-27T02:30:00+02:00", TimeZoneInfo.Utc));
}
