using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Protocol;

/// <summary>Rows of prepared statements, which nothing is kept of.</summary>
public sealed class PreparedQueryTests
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_of_every_type_are_gone_through(string server)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(server));
        await database.Session.ExecuteAsync(
            "CREATE TABLE t (a TINYINT, b SMALLINT, c MEDIUMINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(9,2), i DATE, j TIME(3), k "
                + "DATETIME(6), l TIMESTAMP NULL, m YEAR, n BIT(9), o VARCHAR(300), p LONGBLOB, q ENUM('x','yy'), r SET('a','b'), s JSON)",
            default);
        await database.Session.ExecuteAsync(
            "INSERT INTO t VALUES (1,1,1,1,1,1,1,1.5,'2026-01-02','-25:00:01.5','2026-01-02 03:04:05.000006',"
                + "'2026-01-02 03:04:05',2026,257,REPEAT('o',300),REPEAT('p',70000),'yy','a,b','{}'),"
                + "(NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL)",
            default);
        var statement = await database.Session.PrepareAsync("SELECT * FROM t WHERE e=? OR e IS NULL", default);
        var parameters = new BinaryParameters([ParameterType.Int64]);
        parameters.AddInt64(1);
        var totals = await database.Session.ReadAsync(statement, parameters, default);
        Assert.Equal(2, totals.Rows);
        Assert.Equal(1 + 2 + 4 + 4 + 8 + 4 + 8 + 4 + 4 + 12 + 11 + 7 + 2 + 2 + 300 + 70_000 + 2 + 3 + 2, totals.Bytes);
        Assert.Equal(totals, await database.Session.ReadAsync(statement, parameters, default));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_row_and_no_result_are_no_rows_and_an_error_leaves_the_session_usable(string server)
    {
        await using var database = await TestDatabase.CreateAsync(Servers.Get(server));
        var session = database.Session;
        await session.ExecuteAsync("CREATE TABLE t (a INT)", default);
        var none = new BinaryParameters([]);
        Assert.Equal(default, await session.ReadAsync(await session.PrepareAsync("SELECT a FROM t", default), none, default));
        Assert.Equal(default, await session.ReadAsync(await session.PrepareAsync("DELETE FROM t", default), none, default));
        var failing = await session.PrepareAsync("SELECT a FROM t UNION ALL SELECT (SELECT 1 UNION SELECT 2)", default);
        Assert.Equal(1242, (await Assert.ThrowsAsync<ServerException>(() => session.ReadAsync(failing, none, default).AsTask())).Code);
        Assert.Equal("1", (await session.QueryAsync("SELECT 1", default)).Scalar);
    }
}
