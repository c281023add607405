using System.IO.Compression;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input;

public sealed class InputFileTests : IDisposable
{
    private const string Text = "id,name\r\n1,Zoë €\n2,\"日本\n語 😀\"\n";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Utf8_is_passed_through_untouched_even_where_it_is_invalid()
    {
        byte[] bytes = [.. Inputs.Utf8(Text), 0xFF, 0xC3];
        AssertContent(bytes, bytes, "utf-8", contentOffset: 0);
    }

    [Theory]
    [InlineData("utf-8")]
    [InlineData("utf-16")]
    [InlineData("utf-16BE")]
    [InlineData("utf-32")]
    public void Byte_order_mark_names_the_encoding_and_is_not_data(string name)
    {
        var encoding = Encoding.GetEncoding(name);
        byte[] bytes = [.. encoding.GetPreamble(), .. encoding.GetBytes(Text)];
        AssertContent(bytes, Inputs.Utf8(Text), name, contentOffset: 3);
        AssertContent(bytes, Inputs.Utf8(Text), name, contentOffset: 3, new SourceOptions { Encoding = name });
    }

    [Fact]
    public void Bare_utf_16_leaves_the_byte_order_to_the_mark()
    {
        byte[] bytes = [.. Encoding.BigEndianUnicode.GetPreamble(), .. Encoding.BigEndianUnicode.GetBytes(Text)];
        AssertContent(bytes, Inputs.Utf8(Text), "utf-16BE", contentOffset: 3, new SourceOptions { Encoding = "UTF-16" });
    }

    [Theory]
    [InlineData("windows-1252", "Zoë €")]
    [InlineData("iso-8859-15", "Zoë €")]
    [InlineData("shift_jis", "日本語")]
    [InlineData("gb18030", "日本語 😀")]
    [InlineData("iso-2022-jp", "日本語 a")]
    [InlineData("utf-16", "日本語 😀")]
    public void Encoding_can_be_named(string name, string text)
    {
        var options = new SourceOptions { Encoding = name };
        using (Inputs.Open([], options))
        {
            // Knows the code pages from here on.
        }

        var long1 = string.Concat(Enumerable.Repeat(text, 20_000));
        AssertContent(Encoding.GetEncoding(name).GetBytes(long1), Inputs.Utf8(long1), name, contentOffset: 0, options);
    }

    [Theory]
    [InlineData("latin1")]
    [InlineData("Latin1")]
    public void Latin1_was_not_the_one_of_MySQL(string name)
    {
        byte[] bytes = [0x80, (byte)'u', 0x93, 0x99, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xE9];
        AssertContent(bytes, Inputs.Utf8("€u“™\u0081\u008d\u008f\u0090\u009dé"), "windows-1252", contentOffset: 0,
            new SourceOptions { Encoding = name });
        AssertContent(bytes, Inputs.Utf8("\u0080u\u0093\u0099\u0081\u008d\u008f\u0090\u009dé"), "iso-8859-1", contentOffset: 0,
            new SourceOptions { Encoding = "iso-8859-1" });
    }

    [Theory]
    [InlineData("utf-7")]
    [InlineData("klingon")]
    [InlineData("")]
    public void Unknown_encoding_is_refused_with_some_that_are_known(string name)
    {
        var error = Assert.Throws<RequestException>(() => Inputs.Open([], new SourceOptions { Encoding = name }));
        Assert.Contains("windows-1252", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Byte_order_mark_that_contradicts_the_user_is_an_error()
    {
        var error = Assert.Throws<InputException>(
            () => Inputs.Open([0xFF, 0xFE, 0x61, 0x00], new SourceOptions { Encoding = "windows-1252" }));
        Assert.Contains("leave --encoding out", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_was_looked_at_is_read_afterwards()
    {
        using var input = Inputs.Open(Inputs.Utf8(Text), pieceSize: 3);
        Assert.Equal((byte)'i', input.Content.Peek(1).Span[0]);
        Assert.True(input.Content.Peek(20).Span.StartsWith(Inputs.Utf8(Text[..10])));
        Assert.Equal(Inputs.Utf8(Text), input.Content.Peek(10_000).ToArray());
        Assert.Equal(Inputs.Utf8(Text), Inputs.ReadContent(input));
        Assert.Equal(Inputs.Utf8(Text).Length, input.BytesRead);
        Assert.Null(input.Length);
    }

    [Fact]
    public void File_that_cannot_be_opened_says_why()
    {
        Refused(Path.Combine(_folder.FullName, "none.csv"), "no such file");
        Refused(Path.Combine(_folder.FullName, "none", "none.csv"), "no such file");
        Assert.DoesNotContain(
            "secret", Assert.Throws<InputException>(() => InputFile.OpenFile("app:secret@host")).Message, StringComparison.Ordinal);
        Refused(_folder.FullName, "is a directory");
        Refused("", "cannot be opened");
        Refused("a\0b", "cannot be opened");
    }

    [Fact]
    public void File_that_was_left_alone_is_unchanged()
    {
        using var input = InputFile.Open(Write("people.csv"), new SourceOptions());
        Assert.Equal(Inputs.Utf8(Text).Length, input.Length);
        input.CheckUnchanged();
        Inputs.ReadContent(input);
        input.CheckUnchanged();
        Assert.Equal(input.Length, input.BytesRead);
    }

    [Theory]
    [InlineData("longer")]
    [InlineData("shorter")]
    [InlineData("touched")]
    public void File_that_changed_while_it_was_read_is_an_error(string change)
    {
        var path = Write("people.csv");
        using var input = InputFile.Open(path, new SourceOptions());
        using (var writer = new FileStream(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            writer.SetLength(writer.Length + (change == "longer" ? 1 : change == "shorter" ? -1 : 0));
        }

        if (change == "touched")
        {
            File.SetLastWriteTimeUtc(path, DateTime.UnixEpoch);
        }

        Inputs.ReadContent(input);
        var error = Assert.Throws<InputException>(input.CheckUnchanged);
        Assert.StartsWith($"{path}: changed while it was read (", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Cancellation_ends_the_pass_at_the_next_read()
    {
        using var cancellation = new CancellationTokenSource();
        using var input = InputFile.Open(Write("people.csv"), new SourceOptions(), cancellation: cancellation.Token);
        cancellation.Cancel();
        Assert.Throws<OperationCanceledException>(() => Inputs.ReadContent(input));
    }

    [Fact]
    public void Gzip_file_is_known_by_its_name_and_its_length_is_that_on_disk()
    {
        var path = Path.Combine(_folder.FullName, "people.csv.gz");
        using (var gzip = new GZipStream(File.Create(path), CompressionLevel.Optimal))
        {
            gzip.Write(Inputs.Utf8(Text));
        }

        using var input = InputFile.Open(path, new SourceOptions());
        Assert.Equal((InputCompression.Gzip, new FileInfo(path).Length), (input.Compression, input.Length));
        Assert.Equal(Inputs.Utf8(Text), Inputs.ReadContent(input));
        Assert.Equal(input.Length, input.BytesRead);
        input.CheckUnchanged();
    }

    private static void AssertContent(
        byte[] bytes, byte[] expected, string encoding, long contentOffset, SourceOptions? options = null)
    {
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            using var input = Inputs.Open(bytes, options, pieceSize);
            Assert.Equal((encoding, contentOffset), (input.EncodingName, input.ContentOffset));
            Assert.True(expected.AsSpan().SequenceEqual(Inputs.ReadContent(input)));
        }
    }

    private static void Refused(string path, string reason)
    {
        var error = Assert.Throws<InputException>(() => InputFile.Open(path, new SourceOptions()));
        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.Message);
    }

    private string Write(string name)
    {
        var path = Path.Combine(_folder.FullName, name);
        File.WriteAllText(path, Text);
        return path;
    }
}
