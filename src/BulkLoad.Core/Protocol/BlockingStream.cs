using System.Net;
using System.Net.Sockets;

namespace BulkLoad.Core.Protocol;

/// <summary>A connection whose reads and writes block the calling thread, for benches with a thread for each session. A command and its
/// answer are two system calls then; an asynchronous wait takes four and wakes another thread. Cancelling ends the connection, also between
/// two calls. It owns the socket.</summary>
internal sealed class BlockingStream(Socket socket) : NetworkStream(socket, ownsSocket: true)
{
    private static readonly Action<object?> EndConnection = static state =>
    {
        try
        {
            ((Socket)state!).Shutdown(SocketShutdown.Both);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // It has ended.
        }
    };

    private readonly SafeSocketHandle _handle = socket.SafeHandle;
    private CancellationToken _token;
    private CancellationTokenRegistration _end;

    /// <summary>Owns the socket unless it fails. Cancelling closes the socket, which ends the wait.</summary>
    public static BlockingStream Connect(Socket socket, EndPoint endpoint, CancellationToken cancellationToken)
    {
        using var end = cancellationToken.UnsafeRegister(static state => ((Socket)state!).Dispose(), socket);
        try
        {
            socket.Connect(endpoint);
            return new BlockingStream(socket);
        }
        catch (Exception) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(cancellationToken);
        }
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        EndWith(cancellationToken);
        try
        {
            return new(
                OperatingSystem.IsLinux() ? SocketCalls.Receive(_handle, buffer.Span) : Socket.Receive(buffer.Span, SocketFlags.None));
        }
        catch (SocketException fault)
        {
            throw new IOException(fault.Message, fault);
        }
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        EndWith(cancellationToken);
        var left = buffer.Span;
        try
        {
            while (!left.IsEmpty)
            {
                left = left[(OperatingSystem.IsLinux() ? SocketCalls.Send(_handle, left) : Socket.Send(left, SocketFlags.None))..];
            }
        }
        catch (SocketException fault)
        {
            throw new IOException(fault.Message, fault);
        }

        return ValueTask.CompletedTask;
    }

    protected override void Dispose(bool disposing)
    {
        _end.Dispose();
        base.Dispose(disposing);
    }

    private void EndWith(CancellationToken cancellationToken)
    {
        if (cancellationToken != _token)
        {
            _end.Dispose();
            _token = cancellationToken;
            _end = cancellationToken.UnsafeRegister(EndConnection, Socket);
        }
    }
}
