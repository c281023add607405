using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Updates;

/// <summary>An update that stopped goes on behind its last committed chunk.</summary>
public sealed class ResumedUpdateTests : IDisposable
{
    private const string Stopping = "id,visits\n1,1\n2,1\n3,1\n1,5\n4,x\n5,1\n";

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    private async Task<LoadReport> RunAsync(TestServer server, TestDatabase database, string records, params ColumnAssignment[] set)
    {
        await File.WriteAllTextAsync(_file, records);
        var request = new LoadRequest
        {
            Kind = JobKind.Update,
            Files = [_file],
            Table = "t",
            Source = new() { Format = InputFormat.Csv },
            Assignments = set,
            Connection = server.Options() with { Database = database.Name },
            RowsPerChunk = 2,
        };
        return await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(default);
    }

    private static async Task<TestDatabase> CreateAsync(TestServer server)
    {
        var database = await TestDatabase.CreateAsync(server);
        await database.Session.ExecuteAsync("CREATE TABLE t (id INT PRIMARY KEY, visits INT NOT NULL, n INT NOT NULL DEFAULT 0)", default);
        await database.Session.ExecuteAsync("INSERT INTO t (id,visits) VALUES (1,0),(2,0),(3,0),(4,0),(5,0)", default);
        return database;
    }

    private static async Task<string> RowsAsync(TestDatabase database) =>
        string.Join(' ', (await database.Session.QueryAsync("SELECT id,visits,n FROM t ORDER BY id", default)).Rows
            .Select(row => string.Join('/', row)));

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_record_is_applied_once_however_often_the_job_is_started(string name)
    {
        var server = Servers.Get(name);
        await using var database = await CreateAsync(server);
        var count = new ColumnAssignment("n", "n+1");

        var stopped = await RunAsync(server, database, Stopping, count);
        var resumed = await RunAsync(server, database, Stopping.Replace("4,x", "4,7", StringComparison.Ordinal), count);
        var again = await RunAsync(server, database, Stopping.Replace("4,x", "4,7", StringComparison.Ordinal), count);

        Assert.IsType<RejectLimitException>(stopped.Failure);
        Assert.Null(resumed.Failure);
        Assert.Null(again.Failure);
        Assert.Equal(new LoadCounts { Read = 6, Updated = 6, MatchedRows = 6, ChangedRows = 6 }, resumed.Counts);
        Assert.Equal("1/5/2 2/1/1 3/1/1 4/7/1 5/1/1", await RowsAsync(database));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_record_that_is_superseded_by_one_that_is_gone_is_not_lost_in_silence(string name)
    {
        var server = Servers.Get(name);
        await using var database = await CreateAsync(server);
        const string stops = "id,visits\n1,1\n2,1\n3,1\n9,7\n1,5\n5,1\n";

        var stopped = await RunAsync(server, database, stops);
        var changed = await RunAsync(
            server, database, stops.Replace("9,7", "4,7", StringComparison.Ordinal).Replace("1,5", "5,5", StringComparison.Ordinal));
        var moved = await RunAsync(
            server, database, stops.Replace("9,7", "4,7", StringComparison.Ordinal).Replace("1,5", "2,5", StringComparison.Ordinal));
        var resumed = await RunAsync(server, database, stops.Replace("9,7", "4,7", StringComparison.Ordinal));

        Assert.IsType<RejectLimitException>(stopped.Failure);
        Assert.Contains("keys after record 2", Assert.IsType<ChangedInputException>(moved.Failure).Message, StringComparison.Ordinal);
        Assert.Contains("keys after record 2", Assert.IsType<ChangedInputException>(changed.Failure).Message, StringComparison.Ordinal);
        Assert.Null(resumed.Failure);
        Assert.Equal(new LoadCounts { Read = 6, Updated = 5, Superseded = 1, MatchedRows = 5, ChangedRows = 5 }, resumed.Counts);
        Assert.Equal("1/5/0 2/1/0 3/1/0 4/7/0 5/1/0", await RowsAsync(database));
    }
}
