using System.Buffers;
using System.Text.Unicode;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Tests.Input.Streams;

/// <summary>Where decoded records stand in the source, and what they were there.</summary>
public sealed class SourceOriginTests
{
    /// <summary>An encoding, whether it starts with a mark, some of its characters, and bytes that are invalid in it.</summary>
    public static TheoryData<string, bool, string, byte[]> Encodings => new()
    {
        { "windows-1252", false, "aZoë€ß", [] },
        { "us-ascii", false, "abc", [0xE4] },
        { "windows-1253", false, "aΩβ", [] },
        { "utf-16", true, "aë€日😀", [0x00, 0xD8] },
        { "utf-16", false, "aë€日😀", [0x00, 0xDC] },
        { "utf-16BE", true, "aë€日😀", [0xD8, 0x00] },
        { "utf-32", true, "aë€日😀", [0x00, 0x00, 0x11, 0x00] },
        { "utf-32BE", false, "aë€日😀", [0x00, 0x11, 0x00, 0x00] },
        { "shift_jis", false, "a日本語ｱ", [0x81, 0xFF] },
        { "gb18030", false, "a日ë😀", [0xFF] },
        { "gbk", false, "a日本", [0x81, 0xFF] },
        { "big5", false, "a日本", [0xFA, 0x20] },
        { "euc-jp", false, "a日本語", [0xA1, 0xFF] },
        { "euc-kr", false, "a한국어", [0xA1, 0xFF] },
        { "iso-2022-jp", false, "a日本 語", [] },
        { "utf-8", true, "aë€日😀", [0xFF] },
    };

    [Theory]
    [MemberData(nameof(Encodings))]
    public void Every_record_is_found_again_in_the_source(string name, bool isMarked, string characters, byte[] invalid)
    {
        var (bytes, places) = Write(name, isMarked, characters, invalid, records: 3000);
        var options = new SourceOptions { Format = InputFormat.Csv, HasHeader = false, Encoding = isMarked ? null : name };
        int[] every = [1, 7, 500];
        foreach (var (step, pieceSize) in every.Zip([1 << 20, 1000, 3]))
        {
            using var input = Inputs.Open(bytes, options, pieceSize);
            input.Content.Peek(256 * 1024);
            using var reader = SourceProbe.Look(input, options).CreateReader(input, options);
            var found = 0;
            while (reader.Read())
            {
                var (start, length) = places[found++];
                if (found % step != 0)
                {
                    continue;
                }

                Assert.Equal(start, input.SourceOffset(reader.ByteOffset));
                var original = new ArrayBufferWriter<byte>();
                input.WriteOriginal(reader.RawRecord, original);
                Assert.Equal(bytes.AsSpan(start, length).ToArray(), original.WrittenSpan.ToArray());
                if (invalid.Length > 0)
                {
                    Assert.Equal(found % 3 != 0, Utf8.IsValid(reader.RawRecord));
                }
            }

            Assert.Equal(places.Count, found);
        }
    }

    [Fact]
    public void Character_cut_off_by_the_end_is_an_invalid_byte()
    {
        byte[] bytes = [0x61, 0x00, 0x0A, 0x00, 0x62];
        var options = new SourceOptions { Encoding = "utf-16", Format = InputFormat.Csv, HasHeader = false };
        using var input = Inputs.Open(bytes, options);
        using var reader = SourceProbe.Look(input, options).CreateReader(input, options);
        Assert.True(reader.Read());
        Assert.True(reader.Read());
        Assert.Equal(4, input.SourceOffset(reader.ByteOffset));
        Assert.False(Utf8.IsValid(reader.RawRecord));
        var original = new ArrayBufferWriter<byte>();
        input.WriteOriginal(reader.RawRecord, original);
        Assert.Equal([0x62], original.WrittenSpan.ToArray());
    }

    [Fact]
    public void Place_of_a_record_that_was_too_large_to_keep_is_known()
    {
        var text = Encoding.Unicode.GetBytes($"a\né{new string('x', 3_000_000)}\nb\n");
        var options = new SourceOptions { Encoding = "utf-16", Format = InputFormat.Csv, HasHeader = false, MaxRecordBytes = 1000 };
        using var input = Inputs.Open(text, options, pieceSize: 10_000);
        using var reader = SourceProbe.Look(input, options).CreateReader(input, options);
        Assert.True(reader.Read());
        Assert.True(reader.Read());
        Assert.Equal(("record-too-large", 4L), (reader.Fault?.Code, input.SourceOffset(reader.ByteOffset)));
        Assert.True(reader.Read());
        Assert.Equal(text.Length - 4, input.SourceOffset(reader.ByteOffset));
    }

    [Fact]
    public void Noncharacters_that_mark_invalid_bytes_are_text_where_there_are_none()
    {
        var text = "\uFDD0\uFDE0,\uFDDF\n";
        Assert.Equal(
            Inputs.Utf8(text), Inputs.ReadContent(Inputs.Open(Encoding.Unicode.GetBytes(text), new SourceOptions { Encoding = "utf-16" })));
    }

    /// <summary>Records of all lengths, some longer than a piece; every third one holds the invalid bytes.</summary>
    private static (byte[] Bytes, List<(int Start, int Length)> Places) Write(
        string name, bool isMarked, string characters, byte[] invalid, int records)
    {
        using (Inputs.Open([], new SourceOptions { Encoding = "windows-1252" }))
        {
            // Knows the code pages from here on.
        }

        var encoding = Encoding.GetEncoding(name);
        var random = new Random(1);
        var runes = characters.EnumerateRunes().ToArray();
        var places = new List<(int, int)>();
        var bytes = new MemoryStream();
        bytes.Write(isMarked ? encoding.GetPreamble() : []);
        for (var record = 1; record <= records; record++)
        {
            var start = (int)bytes.Position;
            bytes.Write(encoding.GetBytes("x" + string.Concat(random.GetItems(runes, record == 1000 ? 30_000 : random.Next(40)))));
            bytes.Write(record % 3 == 0 ? invalid : []);
            bytes.Write(encoding.GetBytes("z"));
            places.Add((start, (int)bytes.Position - start));
            bytes.Write(encoding.GetBytes("\n"));
        }

        return (bytes.ToArray(), places);
    }
}
