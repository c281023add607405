using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using BulkLoad.Core.Rows;

namespace BulkLoad.Benchmarks;

/// <summary>Forwards connections from a loopback port to a server, but for the content of LOAD DATA LOCAL: the server gets an empty file,
/// and the client the answer that all rows were taken. So a client finds a server that costs nothing. Without TLS.</summary>
internal sealed class SwallowingRelay : IDisposable
{
    private const byte LocalRequest = 0xfb;
    private const byte EightBytes = 0xfe;

    /// <summary>A row of a result that begins with NULL has a later number.</summary>
    private const byte RequestSequence = 1;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConnectionOptions _server;

    public SwallowingRelay(ConnectionOptions server)
    {
        _server = server;
        _listener.Start();
        Begin(Accept);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public void Dispose() => _listener.Stop();

    private void Accept()
    {
        while (true)
        {
            var client = _listener.AcceptTcpClient();
            var server = new TcpClient(_server.Host, _server.Port);
            client.NoDelay = server.NoDelay = true;
            var load = new Load();
            var (asking, answering) = (new Packets(client), new Packets(server));
            Begin(() => Forward(asking, answering, (packet, to) => Ask(packet, to, load)));
            Begin(() => Forward(answering, asking, (packet, to) => Answer(packet, to, load)));
        }
    }

    private static void Forward(Packets from, Packets to, Action<Packets, Packets> forward)
    {
        try
        {
            while (from.Read())
            {
                forward(from, to);
            }
        }
        catch (Exception fault) when (fault is IOException or ObjectDisposedException)
        {
            // One of the sides has closed its connection.
        }

        from.Dispose();
        to.Dispose();
    }

    /// <summary>A packet of the client: content is counted, and only its end is forwarded.</summary>
    private static void Ask(Packets packet, Packets server, Load load)
    {
        if (load.IsAsked)
        {
            load.Rows += packet.Payload.Count(RowBlock.RowEnd);
            if (!packet.Payload.IsEmpty)
            {
                return;
            }

            (load.LastSequence, packet.Sequence) = (packet.Sequence, RequestSequence + 1);
            (load.IsAsked, load.IsAnswerDue) = (false, true);
        }

        packet.Send(server);
    }

    /// <summary>A packet of the server: its answer to an empty file becomes one to the client's.</summary>
    private static void Answer(Packets packet, Packets client, Load load)
    {
        if (load.IsAnswerDue)
        {
            load.IsAnswerDue = false;
            packet.Sequence = (byte)(load.LastSequence + 1);
            if (packet.Payload is [0, 0, 0, var status, var more, ..])
            {
                // OK: the count in eight bytes, no id, the server's flags of the transaction, no warnings.
                Span<byte> answer = [0, EightBytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, status, more, 0, 0];
                BinaryPrimitives.WriteInt64LittleEndian(answer[2..], load.Rows);
                packet.Send(client, answer);
                return;
            }
        }
        else if (packet.Sequence == RequestSequence && packet.Payload is [LocalRequest, _, ..])
        {
            (load.Rows, load.IsAsked) = (0, true);
        }

        packet.Send(client);
    }

    private static void Begin(ThreadStart work) => new Thread(work) { IsBackground = true, Name = "relay" }.Start();

    /// <summary>The load of a connection. The protocol lets the two sides take turns with it.</summary>
    private sealed class Load
    {
        private volatile bool _isAsked;
        private volatile bool _isAnswerDue;

        /// <summary>The client sends content.</summary>
        public bool IsAsked { get => _isAsked; set => _isAsked = value; }

        public bool IsAnswerDue { get => _isAnswerDue; set => _isAnswerDue = value; }

        public byte LastSequence { get; set; }

        public long Rows { get; set; }
    }

    /// <summary>The packets that come from a side, one after the other.</summary>
    private sealed class Packets(TcpClient client) : IDisposable
    {
        private const int HeadBytes = 4;

        private readonly NetworkStream _stream = client.GetStream();
        private byte[] _bytes = new byte[1024 * 1024];
        private int _start;
        private int _end;
        private int _length = -HeadBytes;

        /// <summary>Whether the other side gets the packet.</summary>
        public bool IsDue { get; set; }

        public byte Sequence { get => _bytes[_start + 3]; set => _bytes[_start + 3] = value; }

        public ReadOnlySpan<byte> Payload => _bytes.AsSpan(_start + HeadBytes, _length);

        /// <summary>Takes the next packet. False: there is none.</summary>
        public bool Read()
        {
            _start += HeadBytes + _length;
            IsDue = Fill(HeadBytes);
            if (!IsDue)
            {
                return false;
            }

            _length = _bytes[_start] | (_bytes[_start + 1] << 8) | (_bytes[_start + 2] << 16);
            return Fill(HeadBytes + _length);
        }

        /// <summary>Sends the packet to another side.</summary>
        /// <param name="payload">instead of the packet's own</param>
        public void Send(Packets to, ReadOnlySpan<byte> payload)
        {
            var packet = new byte[HeadBytes + payload.Length];
            BinaryPrimitives.WriteInt32LittleEndian(packet, payload.Length | (Sequence << 24));
            payload.CopyTo(packet.AsSpan(HeadBytes));
            to._stream.Write(packet);
        }

        public void Send(Packets to) => to._stream.Write(_bytes, _start, HeadBytes + _length);

        public void Dispose() => client.Dispose();

        private bool Fill(int count)
        {
            if (_start + count > _bytes.Length)
            {
                var bytes = count > _bytes.Length ? new byte[2 * count] : _bytes;
                _bytes.AsSpan(_start, _end - _start).CopyTo(bytes);
                (_bytes, _start, _end) = (bytes, 0, _end - _start);
            }

            while (_end - _start < count)
            {
                var read = _stream.Read(_bytes, _end, _bytes.Length - _end);
                if (read == 0)
                {
                    return false;
                }

                _end += read;
            }

            return true;
        }
    }
}
