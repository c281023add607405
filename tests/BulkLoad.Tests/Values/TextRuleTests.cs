namespace BulkLoad.Tests.Values;

public sealed class TextRuleTests
{
    [Theory]
    [InlineData("abc", "abc")]
    [InlineData("abcd", "!too-long")]
    [InlineData("äöü", "äöü")]
    [InlineData("😀😀😀", "😀😀😀")]
    [InlineData("😀😀😀😀", "!too-long")]
    [InlineData("a  ", "a  ")]
    [InlineData("a   ", "!too-long")]
    [InlineData("", "")]
    [InlineData("\0\t\n", "\0\t\n")]
    [InlineData("e\u0301", "e\u0301")]
    public void A_varchar_is_as_long_as_it_has_characters(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Varchar(characters: 3), text));

    [Theory]
    [InlineData("abc", "abc")]
    [InlineData("ab ", "!trailing-blanks")]
    [InlineData(" ", "!trailing-blanks")]
    [InlineData(" ab", " ab")]
    [InlineData("ab\t", "ab\t")]
    [InlineData("", "")]
    [InlineData("abcd", "!too-long")]
    public void A_char_takes_no_blanks_at_its_end(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Char(3), text));

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
    [InlineData("utf8mb3", "ä€", "ä€")]
    [InlineData("utf8mb3", "a😀", "!not-in-charset")]
    [InlineData("utf8", "😀", "!not-in-charset")]
    [InlineData("ucs2", "😀", "!not-in-charset")]
    [InlineData("utf16", "😀", "😀")]
    [InlineData("utf32", "😀", "😀")]
    [InlineData("ascii", "ä", "!not-in-charset")]
    [InlineData("ascii", "a\u007f", "a\u007f")]
    [InlineData("latin1", "äöüß€™", "äöüß€™")]
    [InlineData("latin1", "\u0081\u00a0ÿ", "\u0081\u00a0ÿ")]
    [InlineData("latin1", "\u0080", "!not-in-charset")]
    [InlineData("latin1", "ł", "!not-in-charset")]
    [InlineData("latin1", "中", "!not-in-charset")]
    [InlineData("gb18030", "中", "中")]
    public void A_character_that_the_columns_charset_lacks_is_refused(string charset, string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Varchar(charset: charset), text));

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

    [Theory]
    [InlineData("", "")]
    [InlineData("a", "!too-long")]
    public void A_varchar_of_no_characters_takes_the_empty_text_only(string text, string expected) =>
        Assert.Equal(expected, Rules.Apply(Columns.Varchar(characters: 0), text));
}
