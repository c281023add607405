using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class DuplicatePlanTests
{
    private static readonly UniqueKey Primary = new("PRIMARY", [new KeyPart("id")]);
    private static readonly UniqueKey ByName = new("name", [new KeyPart("name")]);

    private static LoadFacts Of(DuplicateMode mode, ServerFacts? server = null, params UniqueKey[] keys)
    {
        var facts = TestFacts.Of(server ?? TestFacts.MariaDb);
        return facts with
        {
            Request = facts.Request with { OnDuplicate = mode },
            Table = facts.Table with { UniqueKeys = keys.Length > 0 ? keys : [Primary] }
        };
    }

    private static LoadFacts With(LoadFacts facts, Func<TableFacts, TableFacts> change) => facts with { Table = change(facts.Table) };

    /// <summary>Another column of the table, which the input does not have.</summary>
    private static LoadFacts WithUnmapped(LoadFacts facts, TableColumn column) =>
        With(facts, table => table with { Columns = [.. table.Columns, column] });

    private static LoadFacts Without(LoadFacts facts, Func<TableColumn, TableColumn> right) =>
        With(facts with { Columns = [.. facts.Columns.Select(right)] }, table => table with { Columns = [.. table.Columns.Select(right)] });

    private static void Check(DuplicateForm? form, string? reason, LoadFacts facts)
    {
        Assert.Equal(new DuplicatePlan(form, reason), DuplicatePlan.Of(facts));
        Assert.Equal(form is null ? reason : null, new MultiRowInsertStrategy().FindObstacle(facts));
        Assert.Equal(form == DuplicateForm.Plain, new LoadDataStrategy().FindObstacle(facts) is null);
    }

    [Theory]
    [InlineData(DuplicateMode.Error, "Plain")]
    [InlineData(DuplicateMode.Ignore, "KeepRow")]
    [InlineData(DuplicateMode.Replace, "SetRow")]
    [InlineData(DuplicateMode.Update, "SetColumns")]
    public void Each_mode_has_a_form_for_simple_tables(DuplicateMode mode, string form) =>
        Check(Enum.Parse<DuplicateForm>(form), null, Of(mode));

    [Theory]
    [InlineData(DuplicateMode.Ignore)]
    [InlineData(DuplicateMode.Replace)]
    [InlineData(DuplicateMode.Update)]
    public void Where_nothing_can_be_a_duplicate_every_strategy_is_fit_and_it_is_said(DuplicateMode mode)
    {
        var none = With(Of(mode), table => table with { UniqueKeys = [] });
        Check(DuplicateForm.Plain, "shop.people has no primary or unique key: no record can be a duplicate", none);
        Assert.Contains(
            $"--on-duplicate {DuplicateModes.Of(mode)}: shop.people has no primary or unique key: no record can be a duplicate",
            LoadPlanner.Decide(none, StrategyCatalog.Import).Plan.Notes);

        var ownIds = WithUnmapped(Of(mode, null, new UniqueKey("PRIMARY", [new KeyPart("no")])), Columns.Id("no"));
        Check(DuplicateForm.Plain, "every record gets a new id from the server: none can be a duplicate", ownIds);
    }

    [Fact]
    public void Rows_that_are_to_stay_are_not_touched_where_that_would_be_seen()
    {
        const string Slow = ": each duplicate is found by narrowing, which is slow where there are many";
        var facts = Of(DuplicateMode.Ignore);
        var updated = With(facts, table => table with { UpdateTriggers = ["log (AFTER UPDATE)"] });
        Check(DuplicateForm.SkipAlone, $"trigger log (AFTER UPDATE) would run for the rows that are to stay{Slow}", updated);
        Check(DuplicateForm.SkipAlone, $"the account may not UPDATE and SELECT a column{Slow}",
            Without(facts, column => column with { CanUpdate = false }));
        Check(DuplicateForm.SkipAlone, $"the account may not UPDATE and SELECT a column{Slow}",
            Without(facts, column => column with { CanSelect = false }));
        Check(
            DuplicateForm.SkipAlone, $"shop.people keeps versions of its rows, also of those that an UPDATE leaves as they are{Slow}",
            With(facts, table => table with { IsVersioned = true }));
        Check(
            DuplicateForm.SkipAlone,
            $"the server's binary log by statement does not keep which of several unique keys an update went by{Slow}",
            Of(DuplicateMode.Ignore, TestFacts.MySql with { LogsStatements = true }, Primary, ByName));
        Check(DuplicateForm.KeepRow, null, Of(DuplicateMode.Ignore, TestFacts.MySql with { LogsStatements = true }));
        Check(DuplicateForm.KeepRow, null,
            With(facts, table => table with { InsertTriggers = ["check (BEFORE INSERT)"], DeleteTriggers = ["log (AFTER DELETE)"] }));
    }

    [Fact]
    public void A_duplicate_that_a_trigger_could_have_made_elsewhere_is_not_passed_over() => Check(
        null,
        "trigger log (AFTER UPDATE) would run for the rows that are to stay, and a duplicate of shop.people cannot be distinguished from "
            + "one that trigger audit (AFTER INSERT) makes elsewhere",
        With(Of(DuplicateMode.Ignore),
            table => table with { UpdateTriggers = ["log (AFTER UPDATE)"], InsertTriggers = ["audit (AFTER INSERT)"] }));

    [Fact]
    public void A_replace_that_would_do_more_than_set_a_row_is_one()
    {
        const string Slow = ": each duplicate is found by narrowing, which is slow where there are many";
        var facts = Of(DuplicateMode.Replace);
        Check(DuplicateForm.ReplaceAlone, $"with 2 unique keys a record can replace several rows{Slow}",
            Of(DuplicateMode.Replace, null, Primary, ByName));
        Check(DuplicateForm.ReplaceAlone, $"trigger log (AFTER DELETE) runs{Slow}",
            With(facts, table => table with { DeleteTriggers = ["log (AFTER DELETE)"] }));
        Check(DuplicateForm.ReplaceAlone, $"trigger log (AFTER INSERT) runs{Slow}",
            With(facts, table => table with { InsertTriggers = ["log (AFTER INSERT)"] }));
        Check(DuplicateForm.ReplaceAlone, $"trigger log (AFTER UPDATE) runs{Slow}",
            With(facts, table => table with { UpdateTriggers = ["log (AFTER UPDATE)"] }));
        Check(DuplicateForm.ReplaceAlone, $"foreign keys of shop.orders point at the rows{Slow}",
            With(facts, table => table with { Referencing = ["shop.orders"] }));
        Check(DuplicateForm.ReplaceAlone, $"a replaced row gets a new no{Slow}", WithUnmapped(facts, Columns.Id("no")));
        Check(DuplicateForm.ReplaceAlone, $"the account may not UPDATE every column{Slow}",
            Without(facts, column => column with { CanUpdate = column.Name != "name" }));
        Check(DuplicateForm.ReplaceAlone, $"the account may not UPDATE every column{Slow}",
            WithUnmapped(facts, Columns.Integer("age") with { CanUpdate = false }));
        Check(DuplicateForm.SetRow, null, WithUnmapped(facts, Columns.Integer("age") with { CanUpdate = false, IsGenerated = true }));
        Check(
            DuplicateForm.ReplaceAlone, $"shop.people keeps versions of its rows, also of those that an UPDATE leaves as they are{Slow}",
            With(facts, table => table with { IsVersioned = true }));
    }

    [Fact]
    public void An_update_that_cannot_be_counted_or_is_not_allowed_is_refused()
    {
        var facts = Of(DuplicateMode.Update);
        Check(
            null, "the account may not UPDATE column 'name'", Without(facts, column => column with { CanUpdate = column.Name != "name" }));
        Check(null, "shop.people keeps versions of its rows, also of those that an UPDATE leaves as they are",
            With(facts, table => table with { IsVersioned = true }));
        Check(
            null, "the server's binary log by statement does not keep which of several unique keys an update went by",
            Of(DuplicateMode.Update, TestFacts.MySql with { LogsStatements = true }, Primary, ByName));
        Check(DuplicateForm.SetColumns, null,
            With(Of(DuplicateMode.Update, null, Primary, ByName), table => table with { UpdateTriggers = ["log (AFTER UPDATE)"] }));
        Assert.Contains(
            "load-data: LOAD DATA cannot update rows",
            Assert.Throws<PlanException>(
                () => LoadPlanner.Decide(With(facts, table => table with { IsVersioned = true }), StrategyCatalog.Import)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_column_that_an_expression_fills_is_one_of_the_inputs()
    {
        var facts = WithUnmapped(Of(DuplicateMode.Update), Columns.Integer("age") with { CanUpdate = false });
        Check(DuplicateForm.SetColumns, null, facts);
        Check(null, "the account may not UPDATE column 'age'", facts with { Assignments = [new("age", "1+1")] });
        Check(DuplicateForm.KeepRow, null, WithUnmapped(Of(DuplicateMode.Ignore, null, new UniqueKey("PRIMARY", [new KeyPart("no")])),
            Columns.Id("no")) with
        { Assignments = [new("no", "7")] });
    }
}
