namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Replicas that are asked how far they are behind. A server can be made one, of nobody, for the time of a test.</summary>
[Collection(ServerSettings.Name)]
public sealed class ReplicaTests(OwnServers servers)
{
    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_replica_that_does_not_replicate_is_waited_for_and_no_replica_is_refused(string name)
    {
        var server = servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE t (id INT PRIMARY KEY);");
        place.Write("t.csv", "id\n1\n2\n");
        string[] words = ["import", "t.csv", "--max-lag", "5s", "--check-replica", $"mysql://127.0.0.1:{server.Port}"];
        var end = await place.RunAsync(words);
        end.ShouldExitWith(9);
        end.ShouldSay($"--check-replica 127.0.0.1:{server.Port}: it is not a replica of any server");
        var (make, forget) = server.IsMariaDb
            ? ("CHANGE MASTER 'nobody' TO MASTER_HOST='127.0.0.1', MASTER_PORT=1;", "RESET SLAVE 'nobody' ALL;")
            : ("CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT=1 FOR CHANNEL 'nobody';",
                "RESET REPLICA ALL FOR CHANNEL 'nobody';");
        await place.QueryAsync(make);
        try
        {
            end = await place.RunAsync([.. words, "--run-time", "6s"]);
        }
        finally
        {
            await place.QueryAsync(forget);
        }

        end.ShouldExitWith(8);
        end.ShouldSay($"warning: Waiting: replica 127.0.0.1:{server.Port} does not replicate at present");
        Assert.Matches(@"(?m)^waited .*\(max-lag\b", end.Output);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_replica_that_nobody_reaches_or_that_lets_nobody_ask_is_refused(string name)
    {
        var server = servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE t (id INT PRIMARY KEY);");
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'secret-7'", "secret-7");
        place.Write("t.csv", "id\n1\n2\n");
        var end = await place.RunAsync("import", "t.csv", "--max-lag", "5s", "--check-replica", "mysql://127.0.0.1:1");
        end.ShouldExitWith(5);
        end.ShouldSay("error: --check-replica 127.0.0.1:1: cannot connect to 127.0.0.1:1: connection refused");
        end = await place.RunAsync(
            "import", "t.csv", "--max-lag", "5s", "--check-replica", $"mysql://{account.User}:{account.Password}@127.0.0.1:{server.Port}");
        end.ShouldExitWith(9);
        end.ShouldSay($"--check-replica 127.0.0.1:{server.Port}: Access denied");
    }
}
