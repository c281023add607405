namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>One partition becomes exactly the file; the others stay.</summary>
public sealed class PartitionTests
{
    private const string Usual = """
        CREATE TABLE t (id INT AUTO_INCREMENT, at INT NOT NULL, name VARCHAR(20), twice INT AS (at * 2) VIRTUAL, PRIMARY KEY (id, at),
          KEY name (name)) PARTITION BY RANGE (at) (PARTITION p1 VALUES LESS THAN (10), PARTITION p2 VALUES LESS THAN (20),
          PARTITION `p 3` VALUES LESS THAN MAXVALUE);
        INSERT INTO t (id, at, name) VALUES (1, 1, 'one'), (2, 12, 'two'), (3, 13, 'three'), (4, 44, 'four');
        """;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task It_is_the_file_and_the_others_are_as_they_were(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,at,name\n2,12,zwei\n5,15,five\n6,16,six\n");
        var before = await place.QueryAsync("SHOW CREATE TABLE t;");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh", "--partition", "P2");
        end.ShouldExitWith(0);
        Assert.StartsWith(
            $"partition p2 of {place.Database}.t is exactly the input now, by exchange in ", end.Output, StringComparison.Ordinal);
        Assert.Contains(" ms: 2 new, 1 changed, 1 gone, 0 unchanged\n", end.Output, StringComparison.Ordinal);
        Assert.Equal("1\t1\tone\t2\n2\t12\tzwei\t24\n4\t44\tfour\t88\n5\t15\tfive\t30\n6\t16\tsix\t32",
            await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        Assert.Equal(before.Replace("AUTO_INCREMENT=5", "AUTO_INCREMENT=7", StringComparison.Ordinal),
            await place.QueryAsync("SHOW CREATE TABLE t;"));
        await ShouldHaveNoOthersAsync(place);

        // A name with a sign, an empty partition, and the former rows kept.
        place.Write("t.csv", "id,at,name\n7,70,seven\n");
        end = await place.RunAsync("import", "t.csv", "--full-refresh", "--partition", "p 3", "--keep-old");
        end.ShouldExitWith(0);
        Assert.Contains($"; the former rows are in {place.Database}.t_p 3_before_", end.Output, StringComparison.Ordinal);
        Assert.Equal("7\t70", await place.ScalarAsync("SELECT id, at FROM t WHERE at >= 20;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_of_other_partitions_are_refused(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            {Usual}
            CREATE TABLE h (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 3;
            CREATE TABLE l (id INT PRIMARY KEY) PARTITION BY LIST (id) (PARTITION a VALUES IN (1, 2), PARTITION b VALUES IN (3));
            INSERT INTO h VALUES (1), (2), (3);
            CREATE TABLE u (id INT PRIMARY KEY);
            """);
        place.Write("t.csv", "id,at,name\n2,12,zwei\n5,20,five\n6,6,six\n");
        place.Write("i.csv", "id\n1\n2\n");
        await RefuseAsync("2 rows of the input belong to other partitions, such as that with id, at 5, 20", "t.csv", "--partition", "p2");
        await RefuseAsync("2 rows of the input belong to other partitions", "t.csv", "--partition", "p1");
        await RefuseAsync("Found a row that does not match the partition", "i.csv", "--table", "h", "--partition", "p1");
        await RefuseAsync("2 rows of the input belong to other partitions", "i.csv", "--table", "l", "--partition", "b");
        await RefuseAsync("has no such partition: its partitions are a, b", "i.csv", "--table", "l", "--partition", "c");
        await RefuseAsync("has no partitions", "i.csv", "--table", "u", "--partition", "c");
        await place.QueryAsync("CREATE TRIGGER more BEFORE INSERT ON l FOR EACH ROW SET NEW.id = NEW.id;");
        await RefuseAsync("the table has triggers, which an exchange does not run", "i.csv", "--table", "l", "--partition", "a");

        async Task RefuseAsync(string why, params string[] words)
        {
            var before = await place.QueryAsync("SELECT * FROM t; SELECT * FROM h; SELECT * FROM l;");
            var end = await place.RunAsync(["import", .. words, "--full-refresh"]);
            end.ShouldExitWith(9);
            end.ShouldSay(why);
            Assert.Equal(before, await place.QueryAsync("SELECT * FROM t; SELECT * FROM h; SELECT * FROM l;"));
            await ShouldHaveNoOthersAsync(place);
        }
    }

    [Fact]
    public async Task A_table_that_got_a_column_without_a_rebuild_is_refused_before_a_row_is_loaded()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MySql), $"""
            {Usual}
            ALTER TABLE t ADD COLUMN more INT DEFAULT 7, ALGORITHM=INSTANT;
            """);
        place.Write("t.csv", "id,at,name\n2,12,zwei\n");
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'Asks-innodb/1'", "Asks-innodb/1");
        await place.QueryAsync($"GRANT ALL ON {place.Database}.* TO '{account.User}'@'%'; GRANT PROCESS ON *.* TO '{account.User}'@'%';");
        string[] words = ["import", "t.csv", "--full-refresh", "--partition", "p2"];
        var end = await place.RunAsync(account, words);
        end.ShouldExitWith(9);
        var advice = $"ALTER TABLE `{place.Database}`.`t` FORCE";
        end.ShouldSay($"got or lost a column by ALGORITHM=INSTANT: {advice} writes its rows new");
        await place.QueryAsync($"{advice};");
        (await place.RunAsync(account, words)).ShouldExitWith(0);
        Assert.Equal("2\tzwei\t7", await place.ScalarAsync("SELECT id, name, more FROM t PARTITION (p2);"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_that_others_write_meanwhile_are_not_lost(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", "--full-refresh", "--partition", "p2");
        await program.Input.WriteAsync("id,at,name\n2,12,zwei\n"u8.ToArray());
        await program.Input.FlushAsync();
        await RefreshTests.WaitForNewTableAsync(place);
        await place.QueryAsync("INSERT INTO t (id, at) VALUES (9, 19), (10, 1);");
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(7);
        end.ShouldSay($"partition p2 of {place.Database}.t was written to by others while its new content was loaded");
        var kept = await place.ScalarAsync("SELECT MAX(table_name) FROM information_schema.tables WHERE table_schema = DATABASE() "
            + "AND table_name LIKE 't\\_p2\\_before\\_%';");
        Assert.Equal("2\n3\n9", await place.ScalarAsync($"SELECT id FROM {kept} ORDER BY id;"));
        Assert.Equal("1\n2\n4\n10", await place.ScalarAsync("SELECT id FROM t ORDER BY id;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_job_that_is_killed_leaves_one_of_the_two(string server)
    {
        const int Rows = 1000;
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual + $"""
            DELETE FROM t WHERE at BETWEEN 10 AND 19;
            INSERT INTO t (id, at) VALUES {string.Join(',', Enumerable.Range(1, Rows).Select(id => $"({id}, 12)"))};
            """);
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 7);
        place.Write("t.csv", "id,at\n" + string.Concat(Enumerable.Range(2, Rows).Select(id => $"{id},13\n")));
        string[] words = ["import", "t.csv", "--full-refresh", "--rows-per-chunk", "100", "--max-rate", "2000"];
        var kills = 0;
        for (var (isDone, tries) = (false, 1); !isDone; tries++)
        {
            using var program = place.Start([.. words, "--partition", tries % 2 == 0 ? "P2" : "p2"]);
            program.Input.Close();
            isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(400, 1500) * Math.Max(1, tries - 3)));
            kills += isDone ? 0 : 1;
            var end = await program.EndAsync();
            var found = await place.ScalarAsync("SELECT COUNT(*), SUM(at) FROM t PARTITION (p2);");
            Assert.True(found == $"{Rows}\t{Rows * 13}" || (found == $"{Rows}\t{Rows * 12}" && !isDone), $"{found}\n{end}");
            if (isDone)
            {
                end.ShouldExitWith(0);
            }
        }

        Assert.Equal("1\t1\n4\t44", await place.ScalarAsync("SELECT id, at FROM t WHERE at NOT BETWEEN 10 AND 19 ORDER BY id;"));
        await ShouldHaveNoOthersAsync(place);
        TestContext.Current.TestOutputHelper?.WriteLine($"{kills} kills");
    }

    private static Task ShouldHaveNoOthersAsync(Workplace place) => RefreshTests.ShouldHaveNoOthersAsync(place);
}
