using System.Diagnostics;

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
            var held = await HeldLoad.StartAsync(server, options: ["--max-retries", "1"]);
            Process.GetProcessById(process).Kill();
            var end = await held.Program.EndAsync();
            end.ShouldExitWith(1);
            end.ShouldSay($"\n  10 rows are in {held.Place.Database}.people\n");
            (server, _) = Servers.StartPrivate(Servers.MariaDb, Set);
            end.ShouldSay("tried again once");
            Assert.Equal("10", await ServerClient.ScalarAsync(server, held.Place.Database, "SELECT COUNT(*) FROM people;"));
            Directory.Delete(held.Place.Folder, recursive: true);
        }
        finally
        {
            Servers.DestroyPrivate(Servers.MariaDb, Set);
        }
    }

    [Theory]
    [InlineData(Servers.MariaDb, "")]
    [InlineData(Servers.MySql, "")]
    [InlineData(Servers.MySql, "--atomic")]
    [InlineData(Servers.MariaDb, "", "innodb_flush_log_at_trx_commit=0")]
    public async Task A_server_that_dies_and_comes_back_gets_every_record_once(string name, string option, string settings = "")
    {
        const string Again = "faults-again";
        try
        {
            // By its socket, since it comes back on another port.
            var (server, process) = Servers.StartPrivate(name, Again, settings);
            await using var held = await HeldLoad.StartAsync(server, committed: option.Length == 0,
                options: ["--socket", server.Socket, "--retry-for", "1m", .. option.Length > 0 ? new[] { option } : []]);
            Process.GetProcessById(process).Kill();
            Servers.StartPrivate(name, Again, settings);
            var end = await held.Program.EndAsync();
            end.ShouldExitWith(0);
            end.ShouldSay("Retry 1 in");
            Assert.Equal("30", await held.CountAsync());
            Assert.Equal(settings.Length > 0,
                end.Output.Contains($"note  {settings}: the server may lose what it has committed last", StringComparison.Ordinal));
        }
        finally
        {
            Servers.DestroyPrivate(name, Again);
        }
    }

    /// <summary>Nobody can tell what it still has. Where it listens at another port it is another server.</summary>
    [Fact]
    public async Task Without_a_ledger_a_server_that_comes_back_is_not_relied_on()
    {
        const string Alone = "faults-alone";
        try
        {
            var (server, process) = Servers.StartPrivate(Servers.MariaDb, Alone);
            await using var held =
                await HeldLoad.StartAsync(server, options: ["--socket", server.Socket, "--retry-for", "1m", "--no-ledger"]);
            Process.GetProcessById(process).Kill();
            Servers.StartPrivate(Servers.MariaDb, Alone, "server_id=77");
            var end = await held.Program.EndAsync();
            end.ShouldExitWith(1);
            Assert.Matches($"{server.Socket} (is another server now|was started again), which may have lost what was committed, and "
                + "without a ledger this is not known", end.Error);
            end.ShouldSay("  nothing from record 1 on up to record 10, which was committed, is proved to be in the table: look at it "
                + "before you continue\n");
        }
        finally
        {
            Servers.DestroyPrivate(Servers.MariaDb, Alone);
        }
    }
}
