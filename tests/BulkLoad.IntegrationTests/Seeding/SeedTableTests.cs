using BulkLoad.Core.Sql;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>Tables that a seed makes for itself, and those that it cannot empty.</summary>
public sealed class SeedTableTests
{
    public static TheoryData<string> Both => Servers.Both;

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Staging_tables_that_a_killed_seed_left_are_dropped_and_others_of_such_names_are_kept(string name)
    {
        await using var place = await PlaceAsync(name, $"""
            CREATE TABLE t (id INT PRIMARY KEY, up INT NULL, FOREIGN KEY (up) REFERENCES t (id));
            CREATE TABLE bulkload_stage_t (id INT) COMMENT='{StageSql.Comment}';
            CREATE TABLE bulkload_stage_u (id INT);
            CREATE TABLE bulkload_stage_mine (id INT) COMMENT='mine';
            """);
        await RunAsync(place, 0, "1 staging table of a seed that was killed was dropped", "--mode", "sync");
        const string staging = "SELECT GROUP_CONCAT(TABLE_NAME ORDER BY TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_NAME LIKE "
            + "'bulkload\\_stage%' AND TABLE_SCHEMA = ";
        Assert.Equal("bulkload_stage_mine,bulkload_stage_u", await place.ScalarAsync($"{staging}'{place.Database}'"));

        // Somebody's own table in the way of one is not touched either, and the message has the way on.
        await place.QueryAsync("CREATE TABLE bulkload_stage_t (id INT); INSERT INTO bulkload_stage_t VALUES (7)");
        place.Write("data/t.csv", "id,up\n1,\\N\n");
        await RunAsync(
            place, 9, "bulkload_stage_t is in the way of a staging table, and has not the comment of one: it is kept", "--mode", "sync");
        Assert.Equal("7", await place.ScalarAsync("SELECT id FROM bulkload_stage_t"));
        await place.QueryAsync($"DROP TABLE IF EXISTS `{place.Database}`.`bulkload_stage_t`");
        await RunAsync(place, 0, "seeded 1 table", "--mode", "sync");

        // A seed that is killed before its staging table has the comment leaves it without rows.
        await place.QueryAsync("CREATE TABLE bulkload_stage_t LIKE t");
        place.Write("data/t.csv", "id,up\n1,\\N\n2,1\n");
        await RunAsync(place, 0, "an empty table bulkload_stage_t, as a seed that was killed leaves it, was dropped", "--mode", "sync");
    }

    [Theory]
    [MemberData(nameof(Both))]
    public async Task Rows_that_refer_to_themselves_cannot_be_emptied_and_a_sync_brings_the_file_in(string name)
    {
        await using var place = await PlaceAsync(name, "CREATE TABLE t (id INT PRIMARY KEY, up INT NOT NULL, FOREIGN KEY (up) REFERENCES t "
            + "(id)); INSERT INTO t VALUES (1, 1), (9, 1)");
        place.Write("data/t.csv", "id,up\n1,1\n2,1\n");
        foreach (var atomic in new[] { "", "--atomic " })
        {
            await RunAsync(
                place, 9, "--mode truncate: rows of t refer to themselves (t.up -> t), and InnoDB cannot delete such a row where up may "
                    + "not be NULL\n  nothing was deleted\n"
                    + $"  to make t equal to t.csv: bulkload seed data {atomic}--allow-database {place.Database} --mode sync\n",
                ["--mode", "truncate", .. atomic.Trim().Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
            Assert.Equal("1,9", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
        }

        await RunAsync(place, 0, "1 inserted, 0 updated, 1 deleted", "--mode", "sync");
        Assert.Equal("1,2", await place.ScalarAsync("SELECT GROUP_CONCAT(id ORDER BY id) FROM t"));
    }

    /// <summary>MySQL: several rows may have the value, so nothing makes room by NULL, which the CHECK would refuse.</summary>
    [Fact]
    public async Task A_key_of_an_expression_and_a_column_is_no_key_of_the_column()
    {
        await using var place = await PlaceAsync(Servers.MySql, """
            CREATE TABLE t (id INT PRIMARY KEY, up INT NULL, name VARCHAR(9), UNIQUE KEY u ((LOWER(name)), up),
                CONSTRAINT c CHECK (up IS NOT NULL));
            INSERT INTO t VALUES (1, 7, 'a'), (2, 7, 'b'), (3, 8, 'a'), (9, 7, 'z');
            """);
        place.Write("data/t.csv", "id,up,name\n1,7,c\n2,7,d\n3,8,a\n4,7,e\n");
        await RunAsync(place, 0, "1 inserted, 2 updated, 1 deleted", "--mode", "sync");
        Assert.Equal(
            "1 7 c,2 7 d,3 8 a,4 7 e", await place.ScalarAsync("SELECT GROUP_CONCAT(CONCAT_WS(' ', id, up, name) ORDER BY id) FROM t"));
    }

    private static async Task<Workplace> PlaceAsync(string server, string tables)
    {
        var place = await Workplace.CreateAsync(Servers.Get(server), tables);
        Directory.CreateDirectory(Path.Combine(place.Folder, "data"));
        place.Write("data/t.csv", "id,up\n1,2\n2,\\N\n");
        return place;
    }

    private static async Task RunAsync(Workplace place, int exitCode, string says, params string[] args)
    {
        using var run =
            BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), ["seed", "data", "--allow-database", place.Database, .. args]);
        var end = await run.EndAsync();
        end.ShouldExitWith(exitCode);
        Assert.True((end.Output + end.Error).Contains(says, StringComparison.Ordinal), end.ToString());
    }
}
