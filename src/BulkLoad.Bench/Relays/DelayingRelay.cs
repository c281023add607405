using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace BulkLoad.Bench.Relays;

/// <summary>Forwards connections from a loopback port to a server, and delays each byte by half a latency in each direction: like a longer
/// route, on which many bytes travel at the same time. It uses threads, not tasks: delays are shorter than a timer's steps.</summary>
internal sealed class DelayingRelay : IDisposable
{
    private const int PieceBytes = 64 * 1024;

    /// <summary>16 MiB: more than any connection's window.</summary>
    private const int MaxPieces = 256;

    /// <summary>Timers are exact to about a millisecond. Shorter delays poll the clock, which takes a core.</summary>
    private static readonly TimeSpan TimerStep = TimeSpan.FromMilliseconds(2);

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<Socket> _sockets = [];
    private readonly ConnectionOptions _server;
    private readonly TimeSpan _delay;
    private volatile bool _isEnded;

    /// <summary>The latency is added to each round trip.</summary>
    public DelayingRelay(ConnectionOptions server, TimeSpan latency)
    {
        (_server, _delay) = (server, latency / 2);
        _listener.Start();
        Begin(Accept);
    }

    public ConnectionOptions Connection =>
        _server with { Host = "127.0.0.1", Port = ((IPEndPoint)_listener.LocalEndpoint).Port, Socket = null };

    public void Dispose()
    {
        _isEnded = true;
        _listener.Stop();
        foreach (var socket in _sockets)
        {
            socket.Dispose();
        }
    }

    private void Accept()
    {
        try
        {
            while (true)
            {
                var client = Keep(_listener.AcceptSocket());
                Begin(() => Connect(client));
            }
        }
        catch (SocketException) when (_isEnded)
        {
            // The relay was disposed.
        }
    }

    private void Connect(Socket client)
    {
        try
        {
            var server = Keep(_server.Socket is null
                ? new Socket(SocketType.Stream, ProtocolType.Tcp)
                : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified));
            if (_server.Socket is { } path)
            {
                server.Connect(new UnixDomainSocketEndPoint(path));
            }
            else
            {
                server.Connect(_server.Host, _server.Port);
                server.NoDelay = true;
            }

            client.NoDelay = true;
            Forward(client, server);
            Forward(server, client);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // The client sees the closed connection.
            client.Dispose();
        }
    }

    private void Forward(Socket from, Socket to)
    {
        // Nobody disposes it: each thread runs for a moment after the other has ended, and it holds nothing but memory.
        var way = new BlockingCollection<(long Due, byte[] Piece)>(MaxPieces);
        Begin(() => Take(from, way));
        Begin(() => Hand(way, from, to));
    }

    private void Take(Socket from, BlockingCollection<(long Due, byte[] Piece)> way)
    {
        var buffer = new byte[PieceBytes];
        try
        {
            int count;
            while ((count = from.Receive(buffer)) > 0)
            {
                way.Add((Stopwatch.GetTimestamp() + (long)(_delay.TotalSeconds * Stopwatch.Frequency), buffer[..count]));
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The connection is closed; the pieces that were sent still arrive.
        }

        way.CompleteAdding();
    }

    private void Hand(BlockingCollection<(long Due, byte[] Piece)> way, Socket from, Socket to)
    {
        try
        {
            foreach (var (due, piece) in way.GetConsumingEnumerable())
            {
                WaitUntil(due);
                to.Send(piece);
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            way.CompleteAdding();
        }

        from.Dispose();
        to.Dispose();
    }

    private void WaitUntil(long due)
    {
        if (_delay >= TimerStep)
        {
            // To the nearest millisecond: some pieces are a little too early, others a little too late.
            Thread.Sleep((int)Math.Round(Math.Max(0, Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), due).TotalMilliseconds)));
            return;
        }

        while (Stopwatch.GetTimestamp() < due)
        {
            // The thread that has work goes first.
            Thread.Yield();
        }
    }

    private Socket Keep(Socket socket)
    {
        _sockets.Add(socket);
        if (_isEnded)
        {
            socket.Dispose();
        }

        return socket;
    }

    private static void Begin(ThreadStart work) => new Thread(work) { IsBackground = true, Name = "relay" }.Start();
}
