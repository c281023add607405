using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Keyed;

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
        foreach (var (type, value, literal) in Plans.WideTypes(server)
            .Append(("BIGINT UNSIGNED", "18446744073709551615-$", i => $"{ulong.MaxValue - (ulong)i}")))
        {
            await database.RunAsync(
                $"CREATE TABLE t (k {type} NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
                $"INSERT INTO t SELECT {value.Replace("$", "(a.i*200+b.i)", StringComparison.Ordinal)}, 0 FROM m a JOIN m b WHERE b.i < "
                    + "200", "COMMIT");
            await database.Session.QueryAsync("ANALYZE TABLE t", default);
            foreach (var rows in Sizes)
            {
                await CheckAsync(database, ["k"], rows, i => [literal(i * 50), $"{rows}"], $"{server}, {type}, {rows} rows");
            }

            await database.RunAsync("DROP TABLE t");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_list_makes_the_server_read_the_whole_table_for_keys_of_several_columns(string name)
    {
        var server = Servers.Get(name);
        await using var database = await CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (a INT NOT NULL, b VARCHAR(20) CHARACTER SET latin1 NOT NULL, n INT NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT a.i, CONCAT('x', b.i), 7 FROM m a JOIN m b WHERE b.i < 200", "COMMIT");
        await database.Session.QueryAsync("ANALYZE TABLE t", default);
        foreach (var rows in Sizes)
        {
            await CheckAsync(
                database, ["b", "a"], rows, i => [$"x{i / 4 % 200}", $"{i % 250}", $"{rows}"], $"{server}, {rows} rows, two columns");
        }
    }

    private static Task<TestDatabase> CreateAsync(TestServer server) =>
        Plans.CreateAsync(server,
            [.. SessionSql.Profile(server.IsMariaDb, takesZeroDates: false, timeZone: null), SessionSql.Isolation(logsStatements: false)]);

    private static async Task CheckAsync(TestDatabase database, string[] columns, int rows, Func<int, string[]> valuesOf, string about)
    {
        var session = database.Session;
        var (table, answers) =
            await TableProbe.LookAsync(session, database.Name, "t", KeyProbe.Questions(session.Server, database.Name, "t"), default);
        var key = KeyProbe.Read(session.Server, table, new KeyOptions { Columns = columns }, answers);
        var facts = await FactsAsync(session, table, key);
        Assert.Null(new InlineJoinStrategy().FindObstacle(facts));
        var block = Plans.BlockOf(rows, facts.Columns.Count, valuesOf);
        var sql = new UpdateSql(facts);
        var text = new ArrayBufferWriter<byte>();
        sql.WriteList(text, block, rows, row => row);

        await Plans.ExplainAsync(session, Encoding.UTF8.GetString(text.WrittenSpan), about);
        await CheckReadsAsync(session, () => session.ExecuteAsync(null, text.WrittenMemory, default), rows, about);
        await database.RunAsync("ROLLBACK");
    }

    private static async Task CheckReadsAsync(ServerSession session, Func<ValueTask<OkResult>> update, int rows, string about)
    {
        var before = await ReadsAsync(session);
        var answer = await update();
        var reads = await ReadsAsync(session) - before;
        Assert.True(UpdateStatement.ReadAnswer(answer) == (rows, rows) && answer.Warnings == 0, $"{about}: {answer}");
        Assert.True(reads < RowsOfTarget / 2, $"{about}: {reads} rows were read one behind the other");
    }

    private static async Task<long> ReadsAsync(ServerSession session) =>
        long.Parse((await session.QueryAsync("SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'", default)).Rows[0][1]!,
            CultureInfo.InvariantCulture);

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
}
