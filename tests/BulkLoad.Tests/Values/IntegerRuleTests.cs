namespace BulkLoad.Tests.Values;

public sealed class IntegerRuleTests
{
    [Theory]
    [InlineData(1, false, "-128", "127", "-129", "128")]
    [InlineData(1, true, "0", "255", "-1", "256")]
    [InlineData(2, false, "-32768", "32767", "-32769", "32768")]
    [InlineData(2, true, "0", "65535", "-1", "65536")]
    [InlineData(3, false, "-8388608", "8388607", "-8388609", "8388608")]
    [InlineData(3, true, "0", "16777215", "-1", "16777216")]
    [InlineData(4, false, "-2147483648", "2147483647", "-2147483649", "2147483648")]
    [InlineData(4, true, "0", "4294967295", "-1", "4294967296")]
    [InlineData(8, false, "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808")]
    [InlineData(8, true, "0", "18446744073709551615", "-1", "18446744073709551616")]
    public void An_integer_ends_exactly_at_its_types_limits(
        int bytes, bool isUnsigned, string least, string most, string below, string above)
    {
        var column = Columns.Integer(bytes: bytes, isUnsigned: isUnsigned);

        // In every notation: plain, padded, with a fraction of zero, with an exponent.
        foreach (var notation in new Func<string,
            string>[] { text => text, text => Pad(text), text => text + ".000", text => text + "0e-1", text => text + "e0" })
        {
            Assert.Equal(least, Rules.Apply(column, notation(least)));
            Assert.Equal(most, Rules.Apply(column, notation(most)));
            Assert.Equal("!out-of-range", Rules.Apply(column, notation(below)));
            Assert.Equal("!out-of-range", Rules.Apply(column, notation(above)));
        }

        static string Pad(string text) => text[0] == '-' ? $"-000{text[1..]}" : $"+000{text}";
    }

    [Fact]
    public void Digits_without_end_are_out_of_range_and_zeros_without_end_are_not()
    {
        Assert.Equal("!out-of-range", Rules.Apply(Columns.Integer(bytes: 8), new string('9', 100_000)));
        Assert.Equal("12", Rules.Apply(Columns.Integer(), new string('0', 100_000) + "12." + new string('0', 100_000)));
    }

    [Fact]
    public void An_exponent_beyond_a_million_was_cut_off_so_that_one_with_as_many_zeros_became_another_number()
    {
        // 10^1000001 e-2000001 is 1e-1000000: far from an integer. It was taken as 10.
        Assert.Equal("!not-an-integer", Rules.Apply(Columns.Integer(), "1" + new string('0', 1_000_001) + "e-2000001"));
        Assert.Equal("1", Rules.Apply(Columns.Integer(), "1" + new string('0', 2_000_001) + "e-2000001"));
        Assert.Equal("1", Rules.Apply(Columns.Integer(), "0." + new string('0', 2_000_000) + "1e2000001"));
    }

}
