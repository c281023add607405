using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Suggesting;

/// <summary>
/// Files of many countries: where <c>check --suggest</c> is sure, its command stores what the file means; where it is not, one of the
/// commands that it prints does. More files by <c>BULKLOAD_TEST_SUGGESTIONS</c>.
/// </summary>
public sealed partial class SuggestionTests
{
    private static readonly int Rounds =
        int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_SUGGESTIONS") ?? "21", CultureInfo.InvariantCulture);

    /// <summary>Every country on one server or the other, or on both where more are asked for.</summary>
    public static TheoryData<string, int> Files =>
    [
        .. from seed in Enumerable.Range(0, Rounds)
           select (seed % 2 == 0 ? Servers.MariaDb : Servers.MySql, seed),
    ];

    [Theory]
    [MemberData(nameof(Files))]
    public async Task A_file_is_stored_as_it_is_meant(string server, int seed)
    {
        var file = LocaleFile.Create(Locale.All[seed % Locale.All.Count], seed);
        await using var place = await Workplace.CreateAsync(Servers.Get(server), LocaleFile.Table);
        await File.WriteAllBytesAsync(Path.Combine(place.Folder, "t.csv"), file.Bytes, TestContext.Current.CancellationToken);
        var suggested = await place.RunAsync("check", "t.csv", "--suggest");
        var commands = Command().Matches(suggested.Output).Select(match => match.Groups[1].Value).ToArray();
        Assert.True(suggested.ExitCode is 0 or 4, $"{file.Title}\n{suggested}");
        Assert.True(commands.Length > 0 && (suggested.ExitCode == 4 || commands.Length == 1), $"{file.Title}\n{suggested}");
        Assert.True(
            suggested.ExitCode == 0 || suggested.Output.Contains("not sure:", StringComparison.Ordinal), $"{file.Title}\n{suggested}");
        List<string> ends = [];
        foreach (var command in commands)
        {
            await place.QueryAsync("DELETE FROM t;");
            using var import = BulkLoadProcess.StartLine(place, $"{command} --no-ledger");
            import.Input.Close();
            var end = await import.EndAsync();
            var rows = await ServerClient.RunAsync(place.Server, place.Database, LocaleFile.Query, "--skip-column-names");
            if (end.ExitCode == 0 && rows == file.Rows)
            {
                return;
            }

            ends.Add($"{end.ExitCode} {end.Error}{rows[..Math.Min(rows.Length, 300)]}");
        }

        Assert.Fail($"{file.Title}: no command stores it\n{suggested}\n{string.Join('\n', ends)}\nmeant:\n"
            + $"{file.Rows[..Math.Min(file.Rows.Length, 300)]}\n{Encoding.UTF8.GetString(file.Bytes)[..300]}");
    }

    [Theory]
    [InlineData(Servers.MariaDb)]
    [InlineData(Servers.MySql)]
    public async Task A_key_that_only_the_last_object_has_is_looked_at(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), "SELECT 1;");
        place.Write("t.jsonl",
            string.Concat(Enumerable.Range(1, 50_000).Select(id => $"{{\"id\": {id}}}\n")) + "{\"id\": 50001, \"born\": \"13.12.1984\"}\n");
        var suggested = await place.RunAsync("check", "t.jsonl", "--table", "t", "--suggest");
        suggested.ShouldExitWith(0);
        Assert.Contains("--create --date-format dd.MM.yyyy", suggested.Output, StringComparison.Ordinal);
    }

    [GeneratedRegex(@"^  (bulkload import .*)$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex Command();
}
