using BulkLoad.Core.Jobs;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Updates;

/// <summary>Every strategy leaves the table, and tells the counts and rejects, of one UPDATE a record in the file's order.</summary>
public abstract class UpdateTests(string name)
{
    private const int UsualSeeds = 40;

    [Fact]
    public async Task Table_counts_and_rejects_are_those_of_records_sent_one_by_one()
    {
        var server = Servers.Get(name);
        var file = Path.GetTempFileName();
        var first =
            int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_SEED") ?? "0", System.Globalization.CultureInfo.InvariantCulture);
        var seeds = int.Parse(Environment.GetEnvironmentVariable("BULKLOAD_DIFFERENTIAL_CASES") ?? $"{UsualSeeds}",
            System.Globalization.CultureInfo.InvariantCulture);
        try
        {
            for (var seed = first; seed < first + seeds; seed++)
            {
                await CheckAsync(server, seed, file);
            }
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static async Task CheckAsync(TestServer server, int seed, string file)
    {
        var random = new RandomUpdate(server, seed);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            [.. SessionSql.Profile(server.IsMariaDb, takesZeroDates: false, timeZone: null), SessionSql.Isolation(logsStatements: false)]);
        await database.RunAsync(random.Statements());
        var (counts, rejects) = await random.UpdateOneByOneAsync(database);
        await database.RunAsync(["COMMIT"]);
        await File.WriteAllTextAsync(file, random.Csv);
        var expected = await ContentsAsync(database, random.Contents("expected"));
        foreach (var strategy in StrategyCatalog.Update)
        {
            await database.RunAsync([.. RandomUpdate.Fill("t"), "COMMIT"]);

            var report = await new LoadJob(random.Request(file, strategy.Name, server, database), NullLoggerFactory.Instance)
                .RunAsync(default);

            var about = $"seed {seed} on {server} by {strategy.Name}: {random}";
            if ((strategy.Name is "inline-join" or "staged-join" && (random.IsOrdered || !random.IsUnique))
                || (strategy.Name == "bulk-execute" && !(random.IsUnique && random.CountsMatched && server.IsMariaDb)))
            {
                Assert.True(report.Failure is PlanException, $"{about}\n{report.Failure?.Message}");
                continue;
            }

            Assert.True(report.Failure is null, $"{about}\n{report.Failure?.Message}");
            var rows = await ContentsAsync(database, random.Contents("t"));
            Assert.True(random.Told(counts) == report.Counts, $"{about}\n{report.Counts}\nnot {counts}\n"
                + $"{string.Join('\n', report.FirstRejects.Select(reject => reject.Describe()))}\nnot {string.Join(' ', rejects)}");
            Assert.True(rejects.Take(100).SequenceEqual(report.FirstRejects.Select(reject => (reject.Record, reject.Code))),
                $"{about}\n{string.Join('\n', report.FirstRejects.Select(reject => reject.Describe()))}\nnot {string.Join(' ', rejects)}");
            Assert.True(expected == rows, $"{about}\nrows\n{rows}\nnot\n{expected}");
        }
    }

    private static async Task<string> ContentsAsync(TestDatabase database, string query)
    {
        var rows = (await database.Session.QueryAsync(query, default)).Rows;
        await database.Session.ExecuteAsync("COMMIT", default);
        return string.Join('\n', rows.Select(row => string.Join(" | ", row.Select(value => value ?? "NULL"))));
    }
}

/// <inheritdoc/>
public sealed class MariaDbUpdateTests() : UpdateTests(Servers.MariaDb);

/// <inheritdoc/>
public sealed class MySqlUpdateTests() : UpdateTests(Servers.MySql);
