using Microsoft.Win32.SafeHandles;

namespace BulkLoad.Cli;

/// <summary>The three descriptors that every Unix process begins with.</summary>
internal static class StandardStreams
{
    /// <summary>
    /// Fills the place of each descriptor that the caller has closed (<c>bulkload ... >&amp;-</c>). Otherwise the next file or socket would
    /// get its number, and a report would be written there. Reading and writing then fail as with a closed descriptor, but messages to a
    /// closed standard error are dropped. To be called before anything is opened.
    /// </summary>
    public static void Reserve()
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        foreach (var (descriptor, access) in ((int, FileAccess)[])[(0, FileAccess.Write), (1, FileAccess.Read), (2, FileAccess.Write)])
        {
            if (!IsOpen(descriptor))
            {
                // The system gives the lowest number that is free, which is this one. It stays open as long as the process.
                File.OpenHandle("/dev/null", FileMode.Open, access, FileShare.ReadWrite).SetHandleAsInvalid();
            }
        }
    }

    private static bool IsOpen(int descriptor)
    {
        try
        {
            using var handle = new SafeFileHandle(descriptor, ownsHandle: false);
#pragma warning disable CA1416 // Not called on Windows.
            _ = File.GetUnixFileMode(handle);
#pragma warning restore CA1416
            return true;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
