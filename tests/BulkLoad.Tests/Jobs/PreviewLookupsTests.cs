using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Jobs;

/// <summary>The keys by which a preview finds the rows that records may meet.</summary>
public sealed class PreviewLookupsTests
{
    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Code = Columns.Varchar("code");
    private static readonly TableColumn Tag = Columns.Varchar("tag") with { Default = ColumnDefault.Constant, DefaultText = "d" };

    private static PreviewLookups Of(
        JobKind kind, DuplicateMode mode, TableColumn[] file, TableColumn[] table, string[] unique, string? set = null)
    {
        var facts = TestFacts.Of(TestFacts.MySql, file);
        return new PreviewLookups(facts with
        {
            Request = facts.Request with { Kind = kind, OnDuplicate = mode },
            Table = Columns.Table(table) with
            {
                UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("id")]),
                    new UniqueKey("other", [.. unique.Select(name => new KeyPart(name))])]
            },
            Key = kind == JobKind.Import ? null : TestKeys.Of([Id], TestKeys.Primary),
            Assignments = set is null ? [] : [new ColumnAssignment(set, "1")],
        });
    }

    private static string Show(PreviewLookups lookups) => string.Join(
        "; ",
        lookups.Found.Select(found => $"{found.Index} {string.Join('+', found.Parts.Select(part => $"{part.Column.Name} {part.Part}"))}")
            .Concat(lookups.Unseen.Select(key => $"unseen {key.Name}")));

    [Theory]
    [InlineData(DuplicateMode.Error, "PRIMARY id Record; other tag Default")]
    [InlineData(DuplicateMode.Update, "PRIMARY id Record; other tag Default")]
    public void What_the_file_lacks_is_the_default(DuplicateMode mode, string expected) =>
        Assert.Equal(expected, Show(Of(JobKind.Import, mode, [Id], [Id, Tag], ["tag"])));

    [Fact]
    public void Null_and_new_numbers_are_in_no_conflict() =>
        Assert.Equal("PRIMARY id Record", Show(Of(JobKind.Import, DuplicateMode.Replace, [Id], [Id, Code], ["code"])));

    [Fact]
    public void An_upsert_meets_rows_by_the_default_and_by_what_the_changed_row_keeps() => Assert.Equal(
        "PRIMARY id Record; other code Record+tag Default; other code Record+tag Row",
        Show(Of(JobKind.Import, DuplicateMode.Update, [Id, Code], [Id, Code, Tag], ["code", "tag"])));

    [Fact]
    public void An_update_keeps_what_the_file_lacks()
    {
        Assert.Equal("PRIMARY id Record; other code Record+tag Row",
            Show(Of(JobKind.Update, default, [Id, Code], [Id, Code, Tag], ["code", "tag"])));
        Assert.Equal("PRIMARY id Record", Show(Of(JobKind.Update, default, [Id, Code], [Id, Code, Tag], ["tag"])));
    }

    [Fact]
    public void What_only_the_server_knows_is_not_looked_up()
    {
        Assert.Equal("PRIMARY id Record; unseen other", Show(Of(JobKind.Update, default, [Id], [Id, Code], ["code"], set: "code")));
        Assert.Equal(
            "PRIMARY id Record; unseen other",
            Show(Of(JobKind.Import, DuplicateMode.Error, [Id], [Id, Code with { IsGenerated = true, Expression = "id" }], ["code"])));
    }
}
