using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

/// <summary><c>--zero-dates</c>: a year, month or day of zero, as servers without NO_ZERO_DATE and NO_ZERO_IN_DATE keep them.</summary>
public sealed class ZeroDateTests
{
    private static readonly RuleOptions ZeroDates = Rules.Options() with { TakesZeroDates = true };

    [Theory]
    [InlineData("0000-00-00", "0000-00-00")]
    [InlineData("2024-00-00", "2024-00-00")]
    [InlineData("2024-05-00", "2024-05-00")]
    [InlineData("2024-00-31", "2024-00-31")]
    [InlineData("0000-05-05", "0000-05-05")]
    [InlineData("0000-00-00 00:00:00", "0000-00-00")]
    [InlineData("2024-02-29", "2024-02-29")]
    [InlineData("0000-02-29", "!impossible-date")]
    [InlineData("2024-00-32", "!impossible-date")]
    [InlineData("2024-13-00", "!impossible-date")]
    [InlineData("2023-02-29", "!impossible-date")]
    [InlineData("0000-00-00 00:00:01", "!has-time")]
    [InlineData("0000-00-00T00:00:00Z", "!has-offset")]
    public void A_date_can_have_zeros(string text, string expected) => Assert.Equal(expected, Rules.Apply(Columns.Date(), text, ZeroDates));

    [Theory]
    [InlineData("0000-00-00", "0000-00-00 00:00:00")]
    [InlineData("0000-00-00 10:11:12.5", "0000-00-00 10:11:12.500000")]
    [InlineData("2024-00-00T10:11", "2024-00-00 10:11:00")]
    [InlineData("0000-00-00 24:00:00", "!impossible-date")]
    [InlineData("0000-00-00 00:00:00.1234", "!too-many-decimals")]
    [InlineData("0000-00-00T00:00:00+02:00", "!has-offset")]
    public void A_datetime_can_have_zeros(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.DateTime(3), text, ZeroDates));

    [Theory]
    [InlineData("0000-00-00", "0000-00-00 00:00:00")]
    [InlineData("0000-00-00 00:00:00", "0000-00-00 00:00:00")]
    [InlineData("0000-00-00 00:00:01", "!impossible-date")]
    [InlineData("2024-00-00 00:00:00", "!impossible-date")]
    [InlineData("2024-05-00", "!impossible-date")]
    [InlineData("0000-05-05", "!impossible-date")]
    public void A_timestamp_can_be_all_zero(string text, string expected)
    {
        Assert.Equal(expected, Rules.Apply(Columns.Timestamp(), text, ZeroDates));
        Assert.Equal(expected, Rules.Apply(Columns.Timestamp(), text, ZeroDates with { Zone = ValueZone.Asked("Europe/Berlin")! }));
    }

    [Theory]
    [InlineData("0000-00-00 23:59:59.4", "0000-00-00 23:59:59")]
    [InlineData("0000-00-00 23:59:59.5", "!out-of-range")]
    public void A_zero_date_has_no_day_after_it_to_round_to(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.DateTime(), text, ZeroDates with { Rounds = true }));

    [Fact]
    public void Without_the_option_the_message_names_it() => Assert.Equal(
        "is a date that does not exist (--zero-dates accepts a year, month or day of zero)",
        Rules.Fault(Columns.Date(), "2024-00-00")?.Message);
}
