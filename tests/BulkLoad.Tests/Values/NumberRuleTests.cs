using System.Numerics;
using BulkLoad.Core.Values;

namespace BulkLoad.Tests.Values;

public sealed class NumberRuleTests
{
    [Theory]
    [InlineData(5, 2, "123.45", "123.45")]
    [InlineData(5, 2, "999.99", "999.99")]
    [InlineData(5, 2, "-999.99", "-999.99")]
    [InlineData(5, 2, "1000", "!out-of-range")]
    [InlineData(5, 2, "1e3", "!out-of-range")]
    [InlineData(5, 2, "1.234", "!too-many-decimals")]
    [InlineData(5, 2, "1.230000", "1.23")]
    [InlineData(5, 2, "1.20", "1.2")]
    [InlineData(5, 2, "000001.2", "1.2")]
    [InlineData(5, 2, "12345e-2", "123.45")]
    [InlineData(5, 2, "12345e-3", "!too-many-decimals")]
    [InlineData(5, 2, "0.0012e3", "1.2")]
    [InlineData(5, 2, ".5", "0.5")]
    [InlineData(5, 2, "5.", "5")]
    [InlineData(5, 2, "-.5", "-0.5")]
    [InlineData(5, 2, "-0.00", "0")]
    [InlineData(5, 2, "1e-2", "0.01")]
    [InlineData(5, 2, "1e-3", "!too-many-decimals")]
    [InlineData(5, 2, "1e-999999999", "!too-many-decimals")]
    [InlineData(5, 2, "1e999999999", "!out-of-range")]
    [InlineData(5, 2, "0e999999999", "0")]
    [InlineData(5, 2, "", "!not-a-number")]
    [InlineData(5, 2, " 1", "!not-a-number")]
    [InlineData(5, 2, "1,5", "!not-a-number")]
    [InlineData(5, 2, "inf", "!not-a-number")]
    [InlineData(5, 2, "$1", "!not-a-number")]
    [InlineData(5, 0, "99999", "99999")]
    [InlineData(5, 0, "1.0", "1")]
    [InlineData(5, 0, "0.1", "!too-many-decimals")]
    [InlineData(2, 2, "0.99", "0.99")]
    [InlineData(2, 2, ".99", "0.99")]
    [InlineData(2, 2, "1", "!out-of-range")]
    [InlineData(2, 2, "0", "0")]
    public void A_decimal_keeps_every_digit_or_is_refused(int precision, int scale, string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Decimal(precision, scale), text));

    [Theory]
    [InlineData("-0", "0")]
    [InlineData("-0.00", "0")]
    [InlineData("-0.01", "!out-of-range")]
    [InlineData("7", "7")]
    public void An_unsigned_decimal_takes_no_negative_number(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Decimal(5, 2, isUnsigned: true), text));

    [Theory]
    [InlineData(65, 0)]
    [InlineData(65, 30)]
    [InlineData(65, 38)]
    [InlineData(38, 38)]
    public void A_decimal_has_up_to_65_digits(int precision, int scale)
    {
        var whole = new string('9', precision - scale);
        var fraction = scale == 0 ? "" : "." + new string('9', scale);
        var largest = (whole.Length == 0 ? "0" : whole) + fraction;
        Assert.Equal(largest, Rules.Apply(Columns.Decimal(precision, scale), largest));
        Assert.Equal($"-{largest}", Rules.Apply(Columns.Decimal(precision, scale), $"-{largest}"));
        Assert.Equal("!out-of-range", Rules.Apply(Columns.Decimal(precision, scale), "1" + new string('0', precision - scale)));
        Assert.Equal("!too-many-decimals", Rules.Apply(Columns.Decimal(precision, scale), "0." + new string('0', scale) + "1"));
    }

    [Fact]
    public void A_number_text_stands_for_exactly_the_number_that_was_written()
    {
        var random = new Random(20_261_120);
        for (var i = 0; i < 20_000; i++)
        {
            var text = RandomNumber(random);
            var bytes = Encoding.ASCII.GetBytes(text);
            Assert.True(NumberText.TryParse(bytes, out var number), text);

            var room = new byte[number.WholeDigits + number.FractionDigits + 4];
            var written = Encoding.ASCII.GetString(room, 0, number.Write(room));

            Assert.True(Exact(text) == Exact(written), $"{text} was written as {written}");
            Assert.Matches(@"^(-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?)$", written);
            Assert.NotEqual("-0", written);
            var dot = written.IndexOf('.');
            Assert.Equal(dot < 0 ? 0 : written.Length - dot - 1, number.FractionDigits);
        }
    }

    /// <summary>The number as a fraction in lowest terms.</summary>
    private static (BigInteger Numerator, BigInteger Denominator) Exact(string text)
    {
        var mark = text.IndexOfAny(['e', 'E']);
        var exponent = mark < 0 ? 0 : int.Parse(text[(mark + 1)..], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        var digits = mark < 0 ? text : text[..mark];
        var dot = digits.IndexOf('.');
        exponent -= dot < 0 ? 0 : digits.Length - dot - 1;
        var value = BigInteger.Parse($"{digits.Replace(".", "", StringComparison.Ordinal)}", NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        var (numerator, denominator) = exponent >= 0 ? (value * BigInteger.Pow(10, exponent), BigInteger.One) : (value, BigInteger.Pow(10, -exponent));
        var common = BigInteger.GreatestCommonDivisor(numerator, denominator);
        return (numerator / common, denominator / common);
    }

    private static string RandomNumber(Random random)
    {
        var text = new StringBuilder(random.Next(4) switch { 0 => "-", 1 => "+", _ => "" });
        var whole = random.Next(25);
        var fraction = random.Next(25);
        Digits(whole);
        if (fraction > 0 || whole == 0)
        {
            text.Append('.');
            Digits(Math.Max(fraction, 1));
        }

        if (random.Next(2) == 0)
        {
            text.Append(random.Next(2) == 0 ? 'e' : 'E').Append(random.Next(3) switch { 0 => "-", 1 => "+", _ => "" }).Append(random.Next(60));
        }

        return text.ToString();

        void Digits(int count)
        {
            // Many zeros, since those at the ends are where the rules are.
            var zeros = random.Next(3) == 0;
            for (var i = 0; i < count; i++)
            {
                text.Append((char)('0' + (zeros || random.Next(3) == 0 ? 0 : random.Next(10))));
            }
        }
    }

    [Theory]
    [InlineData("1.5", "1.5")]
    [InlineData("-1e5", "-1e5")]
    [InlineData("+.5", "+.5")]
    [InlineData("5.", "5.")]
    [InlineData("1.7976931348623157e308", "1.7976931348623157e308")]
    [InlineData("1.8e308", "!out-of-range")]
    [InlineData("-1.8e308", "!out-of-range")]
    [InlineData("1e999999999999", "!out-of-range")]
    [InlineData("1e-400", "!becomes-zero")]
    [InlineData("1e-999999999999", "!becomes-zero")]
    [InlineData("0e999999999999", "0e999999999999")]
    [InlineData("NaN", "!not-a-number")]
    [InlineData("nan", "!not-a-number")]
    [InlineData("inf", "!not-a-number")]
    [InlineData("Infinity", "!not-a-number")]
    [InlineData("-Infinity", "!not-a-number")]
    [InlineData("∞", "!not-a-number")]
    [InlineData("", "!not-a-number")]
    [InlineData(" 1", "!not-a-number")]
    [InlineData("1 ", "!not-a-number")]
    [InlineData("1e", "!not-a-number")]
    [InlineData("1e+", "!not-a-number")]
    [InlineData(".", "!not-a-number")]
    [InlineData("-", "!not-a-number")]
    [InlineData("1.2.3", "!not-a-number")]
    [InlineData("1,5", "!not-a-number")]
    [InlineData("0x1p3", "!not-a-number")]
    [InlineData("1f", "!not-a-number")]
    [InlineData("(1)", "!not-a-number")]
    public void A_double_is_any_number_up_to_the_largest(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Double(), text));

    [Theory]
    [InlineData("3.4028234e38", "3.4028234e38")]
    [InlineData("-3.4028234e38", "-3.4028234e38")]
    [InlineData("3.5e38", "!out-of-range")]
    [InlineData("1e300", "!out-of-range")]
    [InlineData("0.1", "0.1")]
    [InlineData("1e-45", "1e-45")]
    [InlineData("nan", "!not-a-number")]
    public void A_float_ends_at_its_own_largest_value(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Float(), text));

    [Fact]
    public void The_largest_float_in_its_shortest_form_was_refused_as_beyond_the_largest() =>
        Assert.Equal("3.4028234663852886E+38", Rules.Apply(Columns.Float(), "3.4028235e38"));

    [Theory]
    [InlineData("1.00000005960464477539062500001", 1.0000001f)] // A hair above the middle: by way of a double it became 1.
    [InlineData("1.000000178813934326171874999", 1.0000001f)] // A hair below: it became 1.0000002.
    [InlineData("1.000000059604644775390625", 1f)] // The middle itself goes to the even one.
    public void A_float_is_the_nearest_to_the_text_and_was_rounded_twice(string text, float nearest)
    {
        var sent = double.Parse(Rules.Apply(Columns.Float(), text), CultureInfo.InvariantCulture);
        Assert.Equal(nearest, (float)sent);
    }

    [Theory]
    [InlineData("-0", "-0")]
    [InlineData("-0.0", "-0.0")]
    [InlineData("-1e-300", "!out-of-range")]
    [InlineData("1", "1")]
    public void An_unsigned_double_takes_no_negative_number(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Double(isUnsigned: true), text));
}
