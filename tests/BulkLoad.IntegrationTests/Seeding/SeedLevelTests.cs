using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Rows that refer to rows of their own table and may not be NULL: parents go in before their children, and out behind
/// them.</summary>
[Collection(ServerSettings.Name)]
public sealed class SeedLevelTests(OwnServers servers)
{
    /// <summary>Rows that the server reads for one more row of a chain. Each level read all records before.</summary>
    private const int MostReadARow = 80;

    private const string Chain =
        "CREATE TABLE t (k INT, id INT, up INT NOT NULL, v VARCHAR(9), PRIMARY KEY (k, id), FOREIGN KEY (k, up) REFERENCES t (k, id))";

    /// <summary>The foreign key has a column of the primary key, so that rows that go cannot be made to refer to another one
    /// before.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_deep_chain_takes_as_long_as_its_rows(string name)
    {
        var (few, many) = (await CountAsync(100), await CountAsync(400));
        Assert.InRange((many.Insert - few.Insert) / 300, 1, MostReadARow);
        Assert.InRange((many.Delete - few.Delete) / 300, 1, MostReadARow);

        async Task<(long Insert, long Delete)> CountAsync(int depth)
        {
            await using var place = await Workplace.CreateAsync(servers.Get(name), Chain);
            Write(place, depth);
            var before = await CountReadAsync(place);
            (await SeedAsync(place)).ShouldExitWith(0);
            var inserted = await CountReadAsync(place);
            Assert.Equal($"{depth}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
            Write(place, 2);
            var between = await CountReadAsync(place);
            (await SeedAsync(place, "--mode", "sync", "--allow-database", place.Database)).ShouldExitWith(0);
            var deleted = await CountReadAsync(place);
            Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
            return (inserted - before, deleted - between);
        }
    }

    /// <summary>Two keys to itself: a row waits for both of its parents, however far they are from the top.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_row_waits_for_all_its_parents(string name)
    {
        await using var place = await Workplace.CreateAsync(servers.Get(name), """
            CREATE TABLE t (k INT, id INT, a INT NOT NULL, b INT NOT NULL, PRIMARY KEY (k, id), UNIQUE (id),
              FOREIGN KEY (k, a) REFERENCES t (k, id), FOREIGN KEY (b) REFERENCES t (id) ON DELETE CASCADE);
            """);
        place.Write("data/t.csv", "k,id,a,b\n1,9,2,5\n1,8,9,1\n1,2,1,1\n1,5,4,2\n1,4,3,1\n1,3,2,2\n1,1,1,1\n");
        (await SeedAsync(place)).ShouldExitWith(0);
        Assert.Equal("7", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        place.Write("data/t.csv", "k,id,a,b\n1,6,2,1\n1,7,6,6\n1,2,1,1\n1,1,1,1\n");
        (await SeedAsync(place, "--mode", "sync", "--allow-database", place.Database)).ShouldExitWith(0);
        Assert.Equal("1,2,6,7", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t;"));
        Assert.Equal("", await place.ScalarAsync("SELECT IFNULL(GROUP_CONCAT(TABLE_NAME), '') FROM information_schema.TABLES WHERE "
            + $"TABLE_SCHEMA = '{place.Database}' AND TABLE_NAME LIKE '%stage%';"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_missing_parent_and_a_circle_are_told_and_nothing_is_there(string name)
    {
        await using var place = await Workplace.CreateAsync(
            servers.Get(name), "CREATE TABLE t (id INT PRIMARY KEY, up INT NOT NULL, FOREIGN KEY (up) REFERENCES t (id));");
        place.Write("data/t.csv", "id,up\n1,1\n3,2\n4,3\n");
        var end = await SeedAsync(place);
        end.ShouldExitWith(4);
        end.ShouldSay("records refer to rows of t that t.csv does not have (id 3: up 2)");
        place.Write("data/t.csv", "id,up\n1,1\n3,4\n4,3\n5,4\n");
        end = await SeedAsync(place);
        end.ShouldExitWith(1);
        end.ShouldSay("a foreign key constraint fails");
        Assert.Equal("0", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    private static void Write(Workplace place, int depth) => place.Write(
        "data/t.csv",
        "k,id,up,v\n" + string.Concat(Enumerable.Range(1, depth).Reverse().Select(id => $"1,{id},{Math.Max(1, id - 1)},x\n")));

    private static async Task<ProgramEnd> SeedAsync(Workplace place, params string[] args)
    {
        using var run = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), ["seed", "data", .. args]);
        return await run.EndAsync();
    }

    private static async Task<long> CountReadAsync(Workplace place) =>
        (await place.QueryAsync(@"SHOW GLOBAL STATUS LIKE 'Handler\_read%';")).Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1)
            .Sum(line => long.Parse(line.Split('\t')[1], CultureInfo.InvariantCulture));
}
