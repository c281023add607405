using System.Text.Json;
using BulkLoad.IntegrationTests.Refreshing;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>Imports into tables of many shapes are taken back, behind changes of others: each row that is as it was loaded, and that no
/// row which stays refers to, goes, and nothing else.</summary>
public sealed class RandomUndoTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public Task Each_row_that_is_as_it_was_loaded_goes_and_nothing_else(string server) =>
        RandomTrials.RunAsync(510, usual: 6, seed => TryAsync(Servers.Get(server), seed));

    private static async Task<(string Name, int Count)[]> TryAsync(TestServer server, int seed)
    {
        // Seeds that are near each other begin with near numbers, so a second one is drawn.
        var random = new Random(new Random(seed).Next());
        var table = new RandomTable(random);
        await using var place = await Workplace.CreateAsync(server, table.Sql);
        string[] values = ["--null-value=", "--binary", "raw"];
        place.Write("t.csv", table.NewCsv(random, random.Next(1, 40)));
        var before = await LookAsync(place, table);
        (await place.RunAsync(["import", "t.csv", .. values])).ShouldExitWith(0);
        var loaded = await LookAsync(place, table);
        var ids = loaded.Keys.Except(before.Keys).ToArray();
        var changes = string.Join('\n', loaded.Keys.Where(_ => random.Next(4) == 0).Select(id => table.Disturb(random, id)));
        var held = table.HasChild ? ids.Where(_ => random.Next(5) == 0).ToArray() : [];
        await place.QueryAsync($"SET NAMES utf8mb4;\n{changes}\n" + string.Concat(held.Select(id =>
            $"INSERT INTO child (t) SELECT id FROM t WHERE id = '{id}';\n")));
        var now = await LookAsync(place, table);
        var others = await place.QueryAsync(table.Others);
        var job = await UndoTests.JobAsync(place);
        string[] words = ["undo", job, .. values];
        var about = $"seed {seed}\n{table.Sql}\n{changes}";
        var (kills, hasEnded) = (0, false);
        while (table.IsKilled && kills < 3 && !hasEnded)
        {
            using var program = place.Start(words);
            program.Input.Close();
            hasEnded = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(20, 500)));
            kills += hasEnded ? 0 : 1;
            await program.EndAsync();
        }

        var end = await place.RunAsync([.. words, "--report", "report.json", "--overwrite"]);
        about += $"\n{end}";
        var after = await LookAsync(place, table);
        Assert.True(await place.QueryAsync(table.Others) == others, $"{about}\nother tables: {others}");
        if (end.ExitCode == 9 && (!table.HasKey || end.Error.Contains("knows no job", StringComparison.Ordinal)))
        {
            Assert.True(table.HasKey ? (kills > 0 || hasEnded) && Same(after, Expected()) : Same(after, now), about);
            return [(table.HasKey ? "killed at the end" : "refused", 1)];
        }

        var expected = Expected();
        Assert.True(Same(after, expected), $"{about}\nexpected:\n{Text(expected)}\nbut:\n{Text(after)}\nbefore:\n{Text(now)}");
        var (reversed, gone) = (now.Count - expected.Count, ids.Count(id => !now.ContainsKey(id)));
        var kept = ids.Length - reversed - gone;
        Assert.True(end.ExitCode == (kept > 0 ? 3 : 0), about);
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var undo = report.RootElement.GetProperty("undo");
        int[] counts = [Count("reversed"), Count("alreadyGone"), Count("keptChanged") + Count("keptReferred")];
        Assert.True(counts.SequenceEqual([reversed, gone, kept]), $"{about}\n{string.Join(", ", counts)}");
        await UndoTests.ShouldHaveNoOthersAsync(place);
        return [("jobs", 1), ("kills", kills), ("reversed", reversed), ("kept", kept), ("gone", gone)];

        int Count(string name) => undo.GetProperty(name).GetInt32();

        Dictionary<string, string[]> Expected()
        {
            var stay = now.Keys.Where(id => before.ContainsKey(id) || !now[id].SequenceEqual(loaded[id])).Concat(held).ToHashSet();
            for (var isMore = table.BossAt >= 0; isMore;)
            {
                var count = stay.Count;
                stay.UnionWith([.. now.Where(row => stay.Contains(row.Key) && row.Value[table.BossAt] != "NULL")
                    .Select(row => row.Value[table.BossAt])]);
                isMore = stay.Count > count;
            }

            return now.Where(row => stay.Contains(row.Key)).ToDictionary();
        }
    }

    internal static async Task<Dictionary<string, string[]>> LookAsync(Workplace place, RandomTable table) =>
        (await place.QueryAsync($"SET NAMES utf8mb4; {table.Rows("t")}")).Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1)
            .Select(line => line.Split('\t')).GroupBy(row => row[0]).ToDictionary(rows => rows.Key, rows => rows.First());

    internal static bool Same(Dictionary<string, string[]> one, Dictionary<string, string[]> other) =>
        one.Count == other.Count && one.All(row => other.TryGetValue(row.Key, out var same) && row.Value.SequenceEqual(same));

    internal static string Text(Dictionary<string, string[]> rows) => string.Join('\n', rows.Values.Select(row => string.Join('|', row)));
}
