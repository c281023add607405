using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Records that only the server refuses, in batches of many statements that are sent before the first of them is
/// answered.</summary>
public sealed class LongBatchTests
{
    private const int Records = 12_000;

    public static TheoryData<string, string> Strategies => new(
        from server in new[] { Servers.MariaDb, Servers.MySql } from strategy in Servers.StrategiesOf(server) select (server, strategy));

    public static TheoryData<string, string> Inserting => new(
        from server in new[] { Servers.MariaDb, Servers.MySql }
        from strategy in Servers.StrategiesOf(server)
        where strategy != "load-data"
        select (server, strategy));

    private static string Line(int record, int? id = null, int parent = 1, int amount = 5, string name = "somebody") =>
        $"{id ?? record},{parent},{amount},{name}\n";

    private static async Task<(LoadReport Report, string Rows)> ImportAsync(
        string name, string strategy, Func<int, string> line, Func<LoadRequest, LoadRequest>? change = null)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        foreach (var statement in new[]
        {
            "CREATE TABLE p (id INT PRIMARY KEY)",
            "INSERT INTO p VALUES (1)",
            "CREATE TABLE t (id INT PRIMARY KEY, parent INT NOT NULL, amount INT NOT NULL, name VARCHAR(20) NOT NULL, CHECK (amount > 0), "
                + "FOREIGN KEY (parent) REFERENCES p (id))",
            "CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW IF NEW.name = 'nobody' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = "
                + "'nobody comes in'; END IF",
            "COMMIT",
        })
        {
            await database.Session.ExecuteAsync(statement, default);
        }

        var file = Path.GetTempFileName();
        try
        {
            var text = new StringBuilder("id,parent,amount,name\n");
            foreach (var record in Enumerable.Range(1, Records))
            {
                text.Append(line(record));
            }

            await File.WriteAllTextAsync(file, text.ToString());
            var request = new LoadRequest
            {
                Files = [file],
                Table = "t",
                Source = new() { Format = InputFormat.Csv },
                Connection = server.Options() with { Database = database.Name },
                Strategy = strategy,
                MaxRejects = RejectLimit.OfRecords(1000),
            };
            var report = await new LoadJob(change?.Invoke(request) ?? request, NullLoggerFactory.Instance).RunAsync(default);
            return (report,
                await ServerClient.RunAsync(server, database.Name, "SELECT COUNT(*), SUM(id), SUM(amount) FROM t;", "--skip-column-names"));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task Exactly_the_bad_records_are_rejected(string server, string strategy)
    {
        int[] bad = [1, 700, 5_000, 5_321, 5_322, 8_000, Records];
        var (report, rows) = await ImportAsync(server, strategy, record => record switch
        {
            1 => Line(record, amount: -1),
            700 => Line(record, id: 699),
            5_000 => Line(record, parent: 2),
            5_321 => Line(record, name: "nobody"),
            5_322 => Line(record, id: 2),
            8_000 => Line(record, name: "nobody"),
            Records => Line(record, parent: 0),
            _ => Line(record),
        });
        Assert.Null(report.Failure);
        Assert.Equal(bad, report.FirstRejects.Select(reject => (int)reject.Record));
        Assert.Equal([3819 + (server == Servers.MariaDb ? 206 : 0), 1062, 1452, 1644, 1062, 1644, 1452],
            report.FirstRejects.Select(reject => reject.ServerCode));
        var kept = Enumerable.Range(1, Records).Except(bad).ToList();
        Assert.Equal($"{kept.Count}\t{kept.Sum()}\t{kept.Count * 5}\n", rows);
        Assert.Equal(kept.Count, report.Counts.Inserted);
    }

    [Theory]
    [MemberData(nameof(Inserting))]
    public async Task Duplicates_within_a_batch_are_settled_in_the_order_of_the_file(string server, string strategy)
    {
        // Every 1,000th record comes again 300 records later, in another statement of the same batch.
        static string Write(int record) => record % 1000 == 300 && record > 1000 ? Line(record, id: record - 300, amount: 7) : Line(record);
        var again = Enumerable.Range(1, Records).Count(record => record % 1000 == 300 && record > 1000);

        var (report, rows) = await ImportAsync(server, strategy, Write, request => request with { OnDuplicate = DuplicateMode.Ignore });
        Assert.Equal((Records - again, again), (report.Counts.Inserted, report.Counts.Ignored));
        Assert.EndsWith($"\t{(Records - again) * 5}\n", rows, StringComparison.Ordinal);

        (report, rows) = await ImportAsync(server, strategy, Write, request => request with { OnDuplicate = DuplicateMode.Update });
        Assert.Equal((Records - again, again), (report.Counts.Inserted, report.Counts.Updated));
        Assert.EndsWith($"\t{((Records - again) * 5) + (again * 2)}\n", rows, StringComparison.Ordinal);
    }

    [Theory]
    [MemberData(nameof(Inserting))]
    public async Task One_reject_too_many_leaves_nothing_of_the_chunk(string server, string strategy)
    {
        var (report, rows) = await ImportAsync(
            server, strategy, record => Line(record, amount: record is 4_000 or 9_000 ? 0 : 5),
            request => request with { MaxRejects = RejectLimit.OfRecords(1) });
        Assert.NotNull(report.Failure);
        Assert.Equal("0\tNULL\tNULL\n", rows);
    }
}
