using System.IO.Compression;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Tests.Input.Streams;

public sealed class ZipStreamTests
{
    private static readonly byte[] Text = Inputs.Utf8(string.Concat(Enumerable.Range(0, 2_000).Select(i => $"{i},Zoë\n")));

    [Theory]
    [InlineData(CompressionLevel.Optimal)]
    [InlineData(CompressionLevel.NoCompression)]
    public void The_only_file_is_read(CompressionLevel level)
    {
        using var file = new TemporaryFile("x.zip",
            Archives.Zip(level, ("folder/", []), ("folder/x.csv", Text), ("__MACOSX/folder/._x.csv", [1]), ("folder/.DS_Store", [2])));
        using var input = InputFile.Open(file.Path, new SourceOptions());
        Assert.Equal(["zip (by extension)"], input.Guesses);
        Assert.Equal((InputCompression.Zip, "x.csv", Text.Length), (input.Compression, input.PackedName, input.EstimatedContentLength));
        Assert.Equal(Text, Inputs.ReadContent(input));
        Assert.InRange(input.BytesRead, 1, input.Length!.Value);
        input.CheckUnchanged();
    }

    [Fact]
    public void The_format_is_that_of_the_name_in_the_archive()
    {
        using var file = new TemporaryFile("x.zip", Archives.Zip(CompressionLevel.Optimal, ("x.tsv", "a,b\tc\n1\t2\n"u8.ToArray())));
        using var input = InputFile.Open(file.Path, new SourceOptions());
        var look = SourceProbe.Look(input, new SourceOptions());
        Assert.Equal((InputFormat.Tsv, 2), (look.Format, look.FieldCount));
    }

    [Theory]
    [InlineData("holds 0 files, and one is needed")]
    [InlineData("holds 2 files (a.csv, b.csv), and one is needed", "a.csv", "b.csv")]
    [InlineData("holds 5 files (1, 2, 3, ...), and one is needed", "1", "2", "3", "4", "5")]
    [InlineData("is an Excel workbook; save its sheet as CSV UTF-8", "[Content_Types].xml", "xl/workbook.xml")]
    [InlineData("is an OpenDocument spreadsheet", "mimetype", "content.xml")]
    public void Other_archives_are_errors(string message, params string[] names)
    {
        using var file = new TemporaryFile("x.data", Archives.Zip(CompressionLevel.Optimal, [.. names.Select(name => (name, Text))]));
        var fault = Assert.Throws<InputException>(() => InputFile.Open(file.Path, new SourceOptions()));
        Assert.Contains(message, fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Encrypted_file_is_an_error()
    {
        var bytes = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        // The flag of encryption, in the member's header and in the directory.
        bytes[6] |= 1;
        bytes[bytes.AsSpan().IndexOf("PK\x01\x02"u8) + 8] |= 1;
        using var file = new TemporaryFile("x.zip", bytes);
        var fault = Assert.Throws<InputException>(() => InputFile.Open(file.Path, new SourceOptions()));
        Assert.Contains("x.csv in the zip archive is encrypted", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Archives_one_behind_the_other_are_an_error()
    {
        var one = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        foreach (var bytes in new byte[][] { [.. one, .. one], [1, .. one], [.. one, 1] })
        {
            using var file = new TemporaryFile("x.zip", bytes);
            var fault = Assert.Throws<InputException>(
                () => InputFile.Open(file.Path, new SourceOptions { Compression = InputCompression.Zip }));
            Assert.DoesNotContain("fetch", fault.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Length_and_checksum_of_a_beginning_are_an_error()
    {
        var bytes = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        var sum = BitConverter.GetBytes(System.IO.Hashing.Crc32.HashToUInt32(Text.AsSpan(0, 100)));
        var entry = bytes.AsSpan().IndexOf("PK\x01\x02"u8);
        foreach (var at in new[] { 14, entry + 16 })
        {
            sum.CopyTo(bytes, at);
            BitConverter.GetBytes(100).CopyTo(bytes, at + 8);
        }

        using var file = new TemporaryFile("x.zip", bytes);
        Assert.Throws<InputException>(() => ReadAll(file.Path));
    }

    [Theory]
    [InlineData(12, "bzip2")]
    [InlineData(14, "LZMA")]
    [InlineData(93, "zstd")]
    [InlineData(77, "method 77")]
    public void Other_ways_of_packing_are_not_called_damaged(byte method, string word)
    {
        var bytes = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        bytes[8] = method;
        bytes[bytes.AsSpan().IndexOf("PK\x01\x02"u8) + 10] = method;
        using var file = new TemporaryFile("x.zip", bytes);
        var fault = Assert.Throws<InputException>(() => InputFile.Open(file.Path, new SourceOptions()));
        Assert.EndsWith($"x.csv in the zip archive is packed with {word}, which is not supported: pipe what is in it: unzip -p FILE | " +
            "bulkload import - ...", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Archive_from_a_pipe_is_an_error()
    {
        var fault = Assert.Throws<InputException>(() => Inputs.Open(Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text))));
        Assert.Contains("cannot be read from a pipe", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Archive_that_is_cut_off_is_an_error()
    {
        var bytes = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        for (var length = 10; length < bytes.Length; length += 97)
        {
            using var file = new TemporaryFile("x.zip", bytes[..length]);
            Assert.Throws<InputException>(() => ReadAll(file.Path));
        }
    }

    [Fact]
    public void Every_damaged_byte_is_an_error_or_changes_nothing()
    {
        var bytes = Archives.Zip(CompressionLevel.Optimal, ("x.csv", Text));
        for (var at = 4; at < bytes.Length; at += at is > 60 && at < bytes.Length - 120 ? 37 : 1)
        {
            var damaged = bytes.ToArray();
            damaged[at] ^= 0x11;
            using var file = new TemporaryFile("x.zip", damaged);
            try
            {
                Assert.Equal(Text, ReadAll(file.Path));
            }
            catch (InputException fault)
            {
                Assert.NotEmpty(fault.Message);
            }
        }
    }

    [Fact]
    public void A_file_that_grows_more_than_data_does_is_not_read()
    {
        using var file = new TemporaryFile("x.zip", Archives.Zip(CompressionLevel.Optimal, ("x.csv", new byte[20 << 20])));
        var fault = Assert.Throws<InputException>(() => ReadAll(file.Path));
        Assert.Contains("raise --max-ratio", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("x.xlsx", "PK\u0003\u0004", "Excel workbook; save its sheet as CSV UTF-8 (File, Save As), and import that")]
    [InlineData("x.xls", "id,name\n", "and import that (if it is text with that name: --compression none)")]
    [InlineData("x.xls", "\u00D0\u00CF\u0011\u00E0\u00A1\u00B1\u001A\u00E1", "Excel workbook")]
    [InlineData("x", "\u00D0\u00CF\u0011\u00E0\u00A1\u00B1\u001A\u00E1", "Excel workbook")]
    [InlineData("x.ods", "PK\u0003\u0004", "OpenDocument")]
    [InlineData("x.parquet", "PAR1", "Parquet")]
    [InlineData("x", "PAR1\u0015\u0004", "Parquet")]
    [InlineData("x", "PGCOPY\n\u00FF\r\n\0", "--format postgres")]
    [InlineData("x", "PGDMP\u0001", "--format postgres")]
    public void File_without_text_names_the_way_out(string name, string content, string message)
    {
        using var file = new TemporaryFile(name, Encoding.Latin1.GetBytes(content));
        var fault = Assert.Throws<InputException>(() => InputFile.Open(file.Path, new SourceOptions()));
        Assert.Contains(message, fault.Message, StringComparison.Ordinal);
        using var asItIs = InputFile.Open(file.Path, new SourceOptions { Compression = InputCompression.None, Encoding = "latin1" });
        Assert.NotEmpty(Inputs.ReadContent(asItIs));
    }

    [Fact]
    public void Text_that_begins_as_parquet_does_is_text()
    {
        using var input = Inputs.Open("PAR1,x\n"u8.ToArray());
        Assert.Equal("PAR1,x\n"u8.ToArray(), Inputs.ReadContent(input));
    }

    private static byte[] ReadAll(string path)
    {
        using var input = InputFile.Open(path, new SourceOptions { Encoding = "utf-8" });
        return Inputs.ReadContent(input);
    }
}
