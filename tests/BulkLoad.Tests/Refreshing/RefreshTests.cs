using BulkLoad.Core.Options;
using BulkLoad.Core.Refresh;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Refreshing;

public sealed class RefreshTests
{
    private static RefreshFacts Facts(Func<TableFacts, TableFacts>? change = null)
    {
        var table = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id").Required(), Columns.Varchar("name")).Table;
        table = table with { UniqueKeys = [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")])] };
        return new RefreshFacts(change?.Invoke(table) ?? table, "", [], HasStatistics: false);
    }

    private static RefreshFacts Referred => new(Facts().Table, "", [Orders], HasStatistics: false);

    private static ForeignKey Orders => new("person", "shop", "orders", ["person"], "shop", "people", ["id"], "CASCADE");

    private static RefreshFacts Keyless => Facts(table => table with { UniqueKeys = [] });

    private static string Choose(RefreshWay way, RefreshFacts facts, bool keeps = false)
    {
        try
        {
            var plan = RefreshRules.Choose(new RefreshOptions(way, keeps), facts);
            return $"{RefreshWays.Of(plan.Way)}: {plan.Reason}";
        }
        catch (BulkLoadException refusal) when (refusal.ErrorCode == BulkErrorCode.Refused)
        {
            return refusal.Message;
        }
    }

    [Fact]
    public void Tables_are_exchanged_where_nothing_is_lost_by_it()
    {
        Assert.Equal("swap: nothing of the table is lost by an exchange", Choose(RefreshWay.Auto, Facts()));
        Assert.Equal("diff: foreign key person of shop.orders refers to the table, and would follow the former one",
            Choose(RefreshWay.Auto, Referred));
        Assert.Equal("diff: trigger log (AFTER DELETE) would stay at the former table",
            Choose(RefreshWay.Auto, Facts(table => table with { DeleteTriggers = ["log (AFTER DELETE)"] })));
        Assert.Equal("diff: the table's histograms or persistent statistics would be lost",
            Choose(RefreshWay.Auto, Facts() with { HasStatistics = true }));
        Assert.Equal("swap: asked for", Choose(RefreshWay.Swap, Facts()));
        Assert.Equal("diff: asked for", Choose(RefreshWay.Diff, Facts()));
    }

    [Fact]
    public void What_is_not_exact_is_refused_with_the_other_way_if_that_is()
    {
        Assert.Equal("--full-refresh=swap: foreign key person of shop.orders refers to the table, and would follow the former one: "
            + "use --full-refresh=diff", Choose(RefreshWay.Swap, Referred));
        Assert.Equal("--full-refresh=diff: the table has no primary key: use --full-refresh=swap", Choose(RefreshWay.Diff, Keyless));
        Assert.Equal("--full-refresh: the tables cannot be exchanged, since foreign key person of shop.orders refers to the table, and "
            + "would follow the former one; and the rows cannot be compared, since the table has no primary key",
            Choose(RefreshWay.Auto, new(Keyless.Table, "", [Orders], false)));
        Assert.EndsWith("since no former table is left that --keep-old could keep", Choose(RefreshWay.Auto, Referred, keeps: true),
            StringComparison.Ordinal);
        Assert.EndsWith("since the table is system-versioned",
            Choose(RefreshWay.Auto, Facts(table => table with { IsVersioned = true })), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("t")]
    [InlineData("a_name_of_sixty_four_letters_which_is_the_most_that_a_server_take")]
    public void Names_tell_what_a_table_is(string table)
    {
        var names = new RefreshNames(table);
        var (loaded, former, kept) = (names.OfNew("CREATE"), names.OfOld("3:17"), names.OfKept(new DateTime(2026, 11, 28, 9, 5, 7)));
        Assert.Equal((true, false, false), (names.IsNew(loaded), names.IsNew(former), names.IsNew(kept)));
        Assert.Equal((false, true, false), (names.IsOld(loaded), names.IsOld(former), names.IsOld(kept)));
        Assert.All([loaded, former, kept], name => Assert.InRange(name.Length, 1, 64));
        Assert.NotEqual(former, names.OfOld("3:18"));
        Assert.NotEqual(loaded, names.OfNew("CREATE "));
        var others = new RefreshNames(table[..^1] + "u");
        Assert.False(others.IsNew(loaded) || others.IsOld(former));
        if (table == "t")
        {
            Assert.Equal("t_before_20261128_090507", kept);
        }
    }

    /// <summary>A table with a partition's former rows has the new ones before the exchange.</summary>
    [Fact]
    public void Names_tell_which_rows_of_a_partition_a_table_has()
    {
        var names = new RefreshNames("t", "p1");
        var former = names.OfOld("3:17", "4:18");
        Assert.Equal((true, false), (RefreshNames.Had(former, "3:17"), RefreshNames.Had(former, "4:18")));
        Assert.Equal((false, true), (RefreshNames.HasContent(former, "3:17"), RefreshNames.HasContent(former, "4:18")));
        Assert.Equal((true, false), (names.IsOld(former), names.IsNew(former)));
        Assert.False(new RefreshNames("t").IsOld(former) || new RefreshNames("t", "p2").IsOld(former));
        Assert.False(names.IsOld(new RefreshNames("t").OfOld("3:17")));
        Assert.Equal("t_p1_before_20261128_090507", names.OfKept(new DateTime(2026, 11, 28, 9, 5, 7)));
        Assert.NotEqual(RefreshNames.JobOf("d", "t"), RefreshNames.JobOf("d", "t", "p1"));
    }

    [Fact]
    public void A_partition_is_exchanged_where_the_server_can()
    {
        RefreshFacts Partitioned(Func<TableFacts, TableFacts>? change = null, string? partition = "a") =>
            Facts(table => (change?.Invoke(table) ?? table) with { Partition = partition }) with
            {
                Partitions = [new PartitionFacts("a", null), new PartitionFacts("b", "FALSE")],
            };

        string Choose(RefreshFacts facts)
        {
            try
            {
                return RefreshWays.Of(RefreshRules.Choose(new RefreshOptions(RefreshWay.Auto) { Partition = "a" }, facts).Way);
            }
            catch (BulkLoadException refusal) when (refusal.ErrorCode == BulkErrorCode.Refused)
            {
                return refusal.Message;
            }
        }

        Assert.Equal("exchange", Choose(Partitioned()));
        Assert.Equal("--partition a: shop.people has no partitions", Choose(Facts()));
        Assert.Equal("--partition a: shop.people has no such partition: its partitions are a, b", Choose(Partitioned(partition: null)));
        Assert.EndsWith("the table has triggers, which an exchange does not run",
            Choose(Partitioned(table => table with { InsertTriggers = ["log (AFTER INSERT)"] })), StringComparison.Ordinal);
        Assert.EndsWith("ALTER TABLE `shop`.`people` FORCE writes its rows new",
            Choose(Partitioned() with { HasInstantColumns = true }), StringComparison.Ordinal);
    }

    [Fact]
    public void A_tree_of_rows_needs_references_that_may_be_null()
    {
        var own = new ForeignKey("tree", "shop", "people", ["parent"], "shop", "people", ["id"], "RESTRICT");
        var parent = Columns.Integer("parent");
        Assert.Equal("diff: asked for", Choose(RefreshWay.Diff, Tree(parent)));
        Assert.Equal("--full-refresh=diff: its rows refer to each other by columns that may not be NULL (tree): use --full-refresh=swap",
            Choose(RefreshWay.Diff, Tree(parent.Required())));

        RefreshFacts Tree(TableColumn column) => new(
            Facts(table => table with { Columns = [.. table.Columns, column] }).Table, "", [own], HasStatistics: false);
    }

    private const string Definition = """
        CREATE TABLE `t` (
          `id` int NOT NULL AUTO_INCREMENT COMMENT 'a, CONSTRAINT `x` CHECK (1)',
          `up` int DEFAULT NULL,
          PRIMARY KEY (`id`),
          CONSTRAINT `kept__2` FOREIGN KEY (`up`) REFERENCES `other` (`id`),
          CONSTRAINT `own` FOREIGN KEY (`up`) REFERENCES `t` (`id`) ON DELETE SET NULL,
          CONSTRAINT `a``b` CHECK ((`id` > 0))
        ) ENGINE=InnoDB AUTO_INCREMENT=500 DEFAULT CHARSET=utf8mb4 COMMENT='it''s AUTO_INCREMENT=5'
        """;

    [Theory]
    [InlineData(false, "a``b__2")]
    [InlineData(true, "a``b")]
    public void A_table_beside_has_other_names_of_constraints(bool isMariaDb, string check)
    {
        var text = new TwinText("t", "new", isMariaDb).Create(Definition, ["KEPT__2", "own", "own__2", "a`b"], "`d`.`new`");
        Assert.Equal(Definition.Replace("TABLE `t`", "TABLE `d`.`new`", StringComparison.Ordinal)
            .Replace("`kept__2`", "`kept`", StringComparison.Ordinal)
            .Replace("`own` FOREIGN KEY (`up`) REFERENCES `t`", "`own__3` FOREIGN KEY (`up`) REFERENCES `new`", StringComparison.Ordinal)
            .Replace("CONSTRAINT `a``b`", $"CONSTRAINT `{check}`", StringComparison.Ordinal)
            .Replace("\n  ", "\n", StringComparison.Ordinal), text);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Constraints_of_the_table_beside_are_found_by_what_they_say(bool isMariaDb)
    {
        var twin = new TwinText("t", "new", isMariaDb);
        var made = twin.Create(Definition, ["kept__2", "own", "a`b"], "`new`");

        // A server may list them in another order.
        var lines = made.Split('\n');
        var first = Array.FindIndex(lines, line => line.StartsWith("CONSTRAINT", StringComparison.Ordinal));
        (lines[first], lines[first + 1]) = (lines[first + 1], lines[first]);
        (string, string)[] names = [("own__2", "own"), ("kept", "kept__2"), .. isMariaDb ? [] : new[] { ("a`b__2", "a`b") }];
        Assert.Equal(names, twin.Constraints(Definition, string.Join("\n", lines)));

        // Without references of the table to itself.
        Assert.DoesNotContain(twin.Constraints(Definition, twin.Create(Definition, ["own"], "`new`", keepsOwn: false)),
            one => one.Known == "own");
    }

    /// <summary>A name of 64 characters is cut once, and then there are two of them; so with many tables that stay.</summary>
    [Theory]
    [InlineData("a_constraint_whose_name_has_sixty_four_characters_as_many_as_can")]
    [InlineData("short")]
    [InlineData("short__11")]
    public void Names_of_constraints_alternate(string name)
    {
        List<string> seen = [name];
        for (var round = 0; round < 6; round++)
        {
            var definition = $"CREATE TABLE `t` (\n  `up` int,\n  CONSTRAINT `{seen[^1]}` FOREIGN KEY (`up`) REFERENCES `o` (`id`)\n)";
            var made = new TwinText("t", "new", isMariaDb: true).Create(definition, [seen[^1]], "`new`");
            seen.Add(made.Split("CONSTRAINT `")[1].Split('`')[0]);
        }

        Assert.All(seen, one => Assert.InRange(one.Length, 1, SqlName.MaxCharacters));
        Assert.Equal(seen[1], seen[3]);
        Assert.Equal([seen[1], seen[2]], seen.Skip(1).Distinct());
    }

    [Fact]
    public void Names_and_the_next_number_are_no_part_of_what_lasts()
    {
        Assert.Equal(500UL, TwinText.NextNumber(Definition));
        var lasting = TwinText.Lasting("t", Definition);
        var other = Definition.Replace("`t`", "`former`", StringComparison.Ordinal).Replace("`own`", "`former_1`", StringComparison.Ordinal)
            .Replace(" AUTO_INCREMENT=500", "", StringComparison.Ordinal);
        Assert.Equal(lasting, TwinText.Lasting("former", other));
        Assert.Null(TwinText.NextNumber(other));
        foreach (var (one, altered) in new[]
        {
            ("`up` int", "`up` bigint"), ("id` > 0", "id` > 1"), ("it''s", "it is"), ("`other`", "`t`"),
        })
        {
            Assert.NotEqual(lasting, TwinText.Lasting("t", Definition.Replace(one, altered, StringComparison.Ordinal)));
        }
    }
}
