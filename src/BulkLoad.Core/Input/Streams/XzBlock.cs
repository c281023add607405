using System.Buffers.Binary;
using System.IO.Hashing;
using System.Security.Cryptography;
using SharpCompress.Compressors.LZMA;
using Crc64 = SharpCompress.Compressors.Xz.Crc64;

namespace BulkLoad.Core.Input.Streams;

/// <summary>One block of an xz stream: header, data and check. The bytes stay the caller's.</summary>
internal sealed class XzBlock : IDisposable
{
    private const int Lzma2 = 0x21;

    private const int Delta = 0x03;

    /// <summary>Flags of sizes in the header. The others are reserved, but for the count of filters.</summary>
    private const int HasPackedSize = 0x40;

    private const int HasContentSize = 0x80;

    private const int Reserved = 0x3C;

    /// <summary>128 MiB; <c>xz -9</c> needs 64.</summary>
    private const int LargestDictionary = 30;

    private readonly CompressedBytes _bytes;
    private readonly XzCheck _check;
    private readonly long _start;
    private readonly long _dataStart;
    private readonly long? _packedSize;
    private readonly long? _contentSize;
    private readonly LzmaStream _data;

    /// <summary>Behind the first byte, which tells the header's size.</summary>
    public XzBlock(CompressedBytes bytes, int size, XzCheck check)
    {
        (_bytes, _check, _start) = (bytes, check, bytes.BytesOut - 1);
        var header = new byte[(size + 1) * 4];
        header[0] = (byte)size;
        bytes.ReadExactly(header, 1, header.Length - 1);
        DamageException.Require(BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(^4..)) == Crc32.HashToUInt32(header.AsSpan(..^4)));
        using var fields = new MemoryStream(header, 1, header.Length - 5);
        var flags = fields.ReadByte();
        DamageException.Require((flags & Reserved) == 0);
        _packedSize = (flags & HasPackedSize) != 0 ? XzDecoder.ReadNumber(fields) : null;
        _contentSize = (flags & HasContentSize) != 0 ? XzDecoder.ReadNumber(fields) : null;
        var dictionary = DictionaryOf(fields);
        while (fields.Position < fields.Length)
        {
            DamageException.Require(fields.ReadByte() == 0);
        }

        _dataStart = bytes.BytesOut;
        _data = LzmaStream.Create([dictionary], new Lzma2Bytes(bytes), leaveOpen: true);
    }

    /// <summary>Header, data and check, once the block is read.</summary>
    public long UnpaddedBytes { get; private set; }

    public long ContentBytes { get; private set; }

    /// <summary>0: the block has ended correctly.</summary>
    public int Read(Span<byte> buffer)
    {
        var read = _data.Read(buffer);
        if (_bytes.HasEnded)
        {
            // The decoder would accept missing bytes.
            throw new EndOfStreamException();
        }

        if (read == 0)
        {
            End();
        }

        _check.Append(buffer[..read]);
        ContentBytes += read;
        return read;
    }

    public void Dispose()
    {
        _data.Dispose();
        _check.Dispose();
    }

    private static byte DictionaryOf(MemoryStream fields)
    {
        var filter = XzDecoder.ReadNumber(fields);
        if (filter != Lzma2)
        {
            throw new UnsupportedCompressionException(
                $"{(filter == Delta ? "the delta filter" : "a BCJ filter")} of the xz file is not supported: decompress it with xz -dc");
        }

        DamageException.Require(XzDecoder.ReadNumber(fields) == 1);
        var dictionary = fields.ReadByte();
        DamageException.Require(dictionary is >= 0 and <= 40);
        return dictionary <= LargestDictionary ? (byte)dictionary
            : throw new UnsupportedCompressionException("the xz data needs more memory than 128 MiB: decompress it with xz -dc");
    }

    private void End()
    {
        DamageException.Require(_packedSize is not { } packed || packed == _bytes.BytesOut - _dataStart);
        DamageException.Require(_contentSize is not { } content || content == ContentBytes);
        UnpaddedBytes = _bytes.BytesOut - _start + _check.Length;
        for (var at = _bytes.BytesOut - _start; at % 4 != 0; at++)
        {
            DamageException.Require(_bytes.ReadByte() == 0);
        }

        Span<byte> stored = stackalloc byte[_check.Length];
        _bytes.ReadExactly(stored);
        DamageException.Require(_check.Is(stored));
    }
}

internal sealed class XzCheck : IDisposable
{
    private readonly Crc32? _crc32;
    private readonly IncrementalHash? _sha256;
    private readonly bool _isCrc64;
    private ulong _crc64 = ulong.MaxValue;

    private XzCheck(int length) => Length = length;

    private XzCheck(Crc32 crc32) : this(sizeof(uint)) => _crc32 = crc32;

    private XzCheck(IncrementalHash sha256) : this(SHA256.HashSizeInBytes) => _sha256 = sha256;

    private XzCheck(bool isCrc64) : this(sizeof(ulong)) => _isCrc64 = isCrc64;

    public int Length { get; }

    /// <summary>By the number in the stream's header.</summary>
    public static XzCheck Of(int number) => number switch
    {
        0 => new XzCheck(0),
        1 => new XzCheck(new Crc32()),
        4 => new XzCheck(isCrc64: true),
        10 => new XzCheck(IncrementalHash.CreateHash(HashAlgorithmName.SHA256)),
        _ => throw new UnsupportedCompressionException("the kind of checksum in the xz file is not supported: decompress it with xz -dc"),
    };

    public void Append(ReadOnlySpan<byte> content)
    {
        _crc32?.Append(content);
        _sha256?.AppendData(content);
        _crc64 = _isCrc64 ? Crc64.UpdateXz(_crc64, content) : _crc64;
    }

    public bool Is(ReadOnlySpan<byte> stored) =>
        _crc32 is not null ? BinaryPrimitives.ReadUInt32LittleEndian(stored) == _crc32.GetCurrentHashAsUInt32()
        : _sha256 is not null ? stored.SequenceEqual(_sha256.GetHashAndReset())
        : !_isCrc64 || BinaryPrimitives.ReadUInt64LittleEndian(stored) == ~_crc64;

    public void Dispose() => _sha256?.Dispose();
}

/// <summary>The data of a block, chunk by chunk. Packed data begins with a zero, which the decoder does not check.</summary>
internal sealed class Lzma2Bytes(CompressedBytes bytes) : ForwardStream
{
    /// <summary>A chunk's first byte, from here on: it is packed; it has properties too.</summary>
    private const int Packed = 0x80;

    private const int WithProperties = 0xC0;

    private readonly byte[] _header = new byte[7];
    private int _length;
    private int _needed;
    private int _passing;

    public override int Read(Span<byte> buffer)
    {
        var read = bytes.Read(buffer);
        Follow(buffer[..read]);
        return read;
    }

    public override int ReadByte()
    {
        var next = bytes.ReadByte();
        if (_passing > 0)
        {
            _passing--;
        }
        else if (next >= 0)
        {
            Follow([(byte)next]);
        }

        return next;
    }

    private void Follow(ReadOnlySpan<byte> part)
    {
        while (!part.IsEmpty)
        {
            if (_passing > 0)
            {
                var passed = Math.Min(_passing, part.Length);
                _passing -= passed;
                part = part[passed..];
                continue;
            }

            var next = part[0];
            part = part[1..];
            if (_length == 0)
            {
                // Two lengths, properties, and the first byte of the data; or one length; or nothing, at the end.
                _needed = next >= WithProperties ? 7 : next >= Packed ? 6 : next > 0 ? 3 : 1;
            }

            _header[_length++] = next;
            if (_length == _needed)
            {
                EndHeader(next);
            }
        }
    }

    private void EndHeader(byte last)
    {
        var isPacked = _header[0] >= Packed;
        DamageException.Require(!isPacked || last == 0);
        _passing = isPacked ? (_header[3] << 8) + _header[4]
            : _header[0] > 0 ? (_header[1] << 8) + _header[2] + 1
            : 0;
        _length = 0;
    }
}
