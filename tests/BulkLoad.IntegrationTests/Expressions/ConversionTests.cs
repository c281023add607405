namespace BulkLoad.IntegrationTests.Expressions;

/// <summary>A value that an expression has to convert: what an INSERT refuses no strategy stores as something else.</summary>
public sealed class ConversionTests
{
    [Theory]
    [CombinatorialServers("set", "truth", "stored", "indexed", "default")]
    public async Task A_value_that_an_expression_cannot_convert_is_never_stored_as_another(string server, string way)
    {
        var more = way switch
        {
            "stored" => ", g INT AS (a+1) STORED",
            "indexed" => ", g INT AS (a+1) VIRTUAL, KEY (g)",
            "default" => ", g INT DEFAULT (a+1)",
            _ => ", g INT",
        };
        string[] set = way switch { "set" => ["--set", "g=a+1"], "truth" => ["--set", "g=a OR 0"], _ => [] };
        await using var place =
            await Workplace.CreateAsync(Servers.Get(server), $"CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20){more});");
        place.Write("t.csv", "id,a\n1,x\n2,12abc\n3,7\n");
        var end = await place.RunAsync(["import", "t.csv", "--strategy", "load-data", "--max-rejects", "3", .. set]);
        if (server == Servers.MariaDb)
        {
            end.ShouldExitWith(9);
            Assert.Contains("LOAD DATA converts a value inside an expression", end.Error, StringComparison.Ordinal);
        }
        else
        {
            end.ShouldExitWith(3);
        }

        (await place.RunAsync(["import", "t.csv", "--max-rejects", "3", "--reload", "--on-duplicate", "replace", .. set]))
            .ShouldExitWith(3);
        Assert.Equal($"id\ta\tg\n3\t7\t{(way == "truth" ? 1 : 8)}\n", await place.QueryAsync("SELECT * FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Literals_and_functions_without_columns_go_by_any_strategy(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server),
            "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20), b INT, c DATETIME DEFAULT (now()), d VARCHAR(9), v INT);");
        place.Write("t.csv", "id,a\n1,x\n2,12abc\n");
        (await place.RunAsync("import", "t.csv", "--strategy", "load-data", "--set", "b=1+length('a')", "--set", "d=upper('a b')"))
            .ShouldExitWith(0);
        Assert.Equal("id\ta\tb\td\n1\tx\t2\tA B\n2\t12abc\t2\tA B\n", await place.QueryAsync("SELECT id,a,b,d FROM t ORDER BY id;"));
    }
}
