using BulkLoad.IntegrationTests.Cases;

namespace BulkLoad.IntegrationTests.GeneratedFiles;

/// <summary>
/// Files with delimiters, quotes, encodings, preambles, footers and ragged rows of all kinds: each is taken with the right cells, or
/// refused. A file that the program of November 2026 took with the right cells (Taken.txt) is still taken so. BULKLOAD_FILES_CASES says how
/// many, BULKLOAD_SEED with which seed the first is made. BULKLOAD_FILES_RESULTS names a file that gets a line for each: two programs
/// (BULKLOAD_TEST_PROGRAM) are compared by it.
/// </summary>
public sealed class GeneratedFileTests(ITestOutputHelper output)
{
    private const int UsualCases = 60;
    private const int AtOnce = 3;

    [Fact]
    public async Task What_was_taken_with_the_right_cells_is_still_taken_and_nothing_is_taken_with_others()
    {
        var server = Servers.Get(Servers.MariaDb);
        var first = TestVariables.Number("BULKLOAD_SEED") ?? 1;
        var count = TestVariables.Number("BULKLOAD_FILES_CASES") ?? UsualCases;
        var files = Enumerable.Range(first, count).Select(seed => new GeneratedFile(seed)).ToList();
        await using var place = await Workplace.CreateAsync(server, string.Concat(files.Select(file => file.CreateSql)));
        var lines = new string[count];
        await Parallel.ForEachAsync(
            Enumerable.Range(0, count), new ParallelOptions { MaxDegreeOfParallelism = AtOnce },
            async (at, _) => lines[at] = await RunAsync(place, files[at]));
        if (Environment.GetEnvironmentVariable("BULKLOAD_FILES_RESULTS") is { Length: > 0 } results)
        {
            await File.WriteAllLinesAsync(results, lines);
        }

        foreach (var kind in lines.GroupBy(line => line.Split(' ')[1]))
        {
            output.WriteLine($"{kind.Key}: {kind.Count()}");
        }

        var taken = (await File.ReadAllLinesAsync(Path.Combine(CommandLineCase.Root, "..", "GeneratedFiles", "Taken.txt"))).ToHashSet();
        Assert.DoesNotContain(lines, line => line.Contains(" other ", StringComparison.Ordinal)
            || (taken.Contains(line.Split(' ')[0]) && !line.Contains(" right ", StringComparison.Ordinal)));
    }

    /// <summary>Seed, whether it was taken, exit code, and the first line that tells why.</summary>
    private static async Task<string> RunAsync(Workplace place, GeneratedFile file)
    {
        await File.WriteAllBytesAsync(Path.Combine(place.Folder, file.Name), file.Content);
        var end = await place.RunAsync([.. new[] { "import", file.Name }, .. file.Options, "--no-ledger", "--progress", "never"]);
        var line = end.Error.Split('\n')[0];
        var how = end.ExitCode is not (0 or 3) ? "refused" : await JudgeAsync(place, file, hasRejects: end.ExitCode == 3);
        return $"{file.Seed} {how} {end.ExitCode} {line} {(how == "right" ? "" : string.Join(' ', file.Options))}";
    }

    /// <summary>Records that are rejects count as a refusal, if all others have the right cells.</summary>
    private static async Task<string> JudgeAsync(Workplace place, GeneratedFile file, bool hasRejects)
    {
        var names = (await place.QueryAsync($"SHOW COLUMNS FROM {file.Table};")).Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1)
            .Select(line => line.Split('\t')[0]).ToList();
        if (!names.SequenceEqual(file.ExpectedColumns))
        {
            return "other";
        }

        // Hexadecimal digits need no escapes.
        var columns = string.Join(", ", names.Select(name => $"HEX(CONVERT(COALESCE(`{name}`, '') USING utf8mb4))"));
        var rows =
            (await ServerClient.RunAsync(place.Server, place.Database, $"SELECT {columns} FROM {file.Table};", "--skip-column-names"))
                .Split('\n')[..^1]
                .Select(row => row.Split('\t').Select(hex => Normal(Encoding.UTF8.GetString(Convert.FromHexString(hex)))));
        var found = rows.Select(row => string.Join('\n', row)).Order(StringComparer.Ordinal).ToList();
        var expected = file.Expected.Select(row => string.Join('\n', row.Select(Normal))).Order(StringComparer.Ordinal).ToList();
        return found.SequenceEqual(expected) ? "right"
            : hasRejects && found.Count < expected.Count && found.All(expected.Remove) ? "refused"
            : "other";
    }

    /// <summary>A number of a numeric column has the column's places, and a time its seconds.</summary>
    private static string Normal(string cell) =>
        decimal.TryParse(cell, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number)
            ? number.ToString("0.##########", CultureInfo.InvariantCulture) : cell == "12:30:00" ? "12:30" : cell;
}
