using System.Buffers.Binary;
using System.IO.Compression;
using System.IO.Hashing;
using System.Security.Cryptography;
using SharpCompress.Compressors.BZip2;
using ZstdSharp;

namespace BulkLoad.Tests.Input.Streams;

/// <summary>A part of an archive, and what is in it.</summary>
internal sealed record ArchivePart(byte[] Bytes, byte[] Content);

/// <summary>An archive of parts one behind the other. Parts that are whole are archives themselves.</summary>
internal sealed record TestArchive(InputCompression Kind, bool AreWhole, params IReadOnlyList<ArchivePart> Parts)
{
    public byte[] Bytes { get; } = [.. Parts.SelectMany(part => part.Bytes)];

    public byte[] Content { get; } = [.. Parts.SelectMany(part => part.Content)];

    /// <summary>Lengths at which the archive may be cut, with the content up to there.</summary>
    public Dictionary<int, byte[]> Ends()
    {
        var ends = new Dictionary<int, byte[]>();
        for (var count = 1; AreWhole && count < Parts.Count; count++)
        {
            ends[Parts.Take(count).Sum(part => part.Bytes.Length)] = [.. Parts.Take(count).SelectMany(part => part.Content)];
        }

        return ends;
    }
}

/// <summary>Archives of every format, by name.</summary>
internal static class Archives
{
    private static readonly byte[][] Texts =
        [Inputs.Utf8("id,name\n1,Zoë\n"), Inputs.Utf8("2,\"x\ny\"\n"), Inputs.Utf8("3,aaaaaaaaaaaaaaa\n")];

    public static IReadOnlyDictionary<string, TestArchive> All { get; } = new Dictionary<string, TestArchive>
    {
        ["gzip members"] = new(InputCompression.Gzip, true, [.. Texts.Select(text => new ArchivePart(Gzip(text), text))]),
        ["gzip with all fields"] = new(InputCompression.Gzip, true, [.. Texts.Select(text => new ArchivePart(GzipWithFields(text), text))]),
        ["bzip2 streams"] = new(InputCompression.Bzip2, true, [.. Texts.Select(text => new ArchivePart(Bzip2(text), text))]),
        ["zstd frames"] = new(InputCompression.Zstd, true, [.. Texts.Select(text => new ArchivePart(Zstd(text), text))]),
        ["zstd with skipped frames"] = new(
            InputCompression.Zstd, true, [new(Zstd(Texts[0]), Texts[0]), new(SkippedFrame(5), []), new(Zstd(Texts[1]), Texts[1])]),
        ["zstd blocks"] = new(InputCompression.Zstd, false, ZstdBlocks()),
        ["xz streams"] = new(InputCompression.Xz, true, [.. Texts.Select(text => new ArchivePart(Xz(XzSum.Crc64, false, text), text))]),
        ["xz blocks"] = new(InputCompression.Xz, false, XzParts(XzSum.Crc64, false)),
        ["xz blocks with sizes"] = new(InputCompression.Xz, false, XzParts(XzSum.Crc32, true)),
        ["xz blocks with sha256"] = new(InputCompression.Xz, false, XzParts(XzSum.Sha256, true)),
        ["zip deflated"] = new(InputCompression.Zip, false, ZipParts(CompressionLevel.Optimal)),
        ["zip stored"] = new(InputCompression.Zip, false, ZipParts(CompressionLevel.NoCompression)),
    };

    /// <summary>An xz stream with a block for each text, whose data is not compressed.</summary>
    public static byte[] Xz(XzSum sum, bool hasSizes, params byte[][] texts) =>
        [.. XzWriter.Parts(sum, hasSizes, texts).SelectMany(part => part)];

    public static byte[] Zip(CompressionLevel level, params (string Name, byte[] Content)[] files)
    {
        using var packed = new MemoryStream();
        using (var archive = new ZipArchive(packed, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (var (name, content) in files)
            {
                using var entry = archive.CreateEntry(name, level).Open();
                entry.Write(content);
            }
        }

        return packed.ToArray();
    }

    public static byte[] Bzip2(byte[] text)
    {
        using var packed = new MemoryStream();
        using (var writer = BZip2Stream.Create(packed, SharpCompress.Compressors.CompressionMode.Compress, false, true))
        {
            writer.Write(text);
        }

        return packed.ToArray();
    }

    public static byte[] Gzip(byte[] text)
    {
        using var packed = new MemoryStream();
        using (var writer = new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true))
        {
            writer.Write(text);
        }

        return packed.ToArray();
    }

    /// <summary>With extra bytes, name, comment, and the checksum of the header (RFC 1952).</summary>
    private static byte[] GzipWithFields(byte[] text)
    {
        var plain = Gzip(text);
        const byte flags = 0x02 | 0x04 | 0x08 | 0x10;
        byte[] header = [0x1F, 0x8B, 8, flags, .. plain[4..10], 2, 0, (byte)'x', (byte)'y', .. "n.csv\0"u8, .. "note\0"u8];
        return [.. header, .. BitConverter.GetBytes((ushort)Crc32.HashToUInt32(header)), .. plain[10..]];
    }

    public static byte[] Zstd(params byte[][] blocks)
    {
        using var packed = new MemoryStream();
        using (var writer = new CompressionStream(packed, leaveOpen: true))
        {
            writer.SetParameter(ZstdSharp.Unsafe.ZSTD_cParameter.ZSTD_c_checksumFlag, 1);
            foreach (var block in blocks)
            {
                writer.Write(block);
                writer.Flush();
            }
        }

        return packed.ToArray();
    }

    private static byte[] SkippedFrame(int length) => [0x50, 0x2A, 0x4D, 0x18, (byte)length, 0, 0, 0, .. new byte[length]];

    /// <summary>Header of the frame, blocks, and checksum: a block's size is in its first three bytes (RFC 8878, 3.1.1.2).</summary>
    private static List<ArchivePart> ZstdBlocks()
    {
        var frame = Zstd(Texts);
        // The mark, a byte of flags, and the size of the window.
        var parts = new List<ArchivePart> { new(frame[..6], []) };
        var at = 6;
        foreach (var text in Texts)
        {
            var length = 3 + ((frame[at] | (frame[at + 1] << 8) | (frame[at + 2] << 16)) >> 3);
            parts.Add(new ArchivePart(frame[at..(at + length)], text));
            at += length;
        }

        parts.Add(new ArchivePart(frame[at..], []));
        return parts;
    }

    private static List<ArchivePart> XzParts(XzSum sum, bool hasSizes)
    {
        var parts = XzWriter.Parts(sum, hasSizes, Texts);
        return [.. parts.Select((part, index) => new ArchivePart(part, index > 0 && index <= Texts.Length ? Texts[index - 1] : []))];
    }

    /// <summary>Two folders, so that there are several members, and a file: members, directory, end.</summary>
    private static List<ArchivePart> ZipParts(CompressionLevel level)
    {
        var text = Texts.SelectMany(one => one).ToArray();
        var bytes = Zip(level, ("a/", []), ("b.csv", text), ("c/", []));
        var cuts = new List<int>();
        foreach (var mark in new byte[][] { [0x50, 0x4B, 3, 4], [0x50, 0x4B, 1, 2], [0x50, 0x4B, 5, 6] })
        {
            for (var at = 0; bytes.AsSpan(at).IndexOf(mark) is >= 0 and var next; at = cuts[^1] + 1)
            {
                cuts.Add(at + next);
            }
        }

        return [.. cuts.Select((cut, index) => new ArchivePart(
            bytes[cut..(index + 1 < cuts.Count ? cuts[index + 1] : bytes.Length)], index == 1 ? text : []))];
    }
}

/// <summary>The kinds of checks of an xz block.</summary>
internal enum XzSum
{
    Crc32 = 1,
    Crc64 = 4,
    Sha256 = 10,
}

/// <summary>Writes xz ("The .xz File Format", 1.2.1) without compressing.</summary>
internal static class XzWriter
{
    /// <summary>Header, blocks, index, footer.</summary>
    public static List<byte[]> Parts(XzSum sum, bool hasSizes, byte[][] texts)
    {
        byte[] flags = [0, (byte)sum];
        var parts = new List<byte[]> { (byte[])[0xFD, .. "7zXZ"u8, 0, .. flags, .. Crc(flags)] };
        var index = new List<byte> { 0, (byte)texts.Length };
        foreach (var text in texts)
        {
            byte[] data = [1, (byte)((text.Length - 1) >> 8), (byte)(text.Length - 1), .. text, 0];
            byte[] fields = hasSizes ? [0xC0, (byte)data.Length, (byte)text.Length, 0x21, 1, 0] : [0, 0x21, 1, 0];
            byte[] header = [(byte)((fields.Length + 8) / 4), .. fields, .. new byte[3 - (fields.Length % 4)]];
            header[0] = (byte)(header.Length / 4);
            byte[] check = Check(sum, text);
            parts.Add([.. header, .. Crc(header), .. data, .. Padding(data.Length), .. check]);
            index.AddRange([.. Number(header.Length + 4 + data.Length + check.Length), .. Number(text.Length)]);
        }

        index.AddRange(Padding(index.Count));
        parts.Add([.. index, .. Crc([.. index])]);
        byte[] footer = [.. BitConverter.GetBytes((index.Count + 4) / 4 - 1), .. flags];
        parts.Add([.. Crc(footer), .. footer, .. "YZ"u8]);
        return parts;
    }

    private static byte[] Padding(int length) => new byte[(4 - (length % 4)) % 4];

    private static byte[] Crc(byte[] bytes) => BitConverter.GetBytes(Crc32.HashToUInt32(bytes));

    private static byte[] Number(int value) => value < 0x80 ? [(byte)value] : [(byte)(value | 0x80), .. Number(value >> 7)];

    private static byte[] Check(XzSum sum, byte[] text)
    {
        if (sum != XzSum.Crc64)
        {
            return sum == XzSum.Crc32 ? Crc(text) : SHA256.HashData(text);
        }

        var crc = ulong.MaxValue;
        foreach (var one in text)
        {
            crc ^= one;
            for (var bit = 0; bit < 8; bit++)
            {
                crc = (crc >> 1) ^ ((crc & 1) * 0xC96C5795D7870F42);
            }
        }

        var bytes = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, ~crc);
        return bytes;
    }
}
