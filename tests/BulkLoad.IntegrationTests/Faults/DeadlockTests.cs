using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>
/// The server takes our session for the victim of a deadlock while commands are under way: nothing of the chunk stays, and all of it comes
/// again. A trigger counts, so that a row which stayed would be changed twice, and one which was lost not at all.
/// </summary>
public sealed class DeadlockTests
{
    private const int Deadlock = 1213;
    private const int Rows = 3000;

    /// <summary>So many that no list is a large share of them, where a server would rather read the table, and wait for the held row at
    /// once.</summary>
    private const int RowsOfTable = 40_000;
    private const int RowsPerChunk = 1000;

    /// <summary>
    /// More than one chunk changes: of two sessions the server gives up the one that has changed less, and before that, on MariaDB, one
    /// that has not changed a table without transactions, as a stage in memory is.
    /// </summary>
    private const int HeavyRows = 40_000;

    /// <summary>In the middle of the second chunk: the row that the other session holds. It wants a neighbour of it when ours has
    /// that.</summary>
    private const int Held = 1500;

    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(40);

    [Theory]
    [CombinatorialServers("pipelined", "inline-join", "staged-join")]
    public async Task An_update_that_is_the_victim_changes_each_row_once(string name, string strategy)
    {
        await using var database =
            await CreateAsync(name, "CREATE TRIGGER t_hits BEFORE UPDATE ON t FOR EACH ROW SET NEW.hits=OLD.hits+IF(NEW.n<>OLD.n,1,0)");

        var report = await RunAsync(name, database, JobKind.Update, strategy);

        Assert.Equal(new LoadCounts { Read = Rows, Updated = Rows, MatchedRows = Rows, ChangedRows = Rows }, report.Counts);
        Assert.Equal($"{Rows}", await database.ScalarAsync("SELECT COUNT(*) FROM t WHERE n=id AND hits=1"));
        Assert.Equal($"{RowsOfTable - Rows}", await database.ScalarAsync("SELECT COUNT(*) FROM t WHERE n=0 AND hits=0"));
        Assert.Equal("2", await database.ScalarAsync("SELECT COUNT(*) FROM t WHERE seen=1"));
    }

    [Theory]
    [CombinatorialServers("pipelined", "staged-join", "in-list-delete")]
    public async Task A_delete_that_is_the_victim_deletes_each_row_once(string name, string strategy)
    {
        await using var database =
            await CreateAsync(name, "CREATE TRIGGER t_gone AFTER DELETE ON t FOR EACH ROW INSERT INTO gone VALUES (OLD.id)");

        var report = await RunAsync(name, database, JobKind.Delete, strategy);

        Assert.Equal(new LoadCounts { Read = Rows, Deleted = Rows, DeletedRows = Rows }, report.Counts);
        Assert.Equal($"{RowsOfTable - Rows}/{Rows + 1}", await database.ScalarAsync("SELECT CONCAT(COUNT(*),'/',MIN(id)) FROM t"));
        Assert.Equal($"{Rows}/{Rows}", await database.ScalarAsync("SELECT CONCAT(COUNT(*),'/',COUNT(DISTINCT id)) FROM gone"));
    }

    private static async Task<TestDatabase> CreateAsync(string name, string trigger)
    {
        var database = await TestDatabase.CreateAsync(Servers.Get(name));
        foreach (var statement in new[]
        {
            "CREATE TABLE m (i INT PRIMARY KEY)",
            $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 200).Select(i => $"({i})"))}",
            "CREATE TABLE heavy (id INT PRIMARY KEY)",
            "CREATE TABLE edited (id INT PRIMARY KEY) ENGINE=MEMORY",
            "CREATE TABLE gone (id INT)",
            "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0, hits INT NOT NULL DEFAULT 0, seen INT NOT NULL DEFAULT 0)",
            "INSERT INTO t (id) SELECT a.i*200+b.i+1 FROM m a JOIN m b",
            trigger,
        })
        {
            await database.Session.ExecuteAsync(statement, default);
        }

        await database.Session.QueryAsync("ANALYZE TABLE t", default);
        return database;
    }

    /// <summary>Runs a job over the first rows, into which another session comes.</summary>
    private static async Task<LoadReport> RunAsync(string name, TestDatabase database, JobKind kind, string strategy)
    {
        var server = Servers.Get(name);
        var file = Path.GetTempFileName();
        using var limit = new CancellationTokenSource(Longest);
        try
        {
            await File.WriteAllTextAsync(
                file, $"id,n\n{string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},{id}\n"))}", limit.Token);
            await using var other = await database.ConnectAsync();
            await other.ExecuteAsync("SET autocommit=0", limit.Token);
            await other.ExecuteAsync("INSERT INTO edited VALUES (1)", limit.Token);
            await other.ExecuteAsync($"INSERT INTO heavy SELECT a.i*200+b.i FROM m a JOIN m b LIMIT {HeavyRows}", limit.Token);
            await other.ExecuteAsync($"UPDATE t SET seen=1 WHERE id={Held}", limit.Token);

            var job = new LoadJob(
                new LoadRequest
                {
                    Kind = kind,
                    Files = [file],
                    Table = "t",
                    Strategy = strategy,
                    Source = new() { Format = InputFormat.Csv },
                    Connection = server.Options() with { Database = database.Name },
                    RowsPerChunk = RowsPerChunk,
                    Retry = RetryOptions.Default,
                },
                NullLoggerFactory.Instance).RunAsync(limit.Token);
            var wanted = await WaitUntilHeldAsync(database, job, limit.Token);
            await other.ExecuteAsync($"UPDATE t SET seen=1 WHERE id={wanted}", limit.Token);
            await other.ExecuteAsync("COMMIT", limit.Token);

            var report = await job;
            Assert.Null(report.Failure);
            Assert.Equal([Deadlock], report.FirstRetries.Select(retry => retry.ServerCode));
            Assert.Equal(0, report.NarrowedBatches);
            return report;
        }
        finally
        {
            File.Delete(file);
        }
    }

    /// <summary>
    /// Waits until the job has locked a neighbour of the held row; from which side it comes is the strategy's business. It may not have
    /// come to the held one yet: the deadlock is the same, whoever comes last. (InnoDB's own tables of transactions and locks are not read
    /// again as long as somebody asks for them ten times a second.)
    /// </summary>
    /// <returns>the neighbour</returns>
    private static async Task<int> WaitUntilHeldAsync(TestDatabase database, Task job, CancellationToken limit)
    {
        await using var session = await database.ConnectAsync();
        while (!job.IsCompleted)
        {
            var free =
                (await session.QueryAsync($"SELECT id FROM t WHERE id IN ({Held - 1},{Held + 1}) FOR UPDATE SKIP LOCKED", limit)).Rows
                    .Select(row => row[0]).ToList();
            if (free.Count == 1)
            {
                return free[0] == $"{Held - 1}" ? Held + 1 : Held - 1;
            }

            await Task.Delay(20, limit);
        }

        throw new Xunit.Sdk.XunitException($"the job was not held: {job.Status}");
    }
}
