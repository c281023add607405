namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>Keys that are out of the primary key's order: sorted first, and nothing else is different.</summary>
public abstract class SortedDeleteTests(string server)
{
    private const int Rows = 90_000;

    /// <summary>Every third row is there; each 2,101th of these is referred to, and cannot go.</summary>
    private const string Tables = $"""
        CREATE TABLE t (id BIGINT PRIMARY KEY, note VARCHAR(10) NOT NULL);
        INSERT INTO t {SortedJob.EveryThird};
        CREATE TABLE child (parent BIGINT NOT NULL, FOREIGN KEY (parent) REFERENCES t (id));
        INSERT INTO child SELECT id FROM t WHERE id % 6303 = 0;
        """;

    /// <summary>Keys in an order of their own: every 500th is no number, every 300th finds no row, every 1,000th has been there
    /// before.</summary>
    private static string Keys()
    {
        var text = new StringBuilder("id\n");
        foreach (var id in SortedJob.Shuffled(Rows))
        {
            text.Append($"{(id % 500 == 0 ? "x" : "")}{3 * (id % 1000 == 1 ? id + 1 : id) + (id % 300 == 0 ? 1 : 0)}\n");
        }

        return text.ToString();
    }

    private static SortedJob Job(string content) => new(
        Tables, "child, t", "t.txt", content, ["delete", "--ids", "t.txt", "--table", "t", "--yes"],
        "SELECT COUNT(*), SUM(id), BIT_XOR(id * 7919) FROM t;");

    [Theory]
    [InlineData("in-list-delete")]
    [InlineData("pipelined")]
    public Task A_sorted_delete_ends_as_one_in_the_files_order(string strategy) =>
        Job(Keys()).ShouldEndAsInTheFilesOrderAsync(server, strategy, "not-found", "foreign-key", "\"superseded\": 90");

    /// <summary>Before it commits, in the middle, towards the end.</summary>
    [Fact]
    public Task A_sorted_delete_that_is_killed_and_started_again_ends_as_if_it_had_not_been() =>
        Job(Keys()).ShouldSurviveKillsAsync(server, "SELECT COUNT(*) FROM t;", there => there <= 99_999, there => there <= 80_000,
            there => there <= 50_000, there => there <= 20_000);

    [Fact]
    public async Task A_delete_goes_on_in_the_order_in_which_it_was_begun()
    {
        var job = Job(string.Concat(SortedJob.Shuffled(Rows).Select(id => $"{3 * id}\n")));
        await using var place = await job.PlaceAsync(server);
        await job.ShouldGoOnAsItWasBegunAsync(
            place,
            () => place.QueryAsync("DELETE FROM child; INSERT INTO child VALUES (90003);"),
            () => place.QueryAsync("DELETE FROM child;"),
            async () => Assert.Equal("90003", await place.ScalarAsync("SELECT MIN(id) FROM t WHERE id > 0;")));
    }
}

/// <summary>On MariaDB.</summary>
public sealed class MariaDbSortedDeleteTests() : SortedDeleteTests(Servers.MariaDb);

/// <summary>On MySQL.</summary>
public sealed class MySqlSortedDeleteTests() : SortedDeleteTests(Servers.MySql);
