using System.Diagnostics;
using Xunit;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server that dies: one of its own, since it is killed.</summary>
public sealed class LostServerTests
{
    private const string Set = "faults";

    [Fact]
    public async Task A_server_that_dies_fails_the_load_and_what_was_said_to_be_committed_is_there_afterwards()
    {
        try
        {
            var (server, process) = Servers.StartPrivate(Servers.MariaDb, Set);
            var held = await HeldLoad.StartAsync(server);
            Process.GetProcessById(process).Kill();
            var end = await held.Program.EndAsync();
            end.ShouldExitWith(1);
            end.ShouldSay("chunk 1, records 1-10, stay committed");
            (server, _) = Servers.StartPrivate(Servers.MariaDb, Set);
            Assert.Equal("10", await ServerClient.ScalarAsync(server, held.Place.Database, "SELECT COUNT(*) FROM people;"));
            Directory.Delete(held.Place.Folder, recursive: true);
        }
        finally
        {
            Servers.DestroyPrivate(Servers.MariaDb, Set);
        }
    }
}
