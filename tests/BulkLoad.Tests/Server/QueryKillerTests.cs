using BulkLoad.Core.Server;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;

namespace BulkLoad.Tests.Server;

public sealed class QueryKillerTests
{
    [Fact]
    public async Task A_statement_is_killed_on_the_server_that_runs_it()
    {
        var side = new RecordingSession().Rows("SELECT CONCAT_WS", ["db/3306/var"]);
        await QueryKiller.KillQueryAsync(side, TestFacts.MariaDb with { ConnectionId = 7 + (1ul << 32) }, CancellationToken.None);
        Assert.Equal("KILL QUERY 4294967303 -> ok", side.Steps[^1]);
    }

    [Fact]
    public async Task Behind_a_balancer_the_same_number_was_killed_on_another_server()
    {
        var side = new RecordingSession().Rows("SELECT CONCAT_WS", ["other/3306/var"]);
        var fault =
            await Assert.ThrowsAsync<ConnectException>(() => QueryKiller.KillQueryAsync(side, TestFacts.MariaDb, CancellationToken.None));
        Assert.Equal("another server answers at db:3306 (other/3306/var, not db/3306/var): nothing is killed there", fault.Message);
        Assert.DoesNotContain("KILL", side.Transcript, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_proxys_own_number_was_killed_as_if_it_were_the_servers()
    {
        var fault = await Assert.ThrowsAsync<ConnectException>(
            () => QueryKiller.KillQueryAsync(
                TestFacts.Request.Connection, TestFacts.MariaDb with { ConnectionId = 8 }, 7, CancellationToken.None));
        Assert.Contains(
            "a proxy at /nonexistent/bulkload-tests.sock gives sessions its own numbers", fault.Message, StringComparison.Ordinal);
    }
}
