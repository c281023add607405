using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What rights a new table needs, and what is told where one is missing.</summary>
public sealed class NewTableTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rights_to_create_and_to_insert_are_enough(string name)
    {
        var report = await RunAsync(name, "CREATE, INSERT", "id,name\n1,Ada\n", "2");
        Assert.Null(report.Failure);
        Assert.Equal(1, report.Counts.Inserted);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_right_to_create_nothing_is_made(string name)
    {
        var report = await RunAsync(name, "INSERT", "id,name\n1,Ada\n", "0");
        Assert.IsType<PlanException>(report.Failure);
        Assert.Contains("GRANT CREATE ON ", report.Failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_right_to_insert_nothing_is_made(string name)
    {
        var report = await RunAsync(name, "CREATE, SELECT, DROP", "id,name\n1,Ada\n", "0");
        Assert.IsType<PlanException>(report.Failure);
        Assert.Matches("GRANT [A-Z, ]*INSERT[A-Z, ]* ON ", report.Failure.Message);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Without_the_right_to_drop_it_the_table_stays_and_that_is_told(string name)
    {
        var report = await RunAsync(name, "CREATE, INSERT, SELECT", "id,name\n1,Ada\n1,Bo\n", "2");
        Assert.IsType<RejectLimitException>(report.Failure);
        Assert.Contains(
            "was created and stays, though nothing was committed: DROP command denied", report.Notes[^1], StringComparison.Ordinal);
    }

    private static async Task<LoadReport> RunAsync(string name, string rights, string content, string columns)
    {
        var token = TestContext.Current.CancellationToken;
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await using var account = await TestAccount.CreateAsync(server, "IDENTIFIED BY 'only-some/1'", "only-some/1");
        await database.Session.ExecuteAsync($"GRANT {rights} ON {database.Name}.* TO '{account.User}'@'%'", token);
        var folder = Directory.CreateTempSubdirectory();
        try
        {
            var path = Path.Join(folder.FullName, "people.csv");
            await File.WriteAllTextAsync(path, content, token);
            var request = new LoadRequest
            {
                Files = [path],
                Create = true,
                PrimaryKey = ["id"],
                NoLedger = true,
                Connection = account.Options() with { Database = database.Name }
            };
            var report = await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(token);
            Assert.Equal(columns,
                await database.ScalarAsync($"SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{database.Name}'"));
            return report;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
