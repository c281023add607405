using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.IntegrationTests.Deletes;

/// <summary>No statement that finds rows by keys reads the whole of a table fifty times as large as the list, however many keys there
/// are.</summary>
public sealed class KeyPlanTests
{
    /// <summary>A list is never longer than this: more keys are more lists.</summary>
    private const int LongestList = 1000;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Whatever_the_keys_type(string name)
    {
        var server = Servers.Get(name);
        await using var database = await Plans.CreateAsync(server);
        foreach (var (type, value, literal) in Plans.WideTypes(server))
        {
            await database.RunAsync(
                $"CREATE TABLE t (k {type} NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
                $"INSERT INTO t SELECT {value.Replace("$", "(a.i*250+b.i)", StringComparison.Ordinal)}, 0 FROM m a JOIN m b",
                "ANALYZE TABLE t");
            foreach (var keys in new[] { 10, 100, LongestList })
            {
                await CheckAsync(database, ["k"], keys, i => [literal(i * 50)], $"{server}, {type}, {keys} keys");
            }

            await database.RunAsync("DROP TABLE t");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task For_keys_of_several_columns(string name)
    {
        var server = Servers.Get(name);
        await using var database = await Plans.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (a INT NOT NULL, b VARCHAR(20) CHARACTER SET latin1 NOT NULL, c INT NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT a.i, CONCAT('x', b.i), 7 FROM m a JOIN m b", "ANALYZE TABLE t");
        foreach (var keys in new[] { 1, 10, 100, LongestList })
        {
            string[] Key(int i) => [$"{i % 250}", $"x{i / 4 % 250}", "7"];
            await CheckAsync(database, ["a", "b"], keys, Key, $"{server}, {keys} keys of two columns");
            await CheckAsync(
                database, ["b", "a"], keys, i => [Key(i)[1], Key(i)[0]], $"{server}, {keys} keys of two columns in another order");
            await CheckAsync(database, ["a", "b", "c"], keys, Key, $"{server}, {keys} keys of more columns than the index");
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task For_types_that_compare_otherwise_in_a_row(string name)
    {
        var server = Servers.Get(name);
        await using var database = await Plans.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (a ENUM('x','y') NOT NULL, b TIME(1) NOT NULL, PRIMARY KEY (a,b))",
            "INSERT INTO t SELECT 'x', SEC_TO_TIME(a.i*250+b.i) FROM m a JOIN m b", "ANALYZE TABLE t");
        foreach (var keys in new[] { 1, 10, 100, LongestList })
        {
            await CheckAsync(database, ["a", "b"], keys,
                i => ["x", TimeSpan.FromSeconds(i * 3).ToString(@"hh\:mm\:ss\.f", CultureInfo.InvariantCulture)], $"{server}, {keys} keys");
        }
    }

    /// <summary>Lists end at a thousand keys; a join has them all, and would rather read a table that is no larger than fifty times
    /// these.</summary>
    [Theory]
    [CombinatorialServers(10, 1_000, 10_000, 100_000)]
    public async Task For_a_join_with_many_keys(string name, int keys)
    {
        var server = Servers.Get(name);
        await using var database = await Plans.CreateAsync(server);
        await database.RunAsync(
            "CREATE TABLE t (k INT NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
            "INSERT INTO t SELECT (a.i*250+b.i)*8+c.i, 0 FROM m a JOIN m b JOIN m c WHERE c.i < 8", "ANALYZE TABLE t");
        await CheckJoinAsync(database, ["k"], keys, i => [$"{i * 5}"], $"{server}, {keys} staged keys of 500,000 rows");
    }

    [Theory]
    [CombinatorialServers(10, 1_000, 100_000)]
    public async Task Of_a_table_without_an_index_the_staged_keys_are_looked_up_in_theirs(string name, int keys)
    {
        await using var database = await Plans.CreateAsync(Servers.Get(name));
        await database.RunAsync(
            "CREATE TABLE t (k INT NOT NULL, n INT NOT NULL)", "INSERT INTO t SELECT a.i*250+b.i, 0 FROM m a JOIN m b", "ANALYZE TABLE t");
        var (table, key) = await LookAsync(database, ["k"]);
        var accesses = new List<string?>();
        foreach (var isInMemory in new[] { false, database.Session.Server.IsMariaDb })
        {
            var stage = new StagedKeySql(table, key.Columns, isInMemory, isIndexed: true);
            await CheckStageAsync(database, stage, Plans.BlockOf(keys, 1, i => [$"{i}"]), AddAsync, stage.Delete(null, null));
        }

        Assert.Equal(["ALL ref", "ALL ref"], accesses);

        async Task AddAsync(string statement)
        {
            var found = await Plans.AccessesAsync(database.Session, statement);
            accesses.Add($"{found["t"]} {found["bulkload_keys"]}");
        }
    }

    /// <summary>Else two sessions that delete most of a table would wait for each other.</summary>
    [Fact]
    public async Task MariaDB_looks_in_the_index_for_lists_of_most_of_a_table()
    {
        const int Keys = 900;
        var server = Servers.Get("mariadb");
        await using var database = await Plans.CreateAsync(server);
        foreach (var (type, value, literal) in Plans.WideTypes(server))
        {
            await database.RunAsync(
                $"CREATE TABLE t (k {type} NOT NULL, n INT NOT NULL, PRIMARY KEY (k))",
                $"INSERT INTO t SELECT {value.Replace("$", "(a.i*250+b.i)", StringComparison.Ordinal)}, 0 FROM m a JOIN m b WHERE a.i < 4",
                "ANALYZE TABLE t", "COMMIT");
            var (table, key) = await LookAsync(database, ["k"]);
            var values = Enumerable.Range(0, Keys).Select(i => Encoding.Latin1.GetBytes(literal(i))).ToArray();
            var sql = new KeySql(table, key.Columns, key.Leading, null, asksForIndex: true);
            var before = await CountAsync();
            var answer = await database.Session.ExecuteAsync(Write(text => sql.WriteDelete(Keys, (i, _) => values[i], text)), default);
            Assert.Equal((type, (ulong)Keys), (type, answer.AffectedRows));
            Assert.InRange(await CountAsync() - before, 0, 10);
            await database.RunAsync("DROP TABLE t");
        }

        async Task<long> CountAsync() => long.Parse(
            (await database.Session.QueryAsync("SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'", default)).Rows[0][1]!,
            CultureInfo.InvariantCulture);
    }

    private static async Task CheckAsync(TestDatabase database, string[] columns, int keys, Func<int, string[]> keyOf, string about)
    {
        var (table, key) = await LookAsync(database, columns);
        Assert.Null(KeyRules.FindObstacle(key, table, new KeyOptions()));
        var sql = new KeySql(table, key.Columns, key.Leading, null);
        var values = Enumerable.Range(0, keys).Select(i => keyOf(i).Select(Encoding.Latin1.GetBytes).ToArray()).ToArray();
        await Plans.ExplainAsync(database.Session, Write(text => sql.WriteDelete(keys, (i, column) => values[i][column], text)), about);
        var look = Write(text => sql.WriteLook(keys, (i, column) => values[i][column], text));
        await Plans.ExplainAsync(database.Session, look, $"{about}, looking");
        Assert.Equal(keys, (await database.Session.QueryAsync(look, default)).Rows.Count);
        await CheckJoinAsync(database, columns, keys, keyOf, $"{about}, staged");
        await CheckPreparedAsync(database, sql, key, keyOf, about);
    }

    /// <summary>Staged keys, alone for a DELETE, and with a value beside them for an UPDATE where the table has a column to
    /// change.</summary>
    private static async Task CheckJoinAsync(TestDatabase database, string[] columns, int keys, Func<int, string[]> keyOf, string about)
    {
        var (table, key) = await LookAsync(database, columns);
        var stage = new StagedKeySql(table, key.Columns);
        await CheckStageAsync(
            database, stage, Plans.BlockOf(keys, columns.Length, keyOf), statement =>
                Plans.ExplainAsync(database.Session, statement, about), stage.Delete(key.Index!, null), stage.Found(key.Index!, null));
        if (table.Find("n") is { } changed)
        {
            stage = new StagedKeySql(table, [.. key.Columns, changed], isInMemory: database.Session.Server.IsMariaDb, key.Columns.Count);
            await CheckStageAsync(
                database, stage, Plans.BlockOf(keys, columns.Length + 1, i => [.. keyOf(i).Take(columns.Length), "1"]), statement =>
                    Plans.ExplainAsync(database.Session, statement, $"{about}, with values"),
                stage.Update(key.Index!, [], null), stage.Found(key.Index!, null));
        }
    }

    private static async Task CheckStageAsync(
        TestDatabase database, StagedKeySql stage, RowBlock rows, Func<string, Task> check, params string[] statements)
    {
        await database.RunAsync(stage.Create);
        for (var from = 0; from < rows.RowCount;)
        {
            var text = new ArrayBufferWriter<byte>();
            from += stage.WriteInsert(text, rows, static row => row, static row => row, from, rows.RowCount, 1 << 20);
            await database.Session.ExecuteAsync(null, text.WrittenMemory, default);
        }

        foreach (var statement in statements)
        {
            await check(statement);
        }

        await database.RunAsync(stage.Drop);
    }

    /// <summary>The server does not explain a statement with placeholders; it counts the rows that it has read one after the
    /// other.</summary>
    private static async Task CheckPreparedAsync(TestDatabase database, KeySql sql, KeyFacts key, Func<int, string[]> keyOf, string about)
    {
        const int FarFewerThanAll = 5000;
        await database.Session.ExecuteAsync("SET autocommit=0", default);
        var statement = await database.Session.PrepareAsync(sql.PreparedDelete(), default);
        var encoder = new RowEncoder(key.Columns);
        var parameters = new BinaryParameters(encoder.Types(1));
        encoder.Add(Plans.BlockOf(1, key.Columns.Count, keyOf), 0, parameters);
        var before = await RowsReadAsync(database);
        Assert.Equal(1UL, (await database.Session.ExecuteAsync(null, statement, parameters, default)).AffectedRows);
        var read = await RowsReadAsync(database) - before;
        await database.Session.ExecuteAsync("ROLLBACK", default);
        await database.Session.ExecuteAsync("SET autocommit=1", default);
        await database.Session.CloseAsync(statement, default);
        Assert.True(read < FarFewerThanAll, $"{about}, prepared: {read} rows were read");
    }

    private static async Task<long> RowsReadAsync(TestDatabase database) =>
        (await database.Session.QueryAsync("SHOW SESSION STATUS LIKE 'Handler_read%next'", default)).Rows
            .Sum(row => long.Parse(row[1]!, CultureInfo.InvariantCulture));

    private static async Task<(TableFacts Table, KeyFacts Key)> LookAsync(TestDatabase database, string[] columns)
    {
        var server = database.Session.Server;
        var (table, answers) =
            await TableProbe.LookAsync(database.Session, database.Name, "t", KeyProbe.Questions(server, database.Name, "t"), default);
        return (table, KeyProbe.Read(server, table, new KeyOptions { Columns = columns }, answers));
    }

    private static string Write(Action<ArrayBufferWriter<byte>> write)
    {
        var text = new ArrayBufferWriter<byte>();
        write(text);
        return Encoding.UTF8.GetString(text.WrittenSpan);
    }
}
