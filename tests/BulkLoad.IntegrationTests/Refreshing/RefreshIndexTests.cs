namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>The table beside is filled without its indexes where that is faster, and has them again before it takes the table's
/// place.</summary>
public sealed class RefreshIndexTests
{
    private const int Rows = 50_000;

    /// <summary>The unique index stays while the rows are loaded.</summary>
    private const string Indexed = """
        CREATE TABLE t (id INT NOT NULL, part INT NOT NULL, a INT, b INT, c VARCHAR(20), KEY a (a), KEY b (b DESC, a) COMMENT 'it''s',
          UNIQUE KEY u (c, part), KEY c (c(5)), KEY d (part, a), PRIMARY KEY (id, part))
        """;

    [Theory]
    [CombinatorialServers("swap", "partition")]
    public async Task Indexes_are_added_behind_the_load_and_the_definition_is_as_before(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Indexed + (way == "swap" ? ";"
            : " PARTITION BY RANGE (part) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20));"));
        Write(place, 1);
        await ShouldRebuildAsync(place, way == "swap" ? [] : ["--partition", "p1"]);
        Assert.Equal($"{Rows}\t{Rows}", await place.ScalarAsync("SELECT COUNT(*), SUM(a) FROM t FORCE INDEX (b);"));
        Assert.EndsWith("\tOK", (await place.QueryAsync("CHECK TABLE t;")).TrimEnd(), StringComparison.Ordinal);
    }

    /// <summary>For few rows it is done only where it was asked for; a preview has no ledger that could have the indexes.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Indexes_of_few_rows_are_dropped_on_request(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Indexed + ";");
        place.Write("t.csv", "id,part,a,b,c\n1,1,2,3,four\n");
        await ShouldRebuildAsync(place, "--rebuild-indexes");
    }

    /// <summary>The foreign key's index is between others: they would come back behind it.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Indexes_that_would_come_back_in_another_order_stay(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE other (id INT PRIMARY KEY);
            INSERT INTO other VALUES (1);
            CREATE TABLE t (id INT PRIMARY KEY, part INT, a INT, b INT, c VARCHAR(20), KEY a (a), KEY o (part), KEY b (b), KEY c (c),
              KEY d (a, b), FOREIGN KEY (part) REFERENCES other (id));
            """);
        Write(place, 1);
        var before = await place.QueryAsync("SHOW CREATE TABLE t;");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(0);
        Assert.DoesNotContain("dropped", end.Output, StringComparison.Ordinal);

        // The name of the constraint alternates.
        Assert.Equal(before, (await place.QueryAsync("SHOW CREATE TABLE t;")).Replace("__2`", "`", StringComparison.Ordinal));
    }

    /// <summary>Killed while rows are loaded or indexes added, by the same command or by that of another file.</summary>
    [Theory]
    [CombinatorialServers("same", "other")]
    public async Task A_killed_start_leaves_indexes_to_the_next_one(string server, string file)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Indexed + ";");
        var before = await place.QueryAsync("SHOW CREATE TABLE t;");
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 11);
        string[] words = ["import", "t.csv", "--full-refresh", "--rows-per-chunk", "2000", "--max-rate", "60000"];
        var (value, kills) = (1, 0);
        for (var isDone = false; !isDone;)
        {
            Write(place, value);
            using var program = place.Start(words);
            program.Input.Close();
            isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(600, 1800) * (1 + (2 * kills))));
            kills += isDone ? 0 : 1;
            value += isDone || file == "same" ? 0 : 1;
            var end = await program.EndAsync();
            if (isDone)
            {
                end.ShouldExitWith(0);
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{kills} kills");
        Assert.Equal(before, await place.QueryAsync("SHOW CREATE TABLE t;"));
        Assert.Equal($"{Rows}\t{Rows * value}", await place.ScalarAsync("SELECT COUNT(*), SUM(a) FROM t FORCE INDEX (b);"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    /// <summary>Plan, preview and refresh: only the last one drops indexes.</summary>
    private static async Task ShouldRebuildAsync(Workplace place, params string[] options)
    {
        var before = await place.QueryAsync("SHOW CREATE TABLE t;");
        string[] words = ["import", "t.csv", "--full-refresh", .. options];
        var plan = await place.RunAsync([.. words, "--plan"]);
        plan.ShouldExitWith(0);
        Assert.Contains("the table beside is filled without them, for speed", plan.Output, StringComparison.Ordinal);
        Assert.Contains("dropped and added again", plan.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("nobody finds rows", plan.Output, StringComparison.Ordinal);
        var preview = await place.RunAsync([.. words, "--preview"]);
        preview.ShouldExitWith(0);
        Assert.DoesNotContain("dropped", preview.Output, StringComparison.Ordinal);

        var end = await place.RunAsync(words);
        end.ShouldExitWith(0);
        Assert.Matches(@"(?m)^4 indexes of the table beside dropped in .*, added again in ", end.Output);
        Assert.Equal(before, await place.QueryAsync("SHOW CREATE TABLE t;"));
        await RefreshTests.ShouldHaveNoOthersAsync(place);
    }

    private static void Write(Workplace place, int value) => place.Write("t.csv", "id,part,a,b,c\n"
        + string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id},1,{value},{id * 7919 % Rows},{id * 104729 % 99991} {id}\n")));
}
