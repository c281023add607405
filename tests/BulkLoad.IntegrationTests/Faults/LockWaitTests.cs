namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Rows that somebody else holds until the server's time to wait for them is over: twenty seconds, which all jobs of a test spend together.</summary>
public sealed class LockWaitTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public Task A_row_that_stays_locked_costs_a_try_and_no_job_loses_anything(string name)
    {
        var server = Servers.Get(name);
        return Task.WhenAll(
            ImportWithoutRetriesAsync(server), ImportWithoutLedgerAsync(server, "load-data"), ImportWithoutLedgerAsync(server, "multi-row-insert"), UpdateAsync(server), DeleteAsync(server, "in-list-delete"), DeleteAsync(server, "staged-join"), DeleteAsync(server, "pipelined"));
    }

    private static async Task ImportWithoutRetriesAsync(TestServer server)
    {
        await using var held = await HeldLoad.StartAsync(server, options: ["--max-retries", "0"]);
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(1);
        end.ShouldSay("error 1205");
        end.ShouldSay($"\n  10 rows are in {held.Place.Database}.people\n  run the same command to continue\n");
        Assert.Equal("10", await held.CountAsync());
    }

    /// <summary>It has committed a chunk when it comes to the row that somebody else has inserted.</summary>
    private static async Task ImportWithoutLedgerAsync(TestServer server, string strategy)
    {
        await using var place = await SharedTable.CreateAsync(server.Name, isEmpty: true);
        await using var other = await SharedTable.HoldAsync(place, 77);
        await other.ExecuteAsync("INSERT INTO t (id, n) VALUES (77, 0)", default);
        using var program = place.Start("import", "changes.csv", "--table", "t", "--no-ledger", "--rows-per-chunk", "20", "--strategy", strategy);
        program.Input.Close();
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("error 1205");
        Assert.Equal($"{SharedTable.Rows}\t{2 * SharedTable.Rows}", await place.ScalarAsync("SELECT COUNT(*), SUM(n) FROM t;"));
    }

    private static async Task UpdateAsync(TestServer server)
    {
        await using var place = await SharedTable.CreateAsync(server.Name);
        await using var other = await SharedTable.HoldAsync(place, 77);
        using var program = SharedTable.StartUpdate(place);
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("error 1205");
        Assert.Equal($"{SharedTable.Rows}\t{SharedTable.Rows}", await place.ScalarAsync("SELECT SUM(hits), SUM(n) DIV 2 FROM t;"));
    }

    /// <summary>The second try finds the temporary table there.</summary>
    private static async Task DeleteAsync(TestServer server, string strategy)
    {
        await using var place = await SharedTable.CreateAsync(server.Name);
        await using var other = await SharedTable.HoldAsync(place, 77);
        using var program = place.Start("delete", "--ids", "ids.txt", "--table", "t", "--yes", "--rows-per-chunk", "50", "--strategy", strategy);
        program.Input.Close();
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }
}
