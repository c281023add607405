using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Values;

/// <summary>Fields that find rows, and fields that change them.</summary>
public sealed class ChangedRowsTests
{
    private static readonly TableColumn Id = Columns.Id();
    private static readonly TableFacts Table = Columns.Table(
        Id, Columns.Varchar("name").Required(), Columns.Integer("age").Required(),
        Columns.Integer("double_age") with { IsGenerated = true });

    private static LoadRequest Request { get; } = TestFacts.Request with { Kind = JobKind.Update };

    private static ColumnMapping Map(string header, LoadRequest? request = null, params TableColumn[] key) =>
        ColumnMapping.Create("people.csv", header.Split(','), 0, Table, request ?? Request, null, key.Length == 0 ? [Id] : key);

    private static string Fault(string header, LoadRequest? request = null) =>
        Assert.Throws<MappingException>(() => Map(header, request)).Message;

    private static LoadRequest Renaming(string field, string column) => Request with { Map = [KeyValuePair.Create(field, column)] };

    [Fact]
    public void The_key_stands_first_and_what_the_file_does_not_have_is_not_missed()
    {
        var mapping = Map("age,id");

        Assert.Equal(["id", "age"], mapping.Columns.Select(column => column.Name));
        Assert.Equal([1, 0], mapping.FieldOf);
        Assert.Equal((1, true), (mapping.KeyCount, mapping.ChangesRows));
    }

    [Fact]
    public void A_field_that_is_renamed_to_the_key_is_its_new_value()
    {
        var mapping = Map("new_id,id", Renaming("new_id", "id"));

        Assert.Equal(["id", "id"], mapping.Columns.Select(column => column.Name));
        Assert.Equal([1, 0], mapping.FieldOf);
        Assert.Equal(1, mapping.KeyCount);
    }

    [Fact]
    public void The_key_may_be_worked_out_anew() =>
        Assert.Equal([0], Map("id", Request with { Assignments = [new ColumnAssignment("id", "id+1")] }).FieldOf);

    [Theory]
    [InlineData("name,age", "column 'id', by which rows are found, has no field")]
    [InlineData("id", "only the key is there")]
    [InlineData("id,double_age", "'double_age' is generated")]
    [InlineData("id,naem", "'naem'")]
    public void What_cannot_be_an_update_is_told(string header, string expected) =>
        Assert.Contains(expected, Fault(header), StringComparison.Ordinal);

    [Fact]
    public void Two_fields_that_could_both_be_the_key_are_told() =>
        Assert.Contains("is the target of fields 1 and 2", Fault(
            "a,b,name", Request with { Map = [KeyValuePair.Create("a", "id"), KeyValuePair.Create("b", "id")] }), StringComparison.Ordinal);

    [Fact]
    public void A_new_key_cannot_come_from_two_sides() =>
        Assert.Contains("and of --set", Fault(
            "id,new_id", Renaming("new_id", "id") with { Assignments = [new ColumnAssignment("id", "5")] }), StringComparison.Ordinal);

    [Fact]
    public void A_column_that_the_account_may_not_update_is_told()
    {
        var table = Table with { Columns = [Id with { CanUpdate = false }, Table.Columns[1] with { CanUpdate = false }] };

        var fault = Assert.Throws<PlanException>(
            () => ColumnMapping.Create("people.csv", ["id", "name"], 0, table, Request, null, [table.Columns[0]]));

        Assert.Contains("may not update column 'name'", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Another_file_may_have_its_fields_in_another_order()
    {
        var first = Map("id,name,age");
        var second = Map("age,name,id");

        Assert.Equal([2, 1, 0], second.InOrderOf(first, "b.csv", "a.csv").FieldOf);
    }

    [Fact]
    public void Keys_alone_are_kept_and_the_rest_is_judged()
    {
        var keys = Map("name,age,id").ToKeys(judgesAll: true);

        Assert.Equal(["id"], keys.Columns.Select(column => column.Name));
        Assert.Equal([2], keys.FieldOf);
        Assert.Equal([("name", 0), ("age", 1)], keys.Judged.Select(judged => (judged.Column.Name, judged.Field)));
        Assert.Empty(Map("name,age,id").ToKeys(judgesAll: false).Judged);
    }

    [Fact]
    public void A_surplus_of_fields_is_joined_to_the_last_text_whatever_is_kept() =>
        Assert.True(Map("id,age,name").ToKeys(judgesAll: false).EndsWithText);
}
