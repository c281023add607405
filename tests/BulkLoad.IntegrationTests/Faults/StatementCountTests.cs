using BulkLoad.Core.Sql;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>What exactly-once costs a run that nothing disturbs, in statements: on servers that nobody else uses, which count
/// them.</summary>
[Collection(ServerSettings.Name)]
public sealed class StatementCountTests(OwnServers servers)
{
    /// <summary>A COMMIT, and two for the ledger.</summary>
    private const int EachChunk = 3;

    /// <summary>The rows' own, and a savepoint.</summary>
    private const int EachBatch = 2;

    private const int Rows = SharedTable.Rows;

    /// <summary>A server can have a million tables.</summary>
    [Fact]
    public async Task The_ledgers_shape_is_asked_for_without_a_look_at_other_tables()
    {
        var extra = await ServerClient.RunAsync(Servers.Get(Servers.MariaDb), null, $"EXPLAIN {new LedgerSql("shop").Shape};");
        Assert.Equal(2, extra.Split("Scanned 0 databases").Length - 1);
    }

    [Theory]
    [CombinatorialServers(
        "load-data|import", "multi-row-insert|import", "bulk-execute|import", "inline-join|update", "in-list-delete|delete")]
    public async Task A_chunk_costs_two_statements_and_a_batch_one(string name, string example)
    {
        var (strategy, command) = example.Split('|') is [var first, var second] ? (first, second) : default;
        var few = await CountAsync(rowsPerChunk: Rows / 4, rowsPerBatch: Rows / 40);
        var moreChunks = await CountAsync(rowsPerChunk: Rows / 20, rowsPerBatch: Rows / 40);
        var fewerBatches = await CountAsync(rowsPerChunk: Rows / 20, rowsPerBatch: Rows / 20);
        Assert.Equal(EachChunk * (20 - 4), moreChunks - few);
        Assert.InRange(moreChunks - fewerBatches, 20, EachBatch * (40 - 20));

        async Task<int> CountAsync(int rowsPerChunk, int rowsPerBatch)
        {
            await using var place = await SharedTable.CreateAsync(servers.Get(name), isEmpty: command == "import");
            string[] words = command == "delete" ? ["delete", "--ids", "ids.txt", "--yes"] : [command, "changes.csv"];
            var before = await CountedAsync(place);
            var end = await place.RunAsync([.. words, "--table", "t", "--strategy", strategy, "--rows-per-chunk", $"{rowsPerChunk}",
                "--rows-per-batch", $"{rowsPerBatch}", "--verbose"]);
            var after = await CountedAsync(place);
            end.ShouldExitWith(0);
            Assert.Matches($@"(?m)^chunks +{Rows / rowsPerChunk} committed", end.Output);
            return after - before;
        }
    }

    /// <summary>Whether the columns are still the same is asked by the way, however odd they are.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_chunk_asks_nothing_by_itself_whatever_columns_there_are(string name)
    {
        const string Table = "CREATE TABLE t (id INT PRIMARY KEY, `it's, \\ \"é` VARCHAR(30) DEFAULT 'it''s, \\\\ \"é', p POINT, g "
            + "GEOMETRY, d DECIMAL(9,2) DEFAULT 1.5, e ENUM('a,''b','ö') NOT NULL DEFAULT 'ö', "
            + "j JSON, b BIT(3) DEFAULT b'101', x INT AS (id + 1), m TIMESTAMP(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE "
            + "CURRENT_TIMESTAMP(3), n DATETIME DEFAULT CURRENT_TIMESTAMP);";
        Assert.Equal(await CountAsync(rowsPerChunk: 8), await CountAsync(rowsPerChunk: 1));

        async Task<int> CountAsync(int rowsPerChunk)
        {
            await using var place = await Workplace.CreateAsync(servers.Get(name), Table);
            place.Write("t.csv", "id,p\n" + string.Concat(Enumerable.Range(1, 8).Select(id => $"{id},POINT(1 {id})\n")));
            var before = await CountedAsync(place, "Com_select");
            var end = await place.RunAsync("import", "t.csv", "--rows-per-chunk", $"{rowsPerChunk}");
            var after = await CountedAsync(place, "Com_select");
            end.ShouldExitWith(0);
            return after - before;
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Where_the_engine_undoes_nothing_a_batch_costs_one_load(string name)
    {
        await using var place = await Workplace.CreateAsync(
            servers.Get(name), "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), KEY (name)) ENGINE=MyISAM;");
        place.Write("t.csv", "id,name\n" + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},n{id}\n")));
        var before = await CountedAsync(place, "Com_load");
        (await place.RunAsync("import", "t.csv", "--table", "t", "--strategy", "load-data", "--no-ledger", "--rows-per-batch", "10"))
            .ShouldExitWith(0);

        // And one of no rows, which tries the route.
        Assert.Equal((Rows / 10) + 1, await CountedAsync(place, "Com_load") - before);
        Assert.Equal($"{Rows}", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    /// <summary>
    /// Statements of all kinds, which count as their own kind when they are prepared ones, too; without those by which a round trip is
    /// measured, which are as many as there is time for. In Questions there would be the ends of connections as well, and those are counted
    /// whenever the server comes to it. </summary>
    private static async Task<int> CountedAsync(Workplace place) => (await StatusAsync(place, @"Com\_%"))
        .Where(counter => counter.Name != "Com_do" && !counter.Name.StartsWith("Com_stmt_", StringComparison.Ordinal))
        .Sum(counter => counter.Value);

    private static async Task<int> CountedAsync(Workplace place, string counter) => (await StatusAsync(place, counter)).Single().Value;

    private static async Task<IEnumerable<(string Name, int Value)>> StatusAsync(Workplace place, string pattern) =>
        (await place.QueryAsync($"SHOW GLOBAL STATUS LIKE '{pattern}';")).Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1)
            .Select(line => line.Split('\t')).Select(cells => (cells[0], int.Parse(cells[1], CultureInfo.InvariantCulture)));
}
