using System.IO.Compression;
using BulkLoad.Core.Input;

namespace BulkLoad.Tests.Input.Streams;

public sealed class GunzipStreamTests
{
    private static readonly byte[] Short = Inputs.Utf8("id,name\n1,Zoë\n2,\"x\ny\"\n");

    /// <summary>Several of the decoder's buffers, in blocks of every kind: repetitive, random, again repetitive.</summary>
    private static byte[] Long
    {
        get
        {
            var random = new byte[50_000];
            new Random(42).NextBytes(random);
            return [.. Enumerable.Repeat(Short, 5_000).SelectMany(b => b), .. random,
                .. Enumerable.Repeat(Short, 5_000).SelectMany(b => b)];
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void Members_are_read_one_after_the_other(int members)
    {
        byte[] bytes = [.. Enumerable.Repeat(Gzip(Short), members).SelectMany(b => b)];
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            using var input = Inputs.Open(bytes, pieceSize: pieceSize);
            Assert.Equal(["gzip (by first bytes)"], input.Guesses);
            Assert.Equal(Enumerable.Repeat(Short, members).SelectMany(b => b), Inputs.ReadContent(input));
        }
    }

    [Theory]
    [InlineData(200, "its first * bytes decompress to more than 200 times as many, which is rare: raise --max-ratio if you trust the file")]
    [InlineData(1100, null)]
    public void A_file_that_grows_more_than_data_does_is_not_read(int ratio, string? expected)
    {
        using var input = Inputs.Open(Gzip(new byte[20 << 20]), options: new SourceOptions { MaxRatio = ratio });
        var fault = Record.Exception(() => Inputs.ReadContent(input));
        if (expected is null)
        {
            Assert.Null(fault);
            return;
        }

        var ends = expected.Split('*');
        Assert.Contains(ends[0], Assert.IsType<InputException>(fault).Message, StringComparison.Ordinal);
        Assert.EndsWith(ends[1], fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Empty_members_hold_nothing()
    {
        byte[] bytes = [.. Gzip([]), .. Gzip(Short), .. Gzip([])];
        using var input = Inputs.Open(bytes);
        Assert.Equal(Short, Inputs.ReadContent(input));
    }

    [Fact]
    public void Member_may_end_where_the_decoders_buffer_ends()
    {
        // Stored blocks, so that the member is as long as is wanted: the decoder takes 8 KiB at a time.
        for (var length = 8192 - 40; length <= 8192; length++)
        {
            var content = new byte[length];
            byte[] bytes = [.. Gzip(content, CompressionLevel.NoCompression), .. Gzip(Short)];
            using var input = Inputs.Open(bytes);
            Assert.Equal(length + Short.Length, Inputs.ReadContent(input).Length);
        }
    }

    [Fact]
    public void Short_file_cut_off_anywhere_is_an_error()
    {
        byte[] bytes = [.. Gzip(Short), .. Gzip(Short)];
        var boundary = bytes.Length / 2;
        for (var length = 2; length < bytes.Length; length++)
        {
            foreach (var pieceSize in Inputs.PieceSizes)
            {
                if (length != boundary)
                {
                    RefusedAsCutOff(bytes[..length], pieceSize, [.. Short, .. Short]);
                }
            }
        }
    }

    [Fact]
    public void Long_file_cut_off_anywhere_is_an_error_and_nothing_false_was_delivered()
    {
        var content = Long;
        var bytes = Gzip(content);
        var random = new Random(7);
        for (var i = 0; i < 200; i++)
        {
            RefusedAsCutOff(bytes[..random.Next(2, bytes.Length)], 1 << 20, content);
        }

        for (var missing = 1; missing < 30; missing++)
        {
            RefusedAsCutOff(bytes[..^missing], 1 << 20, content);
        }
    }

    [Fact]
    public void Damaged_byte_is_an_error()
    {
        var content = Long;
        var bytes = Gzip(content);
        var random = new Random(11);
        for (var i = 0; i < 200; i++)
        {
            var damaged = bytes.ToArray();
            // Behind the header, whose time and system no checksum covers.
            damaged[random.Next(10, bytes.Length)] ^= (byte)(1 << random.Next(8));
            var error = Assert.Throws<InputException>(() =>
            {
                using var input = Inputs.Open(damaged, name: "x.gz");
                Inputs.ReadContent(input);
            });
            Assert.StartsWith("x.gz: ", error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(new byte[] { 0 })]
    [InlineData(new byte[] { 0x1F })]
    [InlineData(new byte[] { 0x1F, 0x00, 0x01 })]
    [InlineData(new byte[] { 0x20, 0x8B, 0x01, 0x02, 0x03 })]
    public void Something_else_behind_the_last_member_is_an_error(byte[] tail)
    {
        foreach (var pieceSize in Inputs.PieceSizes)
        {
            Assert.Throws<InputException>(() =>
            {
                using var input = Inputs.Open([.. Gzip(Short), .. tail], pieceSize: pieceSize);
                Inputs.ReadContent(input);
            });
        }
    }

    private static void RefusedAsCutOff(byte[] bytes, int pieceSize, byte[] whole)
    {
        using var delivered = new MemoryStream();
        var error = Assert.Throws<InputException>(() =>
        {
            using var input = Inputs.Open(bytes, pieceSize: pieceSize, name: "x.csv.gz");
            input.Content.CopyTo(delivered);
        });
        Assert.Contains("cut off", error.Message, StringComparison.Ordinal);
        Assert.True(whole.AsSpan().StartsWith(delivered.ToArray()));
    }

    private static byte[] Gzip(byte[] content, CompressionLevel level = CompressionLevel.Optimal)
    {
        using var target = new MemoryStream();
        using (var gzip = new GZipStream(target, level))
        {
            gzip.Write(content);
        }

        return target.ToArray();
    }
}
