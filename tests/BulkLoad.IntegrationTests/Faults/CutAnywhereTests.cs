namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// The connection breaks at points spread over all that it carries: handshake, TLS, the looking at server and table, prepare, in the middle
/// of rows, answers and commits. Every record's work is done once.
/// </summary>
public abstract class CutAnywhereTests
{
    /// <summary>Records of the file.</summary>
    protected const int Rows = 3000;

    private const int Cuts = 4;

    /// <summary>A row for each record.</summary>
    protected static string Fill => "INSERT INTO t VALUES " + string.Join(", ", Enumerable.Range(1, Rows).Select(id => $"({id}, 1)")) + ";";

    /// <summary>Runs a command as it is, and then once for each cut.</summary>
    protected static async Task RunAsync(string name, string command, string fill, string query, string expected, string[] options)
    {
        var server = Servers.Get(name);
        var key = command == "import" ? "" : " PRIMARY KEY";
        await using var place = await Workplace.CreateAsync(server, $"CREATE TABLE t (id INT NOT NULL{key}, v INT);");
        place.Write("t.csv", "id,v\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},7\n")));
        var done = 0;
        var passed = await RunOnceAsync("whole", null);

        // The first session is the main one; of those that carry rows beside it, the one that is opened last is the likeliest to be there.
        var areSeveral = options.Contains("--threads");
        int[] busy = areSeveral ? [0, passed.Count - 1] : [0];
        var random = new Random(name.Length * 1000 + options[^1].Length);
        for (var i = 0; i < Cuts; i++)
        {
            // The last bytes are a session's farewell.
            var isClients = i % 3 != 2;
            var connection = busy[i % busy.Length];
            var most = (isClients ? passed[connection].Clients : passed[connection].Servers) - 6;
            await RunOnceAsync($"cut-{i}", (connection, isClients, Math.Max(1, (long)((i + random.NextDouble()) / Cuts * most))));
        }

        // Which session has how much to carry is not the same each time.
        Assert.InRange(done, areSeveral ? Cuts / 2 : Cuts, Cuts);

        async Task<IReadOnlyList<(long Clients, long Servers)>> RunOnceAsync(string job, (int Connection, bool IsClients, long Bytes)? cut)
        {
            await place.QueryAsync($"TRUNCATE TABLE t; {fill}");
            await using var relay = new CuttingRelay(server, cut);
            var url = BulkLoadProcess.UrlOf(server with { Port = relay.Port }, server.User, server.Password, place.Database);
            string[] input = command == "delete" ? ["--ids", "t.csv"] : ["t.csv"];
            string[] tls = options.Contains("--ssl-mode") ? [] : ["--ssl-mode", "disabled", "--get-server-public-key"];
            using var program = BulkLoadProcess.Start(
                place, url, [command, .. input, "--table", "t", "--job-id", job, "--rows-per-chunk", "700", "--rows-per-batch", "200",
                    .. tls, .. options]);
            program.Input.Close();
            var end = await program.EndAsync();
            Assert.True(end.ExitCode == 0, $"{cut}: {end}");
            done += relay.Cuts;
            Assert.Equal(expected, await place.ScalarAsync(query));
            return relay.Passed;
        }
    }
}

/// <inheritdoc/>
public sealed class ImportCutAnywhereTests : CutAnywhereTests
{
    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert", "bulk-execute")]
    public async Task An_import(string server, string strategy) =>
        await RunAsync(server, "import", "INSERT INTO t SELECT 0, NULL FROM t WHERE FALSE;",
            "SELECT COUNT(*), COUNT(DISTINCT id), MIN(v), MAX(v) FROM t;", $"{Rows}\t{Rows}\t7\t7", ["--strategy", strategy]);

    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert")]
    public async Task An_import_on_several_sessions(string server, string strategy) =>
        await RunAsync(server, "import", "INSERT INTO t SELECT 0, NULL FROM t WHERE FALSE;", "SELECT COUNT(*), COUNT(DISTINCT id), MIN(v), "
            + "MAX(v) FROM t;", $"{Rows}\t{Rows}\t7\t7", ["--threads", "3", "--strategy", strategy]);

    [Theory]
    [CombinatorialServers("load-data")]
    public async Task An_import_over_TLS(string server, string strategy) =>
        await RunAsync(server, "import", "", "SELECT COUNT(*), COUNT(DISTINCT id), MIN(v), MAX(v) FROM t;", $"{Rows}\t{Rows}\t7\t7",
            ["--ssl-mode", "required", "--strategy", strategy]);
}

/// <inheritdoc/>
public sealed class ChangeCutAnywhereTests : CutAnywhereTests
{
    [Theory]
    [CombinatorialServers("inline-join", "staged-join")]
    public async Task An_update(string server, string strategy) =>
        await RunAsync(server, "update", Fill, "SELECT COUNT(*), COUNT(DISTINCT id), MIN(v), MAX(v) FROM t;", $"{Rows}\t{Rows}\t7\t7",
            ["--strategy", strategy]);

    [Theory]
    [CombinatorialServers("pipelined")]
    public async Task An_update_that_counts_how_often_it_was_done(string server, string strategy) =>
        await RunAsync(server, "update", Fill, "SELECT COUNT(*), COUNT(DISTINCT id), MIN(v), MAX(v) FROM t;", $"{Rows}\t{Rows}\t2\t2",
            ["--set", "v=v+1", "--columns", "id,@skip", "--strategy", strategy]);

    [Theory]
    [CombinatorialServers("in-list-delete", "staged-join", "pipelined")]
    public async Task A_delete(string server, string strategy) =>
        await RunAsync(server, "delete", Fill + " INSERT INTO t VALUES (0, 1);", "SELECT COUNT(*), MIN(id) FROM t;", "1\t0",
            ["--columns", "id,@skip", "--yes", "--strategy", strategy]);
}
