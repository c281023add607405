using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Duplicates;

/// <summary>Batches leave the table, and tell the counts, of records sent one by one.</summary>
public sealed class DuplicateTests
{
    private const int Seeds = 30;

    public static TheoryData<string, DuplicateMode, string> All => new(
        from server in new[] { Servers.MariaDb, Servers.MySql }
        from mode in Enum.GetValues<DuplicateMode>()
        from strategy in Inserting(server)
        select (server, mode, strategy));

    public static TheoryData<string, string> EachInserting => new(
        from server in new[] { Servers.MariaDb, Servers.MySql } from strategy in Inserting(server) select (server, strategy));

    private static IEnumerable<string> Inserting(string server) => Servers.StrategiesOf(server).Where(strategy => strategy != "load-data");

    private static async Task<LoadReport> ImportAsync(
        TestServer server, TestDatabase database, string csv, Func<LoadRequest, LoadRequest> change, string table = "t")
    {
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, csv);
            var request = change(new LoadRequest
            {
                Files = [file],
                Table = table,
                Source = new() { Format = InputFormat.Csv },
                Connection = server.Options() with { Database = database.Name },
                MaxRejects = RejectLimit.OfRecords(1000),
            });
            return await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(default);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static async Task<string[]> SortedRowsAsync(TestServer server, TestDatabase database, string table)
    {
        var rows = await ServerClient.RunAsync(
            server, database.Name,
            $"SELECT IF(id >= {RandomTable.FirstOwnId}, 'own', id), HEX(a), b, HEX(c), d, e, g, t > '2021-01-01' FROM {table};",
            "--skip-column-names");
        return [.. rows.Split('\n', StringSplitOptions.RemoveEmptyEntries).Order(StringComparer.Ordinal)];
    }

    private static void CheckCounts(long inserted, long updated, long unchanged, long ignored, long rejected, LoadReport report)
    {
        Assert.Null(report.Failure);
        var expected =
            new LoadCounts { Inserted = inserted, Updated = updated, Unchanged = unchanged, Ignored = ignored, Rejected = rejected };
        Assert.Equal(expected with { Read = inserted + updated + unchanged + ignored + rejected }, report.Counts);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task Table_counts_and_rejects_are_those_of_records_sent_one_by_one(string name, DuplicateMode mode, string strategy)
    {
        var server = Servers.Get(name);
        for (var seed = 0; seed < Seeds; seed++)
        {
            var table = new RandomTable(seed);
            await using var database = await TestDatabase.CreateAsync(server);
            await database.RunAsync(["CREATE TABLE log (what VARCHAR(50))", .. table.Statements("expected"), .. table.Statements("t")]);
            await database.RunAsync("BEGIN");
            foreach (var target in new[] { "expected", "t" })
            {
                var before = new RecordByRecord(database.Session, table, target, DuplicateMode.Ignore);
                foreach (var row in table.Rows)
                {
                    await before.SendAsync(row);
                }
            }

            var oneByOne = new RecordByRecord(database.Session, table, "expected", mode);
            foreach (var record in table.Records)
            {
                await oneByOne.SendAsync(record);
            }

            await database.RunAsync("COMMIT");
            var report = await ImportAsync(
                server, database, table.Csv, request => request with
                { Strategy = strategy, OnDuplicate = mode, RowsPerBatch = table.RowsPerBatch, RowsPerChunk = table.RowsPerChunk });

            var told = $"seed {seed}, {mode}, {string.Join(" | ", report.Plan?.Sql ?? [])}\n{table}";
            Assert.True(report.Failure is null, $"{report.Failure?.Message}\n{told}");
            Assert.True(oneByOne.Counts == report.Counts, $"{oneByOne.Counts}\n{report.Counts}\n{told}");
            Assert.True(oneByOne.Refused.SequenceEqual(report.FirstRejects.Select(reject => reject.Record)),
                $"{string.Join(',', oneByOne.Refused)}\n{told}");
            var (expected, actual) = (await SortedRowsAsync(server, database, "expected"), await SortedRowsAsync(server, database, "t"));
            Assert.True(
                expected.SequenceEqual(actual), $"expected\n{string.Join('\n', expected)}\nactual\n{string.Join('\n', actual)}\n{told}");
            if (mode is DuplicateMode.Ignore or DuplicateMode.Error)
            {
                Assert.Equal("0", await database.ScalarAsync("SELECT COUNT(*) FROM log"));
            }
            else if (mode == DuplicateMode.Replace)
            {
                Assert.Equal(
                    await database.ScalarAsync("SELECT COUNT(*) FROM log WHERE what = 'expected delete'"),
                    await database.ScalarAsync("SELECT COUNT(*) FROM log WHERE what = 't delete'"));
            }
        }
    }

    [Theory]
    [MemberData(nameof(EachInserting))]
    public async Task Whole_batches_are_counted_whatever_they_hold(string name, string strategy)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO t VALUES (0, 0)");
        var twice = string.Concat(Enumerable.Range(1, 5000).Select(i => $"{i},{i % 7}\n{i},{i % 5}\n"));
        var same = Enumerable.Range(1, 5000).Count(i => i % 7 == i % 5);

        CheckCounts(5000, 5000 - same, same, 0, 0, await ImportAsync(
            server, database, $"id,n\n{twice}", request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Update }));
        CheckCounts(0, 0, 0, 10_000, 0, await ImportAsync(
            server, database, $"id,n\n{twice}", request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Ignore }));
        CheckCounts(0, 10_000, 0, 0, 0, await ImportAsync(
            server, database, $"id,n\n{twice}", request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Replace }));
        Assert.Equal("5001", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    [Theory]
    [MemberData(nameof(EachInserting))]
    public async Task Other_faults_than_duplicates_stay_rejects(string name, string strategy)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE parent (id INT PRIMARY KEY)", "INSERT INTO parent VALUES (1)",
            "CREATE TABLE t (id INT PRIMARY KEY, p INT, n INT, CHECK (n < 10), FOREIGN KEY (p) REFERENCES parent (id))",
            "INSERT INTO t VALUES (1, 1, 1)");
        const string Csv = "id,p,n\n1,1,2\n2,2,2\n3,1,11\n4,1,4\n5,1,x\n";
        CheckCounts(1, 0, 0, 1, 3,
            await ImportAsync(server, database, Csv, request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Ignore }));
        CheckCounts(0, 1, 1, 0, 3,
            await ImportAsync(server, database, Csv, request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Update }));
        CheckCounts(0, 2, 0, 0, 3,
            await ImportAsync(server, database, Csv, request => request with { Strategy = strategy, OnDuplicate = DuplicateMode.Replace }));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_replaced_row_takes_what_hangs_on_it_along(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (id INT PRIMARY KEY, n INT)", "CREATE TABLE child (p INT, FOREIGN KEY (p) REFERENCES t (id) ON DELETE CASCADE)",
            "INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO child VALUES (1), (1), (2)");

        var report =
            await ImportAsync(server, database, "id,n\n3,3\n1,9\n4,4\n", request => request with { OnDuplicate = DuplicateMode.Replace });

        CheckCounts(2, 1, 0, 0, 0, report);
        Assert.Contains(report.Notes, note =>
            note.StartsWith($"--on-duplicate replace: foreign keys of {database.Name}.child point at the rows", StringComparison.Ordinal));
        Assert.Equal("1:9,2:2,3:3,4:4", await database.ScalarAsync("SELECT GROUP_CONCAT(id, ':', n ORDER BY id) FROM t"));

        // MySQL 9.7 lets those stay whose parent comes back.
        Assert.Equal(server.IsMariaDb ? "2" : "1,1,2", await database.ScalarAsync("SELECT GROUP_CONCAT(p ORDER BY p) FROM child"));
    }

    [Fact]
    public async Task Versions_of_rows_that_stay_are_not_made()
    {
        var server = Servers.Get(Servers.MariaDb);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync("CREATE TABLE t (id INT PRIMARY KEY, n INT) WITH SYSTEM VERSIONING", "INSERT INTO t VALUES (1, 1), (2, 2)");

        CheckCounts(1, 0, 0, 2, 0,
            await ImportAsync(server, database, "id,n\n1,5\n3,3\n2,6\n", request => request with { OnDuplicate = DuplicateMode.Ignore }));
        Assert.Equal("3", await database.ScalarAsync("SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"));
        CheckCounts(1, 1, 0, 0, 0,
            await ImportAsync(server, database, "id,n\n1,5\n4,4\n", request => request with { OnDuplicate = DuplicateMode.Replace }));
        Assert.Equal("1:5,2:2,3:3,4:4", await database.ScalarAsync("SELECT GROUP_CONCAT(id, ':', n ORDER BY id) FROM t"));
        Assert.IsType<PlanException>(
            (await ImportAsync(server, database, "id,n\n1,5\n", request => request with { OnDuplicate = DuplicateMode.Update })).Failure);
    }

    [Theory]
    [InlineData(DuplicateMode.Ignore, "id,u\n,1\n,3\n")]
    [InlineData(DuplicateMode.Ignore, "u\n1\n3\n")]
    [InlineData(DuplicateMode.Update, "id,u\n,1\n,3\n")]
    [InlineData(DuplicateMode.Update, "u\n1\n3\n")]
    [InlineData(DuplicateMode.Replace, "u\n3\n")]
    public async Task Where_MySQL_has_no_id_left_a_new_record_was_taken_for_a_duplicate(DuplicateMode mode, string csv)
    {
        var server = Servers.Get(Servers.MySql);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (id TINYINT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE)", "INSERT INTO t VALUES (1, 1), (127, 2)");

        var report = await ImportAsync(server, database, csv, request => request with { OnDuplicate = mode });

        // Nor can be told which of the others are duplicates.
        Assert.Equal(csv.Count(character => character == '\n') - 1, report.Counts.Rejected);
        Assert.Equal("1:1,127:2", await database.ScalarAsync("SELECT GROUP_CONCAT(id, ':', u ORDER BY id) FROM t"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_with_the_name_of_the_new_row_and_an_expression(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE bulkload_row (id INT PRIMARY KEY, n INT, m INT)", "INSERT INTO bulkload_row VALUES (1, 1, 1)");

        CheckCounts(1, 1, 0, 0, 0, await ImportAsync(
            server, database, "id,n\n1,5\n2,6\n",
            request => request with { OnDuplicate = DuplicateMode.Update, Assignments = [new("m", "3+4")] }, "bulkload_row"));

        Assert.Equal("1:5:7,2:6:7", await database.ScalarAsync("SELECT GROUP_CONCAT(id, ':', n, ':', m ORDER BY id) FROM bulkload_row"));
    }
}
