using BulkLoad.Core.Input;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Tests.Server;

public sealed class ProbingTests
{
    private static TableColumn Read(
        string type, string? columnDefault = null, bool isNullable = false, string extra = "", bool isMariaDb = true,
        string? characters = null,
        string? bytes = null, string? precision = null, string? scale = null, string? fraction = null, string? charset = null,
        string privileges = "select,insert", string? generation = "", string? collation = null) =>
        ColumnReader.Read(
            ["c", type.Split('(', ' ')[0], type, isNullable ? "YES" : "NO", columnDefault, extra, characters, bytes, precision, scale,
                fraction, charset, generation, collation, privileges, "digest"],
            isMariaDb);

    [Theory]
    [InlineData("tinyint(4)", "Integer", 1)]
    [InlineData("tinyint(3) unsigned", "UnsignedInteger", 1)]
    [InlineData("smallint", "Integer", 2)]
    [InlineData("mediumint unsigned", "UnsignedInteger", 3)]
    [InlineData("int(10) unsigned zerofill", "UnsignedInteger", 4)]
    [InlineData("bigint(20)", "Integer", 8)]
    [InlineData("double", "Double", 0)]
    [InlineData("float unsigned", "Float", 0)]
    [InlineData("float(5,2)", "Float", 0)]
    [InlineData("double(10,3) unsigned", "Double", 0)]
    [InlineData("blob", "Blob", 0)]
    [InlineData("binary(16)", "Binary", 0)]
    [InlineData("bit(1)", "Bit", 0)]
    [InlineData("json", "Json", 0)]
    [InlineData("uuid", "Uuid", 0)]
    [InlineData("inet4", "Inet4", 0)]
    [InlineData("inet6", "Inet6", 0)]
    [InlineData("point", "Geometry", 0)]
    [InlineData("geomcollection", "Geometry", 0)]
    [InlineData("varbinary(3)", "Blob", 0)]
    [InlineData("vector(3)", "Blob", 0)]
    [InlineData("year(4)", "Year", 0)]
    [InlineData("longtext", "Text", 0)]
    public void A_type_has_one_kind(string type, string kind, int bytes)
    {
        var column = Read(type);
        Assert.Equal((kind, bytes), (column.Kind.ToString(), column.IntegerBytes));
    }

    [Fact]
    public void Sizes_are_read_as_the_catalogue_writes_them()
    {
        Assert.Equal((10, 2, true), Read("decimal(10,2) unsigned", precision: "10", scale: "2") is var number
            ? (number.Precision, number.Scale, number.IsUnsigned) : default);
        Assert.Equal(3, Read("datetime(3)", fraction: "3").Scale);
        Assert.Equal((50, 0, "latin1", "latin1_bin"), Read("varchar(50)", characters: "50", bytes: "50", charset: "latin1",
            collation: "latin1_bin") is var text ? (text.MaxCharacters, text.MaxBytes, text.Charset, text.Collation) : default);
        Assert.Equal((0, 4_294_967_295),
            Read("longtext", characters: "4294967295", bytes: "4294967295") is var large ? (large.MaxCharacters, large.MaxBytes) : default);
        Assert.True(Read("tinyint(1)").IsBoolean);
        Assert.False(Read("tinyint(2)").IsBoolean);
        Assert.Equal((1, true), Read("bit(1)", precision: "1") is var bit ? (bit.Precision, bit.IsBoolean) : default);
        Assert.False(Read("bit(10)", precision: "10").IsBoolean);
        Assert.Equal((7, 2), Read("float(7,2)", precision: "7", scale: "2") is var single ? (single.Precision, single.Scale) : default);
        Assert.Equal((0, 0), Read("double", precision: "22") is var plain ? (plain.Precision, plain.Scale) : default);
        Assert.Equal((true, 255), Read("tinyblob", characters: "255", bytes: "255") is var blob ? (blob.IsBinary, blob.MaxBytes) : default);
        Assert.Equal("GEOMETRYCOLLECTION", Read("geomcollection").GeometryType);
    }

    [Theory]
    [InlineData("varbinary(10)", "0x6162", false)]
    [InlineData("varbinary(10)", "'ab'", true)]
    [InlineData("bit(3)", "b'101'", false)]
    public void A_constant_that_files_write_otherwise_is_left_to_the_server(string type, string text, bool isMariaDb) =>
        Assert.Equal((ColumnDefault.Expression, null),
            Read(type, columnDefault: text, isMariaDb: isMariaDb) is var column ? (column.Default, column.DefaultText) : default);

    [Theory]
    [InlineData("float", "16777200", ColumnDefault.Expression)]
    [InlineData("float unsigned", "1.23457", ColumnDefault.Expression)]
    [InlineData("float", "0", ColumnDefault.Constant)]
    [InlineData("float(9,3)", "-99999.125", ColumnDefault.Constant)]
    [InlineData("double", "1.2345678901234567", ColumnDefault.Constant)]
    internal void A_float_default_of_which_the_catalogue_shows_six_digits_was_sent_as_those(
        string type, string text, ColumnDefault expected) =>
            Assert.Equal((expected, expected),
                (Read(type, columnDefault: text, isMariaDb: false).Default, Read(type, columnDefault: text, isMariaDb: true).Default));

    [Theory]
    [InlineData("VIRTUAL GENERATED", "`a` + 1", true)]
    [InlineData("STORED GENERATED", "(`a` + 1)", true)]
    [InlineData("STORED GENERATED", "", true)]
    [InlineData("DEFAULT_GENERATED", "", false)]
    [InlineData("DEFAULT_GENERATED on update CURRENT_TIMESTAMP", null, false)]
    [InlineData("on update current_timestamp()", null, false)]
    public void A_generated_column_is_told_from_a_generated_default(string extra, string? expression, bool isGenerated) =>
        Assert.Equal(isGenerated, Read("int", extra: extra, generation: expression, isMariaDb: false).IsGenerated);

    [Fact]
    public void An_invisible_column_is_known() => Assert.True(Read("int", extra: "auto_increment INVISIBLE").IsInvisible);

    [Theory]
    [InlineData("select,insert,update", true)]
    [InlineData("INSERT", true)]
    [InlineData("select,update", false)]
    [InlineData("", false)]
    public void The_right_to_insert_is_read(string privileges, bool canInsert) =>
        Assert.Equal(canInsert, Read("int", privileges: privileges).CanInsert);

    [Theory]
    [InlineData(true, null, false, "", "None", null)]
    [InlineData(true, null, true, "", "Null", null)]
    [InlineData(true, "NULL", true, "", "Null", null)]
    [InlineData(true, "5", false, "", "Constant", "5")]
    [InlineData(true, "-1.50", false, "", "Constant", "-1.50")]
    [InlineData(true, "1e30", false, "", "Expression", null)]
    [InlineData(true, "'abc'", false, "", "Constant", "abc")]
    [InlineData(true, "''", false, "", "Constant", "")]
    [InlineData(true, "'NULL'", false, "", "Constant", "NULL")]
    [InlineData(true, @"'a\\b''c\nd'", false, "", "Constant", "a\\b'c\nd")]
    [InlineData(true, "concat('a','b')", false, "", "Expression", null)]
    [InlineData(true, "'a' 'b'", false, "", "Expression", null)]
    [InlineData(true, "current_timestamp()", false, "", "Expression", null)]
    [InlineData(true, "uuid()", false, "", "Expression", null)]
    [InlineData(true, "'a??b'", false, "", "Expression", null)] // as the catalogue, being utf8mb3, shows a flag of two characters
    [InlineData(false, "a?b", false, "", "Expression", null)]
    [InlineData(true, null, false, "auto_increment", "AutoIncrement", null)]
    [InlineData(false, null, false, "", "None", null)]
    [InlineData(false, "NULL", false, "", "Constant", "NULL")]
    [InlineData(false, "", false, "", "Constant", "")]
    [InlineData(false, "'abc'", false, "", "Constant", "'abc'")]
    [InlineData(false, "CURRENT_TIMESTAMP", false, "DEFAULT_GENERATED", "Expression", null)]
    [InlineData(false, "concat(_utf8mb4\\'a\\')", false, "DEFAULT_GENERATED", "Expression", null)]
    [InlineData(false, null, false, "auto_increment", "AutoIncrement", null)]
    public void A_default_is_read_as_each_server_writes_it(
        bool isMariaDb, string? text, bool isNullable, string extra, string kind, string? expected)
    {
        var column = Read("varchar(9)", text, isNullable, extra, isMariaDb);
        Assert.Equal((kind, expected), (column.Default.ToString(), column.DefaultText));
    }

    [Theory]
    [InlineData("enum('a','b')", "a|b")]
    [InlineData("enum('it''s','','c,d','(x)')", "it's||c,d|(x)")]
    [InlineData("set('a')", "a")]
    [InlineData(@"enum('a\\b','x\ny','c\rd')", "a\\b|x\ny|c\rd")] // Both servers escape: these labels never matched a value.
    [InlineData(@"enum('\\','\\''')", "\\|\\'")]
    public void Labels_are_read_from_the_types_text(string type, string expected) =>
        Assert.Equal(expected, string.Join('|', TypeLabels.Read(type)));

    [Theory]
    [InlineData("UTC", 0)]
    [InlineData("+00:00", 0)]
    [InlineData("-00:00", 0)]
    [InlineData("+05:30", 330)]
    [InlineData("-08:00", -480)]
    [InlineData("+14:00", 840)]
    [InlineData("Asia/Tokyo", 540)]
    [InlineData("Etc/UTC", 0)]
    public void A_zone_of_the_servers_is_found(string name, int minutes) =>
        Assert.Equal(
            TimeSpan.FromMinutes(minutes), SessionZone.Find(name)!.GetUtcOffset(new DateTime(2024, 7, 1, 0, 0, 0, DateTimeKind.Utc)));

    [Theory]
    [InlineData("CEST")]
    [InlineData("SYSTEM")]
    [InlineData("")]
    [InlineData("GMT")] // London's name for its winter, from a server that was started then: summer was an hour off.
    [InlineData("+03")] // What a host in Istanbul calls its zone: it was taken for three days, and crashed.
    [InlineData("-03")]
    [InlineData("+0530")]
    [InlineData("+15:00")]
    [InlineData("Nowhere/City")]
    [InlineData("../etc/passwd")]
    public void A_name_that_is_not_a_zone_of_a_whole_year_is_not_taken_for_one(string name) => Assert.Null(SessionZone.Find(name));

    private static RecordingSession Session(bool isMariaDb = true, bool isLocal = false) => new RecordingSession(isMariaDb, isLocal)
        .Rows("SELECT @@max_allowed_packet",
            ["16777216", "16382", "SYSTEM", "CET", "0", "STATEMENT", "db/3306/var", "7", "2", "shop", "1", "1", "1"])
        .Rows(
            "SELECT @@sql_mode",
            ["STRICT_ALL_TABLES,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
                + "NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION",
                "0", "1", "1", "1", "utf8mb4", "utf8mb4"]);

    [Fact]
    public async Task A_server_is_asked_before_anything_is_set_and_read_back_after()
    {
        var session = Session();
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal(("MariaDB", 16_777_216, 16_382, "CET", false),
            (facts.Kind, facts.MaxAllowedPacket, facts.MaxPreparedStatements, facts.Zone.Name, facts.LogsStatements));
        Assert.Equal("shop", facts.Database);
        Assert.Equal(
            ["SELECT @@max", "SHOW GLOBAL ", "SHOW VARIABL", "SHOW GLOBAL ", "SET NAMES ut", "SET SESSION ", "SET SESSION ", "SELECT @@sql",
                "DO 0 -> ok", "DO 0 -> ok", "DO 0 -> ok", "DO 0 -> ok", "DO 0 -> ok"],
            session.Steps.Select(step => step[..Math.Min(12, step.Length)].TrimEnd('_')));
    }

    private static RecordingSession InGroup() => Session(isMariaDb: false)
        .Rows("SHOW VARIABLES WHERE", ["group_replication_group_name", "g"], ["group_replication_single_primary_mode", "ON"],
            ["super_read_only", "ON"], ["group_replication_transaction_size_limit", "150000000"])
        .Rows("SELECT MEMBER_ID", ["0", "a", "3306", "ONLINE", "PRIMARY"], ["1", "b", "3306", "ONLINE", "SECONDARY"]);

    [Fact]
    public async Task A_member_of_a_group_is_asked_for_the_others()
    {
        var facts = await ServerProbe.LookAsync(InGroup(), new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal("Group Replication, single-primary, member 2 of 2 (SECONDARY)", facts.Topology!.Text);
        Assert.Equal(("a:3306", true, true), (facts.Topology.Primary, facts.Topology.IsSecondary, facts.Topology.IsReadOnlyForAll));
        Assert.Equal(150_000_000, Assert.Single(facts.TransactionLimits).Most);
    }

    [Fact]
    public async Task An_account_that_may_not_see_the_others_is_no_fault()
    {
        var session = InGroup().Answers("SELECT MEMBER_ID", _ => throw new ServerException(1142, "42000", "SELECT command denied"));
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal("Group Replication, single-primary, a member that takes no changes (this account may not see which one does)",
            facts.Topology!.Text);
    }

    [Fact]
    public async Task A_node_of_Galera_is_asked_for_its_place()
    {
        var session = Session().Rows("SHOW VARIABLES WHERE", ["wsrep_on", "ON"], ["wsrep_max_ws_rows", "0"]).Rows(
            "SHOW GLOBAL STATUS WHERE", ["wsrep_cluster_size", "3"], ["wsrep_local_index", "1"], ["wsrep_local_state_comment", "Synced"],
            ["wsrep_cluster_status", "Primary"]);
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal(("Galera node 2 of 3 (Synced)", true), (facts.Topology!.Text, facts.IsGalera));
        Assert.Empty(facts.TransactionLimits);
    }

    [Fact]
    public async Task A_read_only_replica_names_its_source()
    {
        var session = Session().Rows("SHOW VARIABLES WHERE", ["read_only", "ON"]).Table("SHOW ALL SLAVES STATUS",
            ["Master_Host", "Master_Port", "Slave_IO_Running", "Slave_SQL_Running"], ["a", "3307", "Yes", "Yes"]);
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal(("replica of a:3307 (read-only)", "a:3307"), (facts.Topology!.Text, facts.Topology.Primary));
    }

    [Fact]
    public async Task Connected_replicas_make_a_primary()
    {
        var session = Session().Rows("SHOW GLOBAL STATUS LIKE 'Slaves", ["Slaves_connected", "2"]);
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), new StepClock(), CancellationToken.None);
        Assert.Equal("primary with 2 replicas", facts.Topology!.Text);
    }

    /// <summary>What the first two questions take, and then a third, in milliseconds.</summary>
    [Theory]
    [InlineData(11, 10, 0, 10, 0)]
    [InlineData(40, 3, 4, 3, 1)]
    [InlineData(1, 40, 40, 1, 1)]
    [InlineData(7, 20, 0, 0, 1)]
    [InlineData(20, 7, 8, 7, 1)]
    [InlineData(20, 30, 45, 0, 2)]
    [InlineData(11, 10, 10, 10, 1, true)]
    [InlineData(11, 10, 1, 1, 1, true)]
    public async Task A_long_route_is_not_measured_further_and_a_machine_that_is_late_once_does_not_make_it_long(
        int first, int second, int third, int expected, int more, bool isLocal = false)
    {
        var clock = new StepClock();
        var session = Session(isLocal: isLocal)
            .Meanwhile("SET NAMES", 1, () => clock.Advance(TimeSpan.FromMilliseconds(first)))
            .Meanwhile("SET SESSION TRANSACTION", 1, () => clock.Advance(TimeSpan.FromMilliseconds(second)))
            .Meanwhile("DO 0", 1, () => clock.Advance(TimeSpan.FromMilliseconds(third)));
        Assert.Equal(TimeSpan.FromMilliseconds(expected),
            (await ServerProbe.LookAsync(session, new ValueOptions(), clock, CancellationToken.None)).RoundTrip);
        Assert.Equal(more, session.Steps.Count(step => step == "DO 0 -> ok"));
    }

    [Fact]
    public async Task A_question_answered_without_a_row_is_the_peers_fault()
    {
        var fault = await Assert.ThrowsAsync<ServerException>(
            () => ServerProbe.LookAsync(new RecordingSession(), new ValueOptions(), TimeProvider.System, CancellationToken.None));
        Assert.Equal(FaultKind.Protocol, fault.Kind);
    }

    [Fact]
    public async Task A_binary_log_by_statement_keeps_the_isolation_level()
    {
        var session = Session().Rows("SELECT @@max_allowed_packet",
            ["1024", "0", "+02:00", "CET", "1", "STATEMENT", "db/3306/var", "7", "2", "shop", "1", "1", "1"]);
        var facts = await ServerProbe.LookAsync(session, new ValueOptions(), TimeProvider.System, CancellationToken.None);
        Assert.Equal(("+02:00", true), (facts.Zone.Name, facts.LogsStatements));
        Assert.Contains("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ -> ok", session.Steps);
    }

    [Fact]
    public async Task A_setting_that_is_not_kept_stops_the_job()
    {
        var session = Session().Rows("SELECT @@sql_mode", ["", "1", "1", "1", "1", "utf8mb4", "utf8mb4"]);
        var fault = await Assert.ThrowsAsync<PlanException>(
            () => ServerProbe.LookAsync(session, new ValueOptions(), TimeProvider.System, CancellationToken.None));
        Assert.Contains("autocommit is 1, not 0): is there a proxy in between?", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("VIEW", null, null, "d.t is not a table but a VIEW: name the table itself with --table")]
    public async Task A_table_that_cannot_be_loaded_is_refused(string type, string? engine, string? transactions, string expected)
    {
        var session = new RecordingSession().Rows("SELECT t.TABLE_SCHEMA", ["d", "t", type, engine, transactions, null]);
        Assert.Equal(expected,
            (await Assert.ThrowsAsync<PlanException>(() => TableProbe.LookAsync(session, "d", "t", CancellationToken.None))).Message);
    }

    [Fact]
    public async Task A_table_that_is_not_there_offers_the_one_that_is()
    {
        var session = new RecordingSession().Rows("SELECT TABLE_NAME", ["people"], ["places"]).Rows("SELECT SCHEMA_NAME", ["d"]);
        Assert.Equal(
            "table d.peple does not exist, or this account has no right on it; did you mean 'people'?",
            (await Assert.ThrowsAsync<PlanException>(() => TableProbe.LookAsync(session, "d", "peple", CancellationToken.None))).Message);
    }

    [Fact]
    public async Task A_database_that_is_not_there_offers_the_one_that_is()
    {
        var session = new RecordingSession().Rows("SELECT SCHEMA_NAME", ["shop"], ["test"]);
        Assert.Equal(
            "database shpo does not exist, or this account has no right on it; did you mean 'shop'?",
            (await Assert.ThrowsAsync<PlanException>(
                () => TableProbe.LookAsync(session, "shpo", "people", CancellationToken.None))).Message);
    }

    [Theory]
    [InlineData(3948, "the server refuses LOAD DATA LOCAL (error 3948; its local_infile is off)")]
    [InlineData(4166, "the server refuses LOAD DATA LOCAL (error 4166; its local_infile is off)")]
    [InlineData(1148, "the server refuses LOAD DATA LOCAL (error 1148; its local_infile is off)")]
    [InlineData(1290, "LOAD DATA LOCAL of nothing failed here: no (error 1290, SQLSTATE HY000)")]
    public async Task Load_data_local_is_tried_with_nothing(int code, string expected)
    {
        var table = Columns.Table(Columns.Integer("a"));
        var works = new RecordingSession();
        Assert.Null(await LocalInfileProbe.FindRefusalAsync(works, table, table.Columns, [], CancellationToken.None));
        Assert.Equal("serve nothing -> ok", works.Steps[^1]);

        var refuses = new RecordingSession().Fails("serve", 1, new ServerException(code, "HY000", "no"));
        Assert.Equal(expected, await LocalInfileProbe.FindRefusalAsync(refuses, table, table.Columns, [], CancellationToken.None));
    }

    [Fact]
    public async Task A_route_that_breaks_load_data_local_costs_the_session_not_the_job()
    {
        var folder = Directory.CreateTempSubdirectory("bulkload-probe-");
        try
        {
            var file = Path.Combine(folder.FullName, "people.csv");
            await File.WriteAllTextAsync(file, "id,name\n1,Ada\n");
            var violation = new ServerException(FaultKind.Protocol, "it did not ask");
            var (first, second) = (WithPeople().Fails("serve", 1, violation), WithPeople());
            var sessions = new Queue<RecordingSession>([first, second]);
            var request = new LoadRequest { Files = [file], Table = "d.people", Connection = TestFacts.Request.Connection };

            await using var prepared = await JobSetup.CreateAsync(
                request, new JobServices(NullLogger.Instance, TimeProvider.System), retry: null, CancellationToken.None,
                _ => Task.FromResult<IServerSession>(sessions.Dequeue()));

            Assert.Equal("multi-row-insert", prepared.Plan.Strategy);
            Assert.Contains(
                "LOAD DATA LOCAL does not get through here: it did not ask (is there a proxy in between?)",
                prepared.Plan.Verdicts.Select(verdict => verdict.Reason));
            Assert.Same(second, prepared.Session);
            Assert.Contains(second.Steps, step => step.StartsWith("SET SESSION sql_mode", StringComparison.Ordinal));
            Assert.False(first.IsUsable);
        }
        finally
        {
            folder.Delete(recursive: true);
        }

        static RecordingSession WithPeople() => Session(isMariaDb: false)
            .Rows("SELECT t.TABLE_SCHEMA", ["d", "people", "BASE TABLE", "InnoDB", "YES", "1760000000"])
            .Rows(
                "SELECT COLUMN_NAME",
                ["id", "int", "int", "NO", null, "", null, null, "10", "0", null, null, "", null, "select,insert", "1"],
                ["name", "varchar", "varchar(50)", "YES", null, "", "50", "200", null, null, null, "utf8mb4", "", "utf8mb4_bin",
                    "select,insert", "2"]);
    }

    [Fact]
    public async Task An_expression_that_reads_the_table_itself_is_found_by_loading_nothing()
    {
        var table = Columns.Table(Columns.Integer("a"), Columns.Integer("b"));
        var session = new RecordingSession().Fails("serve", 1, new ServerException(1093, "HY000", "twice"));
        var fault = await Assert.ThrowsAsync<PlanException>(() => LocalInfileProbe.FindRefusalAsync(
            session, table, [table.Columns[0]], [new ColumnAssignment("b", "(SELECT MAX(a) FROM people)")], CancellationToken.None));
        Assert.Equal("--set: an expression must not read the table that is loaded (twice)", fault.Message);
        Assert.Contains(session.Steps, step => step.Contains("(`a`) SET `b`=((SELECT MAX(a) FROM people))", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Each_expression_is_prepared_in_a_row_of_its_own()
    {
        var table = Columns.Table(Columns.Integer("a"), Columns.Integer("b"), Columns.Integer("c"));
        var session = new RecordingSession().Fails("prepare", 2, new ServerException(1305, "42000", "FUNCTION x does not exist"));
        var fault = await Assert.ThrowsAsync<PlanException>(() => AssignmentProbe.CheckAsync(
            session, table, [table.Columns[0]], [], [new ColumnAssignment("b", "1"), new ColumnAssignment("c", "x()")], JobKind.Import,
            CancellationToken.None));
        Assert.Equal("--set c: the server refuses 'x()': FUNCTION x does not exist (error 1305, SQLSTATE 42000)", fault.Message);
        Assert.Contains(session.Steps, step => step.Contains("(`a`,`b`) VALUES (?,(1))", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_session_is_set_up_for_the_values_that_are_asked_for()
    {
        var session = Session().Rows(
            "SELECT @@sql_mode",
            ["STRICT_ALL_TABLES,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION", "0", "1", "1",
                "1", "utf8mb4", "utf8mb4", "+00:00"]);
        var facts = await ServerProbe.LookAsync(
            session, new ValueOptions { ZeroDates = true, TimeZone = "Europe/Berlin" }, TimeProvider.System, CancellationToken.None);
        Assert.Equal("Europe/Berlin", facts.Zone.Name);
        var settings = Assert.Single(session.Steps, step => step.StartsWith("SET SESSION sql_mode", StringComparison.Ordinal));
        Assert.Contains(", time_zone='+00:00'", settings, StringComparison.Ordinal);
        Assert.DoesNotContain("NO_ZERO", settings, StringComparison.Ordinal);
    }

    [Fact]
    public void A_timestamps_default_is_written_in_no_certain_zone_and_left_to_the_server()
    {
        Assert.Equal(ColumnDefault.Expression, Read("timestamp", "2024-01-01 00:00:00", true, "", false).Default);
        Assert.Equal(ColumnDefault.Expression, Read("timestamp", "'2024-01-01 00:00:00'", true, "", true).Default);
        Assert.Equal(ColumnDefault.Constant, Read("datetime", "'2024-01-01 00:00:00'", true, "", true).Default);
    }

    [Fact]
    public async Task Load_data_local_may_still_work_where_the_table_is_not_there_yet()
    {
        var table = Columns.Table(Columns.Integer("a"));
        var session = new RecordingSession().Fails("serve", 1, new ServerException(1146, "42S02", "no such table"));
        Assert.Null(await LocalInfileProbe.FindRefusalAsync(session, table, table.Columns, [], CancellationToken.None));
    }

    [Fact]
    public async Task A_new_table_needs_a_free_name()
    {
        await TableProbe.CheckFreeAsync(WithDatabase(), "d", "people", hasKey: false, CancellationToken.None);

        var taken = WithDatabase().Rows("SELECT t.TABLE_SCHEMA", ["d", "people", "VIEW", null, null]);
        Assert.Equal(
            "table d.people already exists: leave out --create to add the records to it, or name another with --table",
            (await Assert.ThrowsAsync<PlanException>(
                () => TableProbe.CheckFreeAsync(taken, "d", "people", false, CancellationToken.None))).Message);
        Assert.StartsWith(
            "database x does not exist",
            (await Assert.ThrowsAsync<PlanException>(
                () => TableProbe.CheckFreeAsync(WithDatabase(), "x", "people", false, CancellationToken.None))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_new_table_needs_transactions_and_the_key_that_the_server_demands()
    {
        var myisam = WithDatabase("MyISAM", "NO");
        Assert.StartsWith(
            "the server makes new tables with engine MyISAM, which has no transactions",
            (await Assert.ThrowsAsync<PlanException>(
                () => TableProbe.CheckFreeAsync(myisam, "d", "people", true, CancellationToken.None))).Message,
            StringComparison.Ordinal);

        var demanding = WithDatabase().Rows("SHOW VARIABLES", ["sql_require_primary_key", "ON"]);
        Assert.Equal(
            "the server takes no table without a primary key (sql_require_primary_key is ON): name its columns with --primary-key",
            (await Assert.ThrowsAsync<PlanException>(
                () => TableProbe.CheckFreeAsync(demanding, "d", "people", false, CancellationToken.None))).Message);
        await TableProbe.CheckFreeAsync(demanding, "d", "people", hasKey: true, CancellationToken.None);
    }

    private static RecordingSession WithDatabase(string engine = "InnoDB", string transactions = "YES") =>
        new RecordingSession().Rows("SELECT SCHEMA_NAME", ["d"]).Rows("SELECT ENGINE", [engine, transactions]);

    [Fact]
    public async Task An_account_that_may_not_insert_is_told_so()
    {
        var table = Columns.Table(Columns.Integer("a"));
        var session = new RecordingSession().Fails("serve", 1, new ServerException(1142, "42000", "INSERT command denied"));
        var fault = await Assert.ThrowsAsync<PlanException>(
            () => LocalInfileProbe.FindRefusalAsync(session, table, table.Columns, [], CancellationToken.None));
        Assert.Equal(
            "this account may not insert into shop.people (INSERT command denied): GRANT INSERT ON shop.people to it", fault.Message);
    }
}
