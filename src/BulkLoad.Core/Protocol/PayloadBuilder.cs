using System.Buffers;
using System.Buffers.Binary;

namespace BulkLoad.Core.Protocol;

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
