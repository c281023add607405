using BulkLoad.Core.Values;

namespace BulkLoad.Tests.Values;

public sealed class DateTimeTextTests
{
    /// <summary>The short way to parse takes what the long one takes and would write the same.</summary>
    [Theory]
    [InlineData("2024-02-29 23:59:58")]
    [InlineData("1900-10-31 09:00:00")]
    [InlineData("9999-12-30 10:30:41")]
    [InlineData("0001-01-01 00:00:00")]
    public void Any_byte_in_any_place_means_the_same_in_both_ways(string text)
    {
        var taken = 0;
        for (var at = 0; at < text.Length; at++)
        {
            for (var value = 0; value <= byte.MaxValue; value++)
            {
                var bytes = Encoding.ASCII.GetBytes(text);
                bytes[at] = (byte)value;
                taken += AssertSame(bytes) ? 1 : 0;
            }
        }

        Assert.InRange(taken, text.Length, 14 * 10);
    }

    [Fact]
    public void Every_day_and_second_is_parsed()
    {
        for (var day = new DateTime(1999, 12, 31); day.Year < 2005; day = day.AddDays(1).AddSeconds(86_399 / 7))
        {
            Assert.True(AssertSame(
                Encoding.ASCII.GetBytes(day.ToString("yyyy-MM-dd HH:mm:ss", System.Globalization.CultureInfo.InvariantCulture))));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("2024-02-29")]
    [InlineData("2024-02-29 10:11")]
    [InlineData("2024-02-29 10:11:12.5")]
    [InlineData("2024-02-29T10:11:12")]
    [InlineData("2023-02-29 10:11:12")]
    public void Other_forms_are_for_the_long_way(string text) =>
        Assert.False(DateTimeText.TryParsePlain(Encoding.ASCII.GetBytes(text), out _, out _));

    private static bool AssertSame(byte[] text)
    {
        var isPlain = DateTimeText.TryParsePlain(text, out var date, out var second);
        var isKnown = DateTimeText.TryParse(text, out var parsed, out var isImpossible) && !isImpossible
            && parsed is { HasZeroPart: false, Offset: null, FractionDigits: 0 } && text[10] == ' ';
        Assert.True(isKnown == isPlain, Encoding.Latin1.GetString(text));
        if (isPlain)
        {
            Assert.Equal(((parsed.Year, parsed.Month, parsed.Day), parsed.TimeOfDay), (date, second * TimeSpan.TicksPerSecond));
        }

        return isPlain;
    }
}
