using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

public sealed class DoubleTextTests
{
    [Theory]
    [InlineData("0")]
    [InlineData("-0")]
    [InlineData("-0.0")]
    [InlineData("0.1")]
    [InlineData("-12.5")]
    [InlineData("007.50")]
    [InlineData("9007199254740992")]
    [InlineData("9007199254740993")]
    [InlineData("9007199254740991.5")]
    [InlineData("0.000000000000001")]
    [InlineData("123456789.12345678")]
    [InlineData("8.41e21")]
    [InlineData("9214843084008499.0")]
    [InlineData("1.7976931348623157e308")]
    [InlineData("4.9406564584124654e-324")]
    public void It_is_the_nearest_double(string text) => Assert.Equal(Bits(Nearest(text)), Bits(Parse(text)));

    [Fact]
    public void It_is_the_nearest_double_of_random_numbers()
    {
        var seed = Environment.TickCount;
        var random = new Random(seed);
        for (var i = 0; i < 100_000; i++)
        {
            var digits = random.Next(1, 18);
            var text = new StringBuilder(random.Next(2) == 0 ? "-" : "");
            var point = random.Next(0, digits + 1);
            for (var digit = 0; digit < digits; digit++)
            {
                text.Append(digit == point && digit > 0 ? "." : "").Append(random.Next(10));
            }

            Assert.True(Bits(Nearest($"{text}")) == Bits(Parse($"{text}")), $"seed {seed}: {text}");
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    [InlineData("--1")]
    [InlineData("1.2.3")]
    [InlineData("1,5")]
    [InlineData("1x")]
    [InlineData("1 ")]
    [InlineData("0x10")]
    public void Other_text_is_none(string text) => Assert.False(DoubleText.TryParse(Encoding.UTF8.GetBytes(text), out _));

    private static double Parse(string text) => DoubleText.TryParse(Encoding.UTF8.GetBytes(text), out var value) ? value : double.NaN;

    private static double Nearest(string text) => double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);

    private static long Bits(double value) => BitConverter.DoubleToInt64Bits(value);
}
