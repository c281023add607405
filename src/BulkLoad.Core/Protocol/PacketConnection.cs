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

    /// <summary>For people: <c>TLS 1.3</c>, <c>not encrypted</c>, <c>unix socket</c>.</summary>
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

    /// <summary>Wakes a read only when so many bytes have come, or the connection is over (SO_RCVLOWAT, socket(7)): waking a thread for
    /// each of many small answers costs more than the answers. Not all transports can. No more than are sure to come behind those in
    /// <see cref="Reader"/>; 1 resets it.</summary>
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
            // Closed from another side, which the next read tells.
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
