using System.Text.Json;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>A server and its replica, both of the test's own.</summary>
public sealed class ReplicationTests
{
    private const string Source = "source";
    private const string Replica = "replica";

    /// <summary>Seconds that a replica is behind until it is told to catch up.</summary>
    private const int Delay = 600;

    private const int Rows = 5000;
    private const string Tables = "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE other (id INT PRIMARY KEY);";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_replica_that_is_behind_is_waited_for_until_it_has_caught_up(string name)
    {
        try
        {
            var (source, _) = Servers.StartPrivate(name, Source, "log-bin=binlog\nserver-id=1\nperformance_schema=ON");
            var (replica, _) = Servers.StartPrivate(name, Replica, "server-id=2\nreport-host=127.0.0.1");
            await using var place = await Workplace.CreateAsync(source, Tables);
            place.Write("t.csv", "id\n1\n2\n");
            await FollowAsync(source, replica, place.Database, Delay);
            string[] words = ["import", "t.csv", "--max-lag", "2s", "--check-replica", $"mysql://127.0.0.1:{replica.Port}"];

            await place.QueryAsync("INSERT INTO other VALUES (1);");
            await Wait.ForAsync(async () => await LagAsync(replica) > 2);
            await Wait.ForAsync(async () => source.IsMariaDb || await ServerClient.ScalarAsync(
                source, null, "SELECT COUNT(*) FROM performance_schema.processlist WHERE COMMAND LIKE 'Binlog Dump%';") == "1");
            using var program = place.Start(words);
            program.Input.Close();
            await Wait.ForAsync(() => program.HasEnded
                || program.ErrorSoFar.Contains($"warning: Waiting: replica 127.0.0.1:{replica.Port} is ", StringComparison.Ordinal));
            var before = await place.ScalarAsync("SELECT COUNT(*) FROM t;");
            await ServerClient.RunAsync(replica, null, CatchUp(replica));
            var end = await program.EndAsync();

            end.ShouldExitWith(0);
            Assert.Matches(@"warning: Waiting: replica 127\.0\.0\.1:\d+ is \d+ s behind \(--max-lag 2 s\)", end.Error);
            Assert.Matches(@"(?m)^waited .*\(max-lag\b", end.Output);
            Assert.Contains("note  1 replica copies from this server: one that takes over may lack what was committed last; the job "
                + "notices that as long as it runs", end.Output, StringComparison.Ordinal);
            Assert.Equal(("0", "2"), (before, await place.ScalarAsync("SELECT COUNT(*) FROM t;")));
            Assert.Equal("1", await ServerClient.ScalarAsync(replica, place.Database, "SELECT COUNT(*) FROM other;"));
            await Replication.CatchUpAsync(source, replica);
            await FindsByItselfAsync(place, replica);
        }
        finally
        {
            Servers.DestroyPrivate(name, Replica);
            Servers.DestroyPrivate(name, Source);
        }
    }

    /// <summary>It waited for a minute, and then named nobody.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_start_on_a_read_only_replica_ends_at_once_and_names_the_primary(string name)
    {
        try
        {
            var (source, _) = Servers.StartPrivate(name, Source, "log-bin=binlog\nserver-id=1\nperformance_schema=ON");
            var (replica, _) = Servers.StartPrivate(name, Replica, "server-id=2");
            await using var place = await Workplace.CreateAsync(source, Tables);
            place.Write("t.csv", "id\n1\n2\n");
            await FollowAsync(source, replica, place.Database, delay: 0);
            await using var account = await TestAccount.CreateAsync(replica, "IDENTIFIED BY 'secret-7'", "secret-7");
            await ServerClient.RunAsync(replica, null, $"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON {place.Database}.* TO "
                + $"'{account.User}'@'%'; GRANT {(source.IsMariaDb ? "REPLICA MONITOR" : "REPLICATION CLIENT")} ON *.* TO "
                + $"'{account.User}'@'%'; SET GLOBAL read_only=1;");
            await Wait.ForAsync(async () => await LagAsync(replica) == 0);
            var url = BulkLoadProcess.UrlOf(replica, account.User, account.Password!, place.Database);
            foreach (var words in new[] { new[] { "import", "t.csv" }, ["delete", "t.csv", "--table", "t"] })
            {
                using var program = BulkLoadProcess.Start(place, url, [.. words, "--get-server-public-key"]);
                var end = await program.EndAsync();
                end.ShouldExitWith(9);
                end.ShouldSay($"takes no changes: replica of 127.0.0.1:{source.Port} (read-only)");
                end.ShouldSay($"run the same command against 127.0.0.1:{source.Port}");
                Assert.DoesNotContain("Retry", end.Error, StringComparison.Ordinal);
            }

            await Wait.ForAsync(async () => source.IsMariaDb || await ServerClient.ScalarAsync(
                source, null, "SELECT COUNT(*) FROM performance_schema.processlist WHERE COMMAND LIKE 'Binlog Dump%';") == "1");
            var plan = await place.RunAsync("import", "t.csv", "--plan");
            Assert.Contains("\nconnected to: primary with 1 replica\n", plan.Output, StringComparison.Ordinal);
        }
        finally
        {
            Servers.DestroyPrivate(name, Replica);
            Servers.DestroyPrivate(name, Source);
        }
    }

    /// <summary>The job names no replica, and this one reports no lag: it has nothing yet of what the job commits.</summary>
    private static async Task FindsByItselfAsync(Workplace place, TestServer replica)
    {
        await ServerClient.RunAsync(replica, null, Apply(replica, Delay));
        await Wait.ForAsync(async () => (await place.QueryAsync(replica.IsMariaDb ? "SHOW SLAVE HOSTS;" : "SHOW REPLICAS;"))
            .Contains($"\t{replica.Port}\t", StringComparison.Ordinal));
        await place.QueryAsync("DELETE FROM t;");
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", "--columns", "id,@skip", "--max-lag", "2s",
            "--rows-per-chunk", "100", "--report", "report.json");
        var (id, isWaiting) = (0, false);

        // A program that waits reads no more.
        var writing = Task.Run(async () =>
        {
            while (!Volatile.Read(ref isWaiting))
            {
                await WriteAsync(program, id + 1, id + 100);
                id += 100;
            }
        });
        await Wait.ForAsync(() => program.HasEnded
            || program.ErrorSoFar.Contains($"warning: Waiting: replica 127.0.0.1:{replica.Port} is ", StringComparison.Ordinal));
        Volatile.Write(ref isWaiting, true);
        await ServerClient.RunAsync(replica, null, Apply(replica, delay: 0));
        await writing;
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        Assert.Matches(
            $@"(?m)^replica 127\.0\.0\.1:{replica.Port} was at most \S+ s behind, waited for \S+ s$", end.Output);
        var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var watched = report.RootElement.GetProperty("replicas");
        Assert.Equal(($"127.0.0.1:{replica.Port}", true), (watched[0].GetProperty("endpoint").GetString(),
            watched[0].GetProperty("greatestLagSeconds").GetDouble() > 0));
        Assert.Equal($"{id}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    /// <summary>The former primary keeps its connections, and takes no changes any more.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_goes_on_where_its_replica_has_become_the_primary(string name)
    {
        try
        {
            var (source, _) = Servers.StartPrivate(name, Source, "log-bin=binlog\nserver-id=1");
            var (replica, _) = Servers.StartPrivate(name, Replica, "server-id=2");
            await using var place = await Workplace.CreateAsync(source, Tables);
            await FollowAsync(source, replica, place.Database, delay: 0);
            await using var account = await TestAccount.CreateAsync(source, "IDENTIFIED BY 'secret-7'", "secret-7");
            await ServerClient.RunAsync(
                source, null, $"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON {place.Database}.* TO '{account.User}'@'%';");
            await using var relay = new SwitchingRelay(source);
            var url = BulkLoadProcess.UrlOf(source with { Port = relay.Port }, account.User, account.Password!, place.Database);
            using var program = BulkLoadProcess.Start(place, url, "import", "-", "--format", "csv", "--table", "t", "--columns", "id,@skip",
                "--rows-per-chunk", "1000", "--rows-per-batch", "1000", "--ssl-mode", "disabled", "--get-server-public-key");
            await WriteAsync(program, 1, Rows / 2);
            await Wait.ForAsync(async () => program.HasEnded || await CountAsync(replica, place) == "2000");

            await ServerClient.RunAsync(source, null, "SET GLOBAL read_only=1;");
            await Replication.StopAsync(replica);
            relay.Target = replica;
            await WriteAsync(program, (Rows / 2) + 1, Rows);
            program.Input.Close();
            var end = await program.EndAsync();

            await ServerClient.RunAsync(source, null, "SET GLOBAL read_only=0;");
            end.ShouldExitWith(0);
            Assert.Contains("warning: Retry 1 in ", end.Error, StringComparison.Ordinal);
            Assert.Equal(("2000", $"{Rows}"), (await CountAsync(source, place), await CountAsync(replica, place)));
            Assert.Equal("0", await ServerClient.ScalarAsync(replica, place.Database, "SELECT COUNT(*) FROM bulkload_ledger;"));
        }
        finally
        {
            Servers.DestroyPrivate(name, Replica);
            Servers.DestroyPrivate(name, Source);
        }
    }

    private static async Task WriteAsync(BulkLoadProcess program, int first, int last)
    {
        var rows = string.Concat(Enumerable.Range(first, last - first + 1).Select(id => $"{id},{new string('x', 300)}\n"));
        await program.Input.WriteAsync(Encoding.ASCII.GetBytes(first == 1 ? $"id,more\n{rows}" : rows));
        await program.Input.FlushAsync();
    }

    private static Task<string> CountAsync(TestServer server, Workplace place) =>
        ServerClient.ScalarAsync(server, place.Database, "SELECT COUNT(*) FROM t;");

    private static async Task FollowAsync(TestServer source, TestServer replica, string database, int delay)
    {
        await ServerClient.RunAsync(replica, null, $"CREATE DATABASE {database}; USE {database}; {Tables}");
        await Replication.AllowAsync(source);
        await Replication.FollowAsync(source, replica, delay);
    }

    private static string CatchUp(TestServer replica) => Apply(replica, delay: 0);

    private static string Apply(TestServer replica, int delay) => replica.IsMariaDb
        ? $"STOP SLAVE; CHANGE MASTER TO MASTER_DELAY={delay}; START SLAVE;"
        : $"STOP REPLICA SQL_THREAD; CHANGE REPLICATION SOURCE TO SOURCE_DELAY={delay}; START REPLICA SQL_THREAD;";

    /// <summary>Seconds; -1: it does not replicate.</summary>
    private static async Task<int> LagAsync(TestServer replica)
    {
        var rows = (await ServerClient.RunAsync(replica, null, replica.IsMariaDb ? "SHOW SLAVE STATUS;" : "SHOW REPLICA STATUS;"))
            .Split('\n');
        var column = Array.IndexOf(rows[0].Split('\t'), replica.IsMariaDb ? "Seconds_Behind_Master" : "Seconds_Behind_Source");
        return int.TryParse(rows[1].Split('\t')[column], CultureInfo.InvariantCulture, out var seconds) ? seconds : -1;
    }
}
