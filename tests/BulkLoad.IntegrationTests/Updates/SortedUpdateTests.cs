namespace BulkLoad.IntegrationTests.Updates;

/// <summary>Changes whose keys are out of the primary key's order.</summary>
public abstract class SortedUpdateTests(string server)
{
    private const int Rows = 90_000;

    private const string Tables = $"""
        CREATE TABLE kind (id INT PRIMARY KEY);
        INSERT INTO kind VALUES (1), (2), (3);
        CREATE TABLE t (id BIGINT PRIMARY KEY, kind INT NULL, note VARCHAR(20) NOT NULL, FOREIGN KEY (kind) REFERENCES kind (id));
        INSERT INTO t (id, note) {SortedJob.EveryThird};
        """;

    /// <summary>
    /// Changes in an order of their own: every 500th has a key that is no number, every 300th finds no row, every 1,000th has the key of
    /// another one, every 2,101th a kind that there is not.
    /// </summary>
    private static string Changes(int[] ids)
    {
        var text = new StringBuilder("id,kind,note\n");
        foreach (var id in ids)
        {
            text.Append($"{(id % 500 == 0 ? "x" : "")}{3 * (id % 1000 == 1 ? id + 1 : id) + (id % 300 == 0 ? 1 : 0)},"
                + $"{(id % 2101 == 0 ? 9 : (id % 3) + 1)},note {id}\n");
        }

        return text.ToString();
    }

    private static SortedJob Job(string content) => new(
        Tables, "t, kind", "t.csv", content, ["update", "t.csv", "--table", "t"],
        "SELECT COUNT(*), SUM(id), BIT_XOR(CRC32(CONCAT_WS(',', id, kind, note))) FROM t;");

    [Theory]
    [InlineData("inline-join")]
    [InlineData("pipelined")]
    [InlineData("staged-join")]
    public Task A_sorted_update_ends_as_one_in_the_files_order(string strategy) =>
        Job(Changes(SortedJob.Shuffled(Rows)))
            .ShouldEndAsInTheFilesOrderAsync(server, strategy, "not-found", "foreign-key", "\"superseded\": 90");

    /// <summary>Before it commits, in the middle, towards the end.</summary>
    [Fact]
    public Task A_sorted_update_that_is_killed_and_started_again_ends_as_if_it_had_not_been() =>
        Job(Changes(SortedJob.Shuffled(Rows))).ShouldSurviveKillsAsync(
            server, "SELECT COUNT(*) FROM t WHERE note <> 'x';", changed => changed >= 1, changed => changed >= 20_000,
            changed => changed >= 50_000, changed => changed >= 80_000);

    [Fact]
    public async Task An_update_goes_on_in_the_order_in_which_it_was_begun()
    {
        var job = Job(Changes([.. SortedJob.Shuffled(Rows).Where(id => id % 300 != 0 && id % 500 != 0 && id % 2101 != 0)]));
        await using var place = await job.PlaceAsync(server);
        await job.ShouldGoOnAsItWasBegunAsync(
            place,
            () => place.QueryAsync("DELETE FROM t WHERE id = 90012;"),
            () => place.QueryAsync("INSERT INTO t (id, note) VALUES (90012, 'x');"),
            async () => Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t WHERE id > 90012 AND note <> 'x';")));
        Assert.Equal("note 30004", await place.ScalarAsync("SELECT note FROM t WHERE id = 90012;"));
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbSortedUpdateTests() : SortedUpdateTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlSortedUpdateTests() : SortedUpdateTests(Servers.MySql);
