namespace BulkLoad.IntegrationTests.Differential;

/// <summary>
/// Random tables and files: on both servers and by both strategies the table holds what the test knew before it wrote the file, and the
/// rejects are the records that it spoilt, for the reason for which it spoilt them. BULKLOAD_DIFFERENTIAL_CASES says how many,
/// BULKLOAD_SEED with which seed the first is made; the next ones follow it.
/// </summary>
public abstract class DifferentialTests(string name, ITestOutputHelper output)
{
    private const int UsualCases = 70;
    private const int UsualSeed = 1;

    /// <summary>Cases that share a database and two calls of the server's client.</summary>
    private const int AtOnce = 20;

    private const int MaxShown = 10;
    private const int MostFaultsShown = 8;

    [Fact]
    public async Task Both_strategies_leave_the_table_that_was_foretold_and_reject_what_was_spoilt()
    {
        var server = Servers.Get(name);
        var (seed, count) = (
            TestVariables.Number("BULKLOAD_SEED") ?? UsualSeed, TestVariables.Number("BULKLOAD_DIFFERENTIAL_CASES") ?? UsualCases);
        output.WriteLine($"BULKLOAD_SEED={seed} BULKLOAD_DIFFERENTIAL_CASES={count}");
        var failures = new List<string>();
        var (cases, records) = (0, 0L);
        for (var from = 0; from < count; from += AtOnce)
        {
            var some = Enumerable.Range(from, Math.Min(AtOnce, count - from))
                .Select(i => new DifferentialCase(seed + i, Servers.StrategiesOf(server.Name))).Where(one => one.IsFor(server)).ToList();
            cases += some.Count;
            records += some.Sum(one => (long)one.Records);
            failures.AddRange(await RunAsync(server, some));
        }

        output.WriteLine($"{server}: {cases} cases, {records} records, each by both strategies");
        Assert.True(
            failures.Count == 0, $"{failures.Count} of {cases} cases fail on {server}\n{string.Join('\n', failures.Take(MaxShown))}");
    }

    private static async Task<List<string>> RunAsync(TestServer server, List<DifferentialCase> cases)
    {
        await using var place = await Workplace.CreateAsync(
            server,
            "CREATE TABLE parent (id INT UNSIGNED PRIMARY KEY);\nINSERT INTO parent VALUES "
                + $"(1),(2),(3),(4),(5);\n{string.Concat(cases.Select(one => one.CreateSql))}");
        var faults = new List<(DifferentialCase Case, List<string> Faults)>();
        foreach (var one in cases)
        {
            faults.Add((one, await one.LoadAsync(server, place.Database, place.Folder)));
        }

        var rows = Split(await ServerClient.RunAsync(
            server, place.Database, $"SET time_zone='+00:00';\n{string.Concat(cases.Select(one => one.ReadSql))}", "--skip-column-names"));
        return
        [
            .. faults.Select(pair => (pair.Case, Faults: pair.Faults.Concat(pair.Case.Compare(rows)).ToList()))
                .Where(pair => pair.Faults.Count > 0)
                .Select(pair => Describe(pair.Case, server, pair.Faults)),
        ];
    }

    private static string Describe(DifferentialCase one, TestServer server, List<string> faults) =>
        $"== BULKLOAD_SEED={one.Seed} BULKLOAD_DIFFERENTIAL_CASES=1 on {server}\n{string.Join('\n', faults.Take(MostFaultsShown))}\n"
            + $"{one.Describe()}";

    private static Dictionary<string, List<string>> Split(string lines)
    {
        var tables = new Dictionary<string, List<string>>();
        List<string> rows = [];
        foreach (var line in lines.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.StartsWith("# ", StringComparison.Ordinal))
            {
                tables.Add(line[2..], rows = []);
            }
            else
            {
                rows.Add(line);
            }
        }

        return tables;
    }
}

/// <inheritdoc/>
public sealed class MariaDbDifferentialTests(ITestOutputHelper output) : DifferentialTests(Servers.MariaDb, output);

/// <inheritdoc/>
public sealed class MySqlDifferentialTests(ITestOutputHelper output) : DifferentialTests(Servers.MySql, output);
