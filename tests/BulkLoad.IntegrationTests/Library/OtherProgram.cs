using System.Diagnostics;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Library;

/// <summary>A program of this repository that uses the library, as it was built.</summary>
internal static class OtherProgram
{
    public static Process Start(string name, params string[] args)
    {
        var path = Path.Combine(Repository.Root, "artifacts", "bin", name, "debug", $"{name}.dll");
        return Process.Start(new ProcessStartInfo("dotnet", [path, .. args]) { RedirectStandardOutput = true })!;
    }

    public static string UrlOf(TestServer server, TestDatabase database)
    {
        var options = server.Options();
        return $"mysql://{options.User}:{Uri.EscapeDataString(options.Password!)}@{options.Host}:{options.Port}/{database.Name}";
    }
}
