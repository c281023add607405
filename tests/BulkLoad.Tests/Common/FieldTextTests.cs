namespace BulkLoad.Tests.Common;

public sealed class FieldTextTests
{
    [Theory]
    [InlineData("x17", "'x17'")]
    [InlineData("", "''")]
    [InlineData("a\nb\r\tc", "'a\\nb\\r\\tc'")]
    [InlineData("a\0\u001b[31m", "'a\\x00\\x1b[31m'")]
    [InlineData("\u202e5\u200b", "'\\x202e5\\x200b'")]
    [InlineData("a\u2028b", "'a\\x2028b'")]
    [InlineData("it's", "'it's'")]
    public void A_value_is_shown_on_one_line_with_what_cannot_be_seen(string value, string expected) =>
        Assert.Equal(expected, FieldText.Show(Encoding.UTF8.GetBytes(value)));

    [Fact]
    public void Bytes_that_are_not_text_are_shown_somehow() => Assert.Equal("'a\ufffdb'", FieldText.Show([0x61, 0xff, 0x62]));

    [Theory]
    [InlineData('x', 40, false)]
    [InlineData('x', 41, true)]
    [InlineData('é', 40, false)] // 80 bytes: three dots stood behind a value that was whole.
    [InlineData('é', 41, true)]
    [InlineData('€', 5000, true)]
    public void Only_a_value_that_is_longer_is_cut(char character, int count, bool isCut) =>
        Assert.Equal($"'{new string(character, Math.Min(count, 40))}{(isCut ? "..." : "")}'",
            FieldText.Show(Encoding.UTF8.GetBytes(new string(character, count))));

    [Theory]
    [InlineData("nmae", "; did you mean 'name'?")]
    [InlineData("NAME", "; did you mean 'name'?")]
    [InlineData("agee", "; did you mean 'age'?")]
    [InlineData("zzz", "")]
    [InlineData("", "")]
    public void A_name_that_was_nearly_right_is_offered(string name, string expected) =>
        Assert.Equal(expected, Names.DidYouMean(name, ["name", "age", "created"]));
}
