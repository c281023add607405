namespace BulkLoad.Tests.Values;

public sealed class DateTimeRuleTests
{
    private static readonly TimeZoneInfo Berlin = TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin");

    [Theory]
    [InlineData("2024-02-29", "2024-02-29")]
    [InlineData("2023-02-29", "!impossible-date")]
    [InlineData("1900-02-29", "!impossible-date")]
    [InlineData("2000-02-29", "2000-02-29")]
    [InlineData("2024-04-31", "!impossible-date")]
    [InlineData("2024-13-01", "!impossible-date")]
    [InlineData("2024-00-01", "!impossible-date")]
    [InlineData("2024-01-00", "!impossible-date")]
    [InlineData("0000-00-00", "!impossible-date")]
    [InlineData("0001-01-01", "0001-01-01")]
    [InlineData("9999-12-31", "9999-12-31")]
    [InlineData("2024-01-01 00:00:00", "2024-01-01")]
    [InlineData("2024-01-01T00:00", "2024-01-01")]
    [InlineData("2024-01-01 00:00:00.000", "2024-01-01")]
    [InlineData("2024-01-01 00:00:01", "!has-time")]
    [InlineData("2024-01-01 00:00:00.5", "!has-time")]
    [InlineData("2024-01-01 00:00:00.0000001", "!has-time")]
    [InlineData("2024-01-01T00:00:00Z", "!has-offset")]
    [InlineData("2024-1-1", "!not-a-date")]
    [InlineData("24-01-01", "!not-a-date")]
    [InlineData("20240101", "!not-a-date")]
    [InlineData("2024/01/01", "!not-a-date")]
    [InlineData("01.01.2024", "!not-a-date")]
    [InlineData(" 2024-01-01", "!not-a-date")]
    [InlineData("2024-01-01 ", "!not-a-date")]
    [InlineData("-2024-01-01", "!not-a-date")]
    [InlineData("2024-01-0x", "!not-a-date")]
    [InlineData("", "!not-a-date")]
    public void A_date_is_one_of_the_calendar(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Date(), text));

    [Theory]
    [InlineData(0, "2024-01-02 03:04:05", "2024-01-02 03:04:05")]
    [InlineData(0, "2024-01-02T03:04:05", "2024-01-02 03:04:05")]
    [InlineData(0, "2024-01-02t03:04", "2024-01-02 03:04:00")]
    [InlineData(0, "2024-01-02", "2024-01-02 00:00:00")]
    [InlineData(0, "2024-01-02 03:04:05.000", "2024-01-02 03:04:05")]
    [InlineData(0, "2024-01-02 03:04:05.1", "!too-many-decimals")]
    [InlineData(3, "2024-01-02 03:04:05.123", "2024-01-02 03:04:05.123000")]
    [InlineData(3, "2024-01-02 03:04:05.123000000", "2024-01-02 03:04:05.123000")]
    [InlineData(3, "2024-01-02 03:04:05.1234", "!too-many-decimals")]
    [InlineData(6, "9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999")]
    [InlineData(6, "2024-01-02 03:04:05.1234567", "!too-many-decimals")]
    [InlineData(6, "2024-01-02 03:04:05.12345600", "2024-01-02 03:04:05.123456")]
    [InlineData(6, "2024-01-02 03:04:05.000001", "2024-01-02 03:04:05.000001")]
    [InlineData(0, "2024-01-02 24:00:00", "!impossible-date")]
    [InlineData(0, "2024-01-02 23:60:00", "!impossible-date")]
    [InlineData(0, "2024-01-02 23:59:60", "!impossible-date")]
    [InlineData(0, "2024-01-02 3:04:05", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:5", "!not-a-date")]
    [InlineData(0, "2024-01-02 03", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05.", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04.5", "!not-a-date")]
    [InlineData(0, "2024-01-02  03:04:05", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05 PM", "!not-a-date")]
    [InlineData(0, "2024-01-02 030405", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05 +02:00", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+2", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+020", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+02:0", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+02:00:00", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+15:00", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05+02:60", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05Europe/Berlin", "!not-a-date")]
    [InlineData(0, "2024-01-02 03:04:05Z", "!unknown-zone")]
    public void A_datetime_without_a_known_zone_stands_as_it_is_or_is_refused(int scale, string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.DateTime(scale), text));

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
