namespace BulkLoad.Core.Protocol;

/// <summary>
/// Writes payloads as packets, split where they are too long for one (MySQL client/server protocol, "MySQL Packets").
/// Headers and short parts are gathered in one buffer; long parts go to the stream from where they are.
/// </summary>
internal sealed class PacketWriter(Stream stream)
{
    private const int HeaderLength = 4;
    private const int BufferLength = 32 * 1024;

    private readonly byte[] _buffer = new byte[BufferLength];
    private int _length;
    private int _packetLeft;
    private long _payloadLeft;
    private bool _isContinued;

    /// <summary>The sequence id of the packet after those written.</summary>
    public byte Sequence { get; set; }

    /// <summary>Writes a whole payload and flushes.</summary>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        await BeginAsync(payload.Length, cancellationToken);
        await AppendAsync(payload, cancellationToken);
        await EndAsync(cancellationToken);
        await FlushAsync(cancellationToken);
    }

    /// <summary>Starts a payload, which the calls of <see cref="AppendAsync"/> must fill exactly.</summary>
    public ValueTask BeginAsync(long length, CancellationToken cancellationToken)
    {
        _payloadLeft = length;
        return StartPacketAsync(cancellationToken);
    }

    /// <exception cref="InvalidOperationException">the payload would be longer than it was said to be</exception>
    public ValueTask AppendAsync(ReadOnlyMemory<byte> part, CancellationToken cancellationToken)
    {
        if (part.Length > Math.Min(_packetLeft, BufferLength - _length))
        {
            return AppendInPiecesAsync(part, cancellationToken);
        }

        part.Span.CopyTo(_buffer.AsSpan(_length));
        _length += part.Length;
        _packetLeft -= part.Length;
        return ValueTask.CompletedTask;
    }

    private async ValueTask AppendInPiecesAsync(ReadOnlyMemory<byte> part, CancellationToken cancellationToken)
    {
        if (part.Length > _packetLeft + _payloadLeft)
        {
            throw new InvalidOperationException($"{part.Length} bytes come where {_packetLeft + _payloadLeft} of the payload are left");
        }

        while (!part.IsEmpty)
        {
            if (_packetLeft == 0)
            {
                await StartPacketAsync(cancellationToken);
            }

            var now = part[..Math.Min(part.Length, _packetLeft)];
            await PutAsync(now, cancellationToken);
            _packetLeft -= now.Length;
            part = part[now.Length..];
        }
    }

    /// <summary>Ends the payload; it may still be in the buffer.</summary>
    public ValueTask EndAsync(CancellationToken cancellationToken) =>
        _isContinued ? StartPacketAsync(cancellationToken) : ValueTask.CompletedTask;

    public async ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        var length = _length;
        _length = 0;
        if (length > 0)
        {
            await stream.WriteAsync(_buffer.AsMemory(0, length), cancellationToken);
        }
    }

    /// <summary>Writes packets that have their headers already, behind what is in the buffer.</summary>
    public async ValueTask WritePacketsAsync(ReadOnlyMemory<byte> packets, CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        await stream.WriteAsync(packets, cancellationToken);
    }

    private ValueTask StartPacketAsync(CancellationToken cancellationToken)
    {
        if (BufferLength - _length < HeaderLength)
        {
            return FlushAndStartPacketAsync(cancellationToken);
        }

        StartPacket();
        return ValueTask.CompletedTask;
    }

    private async ValueTask FlushAndStartPacketAsync(CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        StartPacket();
    }

    private void StartPacket()
    {
        _packetLeft = (int)Math.Min(_payloadLeft, PacketReader.MaxPacketPayload);
        _payloadLeft -= _packetLeft;
        _isContinued = _packetLeft == PacketReader.MaxPacketPayload;
        _buffer[_length] = (byte)_packetLeft;
        _buffer[_length + 1] = (byte)(_packetLeft >> 8);
        _buffer[_length + 2] = (byte)(_packetLeft >> 16);
        _buffer[_length + 3] = Sequence++;
        _length += HeaderLength;
    }

    private async ValueTask PutAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        var room = Math.Min(BufferLength - _length, bytes.Length);
        bytes.Span[..room].CopyTo(_buffer.AsSpan(_length));
        _length += room;
        var rest = bytes[room..];
        if (rest.IsEmpty)
        {
            return;
        }

        await FlushAsync(cancellationToken);
        if (rest.Length >= BufferLength)
        {
            await stream.WriteAsync(rest, cancellationToken);
            return;
        }

        rest.Span.CopyTo(_buffer);
        _length = rest.Length;
    }
}
