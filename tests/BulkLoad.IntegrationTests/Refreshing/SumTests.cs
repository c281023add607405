using BulkLoad.Core.Protocol;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>The sum that tells whether others have written to a table is another one for each other content.</summary>
public sealed class SumTests
{
    [Theory]
    [CombinatorialServers(
        "b BIT(1)|NULL|b'1'", "b BIT(8)|NULL|'N'", "v VARCHAR(9)|NULL|x'01'", "v VARCHAR(9)|NULL|'N'", "v VARCHAR(9)|NULL|''",
        "v VARBINARY(9)|NULL|x'00'", "v VARCHAR(2000)|NULL|'N'", "v TEXT|NULL|''", "v LONGBLOB|NULL|x'01'", "v VARCHAR(9)|'a'|'a '",
        "v VARCHAR(9), w VARCHAR(9)|'p\\0q','r'|'p','q\\0r'", "v VARCHAR(9), w VARCHAR(9)|'a,1:b','c'|'a','1:b,c'",
        "v VARCHAR(9), w VARCHAR(9)|NULL,'x'|'x',NULL", "v VARCHAR(9), w VARCHAR(9)|'1:x',''|'','1:x'", "f FLOAT|1|1.0000001",
        "d DOUBLE|1|1.0000000000000002", "e ENUM('','N')|NULL|''", "s SET('a','b')|NULL|''", "g GEOMETRY|NULL|POINT(1,2)",
        "g GEOMETRY|POINT(1,2)|POINT(2,1)", "j JSON|NULL|'null'", "d DATETIME(6), e DATETIME(6)|NULL,'2026-01-01'|'2026-01-01',NULL",
        "n INT, m INT|1,11|11,1", "y YEAR|NULL|0")]
    public async Task Another_content_has_another_sum(string server, string columnsAndRows)
    {
        var (columns, one, other) = (columnsAndRows.Split('|')[0], columnsAndRows.Split('|')[1], columnsAndRows.Split('|')[2]);
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"CREATE TABLE t (id INT PRIMARY KEY, {columns}); INSERT INTO t VALUES (1, {one});");
        var before = await SumAsync(place);
        Assert.Equal(before, await SumAsync(place));
        await place.QueryAsync($"REPLACE INTO t VALUES (1, {other});");
        var after = await SumAsync(place);
        Assert.NotEqual(before, after);
        Assert.Equal(after, await SumAsync(place));
        await place.QueryAsync($"REPLACE INTO t VALUES (1, {one});");
        Assert.Equal(before, await SumAsync(place));
    }

    internal static async Task<string> SumAsync(Workplace place)
    {
        await using var session = await ServerSession.ConnectAsync(
            place.Server.Options() with { Database = place.Database }, TestContext.Current.CancellationToken);
        var table = await TableProbe.LookAsync(session, place.Database, "t", TestContext.Current.CancellationToken);
        return (await session.QueryAsync(ExactSql.Sum(table), TestContext.Current.CancellationToken)).Scalar!;
    }
}

/// <summary>A row that is longer than the server's largest packet.</summary>
[Collection(ServerSettings.Name)]
public sealed class LongRowTests(OwnServers servers)
{
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_write_to_a_long_row_is_seen(string server)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, n INT, a LONGBLOB, b LONGTEXT, c LONGTEXT);
            INSERT INTO t (id, n) VALUES (1, 1);
            """);
        await using var settings = await ChangedSettings.SetAsync(place.Server, ("max_allowed_packet", "1048576"));
        foreach (var column in "abc")
        {
            await place.QueryAsync($"UPDATE t SET {column} = REPEAT('{column}', 900000);");
        }

        var before = await SumTests.SumAsync(place);
        Assert.Equal(before, await SumTests.SumAsync(place));
        await place.QueryAsync("UPDATE t SET n = 2;");
        Assert.NotEqual(before, await SumTests.SumAsync(place));
    }
}
