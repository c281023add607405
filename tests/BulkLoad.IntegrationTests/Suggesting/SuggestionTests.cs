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

    /// <summary>The command is typed: it takes what is said, and a line that may be a record is not skipped.</summary>
    [Theory]
    [CombinatorialServers(
        "1,Ann,3|2,Bob,4,5|--table t|3|1", "1,Ann,3|2,Bob|--table t --dirt few-fields=repair|0|2",
        "1,Ann,3|(1 row)|--table t --dirt footer=repair|0|1",
        "1,Ann,3|Total,3|--table t --dirt footer=repair|0|1",
        "1,Ann,3||2 rows,more|--table t --dirt footer=repair|0|1", "1,Ann,3|id,name,n|2,Bob,4|--table t --dirt repeated-header=repair|0|2")]
    public async Task Only_lines_that_are_no_records_are_skipped(string server, string linesAndEnd)
    {
        var parts = linesAndEnd.Split('|');
        var (lines, command, exit, rows) = (parts[..^3], parts[^3], parts[^2], parts[^1]);
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), n INT);");
        place.Write("f.csv", "id,name,n\n" + string.Concat(lines.Select(line => $"{line}\n")));
        var suggested = await place.RunAsync("check", "f.csv", "--table", "t", "--suggest");
        var found = Assert.Single(Command().Matches(suggested.Output)).Groups[1].Value;
        Assert.Equal($"bulkload import f.csv {command}", found);
        Assert.Equal(command.Contains("footer", StringComparison.Ordinal) || command.Contains("header", StringComparison.Ordinal),
            suggested.Output.Contains("skips 1 line, ", StringComparison.Ordinal));
        var end = await place.RunAsync([.. found.Split(' ')[1..], .. exit == "0" ? [] : (string[])["--max-rejects", "1"]]);
        end.ShouldExitWith(int.Parse(exit, CultureInfo.InvariantCulture));
        Assert.Equal(rows, await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Binary_columns_get_the_form_that_takes_all_values(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id BINARY(16) PRIMARY KEY, token VARBINARY(40), code VARBINARY(9), odd VARBINARY(9));");
        place.Write("t.csv", "id,token,code,odd\na0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,aGVsbG8gd29ybGQ=,0a0b,\n"
            + "b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12,aGVs,0c,N/A\n");
        var suggested = await place.RunAsync("check", "t.csv", "--suggest");
        suggested.ShouldExitWith(0);
        var command = Assert.Single(Command().Matches(suggested.Output)).Groups[1].Value;
        Assert.Equal("bulkload import t.csv --null-value N/A --binary id=uuid --binary token=base64", command);
        (await place.RunAsync(command.Split(' ')[1..])).ShouldExitWith(0);
        Assert.Equal("A0EEBC999C0B4EF8BB6D6BB9BD380A11\thello world\t0A0B",
            await place.ScalarAsync("SELECT HEX(id), token, HEX(code) FROM t ORDER BY id LIMIT 1;"));

        // Any word of four letters would be base64.
        place.Write("t.csv", "id,token\na0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13,some\n");
        suggested = await place.RunAsync("check", "t.csv", "--suggest");
        suggested.ShouldExitWith(4);
        Assert.Contains("token: 1 of 1 value is no varbinary(40) in any known form", suggested.Output, StringComparison.Ordinal);
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
