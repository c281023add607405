using System.Buffers.Binary;
using System.IO.Hashing;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Decompresses xz ("The .xz File Format", 1.2.1): streams with blocks, an index and a footer, and zeros in fours between streams.
/// Index and footer must match what was read, so that no block can be missing. The bytes stay the caller's. Throws
/// <see cref="DamageException"/>, <see cref="EndOfStreamException"/> or <see cref="UnsupportedCompressionException"/>.</summary>
internal sealed class XzDecoder(CompressedBytes bytes) : ForwardStream
{
    private const int HeaderBytes = 12;

    /// <summary>Offsets of the flags in a stream's header and in its footer.</summary>
    private const int FlagsInHeader = 6;

    private const int FlagsInFooter = 8;

    private readonly byte[] _flags = new byte[2];
    private readonly XxHash128 _blocksRead = new();
    private long _blockCount;
    private XzBlock? _block;
    private bool _isWithinStream;
    private bool _hasStarted;

    private static ReadOnlySpan<byte> Mark => [0xFD, (byte)'7', (byte)'z', (byte)'X', (byte)'Z', 0];

    public override int Read(Span<byte> buffer)
    {
        while (_block is not null || NextBlock())
        {
            if (_block!.Read(buffer) is > 0 and var read)
            {
                return read;
            }

            AppendTo(_blocksRead, _block.UnpaddedBytes, _block.ContentBytes);
            _blockCount++;
            _block.Dispose();
            _block = null;
        }

        return 0;
    }

    /// <summary>Seven bits a byte, the lowest first, without zeros at the end.</summary>
    internal static long ReadNumber(Stream source)
    {
        var value = 0L;
        for (var shift = 0; shift < 63; shift += 7)
        {
            var next = source.ReadByte();
            DamageException.Require(next > 0 || (next == 0 && shift == 0));
            value |= (long)(next & 0x7F) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new DamageException(DamageException.Damaged);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _block?.Dispose();
        }

        base.Dispose(disposing);
    }

    private static void AppendTo(XxHash128 blocks, long unpadded, long content)
    {
        Span<byte> pair = stackalloc byte[2 * sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(pair, unpadded);
        BinaryPrimitives.WriteInt64LittleEndian(pair[sizeof(long)..], content);
        blocks.Append(pair);
    }

    private bool NextBlock()
    {
        while (_isWithinStream || StartStream())
        {
            if (bytes.ReadByte() is > 0 and var size)
            {
                _block = new XzBlock(bytes, size, XzCheck.Of(_flags[1]));
                return true;
            }

            // A zero in place of a block's size begins the index, and the footer follows. Nothing is caught there.
            ReadFooter(ReadIndex());
            _isWithinStream = false;
        }

        return false;
    }

    private bool StartStream()
    {
        var zeros = 0;
        while (_hasStarted && bytes.Peek() == 0)
        {
            bytes.ReadByte();
            zeros++;
        }

        var next = bytes.Peek();
        DamageException.Require(zeros % 4 == 0 && (!_hasStarted || next < 0 || next == Mark[0]), DamageException.FollowedByOther);
        if (_hasStarted && next < 0)
        {
            return false;
        }

        Span<byte> header = stackalloc byte[HeaderBytes];
        bytes.ReadExactly(header);
        DamageException.Require(header.StartsWith(Mark));
        var flags = header[FlagsInHeader..][..2];
        DamageException.Require(BinaryPrimitives.ReadUInt32LittleEndian(header[FlagsInFooter..]) == Crc32.HashToUInt32(flags));
        flags.CopyTo(_flags);
        _blocksRead.Reset();
        (_blockCount, _hasStarted, _isWithinStream) = (0, true, true);
        return true;
    }

    /// <summary>Returns its length in bytes.</summary>
    private long ReadIndex()
    {
        var index = new SummedBytes(bytes);
        index.Append(0);
        DamageException.Require(ReadNumber(index) == _blockCount);
        var listed = new XxHash128();
        for (var block = 0L; block < _blockCount; block++)
        {
            AppendTo(listed, ReadNumber(index), ReadNumber(index));
        }

        DamageException.Require(listed.GetCurrentHashAsUInt128() == _blocksRead.GetCurrentHashAsUInt128());
        while (index.Length % 4 != 0)
        {
            DamageException.Require(index.ReadByte() == 0);
        }

        Span<byte> sum = stackalloc byte[4];
        bytes.ReadExactly(sum);
        DamageException.Require(BinaryPrimitives.ReadUInt32LittleEndian(sum) == index.Sum);
        return index.Length + sum.Length;
    }

    private void ReadFooter(long indexBytes)
    {
        Span<byte> footer = stackalloc byte[HeaderBytes];
        bytes.ReadExactly(footer);
        DamageException.Require(BinaryPrimitives.ReadUInt32LittleEndian(footer) == Crc32.HashToUInt32(footer[4..10]));
        DamageException.Require((BinaryPrimitives.ReadUInt32LittleEndian(footer[4..]) + 1L) * 4 == indexBytes);
        DamageException.Require(footer[FlagsInFooter..][..2].SequenceEqual(_flags));
        DamageException.Require(footer[10..].SequenceEqual("YZ"u8));
    }

    /// <summary>Reads single bytes, which are counted and summed.</summary>
    private sealed class SummedBytes(Stream source) : ForwardStream
    {
        private readonly Crc32 _sum = new();

        public new long Length { get; private set; }

        public uint Sum => _sum.GetCurrentHashAsUInt32();

        public void Append(byte value)
        {
            _sum.Append([value]);
            Length++;
        }

        public override int ReadByte()
        {
            var next = source.ReadByte();
            if (next < 0)
            {
                throw new EndOfStreamException();
            }

            Append((byte)next);
            return next;
        }

        public override int Read(Span<byte> buffer) => throw new NotSupportedException();
    }
}
