using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace BulkLoad.Cli.Host;

/// <summary>Settings of the runtime that only environment variables can change.</summary>
internal static class RuntimeSettings
{
    private const string AnswersGoOnAtOnce = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Where OpenSSL looks for CAs (SSL_CTX_set_default_verify_paths(3)).</summary>
    private static readonly string[] SystemTrust = ["SSL_CERT_DIR", "SSL_CERT_FILE"];

    /// <summary>Code that waits for a server's answer continues on the thread that has noticed it, instead of on another one, which wakes a
    /// third: a pipeline costs a tenth less processor time. So nothing in the program may block a thread until an answer comes; a test
    /// looks for that. A user's own setting is kept.</summary>
    public static void Set()
    {
        if (Environment.GetEnvironmentVariable(AnswersGoOnAtOnce) is null)
        {
            Environment.SetEnvironmentVariable(AnswersGoOnAtOnce, "1");
        }
    }

    /// <summary>The runtime reads all CAs that the system trusts at the first handshake, even if it does not need them: a quarter of the
    /// time in which ten rows are imported under TLS. It asks OpenSSL where they are, which reads the process's own variables. Must be
    /// called before the first connection.</summary>
    public static void PassOverSystemTrust()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        foreach (var name in SystemTrust)
        {
            _ = SetVariable(ZeroEnded(name), ZeroEnded("/dev/null"), 1);
        }
    }

    private static byte[] ZeroEnded(string text) => Encoding.ASCII.GetBytes($"{text}\0");

    /// <summary>setenv(3) changes the process's own variables; <see cref="Environment.SetEnvironmentVariable(string, string)"/> changes a
    /// copy.</summary>
    [DllImport("libc", EntryPoint = "setenv", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetVariable(byte[] name, byte[] value, int overwrites);
}

/// <summary>The three descriptors that every Unix process begins with.</summary>
internal static class StandardStreams
{
    /// <summary>Opens each descriptor that the caller has closed (<c>bulkload ... >&amp;-</c>). Otherwise the next file or socket would get
    /// its number, and a report would be written there. Reading and writing then fail as with a closed descriptor, but messages to a closed
    /// standard error are dropped. Must be called before anything is opened.</summary>
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
                // The system gives the lowest free number, which is this one. It stays open as long as the process.
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
