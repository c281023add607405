using BulkLoad.Core.Facts;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class UpdateRulesTests
{
    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Name = Columns.Varchar("name");
    private static readonly TableColumn Email = Columns.Varchar("email").Required();
    private static readonly TableColumn Age = Columns.Integer("age");

    /// <summary>Rows found by their id; another unique key over the email.</summary>
    private static LoadFacts Of(TableColumn[] columns, KeyOptions? options = null, params ColumnAssignment[] set)
    {
        var facts = TestFacts.Of(TestFacts.MySql, columns);
        return facts with
        {
            Request = facts.Request with { Kind = JobKind.Update, Key = options ?? new(), Assignments = set },
            Table = Columns.Table(Id, Name, Email, Age) with
            { UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("id")]), new UniqueKey("by_email", [new KeyPart("email")])] },
            Key = TestKeys.Of([Id], TestKeys.Primary, TestKeys.Index("by_name", isUnique: false, "name")),
            Assignments = set,
        };
    }

    [Fact]
    public void Records_with_different_keys_have_nothing_to_do_with_each_other()
    {
        var facts = Of([Id, Name, Age]);

        Assert.Null(UpdateRules.FindOrder(facts));
        Assert.Null(UpdateRules.FindSetObstacle(facts));
        Assert.True(UpdateRules.CanSort(facts));
    }

    [Fact]
    public void A_column_of_another_unique_key_asks_for_the_files_order() =>
        Assert.Contains("unique key by_email", UpdateRules.FindOrder(Of([Id, Email])), StringComparison.Ordinal);

    [Fact]
    public void A_key_that_changes_asks_for_the_files_order() =>
        Assert.Contains("by which rows are found", UpdateRules.FindOrder(Of([Id, Id])), StringComparison.Ordinal);

    [Fact]
    public void Records_that_can_lack_columns_ask_for_the_files_order() =>
        Assert.Contains("only the columns that it has", UpdateRules.FindOrder(Of([Id, Name]) with { RecordsCanLackColumns = true }),
            StringComparison.Ordinal);

    [Fact]
    public void A_unique_key_that_follows_from_other_columns_asks_for_the_files_order()
    {
        var facts = Of([Id, Name]);
        var derived = facts with { Table = facts.Table with { UniqueKeys = [new UniqueKey("lower", [new KeyPart(null)])] } };

        Assert.Contains("made of an expression", UpdateRules.FindOrder(derived), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("name", true)]
    [InlineData("age", false)]
    public void A_column_that_rows_of_the_table_itself_may_refer_to_asks_for_the_files_order(string column, bool isOrdered)
    {
        var facts = Of([Id, column == "name" ? Name : Age]);
        facts =
            facts with { Key = facts.Key! with { Referring = [new ReferringKey(facts.Table.DisplayName, "fk", "RESTRICT", "CASCADE")] } };

        Assert.Equal(isOrdered, UpdateRules.FindOrder(facts) is not null);
    }

    [Theory]
    [InlineData("NOW()", false)]
    [InlineData("'x'", false)]
    [InlineData("age+1", true)]
    [InlineData("CHAR_LENGTH(NAME)", true)]
    [InlineData("(SELECT MAX(n) FROM other)", true)]
    [InlineData("@@session.time_zone", true)]
    [InlineData("upper(@age)", false)]
    [InlineData("'age' + @g", false)]
    [InlineData("@g + `Age`", true)]
    public void An_expression_that_reads_what_may_have_changed_asks_for_the_files_order(string expression, bool isOrdered) =>
        Assert.Equal(isOrdered, UpdateRules.FindOrder(Of([Id, Name], null, new ColumnAssignment("age", expression))) is not null);

    [Theory]
    [InlineData("age>3", false)]
    [InlineData("name IS NULL", true)]
    [InlineData("id IN (SELECT id FROM other)", true)]
    public void A_guard_that_reads_what_may_have_changed_asks_for_the_files_order(string guard, bool isOrdered) =>
        Assert.Equal(isOrdered, UpdateRules.FindOrder(Of([Id, Name], new KeyOptions { Where = guard })) is not null);

    [Fact]
    public void A_key_of_several_rows_cannot_go_as_a_set_but_in_any_order()
    {
        var facts = Of([Id, Age]) with { Key = TestKeys.Of([Id], TestKeys.Index("by_id", isUnique: false, "id")) };

        Assert.Contains("does not say which record", UpdateRules.FindSetObstacle(facts), StringComparison.Ordinal);
        Assert.True(UpdateRules.CanSort(facts));
    }

    [Fact]
    public void Keys_that_nobody_can_compare_go_one_by_one_in_the_files_order()
    {
        var facts = Of([Id, Age]);
        facts = facts with { Key = facts.Key! with { StagingRefusal = "access denied" } };

        Assert.Contains("access denied", UpdateRules.FindSetObstacle(facts), StringComparison.Ordinal);
        Assert.False(UpdateRules.CanSort(facts));
        Assert.Contains(UpdateRules.Notes(facts), note => note.Contains("none of them is superseded", StringComparison.Ordinal));
    }

    [Fact]
    public void A_default_that_only_the_server_works_out_cannot_go_as_a_set()
    {
        var facts = Of([Id, Age with { Default = ColumnDefault.Expression }]);
        facts = facts with { Request = facts.Request with { Values = new ValueOptions { Empty = EmptyMeaning.Default } } };

        Assert.Contains("left to its default", UpdateRules.FindSetObstacle(facts), StringComparison.Ordinal);
    }

    [Fact]
    public void Triggers_foreign_keys_and_the_order_are_told_beforehand()
    {
        var facts = Of([Id, Email]);
        facts = facts with
        {
            Table = facts.Table with { UpdateTriggers = ["log (AFTER UPDATE)"] },
            Key = facts.Key! with
            {
                Referring = [new ReferringKey("shop.mails", "fk_mail", "RESTRICT", "CASCADE"),
                    new ReferringKey("shop.logins", "fk_login", "CASCADE")]
            },
        };

        var notes = UpdateRules.Notes(facts).ToArray();

        Assert.Equal("trigger log (AFTER UPDATE) runs for every row", notes[0]);
        Assert.Contains("fk_mail of shop.mails is ON UPDATE CASCADE", notes[1], StringComparison.Ordinal);
        Assert.Contains("fk_login of shop.logins: a value that its rows refer to cannot change", notes[2], StringComparison.Ordinal);
        Assert.Contains("in the file's order", notes[3], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false, "inline-join")]
    [InlineData(true, "pipelined")]
    public void A_set_is_taken_where_one_is_fit(bool changesUnique, string expected)
    {
        var plan = LoadPlanner.Decide(Of([Id, changesUnique ? Email : Name]), StrategyCatalog.Update).Plan;

        Assert.Equal((expected, "update", JobKind.Update), (plan.Strategy, plan.Command, plan.Kind));
        Assert.Equal(["id"], plan.Key);
    }

    [Theory]
    [InlineData(100, 16 * 1024 * 1024, "inline-join")]
    [InlineData(20_000, 16 * 1024 * 1024, "inline-join")]
    [InlineData(6_000, 64 * 1024, "staged-join")]
    public void Where_few_rows_fit_into_a_list_a_join_with_staged_ones_is_cheaper(double recordBytes, long maxPacket, string expected)
    {
        var facts = Of([Id, Name]);
        facts = facts with { Server = TestFacts.MariaDb with { MaxAllowedPacket = maxPacket }, RecordBytes = recordBytes };

        var plan = LoadPlanner.Decide(facts, StrategyCatalog.Update).Plan;

        Assert.Equal(expected, plan.Strategy);
    }

    [Theory]
    [InlineData("the server creates no temporary table here: denied", "refused")]
    [InlineData("needs an order that no set has", "order")]
    [InlineData("the server's binary log by statement", "log")]
    public void Rows_are_staged_only_where_it_comes_to_the_same(string reason, string why)
    {
        var facts = Of([Id, why == "order" ? Email : Name]);
        facts = facts with
        {
            Key = facts.Key! with { Stage = new StageFacts(why == "refused" ? reason : null, 0) },
            Server = facts.Server with { LogsStatements = why == "log" },
        };

        Assert.StartsWith(reason, new StagedUpdateStrategy().FindObstacle(facts), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, true, false, null)]
    [InlineData(true, true, true, null)]
    [InlineData(true, false, false, "--counts matched")]
    [InlineData(false, true, false, "MySQL has no bulk execution")]
    public void A_bulk_execution_is_fit_where_found_and_changed_rows_need_not_be_told_apart(
        bool isMariaDb, bool countsMatched, bool changesUnique, string? obstacle)
    {
        var facts = Of([Id, changesUnique ? Email : Name], new KeyOptions { CountsMatched = countsMatched }) with
        { Server = isMariaDb ? TestFacts.MariaDb : TestFacts.MySql };

        var found = new BulkUpdateStrategy().FindObstacle(facts);

        Assert.True(obstacle is null ? found is null : found?.Contains(obstacle, StringComparison.Ordinal), found);
    }
}
