using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Deletes that are stopped half-way.</summary>
public sealed class DeleteStopTests
{
    /// <summary>So many that the server does not read all of them for a few keys, and wait for a row that is none of its
    /// business.</summary>
    private const int RowsOfTable = 5000;
    private const int Rows = 30;
    private const int RowsPerChunk = 10;
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    [Theory]
    [CombinatorialServers("in-list-delete", "staged-join", "pipelined")]
    public async Task An_interrupted_delete_ends_with_130_and_only_whole_chunks_are_gone(string name, string strategy)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(
            server, "CREATE TABLE people (id INT PRIMARY KEY); INSERT INTO people VALUES "
                + $"{string.Join(',', Enumerable.Range(1, RowsOfTable).Select(id => $"({id})"))};");
        place.Write("ids.txt", string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id}\n")));

        // A row of the second chunk is in another session's hands.
        await using var blocker = await ServerSession.ConnectAsync(server.AdminOptions() with { Database = place.Database }, default);
        await blocker.ExecuteAsync("BEGIN", default);
        await blocker.QueryAsync($"SELECT id FROM people WHERE id={RowsPerChunk + 5} FOR UPDATE", default);
        using var program = place.Start(
            "delete", "--ids", "ids.txt", "--table", "people", "--strategy", strategy, "--rows-per-chunk", RowsPerChunk.ToString());
        await WaitUntilHeldAsync(place, program);

        program.Signal("INT");
        var end = await program.EndAsync();

        end.ShouldExitWith(130);
        Assert.Matches($@"(?m)^interrupted after .* s: {RowsPerChunk} rows are deleted from ", end.Output);
        await blocker.ExecuteAsync("ROLLBACK", default);
        Assert.Equal($"{RowsOfTable - RowsPerChunk}", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));

        // It goes on behind what is gone, which is no reject, and tells of the whole job.
        var again = await place.RunAsync("delete", "--ids", "ids.txt", "--table", "people", "--strategy", strategy);
        again.ShouldExitWith(0);
        Assert.Matches($@"(?m)^{Rows - RowsPerChunk} rows deleted \({RowsPerChunk} were done by an earlier run: {Rows} ", again.Output);
        Assert.Equal($"{RowsOfTable - Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private static async Task WaitUntilHeldAsync(Workplace place, BulkLoadProcess program)
    {
        using var limit = new CancellationTokenSource(Longest);
        while (await WaitingAsync(place) != "1"
            || await place.ScalarAsync("SELECT COUNT(*) FROM people;") != $"{RowsOfTable - RowsPerChunk}")
        {
            if (program.HasEnded || limit.IsCancellationRequested)
            {
                Assert.Fail($"the delete was not held: {await program.EndAsync()}");
            }

            await Task.Delay(20);
        }
    }

    private static Task<string> WaitingAsync(Workplace place) => ServerClient.ScalarAsync(
        place.Server, null, $"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{place.Database}' AND USER = "
            + $"'{place.Server.User}' AND INFO LIKE '%DELETE%people%';");

    /// <summary>To tell keys that are not there from repeated ones, all of them are read once more: here a million million.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Reading_on_does_not_outlast_the_jobs_time(string server)
    {
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), "CREATE TABLE t (id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1), (7);");
        place.Write("ids.txt", "1..1000000000000\n");
        var end = await place.RunAsync(
            "delete", "--ids", "ids.txt", "--ranges", "--table", "t", "--yes", "--ignore-missing", "--run-time", "1s", "--grace", "1s");
        end.ShouldExitWith(8);
        Assert.StartsWith("error: stopped: its time is over (--run-time 1 s)", end.Error, StringComparison.Ordinal);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }
}
