using System.Numerics;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

/// <summary><c>--round</c>: numbers half away from zero, times half up in magnitude, and then the column's range.</summary>
public sealed class RoundingTests
{
    private static readonly RuleOptions Rounding = Rules.Options() with { Rounds = true };

    private static string Apply(TableColumn column, string text) => Rules.Apply(column, text, Rounding);

    [Theory]
    [InlineData("1.234", "1.23")]
    [InlineData("1.235", "1.24")]
    [InlineData("-1.235", "-1.24")]
    [InlineData("1.2349999999999999999999999999", "1.23")]
    [InlineData("1.2350000000000000000000000000", "1.24")]
    [InlineData("0.004", "0")]
    [InlineData("-0.004", "0")]
    [InlineData("0.005", "0.01")]
    [InlineData("-0.005", "-0.01")]
    [InlineData(".995", "1")]
    [InlineData("9.995", "10")]
    [InlineData("-9.995", "-10")]
    [InlineData("1.999", "2")]
    [InlineData("1.099", "1.1")]
    [InlineData("99.999", "100")]
    [InlineData("999.994", "999.99")]
    [InlineData("999.995", "!out-of-range")]
    [InlineData("-999.995", "!out-of-range")]
    [InlineData("1000", "!out-of-range")]
    [InlineData("12345e-4", "1.23")]
    [InlineData("12355e-4", "1.24")]
    [InlineData("0.0012355e3", "1.24")]
    [InlineData("5e-3", "0.01")]
    [InlineData("4e-3", "0")]
    [InlineData("5e-4", "0")]
    [InlineData("1e-999999999", "0")]
    [InlineData("1.5", "1.5")]
    [InlineData("x", "!not-a-number")]
    public void A_decimal_is_rounded_to_its_scale(string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.Decimal(5, 2), text));

    [Theory]
    [InlineData("-0.004", "0")]
    [InlineData("-0.005", "!out-of-range")]
    [InlineData("0.005", "0.01")]
    public void An_unsigned_decimal_is_judged_after_rounding(string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.Decimal(5, 2, isUnsigned: true), text));

    [Theory]
    [InlineData("1.4", "1")]
    [InlineData("1.5", "2")]
    [InlineData("2.5", "3")]
    [InlineData("-2.5", "-3")]
    [InlineData("-0.4", "0")]
    [InlineData("0.5", "1")]
    [InlineData("99.5", "100")]
    [InlineData("127.4", "127")]
    [InlineData("127.5", "!out-of-range")]
    [InlineData("-128.4", "-128")]
    [InlineData("-128.5", "!out-of-range")]
    [InlineData("15e-1", "2")]
    [InlineData("99999999999999999999.5", "!out-of-range")]
    [InlineData("1.x", "!not-an-integer")]
    public void An_integer_is_rounded_to_the_nearest(string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.Integer(bytes: 1), text));

    [Theory]
    [InlineData(8, false, "9223372036854775807.4", "9223372036854775807")]
    [InlineData(8, false, "9223372036854775807.5", "!out-of-range")]
    [InlineData(8, false, "-9223372036854775808.4", "-9223372036854775808")]
    [InlineData(8, false, "-9223372036854775808.5", "!out-of-range")]
    [InlineData(8, true, "18446744073709551615.4", "18446744073709551615")]
    [InlineData(8, true, "18446744073709551615.5", "!out-of-range")]
    [InlineData(8, true, "-0.4", "0")]
    [InlineData(8, true, "-0.5", "!out-of-range")]
    public void An_integer_is_rounded_before_its_range_is_looked_at(int bytes, bool isUnsigned, string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.Integer(bytes: bytes, isUnsigned: isUnsigned), text));

    [Fact]
    public void A_rounded_number_is_the_nearest_one_of_its_scale()
    {
        var random = new Random(20_261_121);
        for (var i = 0; i < 20_000; i++)
        {
            var (scale, digits) = (random.Next(6), random.Next(1, 20));
            var units = new BigInteger(random.NextInt64(1_000_000_000_000)) - 500_000_000_000;
            var text = $"{units.ToString()}e-{digits.ToString()}";

            // In units of the scale, twice, so that the middle is a whole number too.
            var power = BigInteger.Pow(10, Math.Max(0, digits - scale));
            var magnitude = BigInteger.Abs(units) * BigInteger.Pow(10, Math.Max(0, scale - digits));
            var nearest = ((2 * magnitude) + power) / (2 * power) * units.Sign;

            var expected = nearest.IsZero ? "0" : Show(nearest, scale);
            Assert.True(expected == Apply(Columns.Decimal(30, scale), text), $"{text} to {scale} digits is {expected}");
        }

        static string Show(BigInteger units, int scale)
        {
            var digits = BigInteger.Abs(units).ToString().PadLeft(scale + 1, '0');
            var fraction = digits[^scale..].TrimEnd('0');
            return (units.Sign < 0 ? "-" : "") + digits[..^scale] + (fraction.Length == 0 ? "" : "." + fraction);
        }
    }

    [Theory]
    [InlineData(0, "2024-01-02 03:04:05.4", "2024-01-02 03:04:05")]
    [InlineData(0, "2024-01-02 03:04:05.5", "2024-01-02 03:04:06")]
    [InlineData(0, "2024-01-02 03:04:05.4999999999", "2024-01-02 03:04:05")]
    [InlineData(0, "2024-12-31 23:59:59.9", "2025-01-01 00:00:00")]
    [InlineData(0, "2024-02-28 23:59:59.5", "2024-02-29 00:00:00")]
    [InlineData(3, "2024-01-02 03:04:05.1234", "2024-01-02 03:04:05.123000")]
    [InlineData(3, "2024-01-02 03:04:05.1235", "2024-01-02 03:04:05.124000")]
    [InlineData(6, "2024-01-02 03:04:05.1234564", "2024-01-02 03:04:05.123456")]
    [InlineData(6, "2024-01-02 03:04:05.1234565", "2024-01-02 03:04:05.123457")]
    [InlineData(6, "2024-01-02 03:04:05.9999995", "2024-01-02 03:04:06")]
    [InlineData(3, "2024-01-02 03:04:05.12", "2024-01-02 03:04:05.120000")]
    [InlineData(0, "9999-12-31 23:59:59.4", "9999-12-31 23:59:59")]
    [InlineData(0, "9999-12-31 23:59:59.5", "!out-of-range")]
    [InlineData(6, "9999-12-31 23:59:59.9999995", "!out-of-range")]
    public void A_datetime_is_rounded_to_its_digits(int scale, string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.DateTime(scale), text));

    [Fact]
    public void A_moment_is_rounded_before_it_is_converted()
    {
        var berlin = Rounding with { Zone = new ValueZone("here", TimeZoneInfo.FindSystemTimeZoneById("Europe/Berlin")) };
        Assert.Equal("2024-03-31 03:00:00", Rules.Apply(Columns.Timestamp(), "2024-03-31T00:59:59.5Z", berlin));
        Assert.Equal("2024-03-31 03:00:00", Rules.Apply(Columns.DateTime(), "2024-03-31T00:59:59.5Z", berlin));
    }

    [Theory]
    [InlineData("2024-01-02 00:00:00.4")]
    [InlineData("2024-01-02 10:00")]
    public void A_date_is_not_rounded_from_a_time_of_day(string text) => Assert.Equal("!has-time", Apply(Columns.Date(), text));

    [Theory]
    [InlineData(0, "10:20:30.5", "10:20:31")]
    [InlineData(0, "-10:20:30.5", "-10:20:31")]
    [InlineData(0, "23:59:59.9", "24:00:00")]
    [InlineData(0, "-00:00:00.4", "00:00:00")]
    [InlineData(0, "838:59:59.4", "838:59:59")]
    [InlineData(0, "838:59:59.5", "!out-of-range")]
    [InlineData(0, "-838:59:59.5", "!out-of-range")]
    [InlineData(3, "10:20:30.1235", "10:20:30.124000")]
    [InlineData(6, "10:20:30.1234565", "10:20:30.123457")]
    [InlineData(6, "838:59:58.9999995", "838:59:59")]
    [InlineData(6, "838:59:59.0000004", "838:59:59")]
    [InlineData(3, "10:20:30.12", "10:20:30.120000")]
    public void A_time_is_rounded_to_its_digits(int scale, string text, string expected) =>
        Assert.Equal(expected, Apply(Columns.Time(scale), text));
}
