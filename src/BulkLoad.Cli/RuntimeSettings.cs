namespace BulkLoad.Cli;

/// <summary>What the runtime is told before it does anything, because it can be told in no other way.</summary>
internal static class RuntimeSettings
{
    private const string AnswersGoOnAtOnce = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>
    /// What waits for a server's answer goes on on the thread that has noticed it, instead of being handed to another one, which wakes a third: a pipeline
    /// costs a tenth less processor time. So nothing in the program may block a thread until an answer comes; a test looks for that.
    /// A setting of the user's own stands.
    /// </summary>
    public static void Set()
    {
        if (Environment.GetEnvironmentVariable(AnswersGoOnAtOnce) is null)
        {
            Environment.SetEnvironmentVariable(AnswersGoOnAtOnce, "1");
        }
    }
}
