using BulkLoad.Core.Inference;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Inference;

/// <summary>Types that the user gives, and columns that are added to a table.</summary>
public sealed class GivenTypesTests
{
    private static readonly TableFacts People = Columns.Table(Columns.Integer("id"), Columns.Varchar("name"));

    [Fact]
    public void A_given_type_takes_the_place_of_the_inferred_one_and_the_values_decide_of_null()
    {
        var design = Survey(TestFacts.Request with { Create = true, ColumnTypes = [new("ID", "bigint unsigned"), new("zip", "char(5)")] },
            "id,zip\n1,00123\n2,\n", null).Design();
        Assert.Equal(["id bigint unsigned not null", "zip char(5)"],
            design.Columns.Select(column => $"{column.Column.Name} {Inferred.Text(column)}"));
        Assert.Equal(["id BIGINT UNSIGNED", "zip CHAR(5)"], design.Describe("shop", "people").Given);
        Assert.All(design.Columns, column => Assert.Equal("given by --type", column.Reason));
    }

    [Fact]
    public void A_given_type_can_be_a_key_unless_it_says_null()
    {
        var request =
            TestFacts.Request with { Create = true, PrimaryKey = ["id"], ColumnTypes = [new("id", "varchar(3000) character set latin1")] };
        Assert.Equal(["id"], Survey(request, "id\n1\n", null).Design().PrimaryKey);
        Assert.StartsWith(
            "--primary-key id: --type says NULL, and a key must have a value in every record",
            Assert.Throws<PlanException>(
                () => Survey(request with { ColumnTypes = [new("id", "int null")] }, "id\n1\n", null).Design()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_of_no_column_is_an_error() => Assert.Equal(
        "--type nme: the new table has no column of that name; did you mean 'name'? (it has id, name)",
        Assert.Throws<RequestException>(() => Survey(
            TestFacts.Request with { Create = true, ColumnTypes = [new("nme", "int")] }, "id,name\n1,Ada\n", null).Design()).Message);

    [Fact]
    public void A_type_that_only_the_other_server_has_is_refused() => Assert.Equal(
        "--type u: MySQL has no type UUID: CHAR(36) or BINARY(16) holds such values",
        Assert.Throws<PlanException>(() => new GivenTypes([new("u", "uuid")], SqlDialect.MySql).Find("u")).Message);

    [Fact]
    public void Only_fields_without_a_column_are_added_and_all_can_be_null()
    {
        var addition = Survey(TestFacts.Request with { AddColumns = true, ColumnTypes = [new("n", "smallint not null default 7")] },
            "id,city,NAME,n\n1,Rome,Ada,3\n", People)
            .DesignAddition("utf8mb4");
        Assert.Equal(
            "ALTER TABLE `shop`.`people` ADD COLUMN `city` VARCHAR(16) NULL, ADD COLUMN `n` SMALLINT NOT NULL DEFAULT '7'",
            addition.Describe(People with { Database = "shop", Name = "people" }).Statement);
        Assert.Equal(["id", "name", "city", "n"], addition.AddTo(People).Columns.Select(column => column.Name));
        Assert.Equal(["n"], addition.Describe(People).Defaulted);
    }

    [Fact]
    public void Text_is_utf8mb4_where_the_table_has_another_character_set() => Assert.Equal(
        ["city VARCHAR(16) CHARACTER SET utf8mb4", "n INT"],
        Survey(TestFacts.Request with { AddColumns = true }, "id,city,n\n1,Rome,3\n", People).DesignAddition("latin1")
            .Describe(People).Definitions);

    [Fact]
    public void Keys_of_later_objects_are_added() => Assert.Equal(
        ["born DATE", "tags JSON"],
        Survey(TestFacts.Request with { AddColumns = true }, "{\"id\":1}\n{\"id\":2,\"born\":\"1990-01-02\"}\n{\"tags\":[1]}\n", People)
            .DesignAddition("utf8mb4").Describe(People).Definitions);

    [Theory]
    [InlineData("id,name,city\n1,Ada,Rome\n", true)]
    [InlineData("id,name\n1,Ada\n", false)]
    [InlineData("city,land\nRome,Italy\n", false)]
    [InlineData("id, name,city\n1,Ada,Rome\n", false)]
    [InlineData("{\"id\":1}\n", true)]
    [InlineData("{\"city\":1}\n", false)]
    public void Fields_become_columns_only_in_a_file_of_this_table(string content, bool may)
    {
        var options = new SourceOptions { Format = content[0] == '{' ? InputFormat.Jsonl : InputFormat.Csv };
        using var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(content)), "people", options);
        Assert.Equal(
            may, UnknownFields.MayBeColumns(SourceProbe.Look(input, options), TestFacts.Request with { AddColumns = true }, People));
    }

    [Theory]
    [InlineData(
        true, true, "--add-columns: shop.people keeps its history (WITH SYSTEM VERSIONING), of which ALTER TABLE would change the past: ")]
    [InlineData(false, false,
        "--add-columns: shop.people has no transactions (engine Aria), so nobody could say whether its new columns are used: ")]
    public void Some_tables_get_no_columns(bool isVersioned, bool isTransactional, string message) => Assert.StartsWith(
        message,
        TableAddition.FindObstacle(People with
        { Database = "shop", Name = "people", Engine = "Aria", IsVersioned = isVersioned, IsTransactional = isTransactional }),
        StringComparison.Ordinal);

    private static SourceSurvey Survey(LoadRequest request, string content, TableFacts? table)
    {
        request.Validate();
        var survey = new SourceSurvey(request, Inferred.Utc, ["people"], new GivenTypes(request.ColumnTypes, SqlDialect.MySql), table);
        var options = request.Source with { Format = content[0] == '{' ? InputFormat.Jsonl : InputFormat.Csv };
        using var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(content)), "people", options);
        survey.Read(SourceProbe.Look(input, options), input);
        return survey;
    }
}
