using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace BulkLoad.Cli.Host;

/// <summary>What the runtime is told by variables of the environment, because it can be told in no other way.</summary>
internal static class RuntimeSettings
{
    private const string AnswersGoOnAtOnce = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Where OpenSSL is told that the CAs are (SSL_CTX_set_default_verify_paths(3)).</summary>
    private static readonly string[] SystemTrust = ["SSL_CERT_DIR", "SSL_CERT_FILE"];

    /// <summary>
    /// What waits for a server's answer continues on the thread that has noticed it, instead of being handed to another one, which wakes a
    /// third: a pipeline costs a tenth less processor time. So nothing in the program may block a thread until an answer comes; a test
    /// looks for that. A setting of the user's own is kept.
    /// </summary>
    public static void Set()
    {
        if (Environment.GetEnvironmentVariable(AnswersGoOnAtOnce) is null)
        {
            Environment.SetEnvironmentVariable(AnswersGoOnAtOnce, "1");
        }
    }

    /// <summary>
    /// The runtime reads all CAs that the system trusts at the first handshake, whether it needs them or not: a quarter of the time in
    /// which ten rows are imported under TLS. It asks OpenSSL where they are, which looks at the process's own variables. To be called
    /// before the first connection.
    /// </summary>
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

    /// <summary>setenv(3): of the process itself, where <see cref="Environment.SetEnvironmentVariable(string, string)"/> changes a
    /// copy.</summary>
    [DllImport("libc", EntryPoint = "setenv", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetVariable(byte[] name, byte[] value, int overwrites);
}

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
