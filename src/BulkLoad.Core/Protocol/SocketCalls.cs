using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace BulkLoad.Core.Protocol;

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
