using System.Buffers;
using System.Globalization;
using System.Text;
using BulkLoad.Core;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Probing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.IntegrationTests.Deletes;
using Xunit;

namespace BulkLoad.IntegrationTests.Updates;

/// <summary>A target fifty times as large as the list is never read whole.</summary>
public sealed class UpdatePlanTests
{
    private const int RowsOfTarget = 50_000;

    private static readonly int[] Sizes = [10, 100, 999];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_list_makes_the_server_read_the_whole_table_whatever_the_keys_type(string name)
    {
        var server = Servers.Get(name);
        await using var database = await CreateAsync(server);
        foreach (var (type, value, literal) in KeyPlanTests.WideTypes(server).Append(("BIGINT UNSIGNED", "18446744073709551615-$", i => $"{ulong.MaxValue - (ulong)i}")))
        {
            await RunAsync(
                database, $"CREATE TABLE t (k {type} NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
                $"INSERT INTO t SELECT {value.Replace("$", "(a.i*200+b.i)", StringComparison.Ordinal)}, 0 FROM m a JOIN m b WHERE b.i < 200", "COMMIT");
            await database.Session.QueryAsync("ANALYZE TABLE t", default);
            foreach (var rows in Sizes)
            {
                await CheckAsync(database, ["k"], rows, i => [literal(i * 50), $"{rows}"], $"{server}, {type}, {rows} rows");
            }

            await RunAsync(database, "DROP TABLE t");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_list_makes_the_server_read_the_whole_table_for_keys_of_several_columns(string name)
    {
        var server = Servers.Get(name);
        await using var database = await CreateAsync(server);
        await RunAsync(
            database,
            "CREATE TABLE t (a INT NOT NULL, b VARCHAR(20) CHARACTER SET latin1 NOT NULL, n INT NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT a.i, CONCAT('x', b.i), 7 FROM m a JOIN m b WHERE b.i < 200", "COMMIT");
        await database.Session.QueryAsync("ANALYZE TABLE t", default);
        foreach (var rows in Sizes)
        {
            await CheckAsync(database, ["b", "a"], rows, i => [$"x{i / 4 % 200}", $"{i % 250}", $"{rows}"], $"{server}, {rows} rows, two columns");
        }
    }

    private static async Task<TestDatabase> CreateAsync(TestServer server)
    {
        var database = await TestDatabase.CreateAsync(server);
        await RunAsync(
            database,
            [.. SessionSql.Profile(server.IsMariaDb, logsStatements: false, takesZeroDates: false, timeZone: null), "CREATE TABLE m (i INT PRIMARY KEY)", $"INSERT INTO m VALUES {string.Join(',', Enumerable.Range(0, 250).Select(i => $"({i})"))}"]);
        return database;
    }

    private static async Task CheckAsync(TestDatabase database, string[] columns, int rows, Func<int, string[]> valuesOf, string about)
    {
        var session = database.Session;
        var table = await TableProbe.LookAsync(session, database.Name, "t", default);
        var key = await KeyProbe.LookAsync(session, table, new KeyOptions { Columns = columns }, default);
        var facts = await FactsAsync(session, table, key);
        Assert.Null(new InlineJoinStrategy().FindObstacle(facts));
        var block = Rows(facts, rows, valuesOf);
        var sql = new UpdateSql(facts);
        var text = new ArrayBufferWriter<byte>();
        sql.WriteList(text, block, rows, row => row);

        var answer = await session.QueryAsync($"EXPLAIN {(session.Server.IsMariaDb ? "" : "FORMAT=TRADITIONAL ")}{Encoding.UTF8.GetString(text.WrittenSpan)}", default);
        var names = answer.Columns.ToList();
        var target = Assert.Single(answer.Rows, row => row[names.IndexOf("table")] == "t");
        Assert.True(target[names.IndexOf("type")] is not ("ALL" or "index"), $"{about}: {string.Join(' ', target)}");

        await CheckReadsAsync(session, () => session.ExecuteAsync(null, text.WrittenMemory, default), rows, about);
        await RunAsync(database, "ROLLBACK");
    }

    private static async Task CheckReadsAsync(ServerSession session, Func<ValueTask<Answer>> update, int rows, string about)
    {
        var before = await ReadsAsync(session);
        var answer = await update();
        var reads = await ReadsAsync(session) - before;
        Assert.True(UpdateAnswer.Read(answer) == (rows, rows) && answer.Warnings == 0, $"{about}: {answer}");
        Assert.True(reads < RowsOfTarget / 2, $"{about}: {reads} rows were read one behind the other");
    }

    private static async Task<long> ReadsAsync(ServerSession session) =>
        long.Parse((await session.QueryAsync("SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'", default)).Rows[0][1]!, CultureInfo.InvariantCulture);

    private static async Task<LoadFacts> FactsAsync(ServerSession session, TableFacts table, KeyFacts key) => new()
    {
        Request = new LoadRequest { Kind = JobKind.Update, Files = ["-"], Connection = new ConnectionOptions() },
        Server = await ServerProbe.LookAsync(session, new ValueOptions(), TimeProvider.System, default),
        Table = table,
        Key = key,
        Columns = [.. key.Columns, table.Find("n")!],
        Fields = [],
        Sources = [],
        RecordBytes = 10,
        RecordsCanLackColumns = false,
        Assignments = [],
        Guesses = [],
    };

    private static async Task RunAsync(TestDatabase database, params string[] statements)
    {
        foreach (var statement in statements)
        {
            await database.Session.ExecuteAsync(statement, default);
        }
    }

    private static RowBlock Rows(LoadFacts facts, int rows, Func<int, string[]> valuesOf)
    {
        var block = new RowBlock(facts.Columns.Count, 1024);
        for (var row = 0; row < rows; row++)
        {
            foreach (var value in valuesOf(row))
            {
                block.AddValue(Encoding.Latin1.GetBytes(value));
            }

            block.EndRow(row + 1, row + 1, row, default);
        }

        return block;
    }
}
