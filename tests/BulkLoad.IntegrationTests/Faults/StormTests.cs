using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Others at work on the same rows, and administrators.</summary>
public sealed class StormTests
{
    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_update_goes_through_a_storm_of_deadlocks_and_changes_every_row_once(string server)
    {
        await using var place = await SharedTable.CreateAsync(server);
        using var calm = new CancellationTokenSource();
        var storm = Enumerable.Range(0, 10).Select(seed => StormAsync(place, seed, calm.Token)).ToList();
        var end = await place.RunAsync(
            "update", "changes.csv", "--table", "t", "--set", "hits=hits+1", "--rows-per-chunk", "50", "--max-rate", "100",
            "--max-retries", "1000");
        await calm.CancelAsync();
        var others = (await Task.WhenAll(storm)).Sum();
        end.ShouldExitWith(0);
        Assert.True(others > 0);
        Assert.Equal($"{SharedTable.Rows}\t{SharedTable.Rows}\t{SharedTable.Rows * 2}\t{others}",
            await place.ScalarAsync("SELECT COUNT(*), SUM(hits), SUM(n), SUM(others) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_update_whose_session_an_administrator_kills_goes_on_with_another(string server)
    {
        await using var place = await SharedTable.CreateAsync(server);
        await using var other = await SharedTable.HoldAsync(place, 77);
        using var program = SharedTable.StartUpdate(place);
        var session = "";
        await Wait.ForAsync(async () => program.HasEnded || (session = await place.ScalarAsync(
            $"{ServerClient.PauseForTransactions} SELECT MAX(trx_mysql_thread_id) FROM information_schema.INNODB_TRX t JOIN "
                + "information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT' "
                + "HAVING MAX(trx_mysql_thread_id) IS NOT NULL;")) != "");
        await place.QueryAsync($"KILL {session};");
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal($"{SharedTable.Rows}\t{SharedTable.Rows}", await place.ScalarAsync("SELECT SUM(hits), SUM(n) DIV 2 FROM t;"));
    }

    /// <summary>Changes pairs of rows in any order until it is stopped.</summary>
    /// <returns>how many changes were committed</returns>
    private static async Task<int> StormAsync(Workplace place, int seed, CancellationToken stop)
    {
        var random = new Random(seed);
        await using var session = await ServerSession.ConnectAsync(place.Server.Options() with { Database = place.Database }, default);
        var done = 0;
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await session.ExecuteAsync("BEGIN", default);
                for (var i = 0; i < 2; i++)
                {
                    await session.ExecuteAsync(
                        $"UPDATE t SET others = others + 1 WHERE id = {random.Next(1, SharedTable.Rows + 1)}", default);
                }

                await session.ExecuteAsync("COMMIT", default);
                done += 2;
            }
            catch (ServerException fault) when (fault.Code is 1213 or 1205 && session.IsUsable)
            {
                await session.ExecuteAsync("ROLLBACK", default);
            }
        }

        return done;
    }
}
