using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

/// <summary>Tables whose engine cannot roll back.</summary>
public sealed class NonTransactionalRulesTests
{
    private static readonly UniqueKey Primary = new("PRIMARY", [new KeyPart("id")]);

    private static LoadFacts Of(Func<TableFacts, TableFacts>? change = null, Func<LoadRequest, LoadRequest>? ask = null)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id").Required(), Columns.Varchar("name"));
        var table = facts.Table with { Engine = "MyISAM", IsTransactional = false };
        return facts with { Table = change?.Invoke(table) ?? table, Request = ask?.Invoke(facts.Request) ?? facts.Request };
    }

    private static string? Refusal(Func<LoadRequest, LoadRequest> ask) => NonTransactionalRules.FindObstacle(ask(Of().Request), Of().Table);

    [Fact]
    public void A_table_without_transactions_needs_a_job_without_a_ledger()
    {
        Assert.Null(Refusal(request => request));
        Assert.Null(Refusal(request => request with { NoLedger = false, Mode = JobMode.Verify }));
        Assert.Equal(
            "table shop.people uses engine MyISAM, which has no transactions: what failed could not be undone (ALTER TABLE ... "
                + "ENGINE=InnoDB, or --no-ledger to do without)",
            Refusal(request => request with { NoLedger = false }));
        Assert.Null(Refusal(request => request with { Mode = JobMode.Check }));
        Assert.EndsWith(
            "what the check sends could not be undone (ALTER TABLE ... ENGINE=InnoDB, or leave out --on-server)",
            Refusal(request => request with { Mode = JobMode.ServerCheck }), StringComparison.Ordinal);
        Assert.EndsWith(
            "--atomic could not be kept: leave it out", Refusal(request => request with { Atomic = true }), StringComparison.Ordinal);
        Assert.EndsWith("leave out --expect", Refusal(request => request with { Key = new() { Expect = 1 } }), StringComparison.Ordinal);
        Assert.Contains("leave out --verify", Refusal(request => request with { Verify = VerifyMode.Count }), StringComparison.Ordinal);
    }

    [Fact]
    public void Only_what_says_how_far_it_came_is_fit()
    {
        var sending = LoadPlanner.Decide(Of(table => table with { UniqueKeys = [Primary] }), StrategyCatalog.Import);
        var plan = sending.Plan;
        Assert.Equal(("load-data", 1), (plan.Strategy, sending.Sessions.Max));
        Assert.Equal("engine MyISAM cannot roll back: takes rows whose 'id' rises to where the table has none, and leaves others to "
            + "INSERT, which says at which it stopped", Reason("load-data"));
        Assert.Equal("engine MyISAM cannot roll back, and an INSERT says at which of its rows it stopped", Reason("multi-row-insert"));
        Assert.Equal("engine MyISAM cannot roll back, and a statement that fails would not say which of its rows it has done",
            Verdict(plan, "bulk-execute"));
        Assert.Equal("none: engine MyISAM cannot roll back, and committed rows stay, whatever happens later", plan.Transactions);
        Assert.Contains("warning: shop.people has no transactions (engine MyISAM) and no ledger: a job that ends early leaves what it has "
            + "done so far, and cannot be resumed", plan.Notes);

        string Reason(string strategy) => plan.Verdicts.Single(verdict => verdict.Strategy == strategy && verdict.IsFit).Reason;
    }

    [Theory]
    [InlineData("ROCKSDB", true, "Statement", 1000)]
    [InlineData("SPIDER", false, "Row", 1)]
    [InlineData("InnoDB", true, "Savepoint", 1000)]
    public void Engines_that_cannot_undo_a_batch_get_one_statement_at_a_time(string engine, bool hasSavepoints, string part, int most)
    {
        var undo = EngineRules.UndoPartOf(engine, hasSavepoints);
        Assert.Equal(part, $"{undo}");
        var facts = Of(table => table with { Engine = engine, IsTransactional = true, UndoPart = undo, UniqueKeys = [Primary] });
        var decision = LoadPlanner.Decide(facts, StrategyCatalog.Import);
        var undoes = undo == UndoPart.Savepoint;
        Assert.Equal(undoes, decision.Plan.Sql.Contains("SAVEPOINT bulkload_batch_1"));
        Assert.InRange(new MultiRowInsertStrategy().Assess(facts).RowsPerStatement, most == 1 ? 1 : 2, most);
        if (!undoes)
        {
            Assert.Equal("multi-row-insert", decision.Plan.Strategy);
            Assert.Equal($"engine {engine} cannot undo a batch without the rows before it", Verdict(decision.Plan, "bulk-execute"));
            Assert.StartsWith($"engine {engine} cannot undo a batch", Verdict(decision.Plan, "load-data"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Spider_has_no_ledger_and_no_deletes_since_it_does_not_count_them()
    {
        var spider = Of(table => table with { Engine = "SPIDER", IsTransactional = true, UndoPart = UndoPart.Row });
        Assert.Null(EngineRules.FindObstacle(spider.Request, spider.Table));
        Assert.EndsWith("(--no-ledger to do without)",
            EngineRules.FindObstacle(spider.Request with { NoLedger = false }, spider.Table), StringComparison.Ordinal);
        Assert.EndsWith("delete the rows on its shards", EngineRules.FindObstacle(spider.Request with { Truncate = true }, spider.Table),
            StringComparison.Ordinal);
        Assert.EndsWith("leave out --atomic", EngineRules.FindObstacle(spider.Request with { Atomic = true }, spider.Table),
            StringComparison.Ordinal);
        Assert.Null(EngineRules.FindObstacle(spider.Request with { NoLedger = false }, Of().Table));
    }

    [Fact]
    public void What_an_engine_does_not_keep_is_named()
    {
        var table = Of(table => table with
        {
            Engine = "Mroonga",
            ChangedByEngine = new HashSet<string> { "name" },
            Columns = [.. table.Columns.Select(column => column with { LosesNull = true })],
        }).Table;
        Assert.Null(EngineRules.FindChange(table, ["id"]));
        Assert.Equal("table shop.people uses engine Mroonga, which stores other values than it gets in column name "
            + "(ALTER TABLE ... ENGINE=InnoDB)", EngineRules.FindChange(table, ["id", "name"]));
        Assert.Equal(["warning: engine Mroonga stores another value in place of NULL in column name: records with NULL there are refused, "
            + "and a column that the input does not have gets that value"], EngineRules.Notes(table));
        Assert.Equal(["warning: engine MyISAM is not known here, and whether it keeps values as they are could not be tried: no"],
            EngineRules.Notes(Of(table => table with { EngineRefusal = "no" }).Table));
        Assert.True(EngineRules.IsKnown("innodb"));
        Assert.False(EngineRules.IsKnown("Mroonga"));
    }

    [Fact]
    public void Load_data_is_fit_where_the_server_has_nothing_to_refuse()
    {
        Assert.Null(NonTransactionalRules.FindLoadObstacle(Of()));
        Assert.EndsWith("trigger t (AFTER INSERT) can", NonTransactionalRules.FindLoadObstacle(
            Of(table => table with { InsertTriggers = ["t (AFTER INSERT)"] })), StringComparison.Ordinal);
        Assert.EndsWith("a CHECK or a partition can",
            NonTransactionalRules.FindLoadObstacle(Of(table => table with { HasConstraints = true })), StringComparison.Ordinal);
        Assert.EndsWith("it is not known to stop at a row that it refuses",
            NonTransactionalRules.FindLoadObstacle(Of(table => table with { Engine = "CONNECT" })), StringComparison.Ordinal);
        Assert.EndsWith("key name can refuse rows", NonTransactionalRules.FindLoadObstacle(
            Of(table => table with { UniqueKeys = [new("name", [new("name")])] })), StringComparison.Ordinal);
        Assert.EndsWith("key PRIMARY can refuse rows", NonTransactionalRules.FindLoadObstacle(
            Of(table => table with { UniqueKeys = [Primary, new("name", [new("name")])] })), StringComparison.Ordinal);
        Assert.EndsWith("key PRIMARY can refuse rows", NonTransactionalRules.FindLoadObstacle(
            Of(table => table with { UniqueKeys = [new("PRIMARY", [new("id"), new("name")])] })), StringComparison.Ordinal);
        var own = TestFacts.Of(TestFacts.MySql, Columns.Varchar("name"));
        Assert.Null(NonTransactionalRules.FindLoadObstacle(own with
        {
            Table = own.Table with
            { Engine = "MyISAM", IsTransactional = false, Columns = [Columns.Id(), .. own.Columns], UniqueKeys = [Primary] }
        }));
    }

    [Theory]
    [InlineData("MyISAM", DuplicateMode.Error, false)]
    [InlineData("Aria", DuplicateMode.Error, false)]
    [InlineData("ARCHIVE", DuplicateMode.Error, true)]
    [InlineData("MyISAM", DuplicateMode.Update, true)]
    public void Rows_go_one_by_one_where_a_refused_statement_would_leave_open_what_became_of_them(
        string engine, DuplicateMode duplicates, bool isAlone)
    {
        var facts = Of(table => table with { Engine = engine, UniqueKeys = [Primary] },
            request => request with { OnDuplicate = duplicates, Strategy = "multi-row-insert" });
        var plan = LoadPlanner.Decide(facts, StrategyCatalog.Import).Plan;
        Assert.Equal("multi-row-insert", plan.Strategy);
        Assert.Equal(isAlone, plan.Sql.Any(sql => sql.Contains("up to 1 row)", StringComparison.Ordinal)));
    }

    private static string Verdict(LoadPlan plan, string strategy) =>
        plan.Verdicts.Single(verdict => verdict.Strategy == strategy && !verdict.IsFit).Reason;
}
