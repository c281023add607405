using BulkLoad.Core.Schema;
using BulkLoad.Seeding;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Seeding;

/// <summary>In which order tables are filled.</summary>
public sealed class SeedOrderTests
{
    private static readonly Dictionary<string, IReadOnlyList<string>> NoHints = [];

    [Fact]
    public void Parents_go_first() =>
        Assert.Equal(["country", "person", "order", "item"],
            NamesOf(Order(Table("item", "order!"), Table("order", "person!"), Table("person", "country?"), Table("country"))));

    [Fact]
    public void Tables_that_do_not_depend_on_each_other_wait_for_nobody() =>
        Assert.All(Order(Table("a"), Table("b"), Table("c")), step => Assert.Empty(step.Before));

    [Fact]
    public void A_nullable_key_of_a_circle_is_set_later()
    {
        var steps = Order(Table("a", "b?"), Table("b", "a!"));
        Assert.Equal(["a", "b"], NamesOf(steps));
        Assert.Equal("b_id", Assert.Single(Assert.Single(steps[0].Deferred).Columns));
        Assert.Empty(steps[1].Deferred);
        Assert.Equal(steps[0].Group, steps[1].Group);
        Assert.All(steps, step => Assert.True(step.NeedsStage));
    }

    [Fact]
    public void A_table_beside_a_circle_is_not_part_of_it()
    {
        var steps = Order(Table("a", "b?"), Table("b", "a!"), Table("c", "b!"));
        Assert.False(steps.Single(step => step.Table.Name == "c").NeedsStage);
        Assert.Equal(["b"], steps.Single(step => step.Table.Name == "c").Before);
    }

    [Fact]
    public void A_circle_of_three_defers_one_key() =>
        Assert.Single(Order(Table("a", "b!"), Table("b", "c?"), Table("c", "a!")).SelectMany(step => step.Deferred));

    [Fact]
    public void A_circle_without_a_nullable_column_is_refused_and_shown() => Assert.Contains(
        "a.b_id -> b; b.c_id -> c; c.a_id -> a",
        Assert.Throws<PlanException>(() => Order(Table("a", "b!"), Table("b", "c!"), Table("c", "a!"))).Message);

    [Fact]
    public void A_nullable_key_to_itself_is_set_later() => Assert.Single(Assert.Single(Order(Table("a", "a?"))).Deferred);

    [Fact]
    public void A_key_to_itself_that_is_not_nullable_goes_level_by_level()
    {
        var step = Assert.Single(Order(Table("a", "a!")));
        Assert.Empty(step.Deferred);
        Assert.Single(step.ByLevels);
    }

    [Fact]
    public void A_hint_is_an_order_too() => Assert.Equal(
        ["b", "a"], NamesOf(SeedOrder.Of([Table("a"), Table("b")], new Dictionary<string, IReadOnlyList<string>> { ["a"] = ["b"] })));

    [Fact]
    public void A_hint_against_a_foreign_key_is_refused() => Assert.Contains(
        "a after b",
        Assert.Throws<PlanException>(
            () => SeedOrder.Of([Table("a"), Table("b", "a!")], new Dictionary<string, IReadOnlyList<string>> { ["a"] = ["b"] })).Message);

    [Fact]
    public void Keys_to_tables_outside_of_the_folder_do_not_count() => Assert.Empty(Assert.Single(Order(Table("a", "elsewhere!"))).Before);

    private static IReadOnlyList<SeedStep> Order(params TableFacts[] tables) => SeedOrder.Of(tables, NoHints);

    private static IEnumerable<string> NamesOf(IReadOnlyList<SeedStep> steps) => steps.Select(step => step.Table.Name);

    /// <param name="parents">tables that it refers to, with ? where the column may be NULL and ! where not</param>
    private static TableFacts Table(string name, params string[] parents) =>
        Columns.Table([Columns.Integer("id").Required(),
            .. parents.Select(parent => Columns.Integer($"{parent[..^1]}_id") with { IsNullable = parent.EndsWith('?') })]) with
        {
            Database = "db",
            Name = name,
            UniqueKeys = [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")])],
            References = [.. parents.Select(parent =>
                new ForeignKey($"fk_{parent[..^1]}", "db", name, [$"{parent[..^1]}_id"], "db", parent[..^1], ["id"], "RESTRICT"))],
        };
}
