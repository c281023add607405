using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Facts;

public sealed class KeyRulesTests
{
    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Name = Columns.Varchar("name").Required();
    private static readonly TableFacts Table = Columns.Table(Id, Name);
    private static readonly TableIndex NameIndex = TestKeys.Index("by_name", isUnique: false, "name", "id");

    private static string? Obstacle(KeyFacts key, KeyOptions? options = null) => KeyRules.FindObstacle(key, Table, options ?? new());

    [Fact]
    public void A_unique_index_over_columns_that_cannot_be_NULL_makes_a_key() =>
        Assert.Null(Obstacle(TestKeys.Of([Id], TestKeys.Primary)));

    [Fact]
    public void A_key_that_has_more_columns_than_the_index_is_unique_too() =>
        Assert.Null(Obstacle(TestKeys.Of([Name, Id], TestKeys.Primary)));

    [Fact]
    public void An_index_of_more_columns_than_the_key_does_not_make_it_unique() =>
        Assert.Contains("--allow-multiple", Obstacle(TestKeys.Of([Id], TestKeys.Index("both", isUnique: true, "id", "name"))),
            StringComparison.Ordinal);

    [Fact]
    public void A_unique_index_over_a_column_that_can_be_NULL_is_not_enough() =>
        Assert.Contains("--allow-multiple", Obstacle(TestKeys.Of([Columns.Integer("id")], TestKeys.Primary)), StringComparison.Ordinal);

    [Fact]
    public void A_unique_index_over_the_beginning_of_a_column_is_not_enough()
    {
        var prefix = new TableIndex("p", true, [new KeyPart("name", 3)]);

        Assert.Contains("--allow-multiple", Obstacle(TestKeys.Of([Name], prefix)), StringComparison.Ordinal);
        Assert.Null(Obstacle(TestKeys.Of([Name], prefix), new() { AllowMultiple = true }));
    }

    [Fact]
    public void An_index_that_does_not_begin_with_the_key_is_none()
    {
        var behind = TestKeys.Of([Name], TestKeys.Index("both", isUnique: false, "id", "name"));

        Assert.Contains("--allow-scan", Obstacle(behind, new() { AllowMultiple = true }), StringComparison.Ordinal);
        Assert.Null(Obstacle(behind, new() { AllowMultiple = true, AllowScan = true }));
        Assert.Null(behind.Index);
    }

    [Fact]
    public void An_index_that_the_server_keeps_and_does_not_use_makes_a_key_unique_and_finds_nothing()
    {
        var unused = TestKeys.Index("by_name", isUnique: true, "name") with { IsUsed = false };
        var key = TestKeys.Of([Name], unused);

        Assert.True(key.IsUnique);
        Assert.Null(key.Index);
        Assert.Equal(
            "--key name: index by_name of shop.people begins with it, but the server may not use it (it is INVISIBLE or IGNORED), and "
                + "every statement would read the whole table: make it usable, or add --allow-scan",
            Obstacle(key));
        Assert.Null(Obstacle(key, new() { AllowScan = true }));
        Assert.Equal("--allow-scan: index by_name may not be used (INVISIBLE or IGNORED), and every statement reads the whole table",
            Assert.Single(KeyRules.NotesOnKey(key, "deleted")));
    }

    [Fact]
    public void An_index_that_is_used_is_taken_before_one_that_is_not_however_unique()
    {
        var unused = TestKeys.Index("by_both", isUnique: true, "id", "name") with { IsUsed = false };
        var key = TestKeys.Of([Id, Name], unused, NameIndex);

        Assert.Equal((true, "by_name"), (key.IsUnique, key.Index!.Name));
        Assert.Null(Obstacle(key));
    }

    [Fact]
    public void Rows_that_no_used_index_finds_are_not_changed_in_sets()
    {
        var key = TestKeys.Of([Id], TestKeys.Primary with { IsUsed = false });
        Assert.Equal("no index that the server uses begins with the key, and a set is joined by one",
            UpdateRules.FindSetObstacle(TestKeys.Facts(TestFacts.MySql, new() { AllowScan = true }, key)));
    }

    [Fact]
    public void Values_that_cannot_be_compared_exactly_are_no_keys()
    {
        foreach (var kind in new[] { ColumnKind.Float, ColumnKind.Json, ColumnKind.Geometry })
        {
            Assert.Contains(
                "cannot be compared exactly", Obstacle(TestKeys.Of([Id with { Kind = kind }], TestKeys.Primary)), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_column_that_the_account_may_not_read_finds_nothing() =>
        Assert.Contains("GRANT SELECT", Obstacle(TestKeys.Of([Id with { CanSelect = false }], TestKeys.Primary)), StringComparison.Ordinal);

    [Fact]
    public void The_unique_index_is_taken_before_a_longer_one() =>
        Assert.Equal("PRIMARY", TestKeys.Of([Id, Name], NameIndex, TestKeys.Primary).Index!.Name);

    [Fact]
    public void Columns_are_looked_up_in_the_order_of_the_index() =>
        Assert.Equal([Name, Id], TestKeys.Of([Id, Name], NameIndex).Leading);

    [Theory]
    [InlineData("RESTRICT", "pipelined")]
    [InlineData("CASCADE", "pipelined")]
    [InlineData("SET NULL", "in-list-delete")]
    public void Where_the_table_refers_to_itself_the_order_decides_and_records_go_one_by_one(string onDelete, string strategy)
    {
        var key = TestKeys.Of([Id], TestKeys.Primary) with { Referring = [new ReferringKey(Table.DisplayName, "fk", onDelete)] };
        var facts = TestKeys.Facts(TestFacts.MySql, key: key);
        var sending = LoadPlanner.Decide(facts, StrategyCatalog.Delete);
        var plan = sending.Plan;
        var sizes = sending.Sizes;

        Assert.Equal(strategy, plan.Strategy);
        Assert.Equal(onDelete != "SET NULL", plan.Notes.Any(note => note.StartsWith("one statement a record", StringComparison.Ordinal)));
        Assert.Contains(onDelete == "SET NULL" ? "(up to 1,000 keys)" : "(up to 1 key)",
            new InListDeleteStrategy().Statements(facts, sizes)[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_server_that_keeps_no_prepared_statements_has_no_pipelined_ones()
    {
        var plan = LoadPlanner.Decide(TestKeys.Facts(TestFacts.MySql with { MaxPreparedStatements = 0 }), StrategyCatalog.Delete).Plan;

        Assert.Contains("max_prepared_stmt_count is 0", plan.Verdicts.Single(verdict => verdict.Strategy == "pipelined").Reason,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Where_lists_must_be_short_a_join_with_staged_keys_is_cheaper()
    {
        var plan = LoadPlanner.Decide(TestKeys.Facts(TestFacts.MariaDb, key: TestKeys.Of([Id], TestKeys.Primary) with { MaxListKeys = 3 }),
            StrategyCatalog.Delete).Plan;

        Assert.Equal("staged-join", plan.Strategy);
        Assert.Contains("in memory", plan.Verdicts[0].Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void A_table_that_no_index_helps_with_is_read_once_a_batch_for_a_join()
    {
        var plan = LoadPlanner.Decide(TestKeys.Facts(
            TestFacts.MariaDb, new() { AllowMultiple = true, AllowScan = true }, TestKeys.Of([Id])), StrategyCatalog.Delete).Plan;

        Assert.Equal("staged-join", plan.Strategy);
        Assert.Contains("KEY bulkload_by_key (bulkload_k0)", plan.Sql[0], StringComparison.Ordinal);
        Assert.Contains("STRAIGHT_JOIN `shop`.`bulkload_keys` FORCE INDEX (bulkload_by_key)", plan.Sql[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("CASCADE", "CASCADE", true)]
    [InlineData("CASCADE", "RESTRICT", true)]
    [InlineData("CASCADE", "SET NULL", false)]
    [InlineData("SET NULL", "CASCADE", false)]
    [InlineData("RESTRICT", "CASCADE", false)]
    public void Rows_that_go_along_and_refer_back_over_another_table_ask_for_the_files_order(string there, string back, bool isOrdered)
    {
        var thereKey = new ReferringKey("shop.teams", "fk_there", there);
        var key = TestKeys.Of([Id], TestKeys.Primary) with
        {
            Referring = [thereKey],
            Cascading = [new(Table.DisplayName, thereKey), .. there == "CASCADE"
                ? new CascadingKey[] { new("shop.teams", new ReferringKey(Table.DisplayName, "fk_back", back)) } : []],
        };

        Assert.Equal(isOrdered, KeyRules.IsOneByOne(TestKeys.Facts(TestFacts.MySql, key: key)));
    }

    [Theory]
    [InlineData("CASCADE", false)]
    [InlineData("SET NULL", false)]
    [InlineData("NO ACTION", true)]
    public void Rows_that_go_along_and_keep_others_of_those_from_going_ask_for_the_files_order(string between, bool isOrdered)
    {
        var key = TestKeys.Of([Id], TestKeys.Primary) with
        {
            Cascading =
            [
                new(Table.DisplayName, new ReferringKey("shop.a", "fk_a", "CASCADE")), new(
                    Table.DisplayName, new ReferringKey("shop.b", "fk_b", "CASCADE")),
                new("shop.a", new ReferringKey("shop.b", "fk_between", between)), new(
                    "shop.b", new ReferringKey("shop.c", "fk_c", "RESTRICT")),
            ],
        };

        Assert.Equal(isOrdered, KeyRules.IsOneByOne(TestKeys.Facts(TestFacts.MySql, key: key)));
    }

    public static TheoryData<string, string> Unstaged { get; } = new()
    {
        { "the server creates no temporary table", "refused" },
        { "the order of the records decides", "self" },
        { "no index begins with the key", "no index" },
        { "binary log by statement", "log" },
    };

    [Theory]
    [MemberData(nameof(Unstaged))]
    public void Keys_are_staged_only_where_it_comes_to_the_same(string reason, string why)
    {
        var key = TestKeys.Of([Id], TestKeys.Primary);
        key = why switch
        {
            "refused" => key with { Stage = new StageFacts("the server creates no temporary table here: denied", 0) },
            "self" => key with { Referring = [new ReferringKey(Table.DisplayName, "fk", "CASCADE")] },
            "no index" => key with { Indexes = [], Columns = [Id with { Kind = ColumnKind.Varchar, MaxCharacters = 1000 }] },
            _ => key,
        };
        var facts = TestKeys.Facts(TestFacts.MySql with { LogsStatements = why == "log" }, key: key);

        Assert.StartsWith(reason, new StagedDeleteStrategy().FindObstacle(facts)!.Replace("the server's ", "", StringComparison.Ordinal),
            StringComparison.Ordinal);
    }

    /// <summary>The planner takes the stage where there is one: nobody else is asked for it.</summary>
    [Theory]
    [InlineData(3, true, 0.05, true)]
    [InlineData(99, true, 0.05, false)]
    [InlineData(99, false, 0.05, true)]
    [InlineData(3, true, 1_000_000, false)]
    public void The_server_is_asked_for_a_stage_where_that_could_pay(int keys, bool isIndexed, double milliseconds, bool mayPay)
    {
        var key = isIndexed ? TestKeys.Of([Id], TestKeys.Primary) : TestKeys.Of([Id]);
        var facts = TestKeys.Facts(
            TestFacts.MariaDb with { RoundTrip = TimeSpan.FromMilliseconds(milliseconds) },
            new() { AllowMultiple = true, AllowScan = true },
            key with { MaxListKeys = keys });

        Assert.Equal(mayPay, Stage.MayPay(facts));
        Assert.Equal(mayPay, LoadPlanner.Decide(facts, StrategyCatalog.Delete).Strategy is StagedDeleteStrategy);
    }

    [Fact]
    public void Staged_texts_are_as_wide_in_memory_as_their_most_characters()
    {
        var stage = new StageFacts(null, 16 * 1024 * 1024);
        Assert.True(stage.FitsMemory([Id with { Kind = ColumnKind.Varchar, MaxCharacters = 2000 }], 2_000));
        Assert.False(stage.FitsMemory([Id with { Kind = ColumnKind.Varchar, MaxCharacters = 2000 }], 3_000));
    }

    [Theory]
    [InlineData(nameof(ColumnKind.Integer), 0, 100_000, true)]
    [InlineData(nameof(ColumnKind.Integer), 0, 1_000_000, false)]
    [InlineData(nameof(ColumnKind.Varchar), 1020, 10_000, true)]
    [InlineData(nameof(ColumnKind.Varchar), 1020, 100_000, false)]
    [InlineData(nameof(ColumnKind.Text), 10, 1, false)]
    [InlineData(nameof(ColumnKind.Json), 10, 1, false)]
    [InlineData(nameof(ColumnKind.Geometry), 10, 1, false)]
    [InlineData(nameof(ColumnKind.Blob), 10, 1, false)]
    public void Staged_keys_are_in_memory_where_the_longest_of_them_fit(string kind, long bytes, long rows, bool fits) =>
        Assert.Equal(fits, new StageFacts(null, 16 * 1024 * 1024)
            .FitsMemory([Id with { Kind = Enum.Parse<ColumnKind>(kind), MaxBytes = bytes, TypeText = "blob" }], rows));

    /// <summary>Rows one by one cost the server more than twice as much; the route does not change that, since neither waits for each
    /// answer.</summary>
    [Theory]
    [InlineData(0.05, false)]
    [InlineData(10, true)]
    [InlineData(200, true)]
    public void Lists_beat_rows_one_by_one_on_every_route(double milliseconds, bool tellsOfRoute)
    {
        var plan = LoadPlanner.Decide(
            TestKeys.Facts(TestFacts.MariaDb with { RoundTrip = TimeSpan.FromMilliseconds(milliseconds) }), StrategyCatalog.Delete).Plan;

        Assert.Equal("in-list-delete", plan.Strategy);
        var reason = plan.Verdicts.Single(verdict => verdict.Strategy == "pipelined").Reason;
        Assert.Contains("more than twice the server's work of a list", reason, StringComparison.Ordinal);
        Assert.Equal(tellsOfRoute, reason.Contains("ms of an answer are waited for once a batch", StringComparison.Ordinal));

        var other = LoadPlanner.Decide(
            TestKeys.Facts(TestFacts.MySql with { RoundTrip = TimeSpan.FromMilliseconds(milliseconds) }), StrategyCatalog.Delete).Plan;
        Assert.Equal("in-list-delete", other.Strategy);
        Assert.Contains(
            "one DELETE a record, sent ahead of the answers: exact for each of them, and three to four times the server's work of a list",
            other.Verdicts.Single(verdict => verdict.Strategy == "pipelined").Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void A_list_is_no_longer_than_the_server_looks_up_in_an_index()
    {
        var facts = TestKeys.Facts(TestFacts.MariaDb, key: TestKeys.Of([Id], TestKeys.Primary) with { MaxListKeys = 99 });
        var plan = LoadPlanner.Decide(facts, StrategyCatalog.Delete).Plan;

        Assert.Equal(("delete", "in-list-delete"), (plan.Command, plan.Strategy));
        Assert.Contains("(up to 99 keys)", plan.Sql[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void The_plan_tells_of_triggers_and_of_rows_that_go_too()
    {
        var facts = TestKeys.Facts(TestFacts.MariaDb, key: TestKeys.Of([Id], TestKeys.Primary) with
        { Referring = [new("d.orders", "fk_o", "CASCADE"), new("d.notes", "fk_n", "RESTRICT")] });
        var plan = LoadPlanner.Decide(
            facts with { Table = facts.Table with { DeleteTriggers = ["log_it (AFTER DELETE)"], InsertTriggers = ["no (AFTER INSERT)"] } },
            StrategyCatalog.Delete).Plan;

        Assert.Equal(
            [
                "trigger log_it (AFTER DELETE) runs for every row, in the order of the keys within a batch",
                "foreign key fk_o of d.orders is ON DELETE CASCADE: its rows are deleted too, and are not counted",
                "foreign key fk_n of d.notes: a row that it refers to cannot be deleted, and its record is a reject",
                "--no-ledger: if the connection is lost, and then another or a restarted server answers, the job ends with exit 1, since "
                    + "it is not known what that server still has",
            ],
            plan.Notes);
    }
}
