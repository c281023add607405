namespace BulkLoad.Tests.Values;

public sealed class TextRuleTests
{
    [Theory]
    [InlineData(new byte[] { 0x80 })]
    [InlineData(new byte[] { 0xc3 })]
    [InlineData(new byte[] { 0xc0, 0x80 })]
    [InlineData(new byte[] { 0xe2, 0x82 })]
    [InlineData(new byte[] { 0xed, 0xa0, 0x80 })]
    [InlineData(new byte[] { 0xf5, 0x80, 0x80, 0x80 })]
    [InlineData(new byte[] { 0x61, 0xff, 0x62 })]
    public void Bytes_that_are_not_utf8_are_refused(byte[] bytes) =>
        Assert.Equal("!invalid-text", Rules.Apply(Columns.Varchar(), bytes));

    [Theory]
    [InlineData("utf8mb4", 8, "abcdefgh", true)]
    [InlineData("utf8mb4", 8, "abcdefghi", false)]
    [InlineData("utf8mb4", 8, "ääää", true)]
    [InlineData("utf8mb4", 8, "ääääa", false)]
    [InlineData("utf8mb4", 8, "😀😀", true)]
    [InlineData("utf8mb4", 8, "😀😀a", false)]
    [InlineData("utf8mb3", 8, "€€a", true)]
    [InlineData("utf8mb3", 8, "€€€", false)]
    [InlineData("latin1", 8, "ääääääää", true)] // 16 bytes of UTF-8, but 8 of latin1: was refused.
    [InlineData("latin1", 8, "äääääääää", false)]
    [InlineData("ucs2", 8, "abcd", true)]
    [InlineData("ucs2", 8, "abcde", false)] // 5 bytes of UTF-8, but 10 of ucs2: was taken.
    [InlineData("utf16", 8, "😀😀", true)]
    [InlineData("utf16", 8, "😀😀a", false)]
    [InlineData("utf16le", 8, "€€€€", true)]
    [InlineData("utf16le", 8, "€€€€€", false)]
    [InlineData("utf32", 8, "ab", true)]
    [InlineData("utf32", 8, "abc", false)]
    [InlineData("koi8r", 8, "приветам", true)]
    [InlineData("koi8r", 8, "приветами", false)]
    public void A_text_ends_at_its_bytes_in_the_columns_own_charset(string charset, int bytes, string text, bool fits) =>
        Assert.Equal(fits ? text : "!too-long", Rules.Apply(Columns.Text(bytes, charset), text));

    [Theory]
    [InlineData(255, "too-long", "is longer than 255 bytes")]
    public void A_text_that_is_too_long_is_told_in_bytes(int bytes, string code, string message)
    {
        var fault = Rules.Fault(Columns.Text(bytes), new string('x', bytes + 1));
        Assert.Equal((code, message), (fault!.Code, fault.Message));
    }

}
