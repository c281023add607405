using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Planning;

public sealed class LoadPlannerTests
{
    private static readonly LoadRequest OneSession = TestFacts.Request with { Threads = 1 };

    private static LoadPlan Plan(LoadFacts facts) => LoadPlanner.Decide(facts, StrategyCatalog.Import).Plan;

    private static PlannedSize Size(LoadFacts facts, string name) => Plan(facts).Sizes.Single(size => size.Name == name);

    [Fact]
    public void Mariadb_takes_rows_in_bulk() => Assert.Equal("bulk-execute", Plan(TestFacts.Of(TestFacts.MariaDb)).Strategy);

    [Fact]
    public void Mysql_takes_load_data() => Assert.Equal("load-data", Plan(TestFacts.Of(TestFacts.MySql)).Strategy);

    [Theory]
    [InlineData(300, "multi-row-insert")]
    [InlineData(100, "load-data")]
    public void Mysql_takes_long_binary_values_by_insert(int recordBytes, string expected) =>
        Assert.Equal(expected,
            Plan(TestFacts.Of(TestFacts.MySql, Columns.Integer("id"), Columns.Blob()) with { RecordBytes = recordBytes }).Strategy);

    /// <summary>Large batches make up for the waits: measured at 50 ms, 7.1 s by bulk execution and 7.7 s by LOAD DATA.</summary>
    [Theory]
    [InlineData(1, "bulk-execute")]
    [InlineData(4.9, "load-data")]
    [InlineData(50, "bulk-execute")]
    public void What_waits_cost_decides_where_they_are_long(double milliseconds, string expected) =>
        Assert.Equal(expected, Plan(TestFacts.Of(TestFacts.MariaDb with { RoundTrip = TimeSpan.FromMilliseconds(milliseconds) })).Strategy);

    [Fact]
    public void Where_load_data_is_refused_rows_go_otherwise_and_the_plan_says_so()
    {
        var plan = Plan(TestFacts.Of(
            TestFacts.MySql with { LocalInfileRefusal = "the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off)" }));
        Assert.Equal("multi-row-insert", plan.Strategy);
        Assert.Contains("load-data was not possible: the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off)", plan.Notes);
        Assert.Equal(new Verdict("load-data", false, "the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off)", null),
            plan.Verdicts[1]);
    }

    [Fact]
    public void A_new_table_is_made_before_anything_else_and_noted()
    {
        var table = new PlannedTable(
            "CREATE TABLE people", 1_000, 2, [new PlannedType("id", "int", false, "whole numbers")])
        { Definitions = ["id INT"] };
        var plan = Plan(TestFacts.Of(TestFacts.MySql) with { NewTable = table });
        Assert.Equal("CREATE TABLE people", plan.Sql[0]);
        Assert.Same(table, plan.NewTable);
        Assert.Contains("new table shop.people: 1 column, their types from 1,000 records; 2 more cannot be read and were left out: id INT; "
            + "it has no primary key", plan.Notes);
    }

    [Fact]
    public void Every_strategy_has_a_verdict_the_chosen_one_first()
    {
        foreach (var server in new[] { TestFacts.MariaDb, TestFacts.MySql })
        {
            var plan = Plan(TestFacts.Of(server));
            Assert.Equal(plan.Strategy, plan.Verdicts[0].Strategy);
            Assert.Equal(StrategyCatalog.Import.Select(strategy => strategy.Name).Order(),
                plan.Verdicts.Select(verdict => verdict.Strategy).Order());
            Assert.All(plan.Verdicts, verdict => Assert.True(verdict.Reason.Length > 0));
            Assert.All(plan.Verdicts.Where(verdict => server.IsMariaDb || verdict.Strategy != "bulk-execute"),
                verdict => Assert.True(verdict.IsFit && verdict.EstimatedSeconds > 0));
        }
    }

    [Fact]
    public void A_forced_strategy_is_taken_though_it_is_not_the_cheapest()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        Assert.Equal("load-data", Plan(facts with { Request = facts.Request with { Strategy = "load-data" } }).Strategy);
    }

    [Fact]
    public void A_forced_strategy_that_is_unfit_is_refused_with_every_verdict()
    {
        var facts = TestFacts.Of(TestFacts.MySql with { LocalInfileRefusal = "local_infile is off" });
        var fault = Assert.Throws<PlanException>(() => Plan(facts with { Request = facts.Request with { Strategy = "load-data" } }));
        Assert.Equal(
            "--strategy load-data is not fit here: local_infile is off\n  bulk-execute: MySQL has no bulk execution; it is MariaDB's\n  "
                + "multi-row-insert: needs no rights but INSERT, and is strict; MySQL takes text by LOAD DATA faster",
            fault.Message);
    }

    [Theory]
    [InlineData(
        "load-dta", "there is no such strategy; did you mean 'load-data'?; known are load-data, bulk-execute, multi-row-insert, and auto")]
    [InlineData(
        "LOAD-DATA", "there is no such strategy; did you mean 'load-data'?; known are load-data, bulk-execute, multi-row-insert, and auto")]
    [InlineData("zzz", "there is no such strategy; known are load-data, bulk-execute, multi-row-insert, and auto")]
    public void A_strategy_that_is_not_known_is_refused(string name, string expected)
    {
        var facts = TestFacts.Of(TestFacts.MySql);
        var fault = Assert.Throws<RequestException>(() => Plan(facts with { Request = facts.Request with { Strategy = name } }));
        Assert.Equal($"--strategy {name}: {expected}", fault.Message);
    }

    [Fact]
    public void Where_nothing_is_fit_every_reason_is_told()
    {
        var facts = TestFacts.Of(TestFacts.MySql with { LocalInfileRefusal = "local_infile is off", MaxAllowedPacket = 1024 }) with
        { RecordBytes = 2000 };
        Assert.Equal(
            "no strategy is fit for shop.people\n  load-data: local_infile is off\n  bulk-execute: MySQL has no bulk execution; it is "
                + "MariaDB's\n  multi-row-insert: records of about 2,000 bytes do not fit into the server's max_allowed_packet of 1,024",
            Assert.Throws<PlanException>(() => Plan(facts)).Message);
    }

    [Fact]
    public void A_json_object_that_may_lack_a_column_with_an_expression_makes_load_data_unfit()
    {
        var facts = TestFacts.Of(TestFacts.MySql, Columns.Integer("id"),
            Columns.Varchar("made") with { Default = ColumnDefault.Expression }) with
        { RecordsCanLackColumns = true };
        var plan = Plan(facts);
        Assert.Equal("multi-row-insert", plan.Strategy);
        Assert.Equal("a JSON object may lack 'made', whose default is an expression, and a LOAD DATA line has no word for DEFAULT",
            plan.Verdicts[1].Reason);
        Assert.Equal("load-data", Plan(facts with { RecordsCanLackColumns = false }).Strategy);
    }

    [Fact]
    public void An_empty_field_that_may_stand_for_an_expression_makes_load_data_unfit()
    {
        var facts =
            TestFacts.Of(TestFacts.MySql, Columns.Integer("id"), Columns.Varchar("made") with { Default = ColumnDefault.Expression });
        var plan = Plan(facts with { Request = TestFacts.Request with { Values = new ValueOptions { Empty = EmptyMeaning.Default } } });
        Assert.Equal("multi-row-insert", plan.Strategy);
        Assert.Equal(
            "an empty field may mean the default of 'made', whose default is an expression, and a LOAD DATA line has no word for DEFAULT",
            plan.Verdicts[1].Reason);
    }

    [Fact]
    public void Bulk_execution_says_why_it_is_not_fit()
    {
        Assert.Equal(
            "INSERT INTO `shop`.`people` (`id`,`name`) VALUES (?,?) (executed for up to 500 rows at once)",
            Plan(OfBulk(TestFacts.MariaDb)).Sql[^1]);
        Check("this server or a proxy in front of it does not offer bulk execution (MariaDB 10.2 and newer do)",
            TestFacts.MariaDb with { TakesBulkExecutions = false });
        Check("MySQL has no bulk execution; it is MariaDB's", TestFacts.MySql);
        Check("the server's binary log by statement refuses bulk execution (error 4033)", TestFacts.MariaDb with { LogsStatements = true });
        Check("the server allows no prepared statements (max_prepared_stmt_count is 0)",
            TestFacts.MariaDb with { MaxPreparedStatements = 0 });
        Check("records of about 78 bytes do not fit into the server's max_allowed_packet of 50",
            TestFacts.MariaDb with { MaxAllowedPacket = 50 });

        static LoadFacts OfBulk(ServerFacts server) =>
            TestFacts.Of(server) with { Request = TestFacts.Request with { Strategy = "bulk-execute" } };

        static void Check(string reason, ServerFacts server) => Assert.StartsWith(
            $"--strategy bulk-execute is not fit here: {reason}\n", Assert.Throws<PlanException>(() => Plan(OfBulk(server))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void An_assignment_is_in_the_plan_and_in_every_row()
    {
        var table = Columns.Table(Columns.Integer("id"), Columns.DateTime(name: "made"));
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id")) with { Table = table, Assignments = [new("made", "NOW()")] };
        var plan = Plan(facts);
        Assert.Equal([new("id", "id", "int"), new(null, "made", "datetime", "NOW()")], plan.Columns);
        Assert.Equal("INSERT INTO `shop`.`people` (`id`,`made`) VALUES (?,(NOW())) (executed for up to 500 rows at once)", plan.Sql[^1]);
        var lengthy = facts with
        {
            Request = TestFacts.Request with { Strategy = "multi-row-insert" },
            Assignments = [new("made", $"'{new string('x', 100_000)}'")]
        };
        Assert.EndsWith(", ... (up to 83 rows)", Plan(lengthy).Sql[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("server", "time zone UTC, the server's own")]
    [InlineData("+02:00", "time zone +02:00")]
    [InlineData("Europe/Berlin", "time zone Europe/Berlin: TIMESTAMP values are converted here, since the session itself runs in UTC; "
        + "NOW() and CURRENT_TIMESTAMP in triggers, defaults and --set give a DATETIME column UTC")]
    public void A_time_zone_that_was_asked_for_is_noted(string name, string expected)
    {
        var zone = ValueZone.Asked(name) ?? TestFacts.MariaDb.Zone;
        var plan = Plan(TestFacts.Of(TestFacts.MariaDb with { Zone = zone }) with
        { Request = TestFacts.Request with { Values = new ValueOptions { TimeZone = name } } });
        Assert.Contains(expected, plan.Notes);
        Assert.Equal(zone.Name, plan.TimeZone);
    }

    [Fact]
    public void Sizes_are_the_measured_ones_where_nothing_else_is_said()
    {
        Assert.Equal(
            [
                new PlannedSize("rows-per-batch", 4000, "measured optimum"),
                new PlannedSize("bytes-per-batch", 1 << 20, "measured optimum: little to undo when a batch fails"),
                new PlannedSize("bytes-per-chunk", 32 << 20, "measured: a commit costs next to nothing at this size"),
            ],
            Plan(TestFacts.Of(TestFacts.MariaDb) with { Request = OneSession }).Sizes);
        Assert.Equal(
            [
                new PlannedSize("rows-per-batch", 65_535, "as many warnings as an answer can count"),
                new PlannedSize("bytes-per-batch", 2 << 20, "measured optimum: little to undo when a batch fails"),
                new PlannedSize("bytes-per-chunk", 32 << 20, "measured: a commit costs next to nothing at this size"),
            ],
            Plan(TestFacts.Of(TestFacts.MySql) with { Request = OneSession }).Sizes);
    }

    [Theory]
    [InlineData(262_143, "the server's max_allowed_packet of 262,143 is too small for the packets of a file's content (at least 262,144)")]
    [InlineData(262_144, null)]
    public void Load_data_ignored_a_small_max_allowed_packet(long packet, string? expected) =>
        Assert.Equal(expected, new LoadDataStrategy().FindObstacle(TestFacts.Of(TestFacts.MySql with { MaxAllowedPacket = packet })));

    [Fact]
    public void A_small_max_allowed_packet_makes_batches_small() => Assert.Equal(
        new PlannedSize("bytes-per-batch", 32_768, "half of the server's max_allowed_packet of 65,536"),
        Size(TestFacts.Of(TestFacts.MariaDb with { MaxAllowedPacket = 65_536 }), "bytes-per-batch"));

    [Fact]
    public void Many_columns_leave_few_rows_to_a_statement()
    {
        Check(1, 1500);
        Check(6, 250);
        Check(100, 16);
        Check(4096, 15);

        static void Check(int columns, int rows)
        {
            var facts = TestFacts.Of(TestFacts.MySql, [.. Enumerable.Range(1, columns).Select(i => Columns.Integer($"c{i}"))]);
            Assert.EndsWith(
                $", ... (up to {rows:N0} rows)",
                Plan(facts with { Request = TestFacts.Request with { Strategy = "multi-row-insert" } }).Sql[^1], StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Chunks_that_are_kept_in_memory_are_small()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        Assert.Equal(
            new PlannedSize("bytes-per-chunk", 8 << 20, "a chunk's records are kept until it is committed"),
            Size(facts with { Request = OneSession, Sources = [facts.Sources[0] with { Bytes = null }] }, "bytes-per-chunk"));
    }

    [Theory]
    [InlineData(false, 100, "--max-rate: no more than a second of it")]
    [InlineData(false, 50_000, "--max-lag: a slow replica applies it in half of that time")]
    [InlineData(true, 50_000, "--max-lag: a slow replica applies it in half of that time")]
    public void A_chunk_names_what_has_bounded_its_rows_and_its_bytes(bool isRateOfBytes, long rate, string rowsBy)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb) with
        {
            Request = OneSession with { Throttle = new() { MaxRate = new(rate, isRateOfBytes), MaxLag = TimeSpan.FromSeconds(2) } },
        };
        Assert.Equal(new PlannedSize("rows-per-chunk", isRateOfBytes ? 10_000 : Math.Min(rate, 10_000), rowsBy),
            Size(facts, "rows-per-chunk"));
        Assert.Equal(isRateOfBytes
                ? new PlannedSize("bytes-per-chunk", rate, "--max-rate: no more than a second of it")
                : new PlannedSize("bytes-per-chunk", 32 << 20, "measured: a commit costs next to nothing at this size"),
            Size(facts, "bytes-per-chunk"));
    }

    [Fact]
    public void Sizes_that_were_asked_for_are_taken()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        var plan = Plan(facts with
        { Request = facts.Request with { RowsPerBatch = 20, BytesPerBatch = 4000, RowsPerChunk = 100, BytesPerChunk = 9000 } });
        Assert.Equal(
            [
                new PlannedSize("rows-per-batch", 20, "--rows-per-batch"),
                new PlannedSize("bytes-per-batch", 4000, "--bytes-per-batch"),
                new PlannedSize("rows-per-chunk", 100, "--rows-per-chunk"),
                new PlannedSize("bytes-per-chunk", 9000, "--bytes-per-chunk"),
            ],
            plan.Sizes);
    }

    /// <summary>Behind each batch of INSERTs a session waits for an answer, which must not take long beside the server's work.</summary>
    [Theory]
    [InlineData(0.1, 4000, 1)]
    [InlineData(4.9, 4000, 1)]
    [InlineData(5, 13_333, 2)]
    [InlineData(10, 26_666, 2)]
    [InlineData(50, 65_535, 2)]
    public void By_a_long_route_batches_of_inserts_are_larger(double milliseconds, int rows, int mebibytes)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb with { RoundTrip = TimeSpan.FromMilliseconds(milliseconds) }, Columns.Integer("id"));
        foreach (var strategy in (ILoadStrategy[])[new BulkExecuteStrategy(), new MultiRowInsertStrategy()])
        {
            var (rowRange, byteRange) = strategy.Assess(facts).Sizes;
            Assert.Equal((rows, mebibytes * 1024 * 1024), (rowRange.Best, byteRange.Best));
            Assert.Equal(rows > 4000, rowRange.BestBy == "the server works on them for as long as 8 round trips take");
        }
    }

    [Fact]
    public void A_size_beyond_a_limit_was_planned_as_if_the_optimum_were_the_only_bound()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        facts = facts with { Request = facts.Request with { RowsPerBatch = 1_000_000, BytesPerBatch = 1L << 40 } };
        Assert.Equal(new PlannedSize("rows-per-batch", 65_535, "more gain nothing, and are more to undo"), Size(facts, "rows-per-batch"));
        Assert.Equal(new PlannedSize("bytes-per-batch", 8 << 20, "half of the server's max_allowed_packet of 16,777,216"),
            Size(facts, "bytes-per-batch"));

        facts = facts with { Server = TestFacts.MySql, Request = facts.Request with { Strategy = "load-data" } };
        Assert.Equal(new PlannedSize("rows-per-batch", 65_535, "as many warnings as an answer can count"), Size(facts, "rows-per-batch"));
        Assert.Equal(new PlannedSize("bytes-per-batch", 256 << 20, "most that is held in memory at once"), Size(facts, "bytes-per-batch"));
    }

    [Fact]
    public void An_atomic_job_has_no_chunks()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        var sending = LoadPlanner.Decide(facts with { Request = facts.Request with { Atomic = true } }, StrategyCatalog.Import);
        var plan = sending.Plan;
        var sizes = sending.Sizes;
        Assert.Equal(["rows-per-batch", "bytes-per-batch"], plan.Sizes.Select(size => size.Name));
        Assert.Equal((long.MaxValue, long.MaxValue), (sizes.RowsPerChunk, sizes.BytesPerChunk));
        Assert.Equal("one transaction for everything (--atomic)", plan.Transactions);
    }

    [Fact]
    public void An_input_of_unknown_size_has_verdicts_without_seconds()
    {
        var facts =
            TestFacts.Of(TestFacts.MariaDb) with { Sources = [new PlannedSource("standard input", "csv", "none", "utf-8", null, null)] };
        var plan = Plan(facts);
        Assert.Equal("bulk-execute", plan.Strategy);
        Assert.All(plan.Verdicts, verdict => Assert.Null(verdict.EstimatedSeconds));
    }

    [Fact]
    public void Triggers_guesses_and_the_isolation_level_are_noted()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb with { LogsStatements = true }) with { Guesses = ["format csv (by extension)"] };
        facts = facts with { Table = facts.Table with { InsertTriggers = ["audit (AFTER INSERT)"] } };
        Assert.Equal(
            [
                "format csv (by extension)", "trigger audit (AFTER INSERT) runs for every row",
                "isolation level REPEATABLE READ: the server's binary log by statement refuses READ COMMITTED",
                NoLedger,
            ],
            Plan(facts).Notes);
    }

    private const string NoLedger = "--no-ledger: if the connection is lost, and then another or a restarted server answers, the job ends "
        + "with exit 1, since it is not known what that server still has";

    [Fact]
    public void Commits_that_the_server_may_lose_are_noted()
    {
        var facts = TestFacts.Of(TestFacts.MySql with { RelaxedDurability = ["innodb_flush_log_at_trx_commit=2", "sync_binlog=0"] });
        const string Settings =
            "innodb_flush_log_at_trx_commit=2, sync_binlog=0: the server may lose what it has committed last when its machine fails";
        Assert.Equal([Settings, NoLedger], Plan(facts).Notes);
        Assert.Equal([$"{Settings}; the job notices that as long as it runs, and sends it again, but not afterwards"],
            Plan(facts with { Request = facts.Request with { NoLedger = false } }).Notes);
    }

    [Theory]
    [InlineData(1, "1 replica copies from this server: one that takes over may lack what was committed last")]
    [InlineData(2, "2 replicas copy from this server: one that takes over may lack what was committed last")]
    public void Replicas_are_noted(int replicas, string note) =>
        Assert.Equal([note, NoLedger], Plan(TestFacts.Of(TestFacts.MySql with { Replicas = replicas })).Notes);

    [Fact]
    public void The_plan_shows_the_statements_that_carry_rows()
    {
        Assert.Equal(
            ["SAVEPOINT bulkload_batch_1", "INSERT INTO `shop`.`people` (`id`,`name`) VALUES (?,?) (executed for up to 500 rows at once)"],
            Plan(TestFacts.Of(TestFacts.MariaDb)).Sql);
        var sql = Plan(TestFacts.Of(TestFacts.MySql)).Sql;
        Assert.Equal("SAVEPOINT bulkload_batch_1", sql[0]);
        Assert.StartsWith("LOAD DATA LOCAL INFILE 'bulkload-<random>' INTO TABLE `shop`.`people`", sql[1], StringComparison.Ordinal);
    }
}
