using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Jobs that wait for what another session has locked.</summary>
public sealed class LockWaitTests
{
    /// <summary>Longer than a job is silent before it asks, and the question takes.</summary>
    private const int SecondsHeld = 6;

    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    [Theory]
    [CombinatorialServers("SELECT id FROM people WHERE id = 1 FOR UPDATE", "LOCK TABLES people WRITE")]
    public async Task Who_keeps_a_job_waiting_is_named(string name, string statement)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(
            server, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9)); INSERT INTO people VALUES (1, 'a');");
        place.Write("people.csv", "id,name\n1,b\n");
        (await place.RunAsync("update", "people.csv", "--table", "people")).ShouldExitWith(0);
        place.Write("people.csv", "id,name\n1,c\n");
        await using var holder = await ServerSession.ConnectAsync(server.AdminOptions() with { Database = place.Database }, default);
        await holder.QueryAllAsync(["BEGIN", statement], default);
        using var program = place.Start("update", "people.csv", "--table", "people", "--report", "report.json");
        await WaitUntilHeldAsync(place);
        await holder.QueryAllAsync(["ROLLBACK", "UNLOCK TABLES"], default);

        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Matches(
            $@"(?m)^warning: Waiting: (a row|{place.Database}\.people) is locked .*by session {holder.Server.ConnectionId} of ", end.Error);
        Assert.Matches(@"(?m)^waited [\d.]+ s \(lock\)$", end.Output);
        Assert.Contains("\"lock\"", File.ReadAllText(Path.Combine(place.Folder, "report.json")), StringComparison.Ordinal);
        Assert.Equal("c", await place.ScalarAsync("SELECT name FROM people;"));
    }

    private static async Task WaitUntilHeldAsync(Workplace place)
    {
        using var limit = new CancellationTokenSource(Longest);
        while (await ServerClient.ScalarAsync(
            place.Server, null, $"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{place.Database}' AND "
                + $"USER = '{place.Server.User}' AND COMMAND <> 'Sleep' AND TIME >= {SecondsHeld};") == "0")
        {
            await Task.Delay(200, limit.Token);
        }
    }
}
