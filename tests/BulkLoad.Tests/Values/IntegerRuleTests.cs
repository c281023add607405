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
    public void An_integer_ends_exactly_at_its_types_limits(int bytes, bool isUnsigned, string least, string most, string below, string above)
    {
        var column = Columns.Integer(bytes: bytes, isUnsigned: isUnsigned);

        // In every notation: plain, padded, with a fraction of zero, with an exponent.
        foreach (var notation in new Func<string, string>[] { text => text, text => Pad(text), text => text + ".000", text => text + "0e-1", text => text + "e0" })
        {
            Assert.Equal(least, Rules.Apply(column, notation(least)));
            Assert.Equal(most, Rules.Apply(column, notation(most)));
            Assert.Equal("!out-of-range", Rules.Apply(column, notation(below)));
            Assert.Equal("!out-of-range", Rules.Apply(column, notation(above)));
        }

        static string Pad(string text) => text[0] == '-' ? $"-000{text[1..]}" : $"+000{text}";
    }

    [Theory]
    [InlineData("7", "7")]
    [InlineData("+7", "7")]
    [InlineData("007", "7")]
    [InlineData("7.0", "7")]
    [InlineData("7.", "7")]
    [InlineData("7e0", "7")]
    [InlineData("7E+2", "700")]
    [InlineData("700e-2", "7")]
    [InlineData("0.07e2", "7")]
    [InlineData("-0", "0")]
    [InlineData("+0", "0")]
    [InlineData("-0.0e5", "0")]
    [InlineData("000", "0")]
    [InlineData(".0", "0")]
    [InlineData("0e999999999999", "0")]
    [InlineData("1.5", "!not-an-integer")]
    [InlineData("15e-1", "!not-an-integer")]
    [InlineData("1e-999999999999", "!not-an-integer")]
    [InlineData("1e999999999", "!out-of-range")]
    [InlineData("-1e999999999", "!out-of-range")]
    [InlineData("1e99999999999999999999999999999", "!out-of-range")]
    [InlineData("", "!not-an-integer")]
    [InlineData(" 7", "!not-an-integer")]
    [InlineData("7 ", "!not-an-integer")]
    [InlineData("7x", "!not-an-integer")]
    [InlineData("x", "!not-an-integer")]
    [InlineData("+", "!not-an-integer")]
    [InlineData("-", "!not-an-integer")]
    [InlineData("--7", "!not-an-integer")]
    [InlineData("+-7", "!not-an-integer")]
    [InlineData(".", "!not-an-integer")]
    [InlineData("e5", "!not-an-integer")]
    [InlineData("7e", "!not-an-integer")]
    [InlineData("7e+", "!not-an-integer")]
    [InlineData("7e1.0", "!not-an-integer")]
    [InlineData("7e1e1", "!not-an-integer")]
    [InlineData("1.2.3", "!not-an-integer")]
    [InlineData("1,000", "!not-an-integer")]
    [InlineData("1_000", "!not-an-integer")]
    [InlineData("0x10", "!not-an-integer")]
    [InlineData("٧", "!not-an-integer")]
    [InlineData("7\0", "!not-an-integer")]
    [InlineData("true", "!not-an-integer")]
    [InlineData("NaN", "!not-an-integer")]
    public void An_integer_is_the_same_number_in_any_notation_or_refused(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Integer(), text));

    [Theory]
    [InlineData("-0", "0")]
    [InlineData("-0.00", "0")]
    [InlineData("-1", "!out-of-range")]
    [InlineData("-1.0", "!out-of-range")]
    [InlineData("-0.5", "!not-an-integer")]
    [InlineData("18446744073709551615.0", "18446744073709551615")]
    [InlineData("99999999999999999999", "!out-of-range")]
    public void An_unsigned_integer_takes_no_sign_but_that_of_zero(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Integer(bytes: 8, isUnsigned: true), text));

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

    [Theory]
    [InlineData("true", "1")]
    [InlineData("TRUE", "1")]
    [InlineData("t", "1")]
    [InlineData("Yes", "1")]
    [InlineData("y", "1")]
    [InlineData("on", "1")]
    [InlineData("1", "1")]
    [InlineData("false", "0")]
    [InlineData("F", "0")]
    [InlineData("nO", "0")]
    [InlineData("N", "0")]
    [InlineData("OFF", "0")]
    [InlineData("0", "0")]
    [InlineData("-7", "-7")]
    [InlineData("127", "127")]
    [InlineData("128", "!out-of-range")]
    [InlineData("tru", "!not-an-integer")]
    [InlineData("true ", "!not-an-integer")]
    [InlineData("", "!not-an-integer")]
    [InlineData("ja", "!not-an-integer")]
    public void A_boolean_takes_the_words_of_truth_beside_its_numbers(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Integer(bytes: 1, isBoolean: true), text));
}
