using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;
using ZstdSharp;

namespace BulkLoad.Tests.Input.Streams;

/// <summary>zstd, xz and bzip2.</summary>
public sealed class DecoderStreamTests
{
    /// <summary>What <c>xz</c> makes of <see cref="Text"/>, since no library here writes it.</summary>
    private static readonly byte[] Xz = Convert.FromBase64String(
        "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAWaWQsbmFtZQoxLFpvw6sKMiwieAp5IgoAAM7zfKFCVgcc" +
        "AAEvF4EISbEftvN9AQAAAAAEWVo=");

    private static readonly byte[] XzOfNothing = Convert.FromBase64String("/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=");

    private static readonly byte[] Text = Inputs.Utf8("id,name\n1,Zoë\n2,\"x\ny\"\n");

    public static TheoryData<InputCompression> Kinds => [InputCompression.Zstd, InputCompression.Xz, InputCompression.Bzip2];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Streams_are_read_one_after_the_other(InputCompression kind)
    {
        foreach (var count in new[] { 1, 2, 5 })
        {
            byte[] bytes = [.. Enumerable.Repeat(Pack(kind), count).SelectMany(b => b), .. Pack(kind, isEmpty: true), .. Pack(kind)];
            foreach (var pieceSize in Inputs.PieceSizes)
            {
                using var input = Inputs.Open(bytes, pieceSize: pieceSize);
                Assert.Equal([$"{kind.ToString().ToLowerInvariant()} (by first bytes)"], input.Guesses);
                Assert.Equal(Enumerable.Repeat(Text, count + 1).SelectMany(b => b), Inputs.ReadContent(input));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Stream_of_nothing_holds_nothing(InputCompression kind)
    {
        using var input = Inputs.Open(Pack(kind, isEmpty: true));
        Assert.Empty(Inputs.ReadContent(input));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Input_that_is_cut_off_anywhere_is_an_error(InputCompression kind)
    {
        var bytes = Pack(kind);
        for (var length = 10; length < bytes.Length; length++)
        {
            foreach (var pieceSize in new[] { 1, 1 << 20 })
            {
                var fault = Assert.Throws<InputException>(() => ReadAll(bytes[..length], kind, pieceSize));
                var expected = $"the {kind.ToString().ToLowerInvariant()} file is cut off after {length} bytes";
                Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Every_damaged_bit_is_an_error_or_changes_nothing(InputCompression kind)
    {
        var bytes = Pack(kind);
        for (var bit = 0; bit < bytes.Length * 8; bit++)
        {
            var damaged = bytes.ToArray();
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            try
            {
                Assert.Equal(Text, ReadAll(damaged, kind, 1 << 20));
            }
            catch (InputException fault)
            {
                Assert.NotEmpty(fault.Message);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Anything_behind_the_data_is_an_error(InputCompression kind)
    {
        foreach (var rest in new byte[][] { [0], [0, 0, 0], [0, 0, 0, 0, 1], [0x0A], [0xFD], "id,name\n"u8.ToArray() })
        {
            Assert.Throws<InputException>(() => ReadAll([.. Pack(kind), .. rest], kind, 1 << 20));
        }
    }

    /// <summary>What <c>xz</c> makes with other options.</summary>
    [Theory]
    [InlineData("/Td6WFoAAATm1rRGAgEDAQAhAQwD2aYTAQALafvIQvMM+KUn+zWpAGVdQSJyJvG6AAEkDKYY2NgftvN9AQAAAAAEWVo=",
        "the delta filter of the xz file is not supported")]
    [InlineData("/Td6WFoAAATm1rRGAgEEACEBDADWfBivAQALaWQsbmFtZQoxLGEKAGVdQSJyJvG6AAEkDKYY2NgftvN9AQAAAAAEWVo=",
        "a BCJ filter of the xz file is not supported")]
    [InlineData("/Td6WFoAAATm1rRGAgAhAR8AAAD+YO3eAQALaWQsbmFtZQoxLGEKAGVdQSJyJvG6AAEkDKYY2NgftvN9AQAAAAAEWVo=",
        "the xz data needs more memory than 128 MiB")]
    public void What_is_not_supported_is_not_called_damaged(string xz, string message)
    {
        var fault = Assert.Throws<InputException>(() => ReadAll(Convert.FromBase64String(xz), InputCompression.Xz, 1 << 20));
        Assert.Equal($"in: {message}: decompress it with xz -dc", fault.Message);
    }

    [Theory]
    [InlineData(InputCompression.Xz)]
    [InlineData(InputCompression.Bzip2)]
    public void Text_behind_the_data_is_called_so(InputCompression kind)
    {
        var fault = Assert.Throws<InputException>(() => ReadAll([.. Pack(kind), .. "id,name\n"u8], kind, 1 << 20));
        Assert.Contains("is followed by something else", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Padding_of_xz_is_passed()
    {
        using var input = Inputs.Open([.. Xz, 0, 0, 0, 0, .. Xz, 0, 0, 0, 0, 0, 0, 0, 0]);
        Assert.Equal([.. Text, .. Text], Inputs.ReadContent(input));
    }

    [Theory]
    [InlineData(200, "decompress to more than 200 times as many, which is rare: raise --max-ratio")]
    [InlineData(1_000_000, null)]
    public void A_file_that_grows_more_than_data_does_is_not_read(int ratio, string? expected)
    {
        using var compressor = new Compressor();
        using var input = Inputs.Open(compressor.Wrap(new byte[20 << 20]).ToArray(), options: new SourceOptions { MaxRatio = ratio });
        var fault = Record.Exception(() => Inputs.ReadContent(input));
        Assert.Equal(expected is null, fault is null);
        Assert.Contains(expected ?? "", fault?.Message ?? "", StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("x.csv.zst", "zstd")]
    [InlineData("x.xz", "xz")]
    [InlineData("x.bz2", "bzip2")]
    [InlineData("x.zip", "zip")]
    [InlineData("x.csv.gz", "gzip")]
    public void File_that_is_not_what_its_name_says_is_an_error(string name, string word)
    {
        using var file = new TemporaryFile(name, Text);
        var fault = Assert.Throws<InputException>(() => InputFile.Open(file.Path, new SourceOptions()));
        Assert.Contains($"is not {word}, though its name ends in ", fault.Message, StringComparison.Ordinal);
        using var asItIs = InputFile.Open(file.Path, new SourceOptions { Compression = InputCompression.None });
        Assert.Equal(Text, Inputs.ReadContent(asItIs));
    }

    [Fact]
    public void Compression_that_was_given_must_be_there()
    {
        var fault = Assert.Throws<InputException>(() => Inputs.Open(Text, new SourceOptions { Compression = InputCompression.Xz }));
        Assert.Contains("is not xz, though --compression xz was given", fault.Message, StringComparison.Ordinal);
    }

    private static byte[] ReadAll(byte[] bytes, InputCompression kind, int pieceSize)
    {
        using var input = Inputs.Open(bytes, new SourceOptions { Compression = kind, Encoding = "utf-8" }, pieceSize);
        return Inputs.ReadContent(input);
    }

    private static byte[] Pack(InputCompression kind, bool isEmpty = false)
    {
        var text = isEmpty ? [] : Text;
        if (kind == InputCompression.Xz)
        {
            return isEmpty ? XzOfNothing : Xz;
        }

        return kind == InputCompression.Zstd ? Archives.Zstd(text) : Archives.Bzip2(text);
    }
}

/// <summary>A file in a folder of its own.</summary>
internal sealed class TemporaryFile : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bulkload-");

    public TemporaryFile(string name, byte[] content)
    {
        Path = System.IO.Path.Combine(_folder.FullName, name);
        File.WriteAllBytes(Path, content);
    }

    public string Path { get; }

    public void Dispose() => _folder.Delete(recursive: true);
}
