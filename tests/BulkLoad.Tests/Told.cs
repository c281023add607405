using BulkLoad.Cli.Output;

namespace BulkLoad.Tests;

/// <summary>An error as people see it.</summary>
internal static class ToldErrors
{
    /// <summary>What happened, what is in the table now with its chunks, and what to do, a line each.</summary>
    public static string Told(this BulkLoadException fault) => ErrorText.Of(fault, typed: null, isVerbose: true);
}
