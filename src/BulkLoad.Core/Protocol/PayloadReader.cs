using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

/// <summary>Reads the parts of a payload (MySQL client/server protocol, "Protocol Data Types"). A payload that is too short is a
/// <see cref="ServerException"/>: nothing that the peer claims is trusted.</summary>
internal ref struct PayloadReader(ReadOnlySpan<byte> payload)
{
    private const byte NullMark = 0xfb;

    private ReadOnlySpan<byte> _rest = payload;

    public readonly int Remaining => _rest.Length;

    public byte ReadByte() => ReadBytes(1)[0];

    public ushort ReadUInt16() => BinaryPrimitives.ReadUInt16LittleEndian(ReadBytes(2));

    public uint ReadUInt32() => BinaryPrimitives.ReadUInt32LittleEndian(ReadBytes(4));

    public ReadOnlySpan<byte> ReadBytes(int count)
    {
        if (count > _rest.Length)
        {
            throw ProtocolViolation.Of("a packet is shorter than its content");
        }

        var bytes = _rest[..count];
        _rest = _rest[count..];
        return bytes;
    }

    public ReadOnlySpan<byte> ReadRest() => ReadBytes(_rest.Length);

    /// <summary>Up to a zero byte, or to the end.</summary>
    public ReadOnlySpan<byte> ReadTerminated()
    {
        var end = _rest.IndexOf((byte)0);
        if (end < 0)
        {
            return ReadRest();
        }

        var text = ReadBytes(end);
        _rest = _rest[1..];
        return text;
    }

    public ulong ReadLengthEncoded()
    {
        var first = ReadByte();
        return first switch
        {
            < NullMark => first,
            0xfc => ReadUInt16(),
            0xfd => ReadUInt16() | ((ulong)ReadByte() << 16),
            0xfe => BinaryPrimitives.ReadUInt64LittleEndian(ReadBytes(8)),
            _ => throw ProtocolViolation.Of("a length has an unknown form"),
        };
    }

    public ReadOnlySpan<byte> ReadLengthEncodedBytes()
    {
        var length = ReadLengthEncoded();
        return length <= (ulong)_rest.Length ? ReadBytes((int)length) : throw ProtocolViolation.Of("a text is longer than its packet");
    }

    /// <summary>A value of a text row; false for NULL.</summary>
    public bool TryReadValue(out ReadOnlySpan<byte> value)
    {
        if (!_rest.IsEmpty && _rest[0] == NullMark)
        {
            _rest = _rest[1..];
            value = default;
            return false;
        }

        value = ReadLengthEncodedBytes();
        return true;
    }
}
