using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

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
            // The connection has ended.
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

/// <summary>recv(2) and send(2) of Linux, on a blocking socket. <see cref="Socket"/> adds layers and uses recvmsg(2), which takes a
/// fifteenth more processor time for a round trip of a small statement. Closing the socket in another thread ends them.</summary>
internal static class SocketCalls
{
    private const int NoFlags = 0;

    /// <summary>MSG_NOSIGNAL: a broken connection is an error, not a signal.</summary>
    private const int NoSignal = 0x4000;

    private const int Interrupted = 4;

    /// <summary>0: the peer has closed the connection.</summary>
    public static int Receive(SafeSocketHandle socket, Span<byte> buffer)
    {
        nint count;
        do
        {
            count = Receive(socket, ref MemoryMarshal.GetReference(buffer), buffer.Length, NoFlags);
        }
        while (count < 0 && IsInterrupted());
        return (int)count;
    }

    /// <summary>Returns the bytes taken, at least one.</summary>
    public static int Send(SafeSocketHandle socket, ReadOnlySpan<byte> bytes)
    {
        nint count;
        do
        {
            count = Send(socket, ref MemoryMarshal.GetReference(bytes), bytes.Length, NoSignal);
        }
        while (count < 0 && IsInterrupted());
        return (int)count;
    }

    private static bool IsInterrupted()
    {
        var error = Marshal.GetLastPInvokeError();
        return error == Interrupted ? true : throw new IOException(Marshal.GetPInvokeErrorMessage(error));
    }

    [DllImport("libc", EntryPoint = "recv", ExactSpelling = true, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint Receive(SafeSocketHandle socket, ref byte buffer, nint length, int flags);

    [DllImport("libc", EntryPoint = "send", ExactSpelling = true, SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint Send(SafeSocketHandle socket, ref byte bytes, nint length, int flags);
}
