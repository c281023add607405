using BulkLoad.Cli.Options;

namespace BulkLoad.Tests.Cli.Options;

public sealed class OptionParsersTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("1000", 1_000)]
    [InlineData("1k", 1_000)]
    [InlineData("1K", 1_000)]
    [InlineData("1Ki", 1_024)]
    [InlineData("3M", 3_000_000)]
    [InlineData("8Mi", 8L << 20)]
    [InlineData("8MiB", 8L << 20)]
    [InlineData("8MB", 8_000_000)]
    [InlineData("2G", 2_000_000_000)]
    [InlineData("2gi", 2L << 30)]
    [InlineData("9223372036854775807", long.MaxValue)]
    public void A_size_is_a_whole_number_with_a_unit(string text, long size) => Assert.Equal(size, OptionParsers.Size(text));

    [Theory]
    [InlineData("")]
    [InlineData("k")]
    [InlineData("-1")]
    [InlineData("+1")]
    [InlineData("1.5M")]
    [InlineData("1 M")]
    [InlineData("1T")]
    [InlineData("1,000")]
    [InlineData("9223372036854775808")]
    [InlineData("9223372036854775807k")]
    [InlineData("99999999999Gi")]
    public void Anything_else_is_no_size(string text) => Assert.Throws<FormatException>(() => OptionParsers.Size(text));

    [Fact]
    public void A_small_size_fits_32_bits()
    {
        Assert.Equal(int.MaxValue, OptionParsers.SmallSize("2147483647"));
        Assert.Throws<FormatException>(() => OptionParsers.SmallSize("2Gi"));
    }

    [Theory]
    [InlineData("250ms", 0.25)]
    [InlineData("1.5", 1.5)]
    [InlineData("90s", 90)]
    [InlineData("5m", 300)]
    [InlineData("168h", 604_800)]
    public void A_time_has_a_unit_or_is_seconds(string text, double seconds) =>
        Assert.Equal(TimeSpan.FromSeconds(seconds), OptionParsers.Time(text));

    [Theory]
    [InlineData("")]
    [InlineData("h")]
    [InlineData("-1")]
    [InlineData("1d")]
    [InlineData("604801")]
    [InlineData("79228162514264337593543950335h")] // was an internal error
    public void Anything_else_is_no_time(string text) => Assert.Throws<FormatException>(() => OptionParsers.Time(text));

    [Theory]
    [InlineData(",", ',')]
    [InlineData("\\", '\\')]
    [InlineData("\\\\", '\\')]
    [InlineData("\\t", '\t')]
    [InlineData("\\0", '\0')]
    [InlineData("\\x1f", '\x1f')]
    [InlineData("TAB", '\t')]
    public void A_character_stands_for_itself_or_is_escaped(string text, char character) =>
        Assert.Equal(character, OptionParsers.Character(text));

    [Theory]
    [InlineData("")]
    [InlineData("ab")]
    [InlineData("é")]
    [InlineData("\\q")]
    [InlineData("\\xff")]
    public void Anything_else_is_no_character(string text) => Assert.Throws<FormatException>(() => OptionParsers.Character(text));

    [Theory]
    [InlineData("crlf", "\r\n")]
    [InlineData("\\r\\n", "\r\n")]
    [InlineData("\\n", "\n")]
    [InlineData("CR", "\r")]
    [InlineData("|\\n", "|\n")]
    public void A_line_end_has_a_name_or_is_written_out(string text, string newline) => Assert.Equal(newline, OptionParsers.Newline(text));
}
