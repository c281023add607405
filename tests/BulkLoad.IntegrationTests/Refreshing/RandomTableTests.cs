using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>Tables of many shapes become their file, and everything else of them stays.</summary>
public sealed partial class RandomTableTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public Task Each_is_its_file_afterwards_or_as_it_was(string server) =>
        RandomTrials.RunAsync(51, usual: 6, async seed => [(await TryAsync(Servers.Get(server), seed), 1)]);

    private static async Task<string> TryAsync(TestServer server, int seed)
    {
        // Seeds that are near each other begin with near numbers, so a second one is drawn.
        var random = new Random(new Random(seed).Next());
        var table = new RandomTable(random);
        await using var place = await Workplace.CreateAsync(server, table.Sql);
        place.Write("t.csv", table.Csv);
        var before = await LookAsync(place);
        string[] words = ["import", "t.csv", "--full-refresh" + table.Way, "--min-rows", "0%", "--null-value=", "--binary", "raw"];
        var kills = 0;
        while (table.IsKilled && kills < 4)
        {
            place.Write("t.csv", random.Next(3) == 0 ? table.OtherCsv : table.Csv);
            using var program = place.Start([.. words, "--max-rate", "20", "--rows-per-chunk", "3"]);
            program.Input.Close();
            if (!await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(200, 2500))))
            {
                break;
            }

            kills++;
            await program.EndAsync();
            var rows = await place.QueryAsync(table.Rows("t"));
            Assert.True(rows == before.Rows || rows == await place.QueryAsync(table.Rows("expected")), $"seed {seed}: killed\n{table.Sql}");
        }

        var end = await place.RunAsync([.. words, .. table.IsKilled ? (string[])["--rows-per-chunk", "3"] : []]);
        var about = $"seed {seed}\n{table.Sql}\n{table.Csv}\n{end}";
        var after = await LookAsync(place);
        Assert.True(after.Others == before.Others, $"{about}\nother tables: {before.Others}\n{after.Others}");
        Assert.True(after.Definition == before.Definition, $"{about}\ndefinition: {before.Definition}\n{after.Definition}");
        var way = WayText().Match(end.Output).Groups[1].Value;
        if (end.ExitCode == 0)
        {
            Assert.True(after.Rows == await place.QueryAsync(table.Rows("expected")), about);
            await RefreshTests.ShouldHaveNoOthersAsync(place);
            return $"{way}{(kills > 0 ? ", killed before" : "")}";
        }

        Assert.True(end.ExitCode == 9 && (after.Rows == before.Rows || kills > 0), about);
        Assert.True(table.MayBeRefused, about);
        return "refused";

        async Task<(string Rows, string Definition, string Others)> LookAsync(Workplace where)
        {
            var definition = await where.QueryAsync("SHOW CREATE TABLE t; SHOW TRIGGERS;");
            return (await where.QueryAsync(table.Rows("t")), Passing().Replace(definition, ""), await where.QueryAsync(table.Others));
        }
    }

    /// <summary>What an exchange may change: the names of constraints and the next number.</summary>
    [GeneratedRegex("__2(?=`)| AUTO_INCREMENT=[0-9]+")]
    private static partial Regex Passing();

    [GeneratedRegex(" now, by ([a-z]+) in ")]
    private static partial Regex WayText();
}
