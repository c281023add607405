using BulkLoad.Core.Input;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Values;

/// <summary>What <c>--set</c> and <c>--null-value COLUMN=TEXT</c> say of columns.</summary>
public sealed class RequestedColumnsTests
{
    private static readonly TableFacts Table = Columns.Table(
        Columns.Integer("id"), Columns.Varchar("name"), Columns.DateTime(name: "made").Required(),
        Columns.Varchar("slug") with { IsGenerated = true }, Columns.Integer("secret") with { CanInsert = false });

    private static LoadRequest Setting(params string[] columns) =>
        TestFacts.Request with { Assignments = [.. columns.Select(column => new ColumnAssignment(column, "NOW()"))] };

    private static ColumnMapping Map(string? header, int fields, LoadRequest request) =>
        ColumnMapping.Create("people.csv", header?.Split(','), fields, Table, request, null);

    [Fact]
    public void An_assigned_column_has_the_tables_spelling() =>
        Assert.Equal([new("made", "NOW()")], RequestedColumns.ResolveAssignments(Table, Setting("MADE")));

    [Theory]
    [InlineData("mad", "--set mad: shop.people has no column of that name; did you mean 'made'?")]
    [InlineData("slug", "--set slug: column 'slug' of shop.people is generated, its value cannot be set")]
    [InlineData(
        "secret", "--set secret: this account may not insert into column 'secret' of shop.people: GRANT INSERT ON shop.people to it")]
    public void A_column_that_cannot_be_assigned_is_refused(string column, string expected) => Assert.Equal(
        expected, Assert.Throws<PlanException>(() => RequestedColumns.ResolveAssignments(Table, Setting(column))).Message);

    [Fact]
    public void A_column_that_is_assigned_need_not_be_in_the_file()
    {
        Assert.Equal(["id", "name"], Map("id,name", 0, Setting("Made")).Columns.Select(column => column.Name));
        Assert.Contains("column 'made' is NOT NULL", Assert.Throws<MappingException>(() => Map("id,name", 0, TestFacts.Request)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_column_that_is_assigned_and_in_the_file_is_refused() => Assert.Contains(
        "  column 'made' is the target of field 2 and of --set (skip the field: @made in --columns, or --map made=@)",
        Assert.Throws<MappingException>(() => Map("id,made", 0, Setting("MADE"))).Message.Split('\n'));

    [Fact]
    public void Without_a_header_the_assigned_columns_are_passed_over() =>
        Assert.Equal(["id", "name"], Map(null, 2, Setting("made", "secret")).Columns.Select(column => column.Name));

    [Fact]
    public void A_json_object_is_not_asked_for_assigned_columns()
    {
        Assert.Equal(["id", "name", "made"], JsonFields.Choose(
            ["id"], Columns.Table(Columns.Integer("id"), Columns.Varchar("name"), Columns.DateTime(name: "made")), TestFacts.Request));
        Assert.Equal(["id", "name"], JsonFields.Choose(
            ["id"], Columns.Table(Columns.Integer("id"), Columns.Varchar("name"), Columns.DateTime(name: "made")), Setting("Made")));
        Assert.Equal(["id", "name"], JsonFields.Choose([], Table, Setting("Made")));
    }

    [Fact]
    public void A_null_text_of_a_column_that_is_not_there_says_how_to_mean_the_text() => Assert.Equal(
        "--null-value 'nam=x': shop.people has no column 'nam'; did you mean 'name'? (if that is the text itself, write '=nam=x')",
        Assert.Throws<PlanException>(() => RequestedColumns.CheckNullTexts(
            Table, TestFacts.Request with
            { Values = new ValueOptions { NullTexts = [new("NAME", "x"), new(null, "y"), new("nam", "x")] } })).Message);

    [Theory]
    [InlineData("--set a: '1;' has a semicolon outside quotes", "a", "1;")]
    [InlineData("--set names column 'a' twice", "a", "1", "A", "2")]
    public void A_request_that_cannot_be_meant_is_refused(string expected, params string[] pairs)
    {
        var request = TestFacts.Request with { Assignments = [.. pairs.Chunk(2).Select(pair => new ColumnAssignment(pair[0], pair[1]))] };
        Assert.Equal(expected, Assert.Throws<RequestException>(request.Validate).Message);
    }

    [Fact]
    public void A_request_with_an_unknown_time_zone_is_refused() =>
        Assert.Throws<RequestException>((TestFacts.Request with { Values = new ValueOptions { TimeZone = "Nowhere" } }).Validate);
}
