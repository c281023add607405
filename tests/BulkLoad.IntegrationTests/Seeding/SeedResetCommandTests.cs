using System.Text.Json;
using BulkLoad.Core.Protocol;
using BulkLoad.Seeding;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary><c>bulkload seed reset</c> as it is typed.</summary>
public sealed class SeedResetCommandTests
{
    private const string Tables = "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20)); INSERT INTO t (name) VALUES "
        + "('a'), ('b'); CREATE TABLE u (id INT PRIMARY KEY);";

    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task It_says_what_was_put_back(string name)
    {
        await using var place = await SeededAsync(name);
        await place.QueryAsync("UPDATE t SET name = 'A' WHERE id = 1; INSERT INTO t (name) VALUES ('c');");
        var end = await ResetAsync(place);
        end.ShouldExitWith(0);
        Assert.Matches(
            $@"^1 of 2 tables of {place.Database} put back in [\d.]+ ms\n  t: 2 rows deleted, 1 row inserted, AUTO_INCREMENT set back\n$",
            end.Output);
        Assert.Equal("1\ta\n2\tb", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_database_that_is_not_for_tests_is_left_alone(string name)
    {
        await using var place = await SeededAsync(name);
        await place.QueryAsync("DELETE FROM t;");
        var end = await place.RunAsync("seed", "reset");
        end.ShouldExitWith(9);
        end.ShouldSay($"--allow-database {place.Database}");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Tables_that_are_not_the_ones_that_were_seeded_are_named(string name)
    {
        await using var place = await SeededAsync(name);
        await place.QueryAsync("DELETE FROM t; CREATE TABLE made (id INT); CREATE VIEW seen AS SELECT 1;");
        await ShouldRefuseAsync(place, "tables that were made since it was seeded: made");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        (await ResetAsync(place, "--except", "made")).ShouldExitWith(0);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        var end = await ResetAsync(place, "--drop-new");
        end.ShouldExitWith(0);
        Assert.Contains("dropped: made", end.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("made", await place.QueryAsync("SHOW TABLES;"), StringComparison.Ordinal);

        await place.QueryAsync("ALTER TABLE t ADD COLUMN x INT; DROP TABLE u;");
        await ShouldRefuseAsync(place, "dropped: u; altered: t");
        await ShouldRefuseAsync(place, "there is no table nobody", "--except", "nobody");
        (await ResetAsync(place, "--except", "t,u")).ShouldExitWith(0);
        await place.QueryAsync("DROP TABLE bulkload_copies;");
        await ShouldRefuseAsync(place, $"there are no copies of the tables of {place.Database}");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_session_that_holds_rows_is_named(string name)
    {
        await using var place = await SeededAsync(name);
        await place.QueryAsync("DELETE FROM t WHERE id = 2;");
        await using var other =
            await ServerSession.ConnectAsync(place.Server.Options(Way.Socket) with { Database = place.Database }, default);
        await other.ExecuteAsync("START TRANSACTION", default);
        await other.ExecuteAsync("UPDATE t SET name = 'mine'", default);
        var end = await ResetAsync(place);
        end.ShouldExitWith(1);

        // Without performance_schema MySQL tells of transactions, and not of what they have locked.
        Assert.Matches($"{place.Database}.t is locked by session {other.Server.ConnectionId} of {place.Server.User}@", end.Error);
        end.ShouldSay("nothing was changed");
        await other.ExecuteAsync("COMMIT", default);
        (await ResetAsync(place)).ShouldExitWith(0);
        Assert.Equal("1\ta\n2\tb", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
    }

    /// <summary>These servers tell nobody of metadata locks. Others have open transactions in the database meanwhile.</summary>
    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_session_that_may_not_be_the_holder_is_not_named(string name)
    {
        await using var place = await SeededAsync(name);
        await place.QueryAsync("DELETE FROM t WHERE id = 2;");
        var options = place.Server.Options(Way.Socket) with { Database = place.Database };
        await using var other = await ServerSession.ConnectAsync(options, default);
        await other.ExecuteAsync("START TRANSACTION", default);
        await other.ExecuteAsync("INSERT INTO u VALUES (77)", default);
        await using var holder = await ServerSession.ConnectAsync(options, default);
        await holder.ExecuteAsync("LOCK TABLES t WRITE", default);
        var end = await ResetAsync(place);
        end.ShouldExitWith(1);
        end.ShouldSay($"{place.Database}.t is locked by another session; which one, the server does not tell this account (an "
            + "administrator sees it: ");
        Assert.DoesNotContain($"{other.Server.ConnectionId}", end.Error, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task It_serves_a_test_suite(string name)
    {
        await using var place = await SeededAsync(name);
        using var program = place.Start("seed", "reset", "--serve", "--allow-database", place.Database);
        await using var input = new StreamWriter(program.Input) { AutoFlush = true };
        for (var i = 0; i < 3; i++)
        {
            await place.QueryAsync("INSERT INTO t (name) VALUES ('x'); UPDATE t SET name = 'b ' WHERE id = 2; DELETE FROM t WHERE id = 1;");
            await input.WriteLineAsync(i == 1 ? "reset" : "");
            await WaitUntilAsync(place, "SELECT COUNT(*) FROM t WHERE (id = 1 AND name = 'a') OR (id = 2 AND HEX(name) = '62');", "2");

            // The reset has answered, and its session has been idle for a while.
            await WaitUntilAsync(place, $"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{place.Database}' AND COMMAND = "
                + "'Sleep' AND TIME > 0;", "1");
            await place.QueryAsync(await KillsAsync(place));
        }

        await place.QueryAsync("CREATE TABLE made (id INT);");
        await input.WriteLineAsync();
        await input.WriteLineAsync("what");
        input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(0);
        var lines = end.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => JsonDocument.Parse(line).RootElement).ToArray();
        Assert.Equal([true, true, true, false, false], lines.Select(line => line.GetProperty("ok").GetBoolean()));
        Assert.All(lines[..3], line => Assert.Equal((1, 2, 2),
            (line.GetProperty("tables").GetInt32(), line.GetProperty("deleted").GetInt32(), line.GetProperty("inserted").GetInt32())));
        Assert.Equal([9, 2], lines[3..].Select(line => line.GetProperty("exitCode").GetInt32()));
        Assert.Contains("made", lines[3].GetProperty("error").GetString(), StringComparison.Ordinal);
    }

    /// <summary>Statements that end all sessions of the program in the database.</summary>
    private static async Task<string> KillsAsync(Workplace place) => string.Concat(
        (await place.ScalarAsync(
            $"SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '{place.Database}' AND COMMAND = 'Sleep' AND TIME > 0;"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(id => $"KILL {id};"));

    private static async Task WaitUntilAsync(Workplace place, string query, string value)
    {
        while (await place.ScalarAsync(query) != value)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    private static async Task ShouldRefuseAsync(Workplace place, string words, params string[] args)
    {
        var end = await ResetAsync(place, args);
        end.ShouldExitWith(9);
        end.ShouldSay(words);
    }

    private static Task<ProgramEnd> ResetAsync(Workplace place, params string[] args) =>
        place.RunAsync(["seed", "reset", "--allow-database", place.Database, .. args]);

    private static async Task<Workplace> SeededAsync(string name)
    {
        var place = await Workplace.CreateAsync(Servers.Get(name), Tables);
        try
        {
            await using var session =
                await ServerSession.ConnectAsync(place.Server.Options(Way.Socket) with { Database = place.Database }, default);
            await SeedCopies.TakeAsync(session, place.Database, new SeedCopyOptions { Schema = place.Database }, default);
            return place;
        }
        catch
        {
            await place.DisposeAsync();
            throw;
        }
    }
}
