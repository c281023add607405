using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

/// <summary>What MariaDB makes of many rows in one packet; what the strategy rests on.</summary>
public sealed class BulkExecutionTests
{
    private static readonly ParameterType[] NumberAndText = [ParameterType.Int64, ParameterType.Text];

    private static async Task<(TestDatabase Database, PreparedStatement Statement)> PrepareAsync(
        string table, string statement, Way way = Way.Plain)
    {
        var server = Servers.Get(Servers.MariaDb);
        var database = await TestDatabase.CreateAsync(server, server.Options(way));
        await database.Session.ExecuteAsync("SET sql_mode='STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO', autocommit=0", default);
        await database.Session.ExecuteAsync(table, default);
        return (database, await database.Session.PrepareAsync(statement, default));
    }

    /// <param name="rows">a number and a text each; the word DEFAULT stands for the column's</param>
    private static BulkParameters Fill(params (long? Number, string? Text)[] rows)
    {
        var parameters = new BulkParameters(NumberAndText);
        foreach (var (number, text) in rows)
        {
            if (number is { } value)
            {
                parameters.AddInt64(value);
            }
            else
            {
                parameters.AddNull();
            }

            switch (text)
            {
                case null:
                    parameters.AddNull();
                    break;
                case "DEFAULT":
                    parameters.AddDefault();
                    break;
                default:
                    parameters.AddBytes(Encoding.UTF8.GetBytes(text));
                    break;
            }
        }

        return parameters;
    }

    private static async Task<string> ReadAsync(TestDatabase database) => string.Join(
        "; ", (await database.Session.QueryAsync("SELECT * FROM t ORDER BY 1", default)).Rows
            .Select(row => string.Join(",", row.Select(value => value ?? "NULL"))));

    [Fact]
    public async Task MySQL_does_not_offer_it()
    {
        var server = Servers.Get(Servers.MySql);
        await using var session = await ServerSession.ConnectAsync(server.Options(), default);
        Assert.False(session.Server.TakesBulkExecutions);
    }

    [Theory]
    [InlineData(Way.Plain)]
    [InlineData(Way.Tls)]
    [InlineData(Way.Socket)]
    public async Task Values_nulls_and_defaults_are_stored_and_counted(Way way)
    {
        var (database, statement) = await PrepareAsync(
            "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(20) DEFAULT (CONCAT('a', 'b')))",
            "INSERT INTO t VALUES (?,?)", way);
        await using var end = database;
        var answer = await database.Session.ExecuteAsync(
            "SAVEPOINT s", statement, Fill((null, "x"), (7, "DEFAULT"), (null, null), (0, "")), default);
        Assert.Equal((4ul, 0, "Records: 4  Duplicates: 0  Warnings: 0"), (answer.AffectedRows, (int)answer.Warnings, answer.Info));
        Assert.Equal("0,; 1,x; 7,ab; 8,NULL", await ReadAsync(database));
    }

    /// <summary>The error, and the row that the server says it was.</summary>
    [Theory]
    [InlineData("INSERT INTO t VALUES (?,?)", 2L, "c", 1062)]
    [InlineData("INSERT INTO t VALUES (?,?)", 3L, "too long", 1406)]
    [InlineData("INSERT INTO t VALUES (?,?)", 3L, null, 1048)]
    [InlineData("INSERT INTO t VALUES (?,?)", 3L, "z", 4025)]
    [InlineData("REPLACE INTO t VALUES (?,?)", 3L, "too long", 1406)]
    [InlineData("INSERT INTO t VALUES (?,?) ON DUPLICATE KEY UPDATE s=VALUES(s)", 3L, "too long", 1406)]
    [InlineData("INSERT INTO t VALUES (?,?) ON DUPLICATE KEY UPDATE s=VALUES(s)", 2L, "z", 4025)]
    public async Task A_bad_row_undoes_all_rows_of_its_packet_and_the_server_knows_which_it_was(
        string insert, long number, string? text, int code)
    {
        var (database, statement) =
            await PrepareAsync("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(5) NOT NULL, CHECK (s <> 'z'))", insert);
        await using var end = database;
        var session = database.Session;
        await session.ExecuteAsync("INSERT INTO t VALUES (2, 'old')", default);
        var updates = insert.Contains("REPLACE", StringComparison.Ordinal) || insert.Contains("UPDATE", StringComparison.Ordinal);
        var parameters = Fill((1, "a"), (updates ? 2 : 5, "b"), (number, text), (4, "d"));
        Assert.Equal(code,
            (await Assert.ThrowsAsync<ServerException>(async () => await session.ExecuteAsync(null, statement, parameters, default))).Code);
        await session.ExecuteAsync("GET DIAGNOSTICS CONDITION 1 @row = ROW_NUMBER", default);
        Assert.Equal("3", (await session.QueryAsync("SELECT @row", default)).Scalar);
        Assert.Equal("2,old", await ReadAsync(database));
        await session.ExecuteAsync("COMMIT", default);
        Assert.Equal("1", await database.ScalarAsync("SELECT COUNT(*) FROM t"));
    }

    [Fact]
    public async Task A_bad_row_of_an_update_leaves_those_before_it()
    {
        var (database, statement) =
            await PrepareAsync("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(5))", "UPDATE t SET id=id+? WHERE s=?");
        await using var end = database;
        await database.Session.ExecuteAsync("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", default);
        await database.Session.ExecuteAsync("SAVEPOINT s", default);
        await Assert.ThrowsAsync<ServerException>(
            async () => await database.Session.ExecuteAsync(null, statement, Fill((10, "a"), (1, "b"), (10, "c")), default));
        Assert.Equal("2,b; 3,c; 11,a", await ReadAsync(database));
        await database.Session.ExecuteAsync("ROLLBACK TO s", default);
        Assert.Equal("1,a; 2,b; 3,c", await ReadAsync(database));
    }

    [Fact]
    public async Task Rows_that_update_are_counted_twice_and_told_in_the_text()
    {
        var (database, statement) = await PrepareAsync(
            "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(5))", "INSERT INTO t VALUES (?,?) ON DUPLICATE KEY UPDATE s=VALUES(s)");
        await using var end = database;
        var answer = await database.Session.ExecuteAsync(null, statement, Fill((1, "a"), (2, "b"), (1, "c"), (2, "b")), default);
        Assert.Equal((4ul, "Records: 4  Duplicates: 1  Warnings: 0"), (answer.AffectedRows, answer.Info));
    }

    [Theory]
    [InlineData(Way.Plain)]
    [InlineData(Way.Tls)]
    [InlineData(Way.Socket)]
    public async Task Packets_in_a_pipeline_are_answered_one_by_one(Way way)
    {
        const int packets = 40;
        const int rows = 2500;
        var (database, statement) =
            await PrepareAsync("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(200))", "INSERT INTO t VALUES (?,?)", way);
        await using var end = database;
        var parameters = new BulkParameters(NumberAndText);
        var pipeline = new Pipeline();
        var text = Encoding.UTF8.GetBytes(new string('x', 150));
        for (var packet = 0; packet < packets; packet++)
        {
            parameters.Reset();
            for (var row = 0; row < rows; row++)
            {
                parameters.AddInt64((packet * rows) + row);
                parameters.AddBytes(text);
            }

            pipeline.Add("SAVEPOINT s"u8);
            pipeline.Add(statement, parameters);
        }

        pipeline.Add("COMMIT"u8);
        await database.Session.RunAsync(pipeline, default);
        Assert.Empty(pipeline.Faults);
        Assert.Equal(packets, pipeline.Answers.ToArray().Count(answer => answer.AffectedRows == rows));
        Assert.Equal("100000:99999", await database.ScalarAsync("SELECT CONCAT(COUNT(*), ':', MAX(id)) FROM t"));
    }
}
