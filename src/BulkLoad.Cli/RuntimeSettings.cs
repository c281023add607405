using System.Runtime.InteropServices;

namespace BulkLoad.Cli;

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
