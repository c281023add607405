using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Planning;

public sealed class SessionPlannerTests
{
    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Line = Columns.Integer("line").Required();
    private static readonly TableColumn Name = Columns.Varchar("name");

    private static LoadFacts Of(params UniqueKey[] keys) =>
        With(TestFacts.Of(TestFacts.MySql, Id, Line, Name), table => table with { UniqueKeys = keys });

    private static LoadFacts With(LoadFacts facts, Func<TableFacts, TableFacts> change) => facts with { Table = change(facts.Table) };

    private static LoadFacts Asked(LoadFacts facts, Func<LoadRequest, LoadRequest> change) =>
        facts with { Request = change(facts.Request) };

    private static UniqueKey Key(string name, params string[] columns) => new(name, [.. columns.Select(column => new KeyPart(column))]);

    [Fact]
    public void Two_sessions_carry_rows_whose_keys_rise()
    {
        var plan = Planned.Sessions(Of(Key("PRIMARY", "id"), Key("lines", "id", "line")));
        Assert.Equal((2, "as long as (id) and (id, line) rise through the input"), (plan.Max, plan.Reason));
        Assert.Equal([[0], [0, 1]], plan.WatchedKeys);
    }

    [Fact]
    public void Nothing_is_watched_where_no_key_can_be_met_twice()
    {
        var plan = Planned.Sessions(Of());
        Assert.Equal((2, "no key can be met twice in the input", 0), (plan.Max, plan.Reason, plan.WatchedKeys.Count));
        var own = With(TestFacts.Of(TestFacts.MySql, Name),
            table => table with { Columns = [Columns.Id(), Name], UniqueKeys = [Key("PRIMARY", "id")] });
        Assert.Equal((2, 0), (Planned.Sessions(own).Max, Planned.Sessions(own).WatchedKeys.Count));
    }

    [Fact]
    public void The_number_asked_for_is_taken_where_several_are_possible()
    {
        Assert.Equal((5, "--threads; where (id) rises through the input"),
            Plan(Asked(Of(Key("PRIMARY", "id")), request => request with { Threads = 5 })));
        Assert.Equal((1, "--threads"), Plan(Asked(Of(Key("PRIMARY", "id")), request => request with { Threads = 1 })));
        Assert.Equal(
            (1, "all is one transaction"), Plan(Asked(Of(Key("PRIMARY", "id")), request => request with { Threads = 5, Atomic = true })));
    }

    [Fact]
    public void One_session_keeps_the_order_where_it_matters()
    {
        var usual = Of(Key("PRIMARY", "id"));
        One("all is one transaction", Asked(usual, request => request with { Mode = JobMode.ServerCheck }));
        One("--on-duplicate update: what becomes of a record depends on those before it",
            Asked(usual, request => request with { OnDuplicate = DuplicateMode.Update }));
        One("it slows down, waits or stops for the sake of others",
            Asked(usual, request => request with { Throttle = new() { PauseFile = "pause" } }));
        One("trigger log_it (AFTER INSERT) may depend on the records before",
            With(usual, table => table with { InsertTriggers = ["log_it (AFTER INSERT)"] }));
        One("the binary log is by statement, and sessions would wait for each other",
            usual with { Server = usual.Server with { LogsStatements = true } });
        One("a foreign key of shop.people points to itself, and a record may need one before it",
            With(usual, table => table with { RefersToItself = true }));
        One("two records of the input could have the same key names, and the first has to win",
            Of(Key("PRIMARY", "id"), Key("names", "name")));
        One("two records of the input could have the same key made, and the first has to win",
            Of(new UniqueKey("made", [new KeyPart(null)])));
        One("two records of the input could have the same key short, and the first has to win",
            Of(new UniqueKey("short", [new KeyPart("id", 2)])));
        One("two records of the input could have the same key other, and the first has to win", With(
            usual, table => table with { Columns = [.. table.Columns, Columns.Integer("other")], UniqueKeys = [Key("other", "other")] }));
    }

    [Fact]
    public void Two_sessions_delete_as_long_as_the_keys_rise()
    {
        var plan = Planned.Sessions(Many(TestKeys.Facts(TestFacts.MySql)));
        Assert.Equal((2, "where (id) rises through the input"), (plan.Max, plan.Reason));
        Assert.Equal([[0]], plan.WatchedKeys);
        Assert.False(plan.NeedsDistinctKeys);
        Assert.Equal(plan with { WatchedKeys = [] }, Planned.Sessions(
            Many(TestKeys.Facts(TestFacts.MySql)) with { KeyOrder = new KeyOrderInfo(2000, 0, 0) }) with
        { WatchedKeys = [] });
        One("two records of the input could have the same key, and the first one counts",
            Many(TestKeys.Facts(TestFacts.MySql, key: TestKeys.Of([Name.Required()], TestKeys.Index("names", true, "name")))));
    }

    [Fact]
    public void Two_sessions_delete_in_any_order_once_it_is_known_which_keys_repeat()
    {
        var facts = Many(TestKeys.Facts(TestFacts.MySql)) with { KeyOrder = new KeyOrderInfo(2000, 1, 0) };
        var plan = Planned.Sessions(facts);
        Assert.Equal((2, "no two records that are sent have the same key", 0, true),
            (plan.Max, plan.Reason, plan.WatchedKeys.Count, plan.NeedsDistinctKeys));
        Assert.True(Planned.KeepsChunks(facts));
        Assert.False(Planned.KeepsChunks(facts with { KeyOrder = null }));
        Assert.False(Planned.Sessions(Asked(facts, request => request with { Threads = 1 })).NeedsDistinctKeys);
    }

    [Fact]
    public void One_session_deletes_where_MySQL_could_find_lists_by_reading_the_table()
    {
        const string Reading = "the table does not have 3 times as many rows as there are keys: the server could find a list by reading "
            + "the table, and wait for what another session has deleted";
        var small = Many(TestKeys.Facts(TestFacts.MySql), 3 * SessionPlanner.MinChanges - 1);
        One(Reading, small);
        One(Reading, Asked(small, request => request with { Threads = 4 }));
        One(Reading,
            Asked(Many(TestKeys.Facts(TestFacts.MySql)), request => request with { Source = request.Source with { ReadsRanges = true } }));
        One(Reading, small with { Key = small.Key! with { TableRows = null } });
        Assert.Equal(2, Planned.Sessions(small with { Server = TestFacts.MariaDb }).Max);
    }

    [Theory]
    [InlineData(nameof(JobKind.Delete), null, true)]
    [InlineData(nameof(JobKind.Delete), 1, false)]
    [InlineData(nameof(JobKind.Update), null, false)]
    public void Only_a_delete_that_may_be_shared_is_looked_at(string kind, int? threads, bool isLookedAt) =>
        Assert.Equal(isLookedAt, SessionPlanner.NeedsLook(
            Asked(Many(TestKeys.Facts(TestFacts.MySql)), request => request with { Kind = Enum.Parse<JobKind>(kind), Threads = threads })));

    [Fact]
    public void Two_sessions_update_whatever_the_order_since_no_key_is_sent_twice()
    {
        var plan = Planned.Sessions(Many(Updates(TestKeys.Facts(TestFacts.MySql))));
        Assert.Equal((2, "no two records that are sent have the same key", 0), (plan.Max, plan.Reason, plan.WatchedKeys.Count));
    }

    [Fact]
    public void One_session_changes_rows_where_the_order_matters_or_another_would_wait()
    {
        var delete = Many(TestKeys.Facts(TestFacts.MySql));
        var update = Updates(delete);
        One("the input has less than 75,000 records", delete with { Sources = [delete.Sources[0] with { EstimatedRecords = 74_999 }] });
        One("all is one transaction", Asked(delete, request => request with { Atomic = true }));
        One("it slows down, waits or stops for the sake of others",
            Asked(update, request => request with { Throttle = new() { PauseFile = "pause" } }));
        One("trigger tell (BEFORE DELETE) may depend on the records before",
            With(delete, table => table with { DeleteTriggers = ["tell (BEFORE DELETE)"] }));
        One("trigger note (AFTER UPDATE) may depend on the records before",
            With(update, table => table with { UpdateTriggers = ["note (AFTER UPDATE)"] }));
        Assert.Equal(2, Planned.Sessions(
            With(delete, table => table with { InsertTriggers = ["in (AFTER INSERT)"], UpdateTriggers = ["note (AFTER UPDATE)"] })).Max);
        One("every statement reads the whole table", delete with { Key = TestKeys.Of(delete.Key!.Columns) });
        One("a key can find several rows",
            delete with { Key = TestKeys.Of(delete.Key.Columns, TestKeys.Index("ids", isUnique: false, "id")) });
        One("--where may read what another record has changed",
            Asked(delete, request => request with { Key = new KeyOptions { Where = "name='x'" } }));
        One("it is not known which keys are equal to their column: no rights",
            update with { Key = update.Key! with { StagingRefusal = "no rights" } });
        One("the order decides: --set name reads what another record may have changed",
            update with { Assignments = [new ColumnAssignment("name", "CONCAT(name, 'x')")] });
        var referred = delete.Key with { Referring = [new ReferringKey("shop.orders", "buyer", "RESTRICT")] };
        One("foreign key buyer of shop.orders: its rows are locked, too", delete with { Key = referred });
        Assert.Equal(2, Planned.Sessions(update with { Key = referred }).Max);
        One("foreign key buyer of shop.orders: its rows are locked, too",
            update with { Key = referred with { Indexes = [.. referred.Indexes, TestKeys.Index("names", isUnique: false, "name")] } });
    }

    [Fact]
    public void Changes_are_committed_in_pieces_that_both_sessions_get_some_of()
    {
        var sending = LoadPlanner.Decide(Many(TestKeys.Facts(TestFacts.MySql)), StrategyCatalog.Delete);
        var plan = sending.Plan;
        Assert.Equal((50_000, 50_000, 4 << 20), (sending.Sizes.RowsPerBatch, sending.Sizes.RowsPerChunk, sending.Sizes.BytesPerChunk));
        Assert.Contains(
            plan.Sizes, size => size is { Name: "rows-per-chunk", Value: 50_000, SetBy: "the sessions then end at about the same time" });
        var asked = LoadPlanner.Decide(
            Many(Asked(TestKeys.Facts(TestFacts.MySql), request => request with { RowsPerChunk = 10 })), StrategyCatalog.Delete);
        Assert.Equal((100_000, 10), (asked.Sizes.RowsPerBatch, asked.Sizes.RowsPerChunk));
    }

    [Fact]
    public void A_server_that_lets_one_statement_at_a_time_in_gets_one_session()
    {
        var counted = With(TestFacts.Of(TestFacts.MariaDb with { LocksIds = true }, Columns.Id(), Name),
            table => table with { UniqueKeys = [Key("PRIMARY", "id")] });
        One("the server lets one statement at a time into a table with AUTO_INCREMENT (innodb_autoinc_lock_mode)", counted);
        Assert.Equal(2, Planned.Sessions(counted with { Server = TestFacts.MariaDb }).Max);
        Assert.Equal(2, Planned.Sessions(Of(Key("PRIMARY", "id")) with { Server = TestFacts.MariaDb with { LocksIds = true } }).Max);
    }

    [Fact]
    public void A_small_input_is_not_worth_a_second_session_unless_that_is_asked_for()
    {
        var small = Of(Key("PRIMARY", "id")) with
        { Sources = [new PlannedSource("people.csv", "csv", "none", "utf-8", SessionPlanner.MinBytes - 1, 100)] };
        One("the input has less than 16 MiB", small);
        Assert.Equal(3, Planned.Sessions(Asked(small, request => request with { Threads = 3 })).Max);
        Assert.Equal(2, Planned.Sessions(small with { Sources = [small.Sources[0], small.Sources[0]] }).Max);
        Assert.Equal(2, Planned.Sessions(small with { Sources = [small.Sources[0] with { Bytes = null }] }).Max);
    }

    [Fact]
    public void Sizes_are_smaller_where_several_sessions_have_batches_in_memory()
    {
        var sending = LoadPlanner.Decide(Of(Key("PRIMARY", "id")), StrategyCatalog.Import);
        var plan = sending.Plan;
        Assert.Equal((2, "where (id) rises through the input; up to 8 are tried if it is long"), (plan.Sessions, plan.SessionsReason));
        Assert.Equal((1 << 20, 4 << 20, 65_536), (sending.Sizes.BytesPerBatch, sending.Sizes.BytesPerChunk, sending.Sizes.RowsPerChunk));
    }

    [Fact]
    public void More_are_tried_where_nobody_says_how_many_nor_how_much_memory()
    {
        var facts = Of(Key("PRIMARY", "id"));
        Assert.Equal(SessionPlanner.MaxTried, Planned.Sessions(facts).MaxTried);
        Assert.Equal(0, Planned.Sessions(facts with { Request = facts.Request with { Threads = 2 } }).MaxTried);
        foreach (var (cores, most) in new[] { (1, 0), (2, 0), (3, 3), (6, 6), (64, SessionPlanner.MaxTried) })
        {
            Assert.Equal(most, Planned.Sessions(facts with { Server = facts.Server with { SharedCores = cores } }).MaxTried);
        }

        Assert.Equal(0, Planned.Sessions(facts with { Request = facts.Request with { MaxMemory = 1 << 30 } }).MaxTried);
        Assert.Equal(0, Planned.Sessions(facts with { Request = facts.Request with { Atomic = true } }).MaxTried);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(65)]
    public void A_number_that_cannot_be_meant_is_refused(int threads) =>
        Assert.StartsWith("--threads: ", Assert.Throws<RequestException>(
            () => (TestFacts.Request with { Threads = threads }).Validate()).Message, StringComparison.Ordinal);

    private static LoadFacts Many(LoadFacts facts, long tableRows = 3 * SessionPlanner.MinChanges) =>
        facts with
        {
            Key = facts.Key! with { TableRows = tableRows },
            Sources = [new PlannedSource("ids.txt", "ids", "none", "utf-8", 1 << 20, SessionPlanner.MinChanges)]
        };

    private static LoadFacts Updates(LoadFacts facts) => facts with
    {
        Request = facts.Request with { Kind = JobKind.Update },
        Columns = [.. facts.Columns, Name],
    };

    private static (int Max, string Reason) Plan(LoadFacts facts) => (Planned.Sessions(facts).Max, Planned.Sessions(facts).Reason);

    private static void One(string reason, LoadFacts facts) => Assert.Equal((1, reason), Plan(facts));
}
