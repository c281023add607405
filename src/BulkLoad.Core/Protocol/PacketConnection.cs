using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;

namespace BulkLoad.Core.Protocol;

internal sealed class PacketConnection
{
    private readonly Stream _transport;
    private SslStream? _encrypted;
    private int _due = 1;
    private int _leastBytes = 1;
    private bool _wakesForEach;
    private int _isClosed;

    /// <summary>Owns the transport.</summary>
    public PacketConnection(Stream transport, ChannelSecurity channel)
    {
        _transport = transport;
        Channel = channel;
        Reader = new PacketReader(transport);
        Writer = new PacketWriter(transport);
    }

    public PacketReader Reader { get; private set; }

    public PacketWriter Writer { get; private set; }

    public ChannelSecurity Channel { get; private set; }

    public string Security => _encrypted is { } encrypted
        ? encrypted.SslProtocol == SslProtocols.Tls13 ? "TLS 1.3" : "TLS 1.2"
        : Channel.IsUnixSocket ? "unix socket" : "not encrypted";

    public bool IsClosed => Volatile.Read(ref _isClosed) != 0;

    /// <summary>The peer's next packet has the id after the last one written.</summary>
    public void GiveTurn() => Reader.BeginAnswer(Writer.Sequence);

    /// <summary>The next packet written has the id after the last one read.</summary>
    public void TakeTurn() => Writer.Sequence = Reader.Sequence;

    public async Task EncryptAsync(Func<Stream, Task<SslStream>> encrypt, bool isVerified)
    {
        if (Reader.HasBuffered)
        {
            // Bytes sent before the TLS handshake would be taken for bytes of the authenticated peer.
            throw ProtocolViolation.Of("more came in clear after TLS was agreed on");
        }

        _encrypted = await encrypt(new TlsRecordStream(_transport, begun => Await(Math.Max(1, _due - begun))));
        Reader = new PacketReader(_encrypted);
        Writer = new PacketWriter(_encrypted) { Sequence = Writer.Sequence };
        Channel = Channel with { IsEncrypted = true, IsVerified = isVerified };
    }

    /// <summary>Wakes a read only when this number of bytes has come, or the connection is over (SO_RCVLOWAT, socket(7)): to wake a thread
    /// for each of many small answers costs more than the answers. Not all transports can do it. The number must not exceed the bytes that
    /// are sure to come after those in <see cref="Reader"/>; 1 resets it.</summary>
    public void AwaitBytes(int count)
    {
        _due = count;
        if (_encrypted is null)
        {
            Await(count);
        }
    }

    /// <summary>Counts the transport's own bytes.</summary>
    private void Await(int count)
    {
        if (count == _leastBytes || _wakesForEach || _transport is not NetworkStream { Socket: var socket })
        {
            return;
        }

        try
        {
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReceiveLowWater, count);
            _leastBytes = count;
        }
        catch (SocketException)
        {
            _wakesForEach = true;
        }
        catch (ObjectDisposedException)
        {
            // Another thread has closed it. The next read reports it.
        }
    }

    /// <summary>Sends no TLS farewell, so the server never takes a cut stream as a whole one.</summary>
    public void Close()
    {
        if (Interlocked.Exchange(ref _isClosed, 1) == 0)
        {
            _transport.Dispose();
            _encrypted?.Dispose();
        }
    }
}

/// <summary>Writes payloads as packets, and splits long ones (MySQL client/server protocol, "MySQL Packets"). One buffer collects headers
/// and short parts; long parts are not copied. Allocates no task if the buffer has room and the stream takes it at once.</summary>
internal sealed class PacketWriter(Stream stream)
{
    private const int HeaderLength = 4;
    private const int BufferLength = 32 * 1024;

    private readonly byte[] _buffer = new byte[BufferLength];
    private int _length;

    public byte Sequence { get; set; }

    public ValueTask WriteAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken) =>
        WriteAsync([payload], cancellationToken);

    /// <summary>Writes one payload, made of these parts, and flushes.</summary>
    public ValueTask WriteAsync(ReadOnlySpan<ReadOnlyMemory<byte>> parts, CancellationToken cancellationToken) =>
        TryPut(parts) ? FlushAsync(cancellationToken) : WriteInPiecesAsync(parts.ToArray(), cancellationToken);

    /// <summary>Writes one payload, which may stay in the buffer.</summary>
    public ValueTask PutAsync(ReadOnlySpan<ReadOnlyMemory<byte>> parts, CancellationToken cancellationToken) =>
        TryPut(parts) ? ValueTask.CompletedTask : PutInPiecesAsync(parts.ToArray(), cancellationToken);

    public ValueTask FlushAsync(CancellationToken cancellationToken)
    {
        var length = _length;
        _length = 0;
        return length == 0 ? ValueTask.CompletedTask : stream.WriteAsync(_buffer.AsMemory(0, length), cancellationToken);
    }

    /// <summary>Writes packets that have their headers already.</summary>
    public async ValueTask WritePacketsAsync(ReadOnlyMemory<byte> packets, CancellationToken cancellationToken)
    {
        await FlushAsync(cancellationToken);
        await stream.WriteAsync(packets, cancellationToken);
    }

    private async ValueTask WriteInPiecesAsync(ReadOnlyMemory<byte>[] parts, CancellationToken cancellationToken)
    {
        await PutInPiecesAsync(parts, cancellationToken);
        await FlushAsync(cancellationToken);
    }

    private bool TryPut(ReadOnlySpan<ReadOnlyMemory<byte>> parts)
    {
        var length = 0L;
        foreach (var part in parts)
        {
            length += part.Length;
        }

        if (length > BufferLength - HeaderLength - _length)
        {
            return false;
        }

        PutHeader((int)length);
        foreach (var part in parts)
        {
            part.Span.CopyTo(_buffer.AsSpan(_length));
            _length += part.Length;
        }

        return true;
    }

    private async ValueTask PutInPiecesAsync(ReadOnlyMemory<byte>[] parts, CancellationToken cancellationToken)
    {
        var payloadLeft = parts.Sum(part => (long)part.Length);
        var (part, rest) = (0, ReadOnlyMemory<byte>.Empty);
        int packetLength;
        do
        {
            if (BufferLength - _length < HeaderLength)
            {
                await FlushAsync(cancellationToken);
            }

            packetLength = (int)Math.Min(payloadLeft, PacketReader.MaxPacketPayload);
            payloadLeft -= packetLength;
            PutHeader(packetLength);
            for (var left = packetLength; left > 0;)
            {
                rest = rest.IsEmpty ? parts[part++] : rest;
                var now = rest[..Math.Min(rest.Length, left)];
                await CopyAsync(now, cancellationToken);
                left -= now.Length;
                rest = rest[now.Length..];
            }
        }
        while (packetLength == PacketReader.MaxPacketPayload);
    }

    private void PutHeader(int length)
    {
        _buffer[_length] = (byte)length;
        _buffer[_length + 1] = (byte)(length >> 8);
        _buffer[_length + 2] = (byte)(length >> 16);
        _buffer[_length + 3] = Sequence++;
        _length += HeaderLength;
    }

    private async ValueTask CopyAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
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
