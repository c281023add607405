using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input.Detection;

public sealed class Utf8DetectorTests
{
    static Utf8DetectorTests() => Encoding.RegisterProvider(CodePagesEncodingProvider.Instance);

    /// <summary>Lines of ASCII, of UTF-8 beyond it, and of bytes that are invalid there.</summary>
    [Theory]
    [InlineData(3, 0, 0, null)]
    [InlineData(3, 1, 0, "1.00")]
    [InlineData(3, 9, 1, "0.91")]
    [InlineData(999, 2, 2, "0.60")]
    public void Confidence_is_the_share_of_valid_lines(int ascii, int valid, int invalid, string? expected)
    {
        var found = Utf8Detector.Evaluate("in", Lines(ascii, valid, invalid), isWhole: true);
        Assert.Equal(expected, found?.Confidence.ToString("0.00"));
        Assert.Equal(invalid == 0, found?.IsExpected ?? true);
    }

    [Theory]
    [InlineData(3, 0, 1, "in:4: is not UTF-8 (it has the only such line)")]
    [InlineData(3, 0, 2, "in:4: is not UTF-8 (line 4 is the first of 2 such lines)")]
    [InlineData(0, 2, 4, "in:3: is not UTF-8 (line 3 is the first of 4 such lines)")]
    public void More_invalid_lines_than_valid_ones_are_an_error(int ascii, int valid, int invalid, string message)
    {
        var fault = Assert.Throws<InputException>(() => Utf8Detector.Evaluate("in", Lines(ascii, valid, invalid), isWhole: true));
        Assert.Equal(message, fault.Message);
        Assert.Equal(["--encoding", "windows-1252"], fault.WaysOn[0].Words);
        Assert.Equal(["--encoding", "utf-8"], fault.WaysOn[^1].Words);
    }

    [Fact]
    public void A_line_that_the_sample_cuts_off_says_nothing()
    {
        var bytes = Encoding.UTF8.GetBytes("a\nb\nünderbar ü");
        Assert.Null(Utf8Detector.Evaluate("in", bytes.AsSpan(0, bytes.Length - 1), isWhole: false));
    }

    [Theory]
    [InlineData("windows-1252", "Müller wohnt in Köln, Zoë in Orléans", "windows-1252")]
    [InlineData("ibm850", "Müller wohnt in Köln, Zoë in Orléans", "ibm850")]
    [InlineData("shift_jis", "東京都,大阪府,北海道", "shift_jis")]
    [InlineData("gb18030", "北京市,上海市,广东省", "gb18030")]
    [InlineData("windows-1251", "Москва, Санкт-Петербург, Казань", "windows-1251")]
    public void The_encoding_is_among_those_proposed(string encoding, string text, string expected) =>
        Assert.Contains(expected, EncodingEvidence.NamesOf(Encoding.GetEncoding(encoding).GetBytes(text), 3));

    /// <summary>An apostrophe between letters is no letter of another encoding.</summary>
    [Theory]
    [InlineData("windows-1252", "Doesn\u2019t Know,Did\u2026What?,caf\u00e9,x\u2026y", "windows-1252")]
    [InlineData("ibm850", "K\u00f6ln,M\u00fcller,\u00c6r\u00f8,l\u00e6se", "ibm850")]
    [InlineData("macintosh", "doesn\u2019t,caf\u00e9s", "macintosh")]
    [InlineData("macintosh", "n,t\n1,caf\u00e9\n2,na\u00efve", "macintosh")]
    public void The_likeliest_encoding_is_proposed_first(string encoding, string text, string expected) =>
        Assert.Equal(expected, EncodingEvidence.NamesOf(Encoding.GetEncoding(encoding).GetBytes(text), 3)[0]);

    [Theory]
    [InlineData(null, BinaryForm.Hex, true)]
    [InlineData("utf-8", BinaryForm.Hex, false)]
    [InlineData(null, BinaryForm.Raw, false)]
    public void Named_encodings_and_raw_bytes_are_not_judged(string? encoding, BinaryForm binary, bool isError)
    {
        var options = new SourceOptions { Encoding = encoding };
        using var input = Inputs.Open([.. "id,name\n"u8, .. Lines(0, 0, 9)], options);
        var fault = Record.Exception(() => SourceProbe.Look(input, options, new ValueOptions { Binary = binary }));
        Assert.Equal(isError, fault is InputException);
    }

    private static byte[] Lines(int ascii, int valid, int invalid) =>
    [
        .. Enumerable.Repeat("1,a\n"u8.ToArray(), ascii).SelectMany(line => line),
        .. Enumerable.Repeat("2,ü\n"u8.ToArray(), valid).SelectMany(line => line),
        .. Enumerable.Repeat(new byte[] { (byte)'3', (byte)',', 0xFC, (byte)'\n' }, invalid).SelectMany(line => line),
    ];
}
