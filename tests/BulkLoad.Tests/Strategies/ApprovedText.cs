using System.Runtime.CompilerServices;

namespace BulkLoad.Tests.Strategies;

/// <summary>Texts that were read and approved once. <c>BULKLOAD_UPDATE_APPROVED=1</c> writes them anew; then read the difference.</summary>
internal static class ApprovedText
{
    public static void Check(string name, string text, [CallerFilePath] string caller = "")
    {
        var path = Path.Combine(Path.GetDirectoryName(caller)!, "Approved", $"{name}.txt");
        if (Environment.GetEnvironmentVariable("BULKLOAD_UPDATE_APPROVED") == "1")
        {
            File.WriteAllText(path, text);
        }

        Assert.Equal(File.Exists(path) ? File.ReadAllText(path) : "(not approved yet)", text);
    }
}
