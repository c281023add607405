using System.Globalization;
using Xunit;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server and its replica, both of the test's own. The replica does everything minutes later, until it is told to catch up.</summary>
public sealed class ReplicationTests
{
    private const string Source = "source";
    private const string Replica = "replica";
    private const int Delay = 600;
    private const string Tables = "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE other (id INT PRIMARY KEY);";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_replica_that_is_behind_is_waited_for_until_it_has_caught_up(string name)
    {
        try
        {
            var (source, _) = Servers.StartPrivate(name, Source, "log-bin=binlog\nserver-id=1");
            var (replica, _) = Servers.StartPrivate(name, Replica, "server-id=2");
            await using var place = await Workplace.CreateAsync(source, Tables);
            place.Write("t.csv", "id\n1\n2\n");
            await FollowAsync(source, replica, place.Database);
            string[] words = ["import", "t.csv", "--max-lag", "2s", "--check-replica", $"mysql://127.0.0.1:{replica.Port}"];

            await place.QueryAsync("INSERT INTO other VALUES (1);");
            await Wait.ForAsync(async () => await LagAsync(replica) > 2);
            using var program = place.Start(words);
            program.Input.Close();
            await Wait.ForAsync(() => program.HasEnded || program.ErrorSoFar.Contains($"warning: Waiting: replica 127.0.0.1:{replica.Port} is ", StringComparison.Ordinal));
            var before = await place.ScalarAsync("SELECT COUNT(*) FROM t;");
            await ServerClient.RunAsync(replica, null, CatchUp(replica));
            var end = await program.EndAsync();

            end.ShouldExitWith(0);
            Assert.Matches(@"warning: Waiting: replica 127\.0\.0\.1:\d+ is \d+ s behind \(--max-lag 2 s\)", end.Error);
            Assert.Matches(@"(?m)^waited .*\(max-lag ", end.Output);
            Assert.Equal(("0", "2"), (before, await place.ScalarAsync("SELECT COUNT(*) FROM t;")));
            Assert.Equal("1", await ServerClient.ScalarAsync(replica, place.Database, "SELECT COUNT(*) FROM other;"));
        }
        finally
        {
            Servers.DestroyPrivate(name, Replica);
            Servers.DestroyPrivate(name, Source);
        }
    }

    private static async Task FollowAsync(TestServer source, TestServer replica, string database)
    {
        await ServerClient.RunAsync(source, null, "CREATE USER follower@'%' IDENTIFIED BY 'secret-7'; GRANT REPLICATION SLAVE ON *.* TO follower@'%';");
        var position = (await ServerClient.RunAsync(source, null, source.IsMariaDb ? "SHOW MASTER STATUS;" : "SHOW BINARY LOG STATUS;")).Split('\n')[1].Split('\t');
        var place = source.IsMariaDb
            ? $"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={source.Port}, MASTER_USER='follower', MASTER_PASSWORD='secret-7', MASTER_LOG_FILE='{position[0]}', MASTER_LOG_POS={position[1]}, MASTER_DELAY={Delay}; START SLAVE;"
            : $"CHANGE REPLICATION SOURCE TO SOURCE_HOST='127.0.0.1', SOURCE_PORT={source.Port}, SOURCE_USER='follower', SOURCE_PASSWORD='secret-7', GET_SOURCE_PUBLIC_KEY=1, SOURCE_LOG_FILE='{position[0]}', SOURCE_LOG_POS={position[1]}, SOURCE_DELAY={Delay}; START REPLICA;";
        await ServerClient.RunAsync(replica, null, $"CREATE DATABASE {database}; USE {database}; {Tables} {place}");
    }

    private static string CatchUp(TestServer replica) => replica.IsMariaDb
        ? "STOP SLAVE; CHANGE MASTER TO MASTER_DELAY=0; START SLAVE;"
        : "STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY=0; START REPLICA SQL_THREAD;";

    /// <summary>Seconds; -1: it does not replicate.</summary>
    private static async Task<int> LagAsync(TestServer replica)
    {
        var rows = (await ServerClient.RunAsync(replica, null, replica.IsMariaDb ? "SHOW SLAVE STATUS;" : "SHOW REPLICA STATUS;")).Split('\n');
        var column = Array.IndexOf(rows[0].Split('\t'), replica.IsMariaDb ? "Seconds_Behind_Master" : "Seconds_Behind_Source");
        return int.TryParse(rows[1].Split('\t')[column], CultureInfo.InvariantCulture, out var seconds) ? seconds : -1;
    }
}
