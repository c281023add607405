using System.Buffers.Binary;

namespace BulkLoad.Core.Input.Streams;

/// <summary>A file in a zip archive: the place of its bytes, and its method.</summary>
internal sealed record ZipMember(long Start, long PackedBytes, int Method);

/// <summary>The layout of a zip archive (APPNOTE.TXT 6.3.10): members one behind the other, the directory, its end. Every byte must belong
/// to one of them, and each member's own header must say what the directory says, so that nothing is left out.</summary>
internal sealed class ZipLayout
{
    private const int EndBytes = 22;
    private const int LocatorBytes = 20;
    private const int WideEndBytes = 56;
    private const int EntryBytes = 46;
    private const int HeaderBytes = 30;
    private const int LongestDescriptor = 24;
    private const int LongestComment = ushort.MaxValue;

    private const int IsEncrypted = 0x0001;

    /// <summary>Sizes and checksum follow the data.</summary>
    private const int HasDescriptor = 0x0008;

    /// <summary>The extra field with numbers of 64 bits.</summary>
    private const int Wide = 0x0001;

    private readonly Stream _source;

    private ZipLayout(Stream source) => _source = source;

    private static ReadOnlySpan<byte> EndMark => "PK\x05\x06"u8;

    private static ReadOnlySpan<byte> WideEndMark => "PK\x06\x06"u8;

    private static ReadOnlySpan<byte> LocatorMark => "PK\x06\x07"u8;

    private static ReadOnlySpan<byte> EntryMark => "PK\x01\x02"u8;

    private static ReadOnlySpan<byte> HeaderMark => "PK\x03\x04"u8;

    private static ReadOnlySpan<byte> DescriptorMark => "PK\x07\x08"u8;

    /// <summary>The members in the directory's order. Throws <see cref="DamageException"/>.</summary>
    public static IReadOnlyList<ZipMember> Read(Stream source)
    {
        var layout = new ZipLayout(source);
        var directory = layout.FindDirectory();
        var entries = layout.ReadDirectory(directory);
        var members = new ZipMember[entries.Count];
        var order = Enumerable.Range(0, entries.Count).OrderBy(index => entries[index].Offset).ToArray();
        var end = 0L;
        for (var at = 0; at < order.Length; at++)
        {
            var entry = entries[order[at]];
            DamageException.Require(entry.Offset == end, Elsewhere);
            end = at + 1 < order.Length ? entries[order[at + 1]].Offset : directory.Start;
            members[order[at]] = layout.ReadMember(entry, end);
        }

        DamageException.Require(end == directory.Start, Elsewhere);
        return members;
    }

    private const string Elsewhere = "not where its directory says, as where archives stand one behind the other";

    private Directory FindDirectory()
    {
        var length = _source.Length;
        var tail = ReadAt(Math.Max(0, length - EndBytes - LongestComment), (int)Math.Min(length, EndBytes + LongestComment));
        var at = tail.AsSpan().LastIndexOf(EndMark);
        DamageException.Require(at >= 0, "cut off: its directory is missing");
        var end = tail.AsSpan(at);
        DamageException.Require(end.Length >= EndBytes, "cut off within its directory");
        DamageException.Require(UInt16(end, 20) == end.Length - EndBytes, "cut off, or followed by something else");
        DamageException.Require(UInt16(end, 4) == 0 && UInt16(end, 6) == 0 && UInt16(end, 8) == UInt16(end, 10), "one part of several");
        var (count, size, start) = ((long)UInt16(end, 10), (long)UInt32(end, 12), (long)UInt32(end, 16));
        var directoryEnd = length - end.Length;
        if (directoryEnd >= LocatorBytes && ReadAt(directoryEnd - LocatorBytes, LocatorBytes) is var locator
            && locator.AsSpan().StartsWith(LocatorMark))
        {
            var wideStart = Int64(locator, 8);
            DamageException.Require(wideStart >= 0 && wideStart <= directoryEnd - LocatorBytes - WideEndBytes, Elsewhere);
            var wide = ReadAt(wideStart, WideEndBytes);
            DamageException.Require(wide.AsSpan().StartsWith(WideEndMark), Elsewhere);
            DamageException.Require(Int64(wide, 4) + 12 == directoryEnd - LocatorBytes - wideStart, Elsewhere);
            count = count == ushort.MaxValue ? Int64(wide, 32) : count;
            size = size == uint.MaxValue ? Int64(wide, 40) : size;
            start = start == uint.MaxValue ? Int64(wide, 48) : start;
            directoryEnd = wideStart;
        }

        DamageException.Require(size >= 0 && start >= 0 && start == directoryEnd - size, Elsewhere);
        DamageException.Require(count >= 0 && count <= size / EntryBytes);
        return new Directory(start, size, (int)count);
    }

    private List<Entry> ReadDirectory(Directory directory)
    {
        using var source = new BufferedStream(new StreamPart(_source, directory.Start, directory.Size), 64 * 1024);
        var entries = new List<Entry>();
        Span<byte> fixedPart = stackalloc byte[EntryBytes];
        var taken = 0L;
        for (var index = 0; index < directory.Count; index++)
        {
            source.ReadExactly(fixedPart);
            DamageException.Require(fixedPart.StartsWith(EntryMark));
            var rest = new byte[UInt16(fixedPart, 28) + UInt16(fixedPart, 30) + UInt16(fixedPart, 32)];
            source.ReadExactly(rest);
            var name = rest[..UInt16(fixedPart, 28)];
            var extra = rest.AsSpan(name.Length, UInt16(fixedPart, 30));
            taken += EntryBytes + rest.Length;
            var wide = new WideNumbers(extra);
            var content = wide.Of(UInt32(fixedPart, 24));
            var packed = wide.Of(UInt32(fixedPart, 20));
            var offset = wide.Of(UInt32(fixedPart, 42));
            entries.Add(new Entry(offset, UInt16(fixedPart, 8), UInt16(fixedPart, 10), UInt32(fixedPart, 16), packed, content, name));
        }

        DamageException.Require(taken == directory.Size);
        return entries;
    }

    /// <summary>Reads a member's own header, up to the next member.</summary>
    private ZipMember ReadMember(Entry entry, long end)
    {
        DamageException.Require(entry.Offset <= end - HeaderBytes, Elsewhere);
        var header = ReadAt(entry.Offset, HeaderBytes);
        DamageException.Require(header.AsSpan().StartsWith(HeaderMark), Elsewhere);
        var (nameBytes, extraBytes) = (UInt16(header, 26), UInt16(header, 28));
        var start = entry.Offset + HeaderBytes + nameBytes + extraBytes;
        var behind = end - start - entry.PackedBytes;
        DamageException.Require(start <= end && entry.PackedBytes >= 0 && behind >= 0);
        var rest = ReadAt(entry.Offset + HeaderBytes, nameBytes + extraBytes);
        var flags = UInt16(header, 6);
        var hasDescriptor = (flags & HasDescriptor) != 0;
        DamageException.Require(rest.AsSpan(0, nameBytes).SequenceEqual(entry.Name)
            && ((flags ^ entry.Flags) & (IsEncrypted | HasDescriptor)) == 0 && UInt16(header, 8) == entry.Method);
        var wide = new WideNumbers(rest.AsSpan(nameBytes));
        var content = wide.Of(UInt32(header, 22));
        var packed = wide.Of(UInt32(header, 18));
        var isSame = (UInt32(header, 14), packed, content) == (entry.Crc, entry.PackedBytes, entry.ContentBytes);
        DamageException.Require(behind == 0 ? isSame
            : hasDescriptor && IsDescriptor(ReadAt(end - behind, (int)Math.Min(behind, LongestDescriptor + 1)), entry));
        return new ZipMember(start, entry.PackedBytes, entry.Method);
    }

    /// <summary>Checksum and both lengths, of 32 or 64 bits, with or without a mark.</summary>
    private static bool IsDescriptor(ReadOnlySpan<byte> bytes, Entry entry)
    {
        if (bytes.Length is 16 or 24)
        {
            if (!bytes.StartsWith(DescriptorMark))
            {
                return false;
            }

            bytes = bytes[4..];
        }

        return bytes.Length is 12 or 20
            && UInt32(bytes, 0) == entry.Crc
            && (bytes.Length == 12 ? UInt32(bytes, 4) : Int64(bytes, 4)) == entry.PackedBytes
            && (bytes.Length == 12 ? UInt32(bytes, 8) : Int64(bytes, 12)) == entry.ContentBytes;
    }

    private byte[] ReadAt(long position, int count)
    {
        var bytes = new byte[count];
        _source.Position = position;
        _source.ReadExactly(bytes);
        return bytes;
    }

    private static int UInt16(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[at..]);

    private static uint UInt32(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]);

    private static long Int64(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadInt64LittleEndian(bytes[at..]);

    private readonly record struct Directory(long Start, long Size, int Count);

    private sealed record Entry(long Offset, int Flags, int Method, uint Crc, long PackedBytes, long ContentBytes, byte[] Name);

    /// <summary>Numbers that do not fit into 32 bits stand in an extra field, in the order of the fields without them.</summary>
    private ref struct WideNumbers
    {
        private ReadOnlySpan<byte> _numbers;

        public WideNumbers(ReadOnlySpan<byte> extra)
        {
            while (extra.Length >= 4)
            {
                var length = UInt16(extra, 2);
                DamageException.Require(length <= extra.Length - 4);
                _numbers = UInt16(extra, 0) == Wide ? extra.Slice(4, length) : _numbers;
                extra = extra[(4 + length)..];
            }
        }

        public long Of(uint value)
        {
            if (value != uint.MaxValue || _numbers.Length < sizeof(long))
            {
                return value;
            }

            var wide = Int64(_numbers, 0);
            _numbers = _numbers[sizeof(long)..];
            return wide;
        }
    }
}

/// <summary>A part of a source that stays the caller's. The last byte is given alone, so that <see cref="IsTaken"/> tells whether a decoder
/// wanted all of them.</summary>
internal sealed class StreamPart(Stream source, long start, long length) : ForwardStream
{
    private long _taken;

    public bool IsTaken => _taken == length;

    public override int Read(Span<byte> buffer)
    {
        var rest = length - _taken;
        source.Position = start + _taken;
        var read = source.Read(buffer[..(int)Math.Min(buffer.Length, rest > 1 ? rest - 1 : rest)]);
        _taken += read;
        return read;
    }
}
