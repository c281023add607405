using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Planning;

public sealed class SortPlannerTests
{
    private static readonly TableColumn Id = Columns.Id();
    private static readonly TableColumn Line = Columns.Integer("line").Required();
    private static readonly TableColumn Name = Columns.Varchar("name");
    private static readonly UniqueKey Primary = Key("PRIMARY", "line", "id");
    private static readonly LoadFacts Shuffled = With(TestFacts.Of(TestFacts.MySql, Id, Line, Name),
        table => table with { UniqueKeys = [Primary] }) with
    { KeyOrder = new KeyOrderInfo(2000, 990, 1L << 40) };

    private static LoadFacts With(LoadFacts facts, Func<TableFacts, TableFacts> change) => facts with { Table = change(facts.Table) };

    private static LoadFacts Asked(Func<LoadRequest, LoadRequest> change) => Shuffled with { Request = change(Shuffled.Request) };

    private static LoadFacts WithKeys(params UniqueKey[] others) =>
        With(Shuffled, table => table with { UniqueKeys = [Primary, .. others] });

    private static UniqueKey Key(string name, params string[] columns) => new(name, [.. columns.Select(column => new KeyPart(column))]);

    private static void InOrder(string reason, LoadFacts facts)
    {
        var plan = SortPlanner.Plan(facts);
        Assert.Equal((false, "", reason), (plan.IsSorted, plan.By, plan.Reason));
    }

    [Fact]
    public void Records_out_of_order_are_sorted_by_the_primary_key()
    {
        var plan = SortPlanner.Plan(Shuffled);
        Assert.Equal((true, "(line, id)", "990 of the first 2,000 records have a key that belongs before others (--no-sort keeps the "
            + "input's order)"), (plan.IsSorted, plan.By, plan.Reason));
        Assert.Equal([1, 0], plan.Key);
        Assert.True(SortPlanner.NeedsLook(Shuffled with { KeyOrder = null }));
        Assert.True(SortPlanner.NeedsOwnReferences(Shuffled));
        Assert.True(Planned.KeepsChunks(Shuffled));
        var sessions = Planned.Sessions(WithKeys(Key("all", "id", "line", "name")));
        Assert.Equal(
            (1, "two records of the input could have the same key all, and the first has to win"), (sessions.Max, sessions.Reason));
        sessions = Planned.Sessions(WithKeys(Key("all", "id", "line")));
        Assert.Equal((2, "sorted by (line, id), and those of one key stay together"), (sessions.Max, sessions.Reason));
        Assert.Equal([[1, 0]], sessions.WatchedKeys);
        var sending = LoadPlanner.Decide(Shuffled, StrategyCatalog.Import);
        var shown = sending.Plan;
        Assert.Equal(new PlannedOrder("(line, id)", plan.Reason), shown.Order);
        Assert.True(sending.Sort.IsSorted);
    }

    [Fact]
    public void Records_that_are_in_order_or_nearly_so_stay_as_they_are()
    {
        foreach (var late in new[] { 0, 249 })
        {
            var facts = Shuffled with { KeyOrder = new KeyOrderInfo(2000, late, 1L << 40) };
            InOrder("(line, id) rises in the first records, or nearly so", facts);
            Assert.False(SortPlanner.NeedsOwnReferences(facts));
            Assert.False(Planned.KeepsChunks(facts));
            Assert.False(LoadPlanner.Decide(facts, StrategyCatalog.Import).Sort.IsSorted);
        }
    }

    [Fact]
    public void The_order_is_kept_where_it_matters()
    {
        InOrder("--no-sort", Asked(request => request with { NoSort = true }));
        InOrder("two records could have the same key names, and the first has to win", WithKeys(Key("names", "name")));
        InOrder("two records could have the same key names, and the first has to win",
            WithKeys(new UniqueKey("names", [new KeyPart("line", 3), new KeyPart("id")])));
        Assert.True(SortPlanner.Plan(WithKeys(Key("names", "name", "id", "line"))).IsSorted);
        InOrder("trigger log_it (AFTER INSERT) may depend on the records before",
            With(Shuffled, table => table with { InsertTriggers = ["log_it (AFTER INSERT)"] }));
        var updating = With(Shuffled, table => table with { UpdateTriggers = ["log_it (AFTER UPDATE)"] });
        Assert.True(SortPlanner.Plan(updating).IsSorted);
        InOrder("trigger log_it (AFTER UPDATE) may depend on the records before",
            updating with { Request = updating.Request with { OnDuplicate = DuplicateMode.Update } });
        InOrder("a foreign key of shop.people points to itself, and a record may need one before it",
            With(Shuffled, table => table with { RefersToItself = true }));
        InOrder("the server gives no in the order in which records arrive",
            With(Shuffled, table => table with { Columns = [.. table.Columns, Columns.Id("no")] }));
    }

    [Fact]
    public void A_key_whose_order_is_not_known_here_is_not_sorted_by()
    {
        InOrder("the server's order of name (varchar(100)) is not known here",
            With(Shuffled, table => table with { UniqueKeys = [Key("PRIMARY", "name")] }));
        InOrder("the server's order of line (int) is not known here",
            With(Shuffled, table => table with { UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("line", 2)])] }));
        var constant = Line with { Default = ColumnDefault.Constant };
        var facts = With(TestFacts.Of(TestFacts.MySql, constant), table => table with { UniqueKeys = [Key("PRIMARY", "line")] }) with
        { KeyOrder = Shuffled.KeyOrder };
        Assert.True(SortPlanner.Plan(facts).IsSorted);
        InOrder("a record may leave line to its default", facts with { RecordsCanLackColumns = true });
    }

    [Fact]
    public void Sorting_needs_room()
    {
        var facts = Shuffled with
        { KeyOrder = new KeyOrderInfo(2000, 990, 100 * 1024 * 1024), Request = Shuffled.Request with { TempFolder = "/small" } };
        Assert.True(SortPlanner.Plan(facts with { KeyOrder = new KeyOrderInfo(2000, 990, 220_000_000) }).IsSorted);
        InOrder("sorting would take about 209 MiB in /small, which has 100 (--temp-dir names another folder)", facts);
    }

    [Fact]
    public void There_is_nothing_to_think_of_where_order_makes_no_difference()
    {
        foreach (var facts in new[]
        {
            Asked(request => request with { Mode = JobMode.ServerCheck }),
            Asked(request => request with { Mode = JobMode.Verify }),
            With(Shuffled, table => table with { Engine = "MyISAM" }),
            With(Shuffled, table => table with { UniqueKeys = [] }),
            With(Shuffled, table => table with { UniqueKeys = [Key("PRIMARY", "elsewhere")] }),
            Shuffled with { Sources = [Shuffled.Sources[0] with { Bytes = null }] },
            Shuffled with { Sources = [Shuffled.Sources[0] with { Bytes = SortPlanner.MinBytes - 1 }] },
        })
        {
            InOrder("", facts);
            Assert.False(SortPlanner.NeedsLook(facts));
        }

        Assert.Null(LoadPlanner.Decide(With(Shuffled, table => table with { UniqueKeys = [] }), StrategyCatalog.Import).Plan.Order);
    }

    [Fact]
    public void A_job_goes_on_in_the_order_in_which_it_was_begun()
    {
        InOrder("as the job was started", Shuffled with { KeyOrder = null, SortedBefore = "" });
        var begun = Shuffled with { KeyOrder = null, SortedBefore = "(line, id)" };
        Assert.Equal(("(line, id)", "as the job was started"), (SortPlanner.Plan(begun).By, SortPlanner.Plan(begun).Reason));
        Refused("--no-sort: the job was started with its records sorted by (line, id): leave the option out; or ",
            begun with { Request = begun.Request with { NoSort = true } });
        Refused("the job was started with its records sorted by (line, id), and cannot resume like that, since trigger x may depend on the "
            + "records before: ", With(begun, table => table with { InsertTriggers = ["x"] }));
        Refused("the job was started with its records sorted by (id), and cannot resume like that, since the primary key is (line, id) "
            + "now: ", begun with { SortedBefore = "(id)" });

        static void Refused(string message, LoadFacts facts) =>
            Assert.StartsWith(message, Assert.Throws<PlanException>(() => SortPlanner.Plan(facts)).Message, StringComparison.Ordinal);
    }

    /// <summary>A hundred thousand keys, in an order of their own.</summary>
    private static LoadFacts Deleting(Func<LoadFacts, LoadFacts>? change = null)
    {
        var facts = TestKeys.Facts(TestFacts.MySql);
        facts = facts with
        {
            Request = facts.Request with { Kind = JobKind.Delete },
            Table = facts.Table with { UniqueKeys = [Key("PRIMARY", "id")] },
            Sources = [.. facts.Sources.Select(source => source with { EstimatedRecords = 100_000 })],
            KeyOrder = new KeyOrderInfo(2000, 990, 1L << 40),
        };
        return change is null ? facts : change(facts);
    }

    [Fact]
    public void Keys_of_rows_to_be_deleted_are_sorted_where_there_are_many()
    {
        var facts = Deleting();
        var plan = SortPlanner.Plan(facts);
        Assert.Equal(
            (true, "(id)", "990 of the first 2,000 records have a key that belongs before others (--no-sort keeps the input's order)"),
            (plan.IsSorted, plan.By, plan.Reason));
        Assert.False(SortPlanner.NeedsOwnReferences(facts));
        Assert.False(SortPlanner.IsInOrder(facts));
        Assert.True(SortPlanner.IsInOrder(facts with { KeyOrder = new KeyOrderInfo(2000, 249, 1L << 40) }));
        Assert.False(SortPlanner.IsConsidered(
            Deleting(few => few with { Sources = [.. few.Sources.Select(source => source with { EstimatedRecords = 50_000 })] })));
        Assert.False(SortPlanner.IsConsidered(Deleting(
            ranges => ranges with { Request = ranges.Request with { Source = ranges.Request.Source with { ReadsRanges = true } } })));
        Assert.False(SortPlanner.IsConsidered(
            Deleting(pipe => pipe with { Sources = [.. pipe.Sources.Select(source => source with { Bytes = null })] })));
        Assert.False(SortPlanner.IsConsidered(
            Deleting(other => other with { Table = other.Table with { UniqueKeys = [Key("PRIMARY", "id", "line")] } })));
    }

    [Fact]
    public void Sorted_keys_go_by_several_sessions_and_none_is_looked_for_twice()
    {
        var facts = Deleting() with { Server = TestFacts.MariaDb };
        var sessions = Planned.Sessions(facts);
        Assert.Equal(
            (2, "sorted by (id), and those of one key stay together", false), (sessions.Max, sessions.Reason, sessions.NeedsDistinctKeys));
        Assert.Empty(sessions.WatchedKeys);
        Assert.True(Planned.Sessions(Deleting(
            plain => plain with { Server = TestFacts.MariaDb, Request = plain.Request with { NoSort = true } })).NeedsDistinctKeys);
    }

    [Fact]
    public void Keys_keep_their_order_where_it_matters()
    {
        InOrder("--no-sort", Deleting(facts => facts with { Request = facts.Request with { NoSort = true } }));
        InOrder("trigger log_it (AFTER DELETE) may depend on the records before",
            Deleting(facts => facts with { Table = facts.Table with { DeleteTriggers = ["log_it (AFTER DELETE)"] } }));
        InOrder("--where may read what another record has changed",
            Deleting(facts => facts with { Request = facts.Request with { Key = facts.Request.Key with { Where = "age > 3" } } }));
        InOrder(
            "the order decides: a foreign key of the table refers to the table itself",
            Deleting(facts => facts with
            { Key = facts.Key! with { Referring = [new ReferringKey(facts.Table.DisplayName, "to_itself", "RESTRICT", "RESTRICT")] } }));
    }

    /// <summary>A hundred thousand rows found by their id, to get another name.</summary>
    private static LoadFacts Updating(Func<LoadFacts, LoadFacts>? change = null)
    {
        var facts = Deleting();
        facts = facts with
        {
            Request = facts.Request with { Kind = JobKind.Update },
            Columns = [.. facts.Columns, Name],
            Table = facts.Table with { Columns = [.. facts.Table.Columns, Columns.Integer("age")] },
        };
        return change is null ? facts : change(facts);
    }

    [Fact]
    public void Changes_are_sorted_where_there_are_many()
    {
        var facts = Updating();
        var plan = SortPlanner.Plan(facts);
        Assert.Equal(
            (true, "(id)", "990 of the first 2,000 records have a key that belongs before others (--no-sort keeps the input's order)"),
            (plan.IsSorted, plan.By, plan.Reason));
        Assert.Equal([0], plan.Key);
        Assert.False(SortPlanner.NeedsOwnReferences(facts));
        Assert.True(SortPlanner.IsInOrder(facts with { KeyOrder = new KeyOrderInfo(2000, 249, 1L << 40) }));
        Assert.True(Planned.KeepsChunks(facts));
        Assert.False(SortPlanner.IsConsidered(
            Updating(few => few with { Sources = [.. few.Sources.Select(source => source with { EstimatedRecords = 50_000 })] })));
        var sessions = Planned.Sessions(facts);
        Assert.Equal(
            (2, "sorted by (id), and those of one key stay together", false), (sessions.Max, sessions.Reason, sessions.NeedsDistinctKeys));
        Assert.Empty(sessions.WatchedKeys);
    }

    [Fact]
    public void Changes_by_another_key_than_the_primary_one_keep_their_order()
    {
        var byAge = Updating(facts => facts with
        {
            Key = facts.Key! with { Columns = [Columns.Integer("age")] },
            Columns = [Columns.Integer("age"), Columns.Integer("id").Required()],
        });
        Assert.False(SortPlanner.IsConsidered(byAge));
        InOrder("", byAge);
    }

    [Fact]
    public void Changes_keep_their_order_where_it_matters()
    {
        InOrder("--no-sort", Updating(facts => facts with { Request = facts.Request with { NoSort = true } }));
        InOrder("trigger log_it (AFTER UPDATE) may depend on the records before",
            Updating(facts => facts with { Table = facts.Table with { UpdateTriggers = ["log_it (AFTER UPDATE)"] } }));
        Assert.True(SortPlanner.Plan(
            Updating(facts => facts with { Table = facts.Table with { DeleteTriggers = ["log_it (AFTER DELETE)"] } })).IsSorted);
        InOrder("the order decides: a record changes only the columns that it has, and others may have others",
            Updating(facts => facts with { RecordsCanLackColumns = true }));
        InOrder(
            "the order decides: --where reads what another record may have changed",
            Updating(facts => facts with { Request = facts.Request with { Key = facts.Request.Key with { Where = "name <> 'x'" } } }));
        Assert.True(SortPlanner.Plan(Updating(
            facts => facts with { Request = facts.Request with { Key = facts.Request.Key with { Where = "age > 3" } } })).IsSorted);
        InOrder("the order decides: column 'id' changes, by which rows are found: what one record moves another may look for",
            Updating(facts => facts with { Columns = [.. facts.Columns, facts.Columns[0]] }));
    }
}
