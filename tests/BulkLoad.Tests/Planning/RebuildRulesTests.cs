using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Planning;

/// <summary>Which indexes a load can do without.</summary>
public sealed class RebuildRulesTests
{
    private static readonly TableFacts Table = TestFacts.Of(TestFacts.MariaDb).Table with
    {
        Columns =
        [
            Column("id") with { Default = ColumnDefault.AutoIncrement },
            Column("age"),
            Column("made") with { IsGenerated = true },
        ],
        UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("id")])],
    };

    [Theory]
    [InlineData("", "age", null)]
    [InlineData("", "age,id", null)]
    [InlineData("", "id,age", null)]
    [InlineData("UNIQUE", "age", "it keeps duplicates out")]
    [InlineData("FULLTEXT", "age", "the server does not say which words it leaves out")]
    [InlineData("SPATIAL", "age", "SPATIAL: only ordinary indexes are dropped")]
    [InlineData("", "", "the account may not see its columns")]
    [InlineData("", "age,NULL", "it has an expression, which can refuse values")]
    [InlineData("", "age,made", "column 'made' is generated, and its expression can refuse values")]
    [InlineData("", "age,hidden", "column 'hidden' is generated, and its expression can refuse values")]
    public void An_index_is_dropped_only_where_nothing_but_queries_needs_it(string kind, string columns, string? reason) =>
        Assert.Equal(reason, Judge(Table, kind, columns));

    [Fact]
    public void An_index_that_a_foreign_key_may_need_stays()
    {
        Assert.Equal("a foreign key over column 'age' may need it", Judge(Table, "", "age,id", referring: ["AGE"]));
        Assert.Equal("a foreign key that points to column 'age' may need it", Judge(Table, "", "age", referred: ["age"]));
        Assert.Null(Judge(Table, "", "id,age", referring: ["age"], referred: ["age"]));
    }

    [Fact]
    public void The_only_index_of_an_auto_increment_column_stays() =>
        Assert.Equal("AUTO_INCREMENT column 'id' needs it",
            Judge(Table with { UniqueKeys = [new UniqueKey("one", [new KeyPart("age")])] }, "", "id"));

    /// <summary>Indexes come back behind others of their sort; servers sort unique and full-text ones by themselves.</summary>
    [Theory]
    [InlineData("age", true)]
    [InlineData("age age", true)]
    [InlineData("UNIQUE age FULLTEXT", true)]
    [InlineData("made age", true)]
    [InlineData("age made", false)]
    [InlineData("age made age", false)]
    [InlineData("made", true)]
    public void Indexes_that_nobody_asked_to_drop_keep_their_order(string indexes, bool isSame)
    {
        IndexDefinition[] definitions = [.. indexes.Split(' ').Select((word, place) => word is "UNIQUE" or "FULLTEXT"
            ? new IndexDefinition($"i{place}", word, $"{word} KEY `i{place}` (`age`)")
            : new IndexDefinition($"i{place}", "", $"KEY `i{place}` (`{word}`)"))];
        var columns = definitions.ToLookup(index => index.Name, index => (string?)(index.Text.Contains("made") ? "made" : "age"));
        var facts = RebuildRules.Judge(Table, definitions, columns, [], []);
        Assert.Equal(isSame, facts.KeepsOrder);
        Assert.Equal(isSame && facts.Dropped.Count > 0, RebuildRules.IsFaster(Of(records: 1_000_000), facts));
        Assert.False(RebuildRules.IsFaster(Of(records: 10_000), facts));
        Assert.False(RebuildRules.IsFaster(Of(records: null), facts));
    }

    [Fact]
    public void The_plan_says_when_it_is_unlikely_to_pay()
    {
        var indexes = new IndexFacts(
            [new IndexDefinition("age", "", "KEY `age` (`age`)")], [new KeptIndex("one", "it keeps duplicates out")])
        { Rows = 5_000_000 };
        var facts = Asked(indexes);
        Assert.Contains(RebuildRules.Describe(facts)!.Notes,
            note => note.StartsWith("the table has about 5,000,000 rows and the input about ", StringComparison.Ordinal));
        Assert.DoesNotContain(RebuildRules.Describe(facts with { Indexes = indexes with { Rows = 1 } })!.Notes,
            note => note.StartsWith("the table has", StringComparison.Ordinal));
        Assert.Equal(["ALTER TABLE `shop`.`people` DROP INDEX `age`"], RebuildRules.SqlBeforeRows(facts));
        Assert.Equal(["ALTER TABLE `shop`.`people` ADD KEY `age` (`age`)"], RebuildRules.SqlAfterCommit(facts));
    }

    [Fact]
    public void Without_an_index_that_can_be_dropped_nothing_is_altered()
    {
        var facts = Asked(new IndexFacts([], []));
        Assert.Equal(["no index can be dropped: the table is loaded as it is"], RebuildRules.Describe(facts)!.Notes);
        Assert.Empty(RebuildRules.SqlBeforeRows(facts).Concat(RebuildRules.SqlAfterCommit(facts)));
    }

    [Theory]
    [InlineData(true, false, false, "--no-ledger")]
    [InlineData(false, true, false, "--create")]
    [InlineData(false, false, true, "only an import")]
    public void A_request_that_could_lose_an_index_is_refused(bool noLedger, bool create, bool isUpdate, string word)
    {
        var request = TestFacts.Request with
        { RebuildIndexes = true, NoLedger = noLedger, Create = create, Kind = isUpdate ? JobKind.Update : JobKind.Import };
        Assert.Contains(word, Assert.Throws<RequestException>(request.Validate).Message, StringComparison.Ordinal);
    }

    private static LoadFacts Of(long? records)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb);
        return facts with { Sources = [facts.Sources[0] with { EstimatedRecords = records }] };
    }

    private static LoadFacts Asked(IndexFacts indexes) => Of(records: 1000) with
    {
        Indexes = indexes,
        Request = TestFacts.Request with { RebuildIndexes = true },
    };

    private static string? Judge(TableFacts table, string kind, string columns, string[]? referring = null, string[]? referred = null)
    {
        var parts = columns.Split(',', StringSplitOptions.RemoveEmptyEntries).Select(column => column == "NULL" ? null : column);
        var facts = RebuildRules.Judge(
            table, [new IndexDefinition("i", kind, "KEY `i` (`age`)")], parts.ToLookup(_ => "i"), referring ?? [], referred ?? []);
        Assert.Single(facts.Dropped.Select(index => index.Name).Concat(facts.Kept.Select(index => index.Name)));
        return facts.Kept is [var kept] ? kept.Reason : null;
    }

    private static TableColumn Column(string name) => new()
    {
        Name = name,
        TypeText = "int",
        Kind = ColumnKind.Integer,
        IsNullable = true,
        Default = ColumnDefault.Null,
    };
}
