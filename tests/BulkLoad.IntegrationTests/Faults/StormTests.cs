using System.Globalization;
using BulkLoad.Core;
using BulkLoad.Core.Protocol;
using Xunit;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Others at work on the same rows and tables, and administrators.</summary>
public sealed class StormTests
{
    private const int Rows = 400;
    private const string Table = "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, hits INT NOT NULL DEFAULT 0, others INT NOT NULL DEFAULT 0);";

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_update_goes_through_a_storm_of_deadlocks_and_changes_every_row_once(string server)
    {
        await using var place = await PlaceAsync(server);
        using var calm = new CancellationTokenSource();
        var storm = Enumerable.Range(0, 10).Select(seed => StormAsync(place, seed, calm.Token)).ToList();
        var end = await place.RunAsync(
            "update", "changes.csv", "--table", "t", "--set", "hits=hits+1", "--rows-per-chunk", "50", "--max-rate", "100", "--max-retries", "1000");
        await calm.CancelAsync();
        var others = (await Task.WhenAll(storm)).Sum();
        end.ShouldExitWith(0);
        Assert.True(others > 0);
        Assert.Equal($"{Rows}\t{Rows}\t{Rows * 2}\t{others}", await place.ScalarAsync("SELECT COUNT(*), SUM(hits), SUM(n), SUM(others) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_update_waits_for_a_locked_row_and_tries_again_when_the_servers_time_is_over(string server)
    {
        await using var place = await PlaceAsync(server);
        await using var other = await HoldAsync(place, 77);
        using var program = StartUpdate(place);
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        end.ShouldSay("error 1205");
        Assert.Equal($"{Rows}\t{Rows}", await place.ScalarAsync("SELECT SUM(hits), SUM(n) DIV 2 FROM t;"));
    }

    [Theory]
    [CombinatorialServers("in-list-delete", "staged-join", "pipelined")]
    public async Task A_delete_that_met_a_locked_row_found_its_temporary_table_there_when_it_tried_again(string server, string strategy)
    {
        await using var place = await PlaceAsync(server);
        await using var other = await HoldAsync(place, 77);
        using var program = place.Start("delete", "--ids", "ids.txt", "--table", "t", "--yes", "--rows-per-chunk", "50", "--strategy", strategy);
        program.Input.Close();
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task An_update_whose_session_an_administrator_kills_goes_on_with_another(string server)
    {
        await using var place = await PlaceAsync(server);
        await using var other = await HoldAsync(place, 77);
        using var program = StartUpdate(place);
        var session = "";
        await Wait.ForAsync(async () => program.HasEnded || (session = await place.ScalarAsync(
            $"{ServerClient.PauseForTransactions} SELECT MAX(trx_mysql_thread_id) FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT' HAVING MAX(trx_mysql_thread_id) IS NOT NULL;")) != "");
        await place.QueryAsync($"KILL {session};");
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Retry 1 in ", StringComparison.Ordinal) || program.HasEnded);
        await other.ExecuteAsync("ROLLBACK", default);
        (await program.EndAsync()).ShouldExitWith(0);
        Assert.Equal($"{Rows}\t{Rows}", await place.ScalarAsync("SELECT SUM(hits), SUM(n) DIV 2 FROM t;"));
    }

    [Theory]
    [CombinatorialServers(
        "auto|import|DROP TABLE t|9|the server refused: ", "auto|update|DROP TABLE t|9|the server refused: ", "auto|delete|DROP TABLE t|9|the server refused: ",
        "auto|import|ALTER TABLE t DROP COLUMN n|9|the server refused: Unknown column 'n'", "auto|update|ALTER TABLE t DROP COLUMN n|9|the server refused: Unknown column ",
        "multi-row-insert|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|4|(1 reject of 0 allowed; chunk", "bulk-execute|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|4|(1 reject of 0 allowed; chunk",
        "load-data|import|ALTER TABLE t ADD COLUMN m INT NOT NULL|4/9|(1 reject of 0 allowed; chunk/was altered while the job ran: column 'm' is NOT NULL without a default, and the input does not have it (chunk",
        "load-data|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|was altered while the job ran: column 'n' is decimal(20,1) and was int",
        "multi-row-insert|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "bulk-execute|import|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "inline-join|update|ALTER TABLE t MODIFY n DECIMAL(20,1) NOT NULL|9|column 'n' is decimal(20,1) and was int",
        "pipelined|update|ALTER TABLE t MODIFY n INT|9|column 'n' has another character set, collation, default or NOT NULL than it had",
        "in-list-delete|delete|ALTER TABLE t MODIFY id BIGINT|9|column 'id' is bigint",
        "auto|import|ALTER TABLE t ADD COLUMN m INT|0|", "load-data|import|ALTER TABLE t ADD COLUMN m INT NOT NULL DEFAULT 4|0|", "auto|update|ALTER TABLE t ADD COLUMN m INT NOT NULL|0|")]
    public async Task A_table_that_is_changed_in_the_middle_of_a_job_has_the_right_end(string server, string example)
    {
        var parts = example.Split('|');
        var (strategy, command, change) = (parts[0], parts[1], parts[2]);
        await using var place = await PlaceAsync(server, isEmpty: command == "import");
        string[] words = command == "delete" ? ["delete", "--ids", "ids.txt", "--table", "t", "--yes", "--strategy", strategy] : [command, "changes.csv", "--table", "t", "--strategy", strategy];
        using var program = place.Start([.. words, "--rows-per-chunk", "20", "--max-rate", "100", "--pause-file", "pause"]);
        program.Input.Close();
        await Wait.ForAsync(async () => program.HasEnded || long.Parse(await place.ScalarAsync("SELECT COALESCE(SUM(taken), 0) FROM bulkload_ledger;").ContinueWith(found => found.IsFaulted ? "0" : found.Result, TaskScheduler.Default), CultureInfo.InvariantCulture) > 0);
        place.Write("pause", "");
        await Wait.ForAsync(() => program.ErrorSoFar.Contains("Waiting: 'pause' is there", StringComparison.Ordinal) || program.HasEnded);
        await place.QueryAsync($"{change};");
        File.Delete(Path.Combine(place.Folder, "pause"));
        var end = await program.EndAsync();
        end.ShouldExitWith(int.Parse(Of(parts[3]), CultureInfo.InvariantCulture));
        end.ShouldSay(Of(parts[4]));
        Assert.True(end.ExitCode == 0 || end.Error.Contains(", stay committed", StringComparison.Ordinal), end.ToString());
        if (end.ExitCode == 0)
        {
            Assert.Equal($"{Rows}\t{Rows * 2}", await place.ScalarAsync("SELECT COUNT(*), SUM(n) FROM t;"));
        }

        // MariaDB warns where LOAD DATA has no value for a column, MySQL does not.
        string Of(string expected) => expected.Split('/') is [var mariaDb, var mySql] ? (server == Servers.MariaDb ? mariaDb : mySql) : expected;
    }

    private static async Task<Workplace> PlaceAsync(string server, bool isEmpty = false)
    {
        var place = await Workplace.CreateAsync(
            Servers.Get(server), Table + (isEmpty ? "" : $"INSERT INTO t (id, n) WITH RECURSIVE i AS (SELECT 1 id UNION ALL SELECT id + 1 FROM i WHERE id < {Rows}) SELECT id, 1 FROM i;"));
        place.Write("changes.csv", "id,n\n" + Lines(i => $"{i},2"));
        place.Write("ids.txt", Lines(i => $"{i}"));
        return place;
    }

    private static string Lines(Func<int, string> line) => string.Concat(Enumerable.Range(1, Rows).Select(i => string.Create(CultureInfo.InvariantCulture, $"{line(i)}\n")));

    private static BulkLoadProcess StartUpdate(Workplace place)
    {
        var program = place.Start("update", "changes.csv", "--table", "t", "--set", "hits=hits+1", "--rows-per-chunk", "50");
        program.Input.Close();
        return program;
    }

    /// <summary>A session of somebody else's that has changed a row and not committed.</summary>
    private static async Task<ServerSession> HoldAsync(Workplace place, int id)
    {
        var session = await ServerSession.ConnectAsync(place.Server.Options() with { Database = place.Database }, default);
        await session.ExecuteAsync("BEGIN", default);
        await session.ExecuteAsync($"UPDATE t SET others = others + 1 WHERE id = {id}", default);
        return session;
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
                    await session.ExecuteAsync($"UPDATE t SET others = others + 1 WHERE id = {random.Next(1, Rows + 1)}", default);
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
