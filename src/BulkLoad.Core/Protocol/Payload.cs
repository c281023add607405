using System.Buffers;
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

/// <summary>Builds the payload of one small packet (MySQL client/server protocol, "Protocol Data Types").</summary>
internal sealed class PayloadBuilder
{
    private readonly ArrayBufferWriter<byte> _bytes = new(256);

    public ReadOnlyMemory<byte> Payload => _bytes.WrittenMemory;

    public PayloadBuilder Byte(byte value)
    {
        _bytes.GetSpan(1)[0] = value;
        _bytes.Advance(1);
        return this;
    }

    public PayloadBuilder UInt32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_bytes.GetSpan(4), value);
        _bytes.Advance(4);
        return this;
    }

    public PayloadBuilder Zeros(int count)
    {
        _bytes.GetSpan(count)[..count].Clear();
        _bytes.Advance(count);
        return this;
    }

    /// <summary>A zero byte in the text would end it early, so there must be none.</summary>
    public PayloadBuilder Terminated(string text)
    {
        Encoding.UTF8.GetBytes(text, _bytes);
        return Byte(0);
    }

    public PayloadBuilder LengthEncoded(string text) => LengthEncoded(Encoding.UTF8.GetBytes(text));

    /// <summary>At most 65,535 bytes.</summary>
    public PayloadBuilder LengthEncoded(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < 251)
        {
            Byte((byte)bytes.Length);
        }
        else
        {
            var prefix = _bytes.GetSpan(3);
            prefix[0] = 0xfc;
            BinaryPrimitives.WriteUInt16LittleEndian(prefix[1..], checked((ushort)bytes.Length));
            _bytes.Advance(3);
        }

        _bytes.Write(bytes);
        return this;
    }
}
