using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace BulkLoad.Core.Protocol;

/// <summary>
/// recv(2) and send(2) of Linux as they are, on a socket that blocks. <see cref="Socket"/> has more layers around them, and recvmsg(2) for
/// the first: its calls take a fifteenth more processor time for a round trip of a small statement. A socket that is closed by another
/// thread ends them as it ends its own.
/// </summary>
internal static class SocketCalls
{
    private const int NoFlags = 0;

    /// <summary>MSG_NOSIGNAL: a connection that is over is an error, and no signal.</summary>
    private const int NoSignal = 0x4000;

    /// <summary>EINTR.</summary>
    private const int Interrupted = 4;

    /// <returns>bytes that have come; 0 where the peer has ended the connection</returns>
    /// <exception cref="IOException">the connection broke</exception>
    /// <exception cref="ObjectDisposedException">the socket is closed</exception>
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

    /// <returns>bytes that were taken, at least one of any</returns>
    /// <exception cref="IOException">the connection broke</exception>
    /// <exception cref="ObjectDisposedException">the socket is closed</exception>
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
