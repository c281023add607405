using System.Globalization;
using System.Text;
using Xunit;

namespace BulkLoad.IntegrationTests.Updates;

/// <summary>Changes whose keys are out of the primary key's order: sorted first, and nothing else is different.</summary>
public sealed class SortedUpdateTests
{
    private const int Rows = 90_000;

    private const string Tables = """
        CREATE TABLE kind (id INT PRIMARY KEY);
        INSERT INTO kind VALUES (1), (2), (3);
        CREATE TABLE t (id BIGINT PRIMARY KEY, kind INT NULL, note VARCHAR(20) NOT NULL, FOREIGN KEY (kind) REFERENCES kind (id));
        INSERT INTO t (id, note) WITH d AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
            SELECT 3 * (a.n + 10 * b.n + 100 * c.n + 1000 * e.n + 10000 * f.n), 'x' FROM d a, d b, d c, d e, d f;
        """;

    private static readonly string[] Small = ["--rows-per-chunk", "3000", "--rows-per-batch", "500"];

    public static TheoryData<string> Both => Servers.Both;

    /// <summary>
    /// Changes in an order of their own: every 500th has a key that is no number, every 300th finds no row, every 1,000th has the key of another one, every
    /// 2,101th a kind that there is not.
    /// </summary>
    private static string Changes(int[] ids)
    {
        var text = new StringBuilder("id,kind,note\n");
        foreach (var id in ids)
        {
            text.Append(CultureInfo.InvariantCulture, $"{(id % 500 == 0 ? "x" : "")}{3 * (id % 1000 == 1 ? id + 1 : id) + (id % 300 == 0 ? 1 : 0)},{(id % 2101 == 0 ? 9 : (id % 3) + 1)},note {id}\n");
        }

        return text.ToString();
    }

    private static int[] Shuffled()
    {
        var ids = Enumerable.Range(1, Rows).ToArray();
        new Random(7).Shuffle(ids);
        return ids;
    }

    private static string[] Update(params string[] more) =>
        ["update", "t.csv", "--table", "t", "--max-rejects", "10000", "--reject-file", "bad.csv", "--overwrite", "--report", "report.json", "--temp-dir", "temp", .. more];

    private static async Task<Workplace> PlaceAsync(string server)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), Tables);
        Directory.CreateDirectory(Path.Combine(place.Folder, "temp"));
        place.Write("t.csv", Changes(Shuffled()));
        return place;
    }

    private static Task BeginAnewAsync(Workplace place) => place.QueryAsync($"DROP TABLE t, kind; {Tables}");

    private static Task<string> OutcomeAsync(Workplace place) => place.OutcomeAsync("SELECT COUNT(*), SUM(id), BIT_XOR(CRC32(CONCAT_WS(',', id, kind, note))) FROM t;", "bad.csv");

    [Theory]
    [CombinatorialServers("inline-join", "pipelined", "staged-join")]
    public async Task A_sorted_update_ends_as_one_in_the_files_order(string server, string strategy)
    {
        await using var place = await PlaceAsync(server);
        (await place.RunAsync(Update("--no-sort", "--job-id", "plain", "--strategy", strategy))).ShouldExitWith(3);
        var plain = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        var end = await place.RunAsync(Update("--job-id", "sorted", "--strategy", strategy));
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
    public async Task A_sorted_update_that_is_killed_and_started_again_ends_as_if_it_had_not_been(string server)
    {
        await using var place = await PlaceAsync(server);
        string[] words = Update(["--job-id", "undisturbed", .. Small]);
        (await place.RunAsync(words)).ShouldExitWith(3);
        var expected = await OutcomeAsync(place);
        await BeginAnewAsync(place);

        // Before it commits, in the middle, towards the end.
        words[words.ToList().IndexOf("undisturbed")] = "killed";
        foreach (var rows in new[] { 1, 20_000, 50_000, 80_000 })
        {
            await place.KillAsync("SELECT COUNT(*) FROM t WHERE note <> 'x';", changed => changed >= rows, words);
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
    public async Task An_update_goes_on_in_the_order_in_which_it_was_begun(string server)
    {
        await using var place = await PlaceAsync(server);
        var good = Shuffled().Where(id => id % 300 != 0 && id % 500 != 0 && id % 2101 != 0).ToArray();
        place.Write("t.csv", Changes(good));

        // One record is one too many: a third of the way by the key.
        await place.QueryAsync("DELETE FROM t WHERE id = 90012;");
        string[] update = ["update", "t.csv", "--table", "t", "--temp-dir", "temp", .. Small];
        var end = await place.RunAsync(update);
        end.ShouldExitWith(4);
        end.ShouldSay("records by (id), stay committed");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t WHERE id > 90012 AND note <> 'x';"));

        end = await place.RunAsync([.. update, "--no-sort"]);
        end.ShouldExitWith(9);
        end.ShouldSay("--no-sort: the job was begun with its records sorted by (id): leave the option out; or ");
        await place.QueryAsync("INSERT INTO t (id, note) VALUES (90012, 'x');");
        end = await place.RunAsync(update);
        end.ShouldExitWith(0);
        Assert.Matches(@"went on behind the first [\d,]+ records by \(id\), which a former start had committed", end.Output);
        Assert.Equal("note 30004", await place.ScalarAsync("SELECT note FROM t WHERE id = 90012;"));

        // The other way round.
        await BeginAnewAsync(place);
        await place.QueryAsync("DELETE FROM t WHERE id = 90012;");
        (await place.RunAsync([.. update, "--no-sort", "--job-id", "plain"])).ShouldExitWith(4);
        await place.QueryAsync("INSERT INTO t (id, note) VALUES (90012, 'x');");
        end = await place.RunAsync([.. update, "--job-id", "plain", "--plan"]);
        Assert.Matches(@"(?m)^  order +the input's: as the job was begun$", end.Output);
        (await place.RunAsync([.. update, "--job-id", "plain"])).ShouldExitWith(0);
    }
}
