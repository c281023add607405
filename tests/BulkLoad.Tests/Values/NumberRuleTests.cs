using System.Numerics;
using BulkLoad.Core.Values;

namespace BulkLoad.Tests.Values;

public sealed class NumberRuleTests
{
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
        var value = BigInteger.Parse(
            $"{digits.Replace(".", "", StringComparison.Ordinal)}", NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
        var (numerator, denominator) = exponent >= 0
            ? (value * BigInteger.Pow(10, exponent), BigInteger.One) : (value, BigInteger.Pow(10, -exponent));
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
            text.Append(random.Next(2) == 0 ? 'e' : 'E').Append(random.Next(3) switch { 0 => "-", 1 => "+", _ => "" })
                .Append(random.Next(60));
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

}
