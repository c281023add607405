using System.Buffers;
using System.Globalization;
using System.Text;
using BulkLoad.Core;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Probing;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>Lists of keys leave the table, and tell the counts, of one DELETE a record in the file's order.</summary>
public sealed class DeleteTests
{
    private static int Seeds { get; } = Number("BULKLOAD_DIFFERENTIAL_CASES", 110);

    private static int FirstSeed { get; } = Number("BULKLOAD_SEED", 0);

    private static int Number(string variable, int usual) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var number) ? number : usual;

    private static async Task<LoadReport> RunAsync(LoadRequest request) => await new LoadJob(request, NullLoggerFactory.Instance).RunAsync(default);

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Every_strategy_leaves_table_counts_and_rejects_of_records_sent_one_by_one(string name)
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
        await RunAsync(database, [.. random.Statements()]);
        var (counts, rejects) = await random.DeleteOneByOneAsync(database);
        await database.Session.ExecuteAsync("COMMIT", default);
        await File.WriteAllTextAsync(file, random.Csv);
        var expected = await RowsAsync(database, "expected");
        var fit = new List<string>();
        foreach (var strategy in StrategyCatalog.Delete.Select(strategy => strategy.Name))
        {
            await RunAsync(database, [.. random.Fill("t"), "COMMIT"]);
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
            Assert.True(rejects.SequenceEqual(refused), $"{about}\n{string.Join(' ', refused)}\nnot {string.Join(' ', (object[])rejects)}\n{string.Join('\n', report.Notes)}");
            Assert.True(counts == report.Counts, $"{about}\n{report.Counts}\nnot {counts}");
        }

        return fit;
    }

    private static async Task<string> RowsAsync(TestDatabase database, string table) =>
        string.Join(' ', (await database.Session.QueryAsync($"SELECT n,parent FROM {table} ORDER BY n", default)).Rows.Select(row => string.Join('/', row)));

    /// <summary>A target fifty times as large as the list, for lists of every size.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_statement_reads_the_whole_table_whatever_the_keys_type(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await RunAsync(database, "CREATE TABLE m (i INT PRIMARY KEY)", $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 250).Select(i => $"({i})"))}");
        foreach (var (type, value, literal) in WideTypes(server))
        {
            await RunAsync(
                database, $"CREATE TABLE t (k {type} NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
                $"INSERT INTO t SELECT {value.Replace("$", "(a.i*200+b.i)", StringComparison.Ordinal)}, 0 FROM m a JOIN m b WHERE b.i < 200", "ANALYZE TABLE t");
            foreach (var keys in new[] { 10, 100, 999 })
            {
                await CheckPlanAsync(database, ["k"], keys, i => [literal(i * 50)], $"{server}, {type}, {keys} keys");
            }

            await RunAsync(database, "DROP TABLE t");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_statement_reads_the_whole_table_for_keys_of_several_columns(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await RunAsync(
            database,
            "CREATE TABLE m (i INT PRIMARY KEY)", $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 250).Select(i => $"({i})"))}",
            "CREATE TABLE t (a INT NOT NULL, b VARCHAR(20) CHARACTER SET latin1 NOT NULL, c INT NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT a.i, CONCAT('x', b.i), 7 FROM m a JOIN m b", "ANALYZE TABLE t");
        foreach (var keys in new[] { 1, 10, 100, 999 })
        {
            string[] Key(int i) => [$"{i % 250}", $"x{i / 4 % 250}", "7"];
            await CheckPlanAsync(database, ["a", "b"], keys, Key, $"{server}, {keys} keys of two columns");
            await CheckPlanAsync(database, ["b", "a"], keys, i => [Key(i)[1], Key(i)[0]], $"{server}, {keys} keys of two columns in another order");
            await CheckPlanAsync(database, ["a", "b", "c"], keys, Key, $"{server}, {keys} keys of more columns than the index");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_statement_reads_the_whole_table_for_types_that_compare_otherwise_in_a_row(string name)
    {
        var server = Servers.Get(name);
        await using var database = await TestDatabase.CreateAsync(server);
        await RunAsync(
            database,
            "CREATE TABLE m (i INT PRIMARY KEY)", $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 250).Select(i => $"({i})"))}",
            "CREATE TABLE t (a ENUM('x','y') NOT NULL, b TIME(1) NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT 'x', SEC_TO_TIME(a.i*250+b.i) FROM m a JOIN m b", "ANALYZE TABLE t");
        foreach (var keys in new[] { 1, 10, 100, 999 })
        {
            await CheckPlanAsync(database, ["a", "b"], keys, i => ["x", TimeSpan.FromSeconds(i * 3).ToString(@"hh\:mm\:ss\.f", CultureInfo.InvariantCulture)], $"{server}, {keys} keys");
        }
    }

    private static IEnumerable<(string Type, string Value, Func<int, string> Literal)> WideTypes(TestServer server)
    {
        static string Hex(int i) => i.ToString("X8", CultureInfo.InvariantCulture);
        yield return ("BIGINT", "$", i => $"{i}");
        yield return ("INT UNSIGNED", "$", i => $"{i}");
        yield return ("DECIMAL(12,2)", "$", i => $"{i}.00");
        yield return ("DOUBLE", "$+0.5", i => $"{i}.5");
        yield return ("VARCHAR(30)", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("VARCHAR(30) CHARACTER SET latin1", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("CHAR(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "CONCAT('u',$,'@x')", i => $"u{i}@x");
        yield return ("BINARY(4)", "UNHEX(LPAD(HEX($),8,'0'))", i => Encoding.Latin1.GetString(Convert.FromHexString(Hex(i))));
        yield return ("DATE", "'2000-01-01' + INTERVAL $ DAY", i => new DateOnly(2000, 1, 1).AddDays(i).ToString("yyyy-MM-dd", CultureInfo.InvariantCulture));
        yield return ("DATETIME(3)", "'2000-01-01' + INTERVAL $ MINUTE", i => Minute(i, "yyyy-MM-dd HH:mm:ss.fff"));
        yield return ("TIMESTAMP", "'2000-01-01' + INTERVAL $ MINUTE", i => Minute(i, "yyyy-MM-dd HH:mm:ss"));
        yield return ("TIME(1)", "SEC_TO_TIME($)", i => TimeSpan.FromSeconds(i).ToString(@"hh\:mm\:ss\.f", CultureInfo.InvariantCulture));
        if (server.IsMariaDb)
        {
            yield return ("UUID", "CONCAT('123e4567-e89b-12d3-a456-4266', LPAD(HEX($),8,'0'))", i => $"123e4567-e89b-12d3-a456-4266{Hex(i).ToLowerInvariant()}");
            yield return ("INET4", "INET_NTOA(167772160+$)", i => $"10.{i >> 16}.{(i >> 8) & 255}.{i & 255}");
        }

        static string Minute(int i, string format) => new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Unspecified).AddMinutes(i).ToString(format, CultureInfo.InvariantCulture);
    }

    private static async Task CheckPlanAsync(TestDatabase database, string[] columns, int keys, Func<int, string[]> keyOf, string about)
    {
        var table = await TableProbe.LookAsync(database.Session, database.Name, "t", default);
        var key = await KeyProbe.LookAsync(database.Session, table, new KeyOptions { Columns = columns }, default);
        Assert.Null(KeyRules.FindObstacle(key, table, new KeyOptions()));
        var sql = new KeySql(table, key.Columns, key.Leading, null);
        var values = Enumerable.Range(0, keys).Select(i => keyOf(i).Select(Encoding.Latin1.GetBytes).ToArray()).ToArray();
        await ExplainAsync(database, text => sql.WriteDelete(keys, (i, column) => values[i][column], text), about);
        await ExplainAsync(database, text => sql.WriteLook(keys, (i, column) => values[i][column], text), $"{about}, looking");
        var text = new ArrayBufferWriter<byte>();
        sql.WriteLook(keys, (i, column) => values[i][column], text);
        Assert.Equal(keys, (await database.Session.QueryAsync(Encoding.UTF8.GetString(text.WrittenSpan), default)).Rows.Count);
    }

    private static async Task ExplainAsync(TestDatabase database, Action<ArrayBufferWriter<byte>> write, string about)
    {
        var text = new ArrayBufferWriter<byte>();
        write(text);
        var statement = Encoding.UTF8.GetString(text.WrittenSpan);
        var answer = await database.Session.QueryAsync($"EXPLAIN {(database.Session.Server.IsMariaDb ? "" : "FORMAT=TRADITIONAL ")}{statement}", default);
        var names = answer.Columns.ToList();
        var row = Assert.Single(answer.Rows, row => row[names.IndexOf("table")] == "t");
        Assert.True(row[names.IndexOf("type")] is not ("ALL" or "index"), $"{about}: {string.Join(' ', row)}\n{statement[..Math.Min(300, statement.Length)]}");
    }

    private static async Task RunAsync(TestDatabase database, params string[] statements)
    {
        foreach (var statement in statements)
        {
            if (statement.StartsWith("ANALYZE", StringComparison.Ordinal))
            {
                await database.Session.QueryAsync(statement, default);
            }
            else
            {
                await database.Session.ExecuteAsync(statement, default);
            }
        }
    }
}
