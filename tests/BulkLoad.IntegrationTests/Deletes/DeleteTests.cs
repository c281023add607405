using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>Lists of keys leave the table, and tell the counts, of one DELETE a record in the file's order.</summary>
public abstract class DeleteTests(string name)
{
    private static int Seeds { get; } = Number("BULKLOAD_DIFFERENTIAL_CASES", 44);

    private static int FirstSeed { get; } = Number("BULKLOAD_SEED", 0);

    private static int Number(string variable, int usual) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var number) ? number : usual;

    private static async Task<LoadReport> RunAsync(LoadRequest request) =>
        await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(default);

    [Fact]
    public async Task Every_strategy_leaves_table_counts_and_rejects_of_records_sent_one_by_one()
    {
        var server = Servers.Get(name);
        var file = Path.GetTempFileName();
        var runs = StrategyCatalog.Delete.ToDictionary(strategy => strategy.Name, _ => 0);
        try
        {
            foreach (var seed in Enumerable.Range(FirstSeed, Seeds))
            {
                foreach (var strategy in await CheckAsync(server, seed, file))
                {
                    runs[strategy]++;
                }
            }
        }
        finally
        {
            File.Delete(file);
        }

        Assert.All(runs, run => Assert.True(run.Value > Seeds / 4, $"{run.Key} was fit for {run.Value} of {Seeds}"));
    }

    /// <returns>the strategies that were fit</returns>
    private static async Task<IReadOnlyList<string>> CheckAsync(TestServer server, int seed, string file)
    {
        var random = new RandomDelete(server, seed);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.Session.ExecuteAsync("SET NAMES utf8mb4", default);
        await database.Session.ExecuteAsync("SET autocommit=0", default);
        await database.RunAsync([.. random.Statements()]);
        var (counts, rejects) = await random.DeleteOneByOneAsync(database);
        await database.Session.ExecuteAsync("COMMIT", default);
        await File.WriteAllTextAsync(file, random.Csv);
        var expected = await RowsAsync(database, "expected");
        var fit = new List<string>();
        foreach (var strategy in StrategyCatalog.Delete.Select(strategy => strategy.Name))
        {
            await database.RunAsync([.. random.Fill("t"), "COMMIT"]);
            var report = await RunAsync(random.Request(file, strategy, server, database));
            if (report.Failure is PlanException { Message: var refusal } && refusal.Contains("is not fit here", StringComparison.Ordinal))
            {
                continue;
            }

            fit.Add(strategy);
            var about = $"seed {seed} on {server} by {strategy}: {random}";
            var rows = await RowsAsync(database, "t");
            Assert.True(report.Failure is null, $"{about}\n{report.Failure?.Message}");
            Assert.True(expected == rows, $"{about}\nrows {rows}\nnot  {expected}");
            var refused = report.FirstRejects.Select(reject => new Refused(reject.Record, reject.Code));
            Assert.True(rejects.SequenceEqual(refused), $"{about}\n{string.Join(' ', refused)}\nnot {string.Join(' ', (object[])rejects)}\n"
                + $"{string.Join("\n", report.FirstRejects.Select(reject => reject.Message))}\n{string.Join('\n', report.Notes)}");
            Assert.True(report.NarrowedBatches == 0 || random.HasForeignKeys,
                $"{about}\n{report.NarrowedBatches} batches were narrowed without a reason");
            Assert.True(counts == report.Counts, $"{about}\n{report.Counts}\nnot {counts}");
        }

        return fit;
    }

    /// <summary>The table's rows, those that refer to it, and those that a trigger saw go.</summary>
    private static async Task<string> RowsAsync(TestDatabase database, string table)
    {
        var rows = new List<string>();
        foreach (var query in new[]
        {
            $"SELECT n,parent FROM {table} ORDER BY n", $"SELECT n FROM {table}_holders ORDER BY n", $"SELECT n FROM {table}_log ORDER BY n"
        })
        {
            rows.Add(string.Join(' ', (await database.Session.QueryAsync(query, default)).Rows.Select(row => string.Join('/', row))));
        }

        return string.Join(" | ", rows);
    }
}

/// <inheritdoc/>
public sealed class MariaDbDeleteTests() : DeleteTests(Servers.MariaDb);

/// <inheritdoc/>
public sealed class MySqlDeleteTests() : DeleteTests(Servers.MySql);
