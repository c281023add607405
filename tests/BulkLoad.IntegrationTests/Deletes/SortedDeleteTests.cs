using System.Globalization;
using System.Text;
using Xunit;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>Keys that are out of the primary key's order: sorted first, and nothing else is different.</summary>
public sealed class SortedDeleteTests
{
    private const int Rows = 90_000;

    /// <summary>Every third row is there; each 2,101th of these is referred to, and cannot go.</summary>
    private const string Tables = """
        CREATE TABLE t (id BIGINT PRIMARY KEY, note VARCHAR(10) NOT NULL);
        INSERT INTO t WITH d AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
            SELECT 3 * (a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n), 'x' FROM d a, d b, d c, d e, d f;
        CREATE TABLE child (parent BIGINT NOT NULL, FOREIGN KEY (parent) REFERENCES t (id));
        INSERT INTO child SELECT id FROM t WHERE id % 6303 = 0;
        """;

    public static TheoryData<string> Both => Servers.Both;

    /// <summary>Keys in an order of their own: every 500th is no number, every 300th finds no row, every 1,000th has been there before.</summary>
    private static string Keys()
    {
        var text = new StringBuilder("id\n");
        foreach (var id in Shuffled())
        {
            text.Append(CultureInfo.InvariantCulture, $"{(id % 500 == 0 ? "x" : "")}{3 * (id % 1000 == 1 ? id + 1 : id) + (id % 300 == 0 ? 1 : 0)}\n");
        }

        return text.ToString();
    }

    private static int[] Shuffled()
    {
        var ids = Enumerable.Range(1, Rows).ToArray();
        new Random(7).Shuffle(ids);
        return ids;
    }

    private static string[] Delete(params string[] more) =>
        ["delete", "--ids", "t.txt", "--table", "t", "--yes", "--max-rejects", "10000", "--reject-file", "bad.txt", "--overwrite", "--report", "report.json", "--temp-dir", "temp", .. more];

    private static async Task<Workplace> PlaceAsync(string server)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        Directory.CreateDirectory(Path.Combine(place.Folder, "temp"));
        place.Write("t.txt", Keys());
        return place;
    }

    private static Task BeginAnewAsync(Workplace place) => place.QueryAsync($"DROP TABLE child, t; {Tables}");

    private static Task<string> OutcomeAsync(Workplace place) => place.OutcomeAsync("SELECT COUNT(*), SUM(id), BIT_XOR(id * 7919) FROM t;", "bad.txt");

    [Theory]
    [CombinatorialServers("in-list-delete", "pipelined")]
    public async Task A_sorted_delete_ends_as_one_in_the_files_order(string server, string strategy)
    {
        await using var place = await PlaceAsync(server);
        (await place.RunAsync(Delete("--no-sort", "--job-id", "plain", "--strategy", strategy))).ShouldExitWith(3);
        var plain = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        var end = await place.RunAsync(Delete("--job-id", "sorted", "--strategy", strategy));
        end.ShouldExitWith(3);
        Assert.Matches(@"(?m)^note +sorted by \(id\) before it was sent: [\d,]+ of the first 2,000 records have a key that belongs before others \(--no-sort keeps the input's order\)$", end.Output);
        Assert.Equal(plain, await OutcomeAsync(place));
        foreach (var reason in new[] { "not-found", "foreign-key", "\"superseded\": 90" })
        {
            Assert.Contains(reason, plain, StringComparison.Ordinal);
        }

        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
        Assert.Contains("\"sortedBy\": \"(id)\"", await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")), StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_sorted_delete_that_is_killed_and_started_again_ends_as_if_it_had_not_been(string server)
    {
        await using var place = await PlaceAsync(server);
        var words = Delete("--job-id", "undisturbed", "--rows-per-chunk", "3000", "--rows-per-batch", "500");
        (await place.RunAsync(words)).ShouldExitWith(3);
        var expected = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        // Before it commits, in the middle, towards the end.
        words[words.ToList().IndexOf("undisturbed")] = "killed";
        foreach (var rows in new[] { 99_999, 80_000, 50_000, 20_000 })
        {
            await place.KillAsync(there => there <= rows, words);
        }

        Assert.Empty(Directory.GetFileSystemEntries(Path.Combine(place.Folder, "temp")));
        (await place.RunAsync(words)).ShouldExitWith(3);
        Assert.Equal(expected, await OutcomeAsync(place));
        var again = await place.RunAsync(words);
        again.ShouldExitWith(3);
        Assert.Contains("its inputs are the same: nothing was sent", again.Output, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task A_delete_goes_on_in_the_order_in_which_it_was_begun(string server)
    {
        await using var place = await PlaceAsync(server);
        string[] few = ["--rows-per-chunk", "3000", "--rows-per-batch", "500"];

        // One record is one too many: a third of the way by the key.
        place.Write("t.txt", string.Concat(Shuffled().Select(id => string.Create(CultureInfo.InvariantCulture, $"{3 * id}\n"))));
        await place.QueryAsync("DELETE FROM child; INSERT INTO child VALUES (90003);");
        string[] delete = ["delete", "--ids", "t.txt", "--table", "t", "--yes", "--temp-dir", "temp", .. few];
        var end = await place.RunAsync(delete);
        end.ShouldExitWith(4);
        end.ShouldSay("records by (id), stay committed");
        Assert.Equal("90003", await place.ScalarAsync("SELECT MIN(id) FROM t WHERE id > 0;"));

        end = await place.RunAsync([.. delete, "--no-sort"]);
        end.ShouldExitWith(9);
        end.ShouldSay("--no-sort: the job was begun with its records sorted by (id): leave the option out; or ");
        await place.QueryAsync("DELETE FROM child;");
        end = await place.RunAsync(delete);
        end.ShouldExitWith(0);
        Assert.Matches(@"went on behind the first [\d,]+ records by \(id\), which a former start had committed", end.Output);

        // The other way round.
        await BeginAnewAsync(place);
        await place.QueryAsync("DELETE FROM child; INSERT INTO child VALUES (90003);");
        (await place.RunAsync([.. delete, "--no-sort", "--job-id", "plain"])).ShouldExitWith(4);
        await place.QueryAsync("DELETE FROM child;");
        end = await place.RunAsync([.. delete, "--job-id", "plain", "--plan"]);
        Assert.Matches(@"(?m)^  order +the input's: as the job was begun$", end.Output);
        (await place.RunAsync([.. delete, "--job-id", "plain"])).ShouldExitWith(0);
    }
}
