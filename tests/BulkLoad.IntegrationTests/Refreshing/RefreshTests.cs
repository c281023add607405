using System.Text.Json;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Refresh;
using BulkLoad.IntegrationTests.Faults;

namespace BulkLoad.IntegrationTests.Refreshing;

/// <summary>A table becomes exactly the file, at once: what is not of its rows stays, and nobody sees anything in between.</summary>
public sealed class RefreshTests
{
    private const string Usual = """
        CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, UNIQUE KEY name (name));
        INSERT INTO t VALUES (1, 'one'), (2, 'two'), (9, 'nine');
        """;

    /// <summary>The table must be referred to for <c>diff</c> to be chosen.</summary>
    private const string Child = "CREATE TABLE child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id));";

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task The_table_is_the_file_and_the_report_says_what_has_changed(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual + (way == "diff" ? Child : ""));
        place.Write("t.csv", "id,name\n1,one\n2,zwei\n3,three\n4,four\n");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh", "--report", "report.json");
        end.ShouldExitWith(0);
        Assert.StartsWith($"{place.Database}.t is exactly the input now, by {way} in ", end.Output, StringComparison.Ordinal);
        Assert.Contains(" ms: 2 new, 1 changed, 1 gone, 1 unchanged\n", end.Output, StringComparison.Ordinal);
        Assert.Contains("4 rows verified (checksum by id)", end.Output, StringComparison.Ordinal);
        Assert.Equal("1\tone\n2\tzwei\n3\tthree\n4\tfour", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        await ShouldHaveNoOthersAsync(place);
        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
        var refresh = report.RootElement.GetProperty("refresh");
        Assert.Equal((way, 3, 4, 2), (refresh.GetProperty("way").GetString(), refresh.GetProperty("rowsBefore").GetInt32(),
            refresh.GetProperty("rowsAfter").GetInt32(), refresh.GetProperty("newRows").GetInt32()));

        // Once more: it is no job that is complete.
        await place.QueryAsync("DELETE FROM t WHERE id = 4;");
        end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(0);
        ShouldReport(end, ": 1 new, 0 changed, 0 gone, 3 unchanged");
        Assert.Equal("4", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [CombinatorialServers("id", "")]
    public async Task What_is_not_of_its_rows_stays(string server, string partitionBy)
    {
        var keys = partitionBy.Length == 0 ? """
            , CONSTRAINT kept FOREIGN KEY (up) REFERENCES up (id), CONSTRAINT own FOREIGN KEY (parent) REFERENCES `t (x)` (id)
            """ : "";
        var partitions = partitionBy.Length == 0 ? "" : " PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (5), PARTITION b VALUES "
            + "LESS THAN MAXVALUE COMMENT = 'AUTO_INCREMENT=7')";
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            CREATE TABLE up (id INT PRIMARY KEY);
            INSERT INTO up VALUES (7);
            CREATE TABLE `t (x)` (
              id INT AUTO_INCREMENT, up INT NULL COMMENT 'a, (b) `c` ''d'' CONSTRAINT', parent INT, n INT NOT NULL DEFAULT 3,
              twice INT GENERATED ALWAYS AS (n * 2) STORED, more INT AS (n + 1) VIRTUAL, hidden INT INVISIBLE DEFAULT 8,
              text VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_bin,
              made TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
              PRIMARY KEY (id), KEY prefix (text(5)), KEY down (n DESC), FULLTEXT KEY words (text){keys},
              CONSTRAINT `a ``b` CHECK (n > 0), CONSTRAINT `AUTO_INCREMENT=9` CHECK (n < 1000)
            ) ENGINE=InnoDB AUTO_INCREMENT=500 ROW_FORMAT=DYNAMIC STATS_PERSISTENT=1 COMMENT='it''s AUTO_INCREMENT=5, (x)'{partitions};
            INSERT INTO `t (x)` (id, n, hidden) VALUES (1, 1, 1), (2, 2, 2);
            CREATE VIEW seen AS SELECT id, n FROM `t (x)`;
            """.Replace("FULLTEXT KEY words (text)", partitionBy.Length == 0 ? "FULLTEXT KEY words (text)" : "KEY words (text)",
                StringComparison.Ordinal));
        place.Write("t.csv", $"id,up,parent,n,text\n1,{(keys.Length == 0 ? "" : "7")},,4,Grün\n6,,1,5,\n");
        var before = await place.QueryAsync("SHOW CREATE TABLE `t (x)`;");
        var end = await place.RunAsync("import", "t.csv", "--table", "`t (x)`", "--full-refresh=swap");
        end.ShouldExitWith(0);
        Assert.Equal(Constraints(before, place.Server.IsMariaDb), await place.QueryAsync("SHOW CREATE TABLE `t (x)`;"));
        Assert.Equal("1\t4\t8\t5\t8\tGrün\n6\t5\t10\t6\t8\tNULL",
            await place.ScalarAsync("SELECT id, n, twice, more, hidden, text FROM `t (x)` ORDER BY id;"));
        Assert.Equal("2\t9", await place.ScalarAsync("SELECT COUNT(*), SUM(n) FROM seen;"));
        if (keys.Length > 0)
        {
            // The reference to itself is one to the new table.
            var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => place.QueryAsync("DELETE FROM `t (x)` WHERE id = 1;"));
            Assert.Contains("foreign key constraint fails", refused.Message, StringComparison.Ordinal);
        }

        // The names of constraints come and go.
        (await place.RunAsync("import", "t.csv", "--table", "`t (x)`", "--full-refresh=swap")).ShouldExitWith(0);
        Assert.Equal(before, await place.QueryAsync("SHOW CREATE TABLE `t (x)`;"));

        // MySQL's names of CHECKs are the schema's.
        static string Constraints(string text, bool isMariaDb)
        {
            text = text.Replace("CONSTRAINT `kept`", "CONSTRAINT `kept__2`", StringComparison.Ordinal)
                .Replace("CONSTRAINT `own`", "CONSTRAINT `own__2`", StringComparison.Ordinal);
            return isMariaDb ? text : text.Replace("CONSTRAINT `a ``b`", "CONSTRAINT `a ``b__2`", StringComparison.Ordinal)
                .Replace("CONSTRAINT `AUTO_INCREMENT=9`", "CONSTRAINT `AUTO_INCREMENT=9__2`", StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Unique_values_move_between_rows_and_triggers_run(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            CREATE TABLE t (id INT PRIMARY KEY, code INT NOT NULL, label VARCHAR(9), UNIQUE KEY code (code), UNIQUE KEY label (label));
            INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd'), (5, 50, 'E');
            CREATE TABLE log (id INT);
            CREATE TRIGGER logs AFTER DELETE ON t FOR EACH ROW INSERT INTO log VALUES (OLD.id);
            """);
        place.Write("t.csv", "id,code,label\n1,20,b\n2,30,c\n3,10,a\n5,40,e\n6,50,d\n");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(0);
        ShouldReport(end, "by diff in ");
        ShouldReport(end, "1 new, 4 changed, 1 gone, 0 unchanged");
        Assert.Equal("1\t20\tb\n2\t30\tc\n3\t10\ta\n5\t40\te\n6\t50\td", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        await ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task Rows_that_others_write_meanwhile_are_not_lost(string server, string way)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", $"--full-refresh={way}");
        await program.Input.WriteAsync("id,name\n1,one\n"u8.ToArray());
        await program.Input.FlushAsync();
        await WaitForNewTableAsync(place);
        await place.QueryAsync("INSERT INTO t VALUES (5, 'other');");
        await program.Input.WriteAsync("2,two\n3,three\n"u8.ToArray());
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(7);
        end.ShouldSay($"{place.Database}.t was written to ");
        end.ShouldSay("by others while its new content was loaded");
        var kept = (await place.ScalarAsync("SELECT MAX(table_name) FROM information_schema.tables "
            + "WHERE table_schema = DATABASE() AND table_name LIKE 't\\_before\\_%';")).Trim();
        if (way == "diff")
        {
            end.ShouldSay("nothing of it was changed");
            Assert.Equal("NULL", kept);
            Assert.Equal("17\t4", await place.ScalarAsync("SELECT SUM(id), COUNT(*) FROM t;"));
        }
        else
        {
            end.ShouldSay($"{place.Database}.{kept} is the former table, with everything that others have done to it");
            Assert.Equal("17\t4", await place.ScalarAsync($"SELECT SUM(id), COUNT(*) FROM {kept};"));
            Assert.Equal("6\t3", await place.ScalarAsync("SELECT SUM(id), COUNT(*) FROM t;"));
        }

        ShouldReport(await place.RunAsync("jobs"), "no jobs");

        // The next start is a new one.
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        (await place.RunAsync("import", "t.csv", $"--full-refresh={way}")).ShouldExitWith(0);
        Assert.Equal("3\t2", await place.ScalarAsync("SELECT SUM(id), COUNT(*) FROM t;"));
    }

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task A_reader_sees_the_former_rows_or_the_new_ones(string server, string way)
    {
        const int Rows = 3000;
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL); INSERT INTO t VALUES "
                + $"{string.Join(',', Enumerable.Range(1, Rows).Select(id => $"({id},1)"))};");
        place.Write("t.csv", "id,n\n" + string.Concat(Enumerable.Range(11, Rows).Select(id => $"{id},2\n")));
        using var program = place.Start("import", "t.csv", $"--full-refresh={way}", "--max-rate", "3000", "--rows-per-chunk", "500");
        program.Input.Close();
        var seen = new HashSet<string>();
        while (!program.HasEnded)
        {
            seen.Add(await place.ScalarAsync("SELECT COUNT(*), SUM(n), MIN(id) FROM t;"));
        }

        (await program.EndAsync()).ShouldExitWith(0);
        seen.Add(await place.ScalarAsync("SELECT COUNT(*), SUM(n), MIN(id) FROM t;"));
        Assert.Equal([$"{Rows}\t{Rows}\t1", $"{Rows}\t{Rows * 2}\t11"], seen.Order());
    }

    [Theory]
    [CombinatorialServers("swap", "diff")]
    public async Task A_job_that_is_killed_leaves_one_of_the_two_and_the_same_command_goes_on(string server, string way)
    {
        const int Rows = 2000;
        await using var place = await Workplace.CreateAsync(
            Servers.Get(server), $"CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, KEY n (n)); INSERT INTO t VALUES "
                + $"{string.Join(',', Enumerable.Range(1, Rows).Select(id => $"({id},1)"))};");
        var random = new Random(TestVariables.Number("BULKLOAD_TEST_SEED") ?? 7);
        var (from, kills, resumed) = (1, 0, 0);
        for (var round = 2; round < 2 + (TestVariables.Number("BULKLOAD_TEST_KILLS") ?? 3); round++)
        {
            place.Write("t.csv", "id,n\n" + string.Concat(Enumerable.Range(round, Rows).Select(id => $"{id},{round}\n")));
            string[] words = ["import", "t.csv", $"--full-refresh={way}", "--rows-per-chunk", "100", "--max-rate", "4000"];
            var (former, next) = ($"{Rows}\t{Rows * from}", $"{Rows}\t{Rows * round}");
            for (var (isDone, tries) = (false, 1); !isDone; tries++)
            {
                using var program = place.Start(words);
                program.Input.Close();
                isDone = !await program.KillAfterAsync(TimeSpan.FromMilliseconds(random.Next(400, 2600) * Math.Max(1, tries - 3)));
                kills += isDone ? 0 : 1;
                var end = await program.EndAsync();
                if (isDone)
                {
                    end.ShouldExitWith(0);
                    resumed += end.Output.Contains("resumed", StringComparison.Ordinal) ? 1 : 0;
                }

                var found = await place.ScalarAsync("SELECT COUNT(*), SUM(n) FROM t;");
                Assert.True(found == next || (found == former && !isDone), $"found {found}, from {former} to {next}\n{end}");
                former = found == next ? next : former;
            }

            from = round;
            await ShouldHaveNoOthersAsync(place);
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{kills} kills, {resumed} resumed");
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_a_start_has_left_that_was_killed_behind_the_exchange_is_cleared(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        var names = new RefreshNames("t");

        // Its name says other rows than it has: somebody has written to it.
        await place.QueryAsync($"CREATE TABLE {names.OfOld("3:1")} LIKE t; INSERT INTO {names.OfOld("3:1")} SELECT * FROM t;");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(7);
        end.ShouldSay("is the former table, with everything that others have done to it");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        var options = place.Server.Options(Way.Socket) with { Database = place.Database };
        await using (var session = await ServerSession.ConnectAsync(options, default))
        {
            var facts = await RefreshProbe.LookAsync(session, place.Database, "t", null, default);
            var former = names.OfOld($"{await RefreshProbe.TakeAsync(session, facts, locks: false, default)}");
            await place.QueryAsync($"CREATE TABLE {former} LIKE t; INSERT INTO {former} SELECT * FROM t;");
        }

        end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(0);
        ShouldReport(end, $"an earlier start had exchanged {place.Database}.t and was killed: the former table is gone now");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_file_with_few_rows_does_not_replace_the_table(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(9);
        end.ShouldSay($"the input has 1 row, and {place.Database}.t has 3: fewer than 50% do not replace it");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await ShouldHaveNoOthersAsync(place);
        ShouldReport(await place.RunAsync("jobs"), "no jobs");
        end = await place.RunAsync("import", "t.csv", "--full-refresh", "--min-rows", "0%", "--keep-old");
        end.ShouldExitWith(0);
        ShouldReport(end, $"; the former table is {place.Database}.t_before_");
        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_table_that_others_use_is_waited_for(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        var reading = place.QueryAsync("START TRANSACTION; SELECT COUNT(*) FROM t; DO SLEEP(4); COMMIT;");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh=swap");
        await reading;
        end.ShouldExitWith(0);
        await using var holder = await place.HoldAsync("t");
        end = await place.RunAsync("import", "t.csv", "--full-refresh=swap", "--retry-for", "1s");
        end.ShouldExitWith(1);
        end.ShouldSay("so that it could not be exchanged: nothing of it has changed, and the same command continues with this step");
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await holder.ExecuteAsync("ROLLBACK", default);
        end = await place.RunAsync("import", "t.csv", "--full-refresh=swap", "--retry-for", "1s");
        end.ShouldExitWith(0);
        ShouldReport(end, "the rows were loaded by an earlier start");
        ShouldReport(end, "2 were there from an earlier run");
        await ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [CombinatorialServers("CREATE", "ALTER", "DROP")]
    public async Task An_account_without_a_right_gets_the_grant_before_a_row_is_loaded(string server, string missing)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        await using var account = await TestAccount.CreateAsync(place.Server, "IDENTIFIED BY 'Refreshes/1'", "Refreshes/1");
        var rights = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP".Replace($", {missing}", "", StringComparison.Ordinal);
        await place.QueryAsync($"GRANT {rights} ON {place.Database}.* TO '{account.User}'@'%';");
        var end = await place.RunAsync(account, "import", "t.csv", "--full-refresh=swap");
        end.ShouldExitWith(9);
        end.ShouldSay($"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP ON `{place.Database}`.* TO '{account.User}'@'%'");
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        await place.QueryAsync($"GRANT {missing} ON {place.Database}.* TO '{account.User}'@'%';");
        (await place.RunAsync(account, "import", "t.csv", "--full-refresh=swap")).ShouldExitWith(0);
        await ShouldHaveNoOthersAsync(place);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refused_record_leaves_the_table_as_it_was(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        place.Write("t.csv", "id,name\n1,one\nx,two\n3,three\n");
        var end = await place.RunAsync("import", "t.csv", "--full-refresh");
        end.ShouldExitWith(4);
        Assert.Equal("3\t12", await place.ScalarAsync("SELECT COUNT(*), SUM(id) FROM t;"));
        end = await place.RunAsync("import", "t.csv", "--full-refresh", "--max-rejects", "1");
        end.ShouldExitWith(3);
        Assert.Equal("2\t4", await place.ScalarAsync("SELECT COUNT(*), SUM(id) FROM t;"));
    }

    /// <summary>A row that stays must not be deleted and made again: its children would go by the cascade.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Rows_of_other_tables_are_neither_lost_nor_left_alone(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, u INT NOT NULL, v VARCHAR(9), UNIQUE KEY u (u));
            CREATE TABLE a (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE);
            CREATE TABLE b (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES t (u) ON DELETE SET NULL ON UPDATE CASCADE);
            INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c'), (4, 4, 'd'), (5, 5, 'e');
            INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
            INSERT INTO b VALUES (2, 2);
            """);
        await RefuseAsync("1,2,a\n2,1,b\n3,3,c\n4,4,d\n", "1 row of ", "(foreign key b_ibfk_1)");
        await RefuseAsync("1,1,a\n2,2,b\n4,4,d\n", "1 row of ", "(foreign key a_ibfk_1)");
        await place.QueryAsync("DELETE FROM b;");
        await RefuseAsync("1,2,a\n2,1,b\n3,3,c\n4,4,d\n", "move in a circle");
        await ImportAsync("1,1,A\n2,7,b\n3,2,c\n5,4,d\n", 0);
        Assert.Equal("1\t1\tA\n2\t7\tb\n3\t2\tc\n5\t4\td", await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        Assert.Equal("1\t1\n2\t2\n3\t3", await place.ScalarAsync("SELECT * FROM a ORDER BY id;"));

        async Task<ProgramEnd> ImportAsync(string records, int code)
        {
            place.Write("t.csv", "id,u,v\n" + records);
            var end = await place.RunAsync("import", "t.csv", "--full-refresh");
            end.ShouldExitWith(code);
            await ShouldHaveNoOthersAsync(place);
            return end;
        }

        async Task RefuseAsync(string records, params string[] why)
        {
            var before = await place.QueryAsync("SELECT * FROM t; SELECT * FROM a; SELECT * FROM b;");
            var end = await ImportAsync(records, 9);
            Assert.All(why, end.ShouldSay);
            Assert.Equal(before, await place.QueryAsync("SELECT * FROM t; SELECT * FROM a; SELECT * FROM b;"));
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Trees_of_rows_grow_and_shrink(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), """
            CREATE TABLE t (id INT PRIMARY KEY, p INT, v VARCHAR(9), UNIQUE KEY v (v), FOREIGN KEY (p) REFERENCES t (id));
            INSERT INTO t VALUES (1, NULL, 'r'), (2, 1, 'a'), (3, 2, 'b'), (8, 8, 'own');
            """);
        foreach (var records in new[] { "1,,r\n", "1,,r\n2,9,y\n3,2,z\n9,1,x\n", "2,,r\n3,3,b\n4,2,x\n", "1,2,q\n2,3,r\n3,,b\n" })
        {
            place.Write("t.csv", "id,p,v\n" + records);
            (await place.RunAsync("import", "t.csv", "--full-refresh=diff", "--min-rows", "0%")).ShouldExitWith(0);
            Assert.Equal(records.TrimEnd().Replace(",,", ",NULL,", StringComparison.Ordinal).Replace(',', '\t'),
                await place.ScalarAsync("SELECT * FROM t ORDER BY id;"));
        }
    }

    [Theory]
    [CombinatorialServers(
        "ALTER TABLE t ADD COLUMN more INT DEFAULT 3;", "ALTER TABLE t ADD INDEX more (name, id);",
        "CREATE TRIGGER more BEFORE INSERT ON t FOR EACH ROW SET NEW.id = NEW.id;",
        "CREATE TABLE kid (id INT PRIMARY KEY, p INT, FOREIGN KEY more (p) REFERENCES t (id));")]
    public async Task What_others_add_to_the_table_meanwhile_is_not_lost(string server, string change)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Usual);
        using var program = place.Start("import", "-", "--format", "csv", "--table", "t", "--full-refresh=swap");
        await program.Input.WriteAsync("id,name\n1,one\n"u8.ToArray());
        await program.Input.FlushAsync();
        await WaitForNewTableAsync(place);
        await place.QueryAsync(change);
        var after = await place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t; SHOW TRIGGERS;");
        await program.Input.WriteAsync("2,two\n3,three\n"u8.ToArray());
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(7);
        end.ShouldSay("run the same command again");
        Assert.Equal(after, await place.QueryAsync("SHOW CREATE TABLE t; SELECT * FROM t; SHOW TRIGGERS;"));
        await ShouldHaveNoOthersAsync(place);

        // The next start sees the table as it is.
        place.Write("t.csv", "id,name\n1,one\n2,two\n");
        (await place.RunAsync("import", "t.csv", "--full-refresh")).ShouldExitWith(0);
        Assert.Equal("3\t2", await place.ScalarAsync("SELECT SUM(id), COUNT(*) FROM t;"));
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_refused_start_is_in_the_way_of_no_other(string server)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), $"""
            SET sql_mode='';
            {Usual.Replace("name VARCHAR(20) NOT NULL", "name VARCHAR(20) NOT NULL, at DATE NOT NULL DEFAULT '0000-00-00'",
                StringComparison.Ordinal).Replace("t VALUES", "t (id, name) VALUES", StringComparison.Ordinal)}
            """);
        place.Write("t.csv", "id,name\n1,one\n");
        (await place.RunAsync("import", "t.csv", "--full-refresh", "--zero-dates")).ShouldExitWith(9);
        await place.QueryAsync("SET sql_mode=''; ALTER TABLE t ADD COLUMN more INT;");
        place.Write("other.csv", "id,name\n1,one\n2,two\n5,five\n");
        var end = await place.RunAsync("import", "other.csv", "--table", "t", "--full-refresh", "--zero-dates");
        end.ShouldExitWith(0);
        Assert.DoesNotContain("--reload", end.Output, StringComparison.Ordinal);
        Assert.Equal("3", await place.ScalarAsync("SELECT COUNT(*) FROM t;"));
        (await place.RunAsync("import", "t.csv", "--full-refresh", "--min-rows", "0%", "--zero-dates")).ShouldExitWith(0);
        await ShouldHaveNoOthersAsync(place);
    }

    [Fact]
    public async Task What_cannot_be_exact_is_refused()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MariaDb), $"""
            {Usual}{Child}
            CREATE TABLE without (id INT);
            CREATE TABLE child2 (id INT PRIMARY KEY, code INT, KEY code (code), FOREIGN KEY (code) REFERENCES t (id));
            CREATE TABLE versioned (id INT PRIMARY KEY) WITH SYSTEM VERSIONING;
            CREATE TABLE plain (id INT PRIMARY KEY) ENGINE=MyISAM;
            """);
        place.Write("t.csv", "id,name\n1,one\n");
        place.Write("i.csv", "id\n1\n");
        await RefuseAsync("=swap: foreign key ", "t.csv", "--full-refresh=swap");
        await RefuseAsync("--full-refresh=diff: the table has no primary key: use --full-refresh=swap", "i.csv", "--table", "without",
            "--full-refresh=diff");
        await RefuseAsync("the tables cannot be exchanged, since the table's old row versions would stay in the former one", "i.csv",
            "--table", "versioned", "--full-refresh");
        await RefuseAsync("engine MyISAM of ", "i.csv", "--table", "plain", "--full-refresh");
        await RefuseAsync("no former table is left that --keep-old could keep", "t.csv", "--full-refresh=diff", "--keep-old");
        foreach (var option in new[] { "--truncate", "--append", "--on-duplicate=update", "--partition=p" })
        {
            (await place.RunAsync("import", "t.csv", "--full-refresh=swap", option)).ShouldExitWith(2);
        }

        (await place.RunAsync("import", "t.csv", "--keep-old")).ShouldExitWith(2);
        var plan = await place.RunAsync("import", "t.csv", "--full-refresh", "--plan");
        plan.ShouldExitWith(0);
        ShouldReport(plan, $"full refresh by diff: foreign key ");

        async Task RefuseAsync(string why, params string[] words)
        {
            var end = await place.RunAsync(["import", .. words]);
            end.ShouldExitWith(9);
            end.ShouldSay(why);
        }
    }

    /// <summary>The job has begun to load.</summary>
    internal static Task WaitForNewTableAsync(Workplace place) => Wait.ForAsync(async () => await place.ScalarAsync(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'bulkload\\_new\\_%';") != "0");

    private static void ShouldReport(ProgramEnd end, string text) =>
        Assert.True(end.Output.Contains(text, StringComparison.Ordinal), $"expected: {text}\n{end}");

    /// <summary>No table of a full refresh is left.</summary>
    internal static async Task ShouldHaveNoOthersAsync(Workplace place) => Assert.Equal("0", await place.ScalarAsync(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'bulkload\\_%\\_%' "
            + "AND table_name <> 'bulkload_ledger';"));
}
