using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sql;

/// <summary>Statements of a preview.</summary>
public sealed class PreviewSqlTests
{
    private const string Mark = "SHA2(CONCAT_WS(',', HEX(CAST(`code` AS BINARY))), 256)";

    private static readonly TableColumn Id = Columns.Integer("id").Required();
    private static readonly TableColumn Code = Columns.Varchar("code");
    private static readonly ForeignKey Child = new("parent", "shop", "children", ["parent"], "shop", "people", ["code"], "RESTRICT");
    private static readonly PreviewSql Sql =
        new(Columns.Table(Id, Code) with { UniqueKeys = [new UniqueKey("PRIMARY", [new KeyPart("id")])] });

    [Fact]
    public void Rows_are_copied_by_values_of_the_records() => Assert.Equal(
        "REPLACE INTO `shop`.`bulkload_copy` (`id`,`code`) SELECT t.`id`, t.`code` FROM stage s STRAIGHT_JOIN `shop`.`people` t "
            + "FORCE INDEX (`codex`) ON t.`id` = s.`k` AND t.`code` = 'c'",
        Sql.CopyRows("stage", [("id", "s.`k`"), ("code", "'c'")], "codex"));

    [Fact]
    public void Rows_are_copied_by_what_the_changed_row_keeps() => Assert.Equal(
        "REPLACE INTO `shop`.`bulkload_copy` (`id`,`code`) SELECT t.`id`, t.`code` FROM stage s "
            + "STRAIGHT_JOIN `shop`.`bulkload_before` b ON b.`id` = s.`k` STRAIGHT_JOIN `shop`.`people` t ON t.`code` = b.`code`",
        Sql.CopyRows("stage", [("code", "b.`code`")], null, "b.`id` = s.`k`"));

    [Fact]
    public void A_marked_row_keeps_what_others_refer_to_to_the_byte()
    {
        Assert.Equal("ALTER TABLE `shop`.`bulkload_copy` ADD COLUMN `m` VARBINARY(64)", Sql.AddMark("m"));
        Assert.Equal(
            "UPDATE `shop`.`bulkload_copy` c SET c.`m` = SHA2(CONCAT_WS(',', HEX(CAST(c.`code` AS BINARY))), 256) "
                + "WHERE EXISTS (SELECT 1 FROM `shop`.`children` x WHERE x.`parent` = c.`code`)",
            Sql.MarkParents("m", Child));
        Assert.Equal(
            $"ALTER TABLE `shop`.`bulkload_copy` ADD CONSTRAINT `m` CHECK (`m` IS NULL OR `m` = {Mark})", Sql.RefuseChanges("m", ["code"]));
    }

    [Theory]
    [InlineData(null, "IF(`a` IS NULL, IF(`b` IS NULL, 1, 9223372036854775807 + LENGTH(`b`)), 9223372036854775807 + LENGTH(`a`))")]
    [InlineData("age > 3",
        "IF(age > 3, IF(`a` IS NULL, IF(`b` IS NULL, 1, 9223372036854775807 + LENGTH(`b`)), 9223372036854775807 + LENGTH(`a`)), 0)")]
    public void A_delete_of_a_marked_row_is_an_error(string? rows, string expected) =>
        Assert.Equal(expected, PreviewSql.RefuseMarked(["a", "b"], rows));

    [Fact]
    public void Checks_refuse_values_allow_others_or_bind_them()
    {
        const string Add = "ALTER TABLE `shop`.`bulkload_copy` ADD CONSTRAINT `g` CHECK ";
        Assert.Equal($"{Add}(NOT ((`id` = 1) OR (`id` = 2)))", Sql.Refuse("g", [Id], [["1"], ["2"]]));
        Assert.Equal($"{Add}(`id` IS NULL OR (`id` = 1) OR (`id` = 2))", Sql.Allow("g", [Id], [["1"], ["2"]]));
        Assert.Equal($"{Add}(`id` IS NULL)", Sql.Allow("g", [Id], []));
        Assert.Equal($"{Add}(NOT (((`id` = 1) AND {Mark} <> 'ab')))", Sql.Bind("g", [Id], ["code"], [["1", "ab"]]));
    }

    [Fact]
    public void A_record_is_looked_up_by_each_of_its_unique_values() => Assert.Equal(
        "SELECT 1 FROM `shop`.`bulkload_copy` WHERE (`id` = 1) OR (`id` = 1 AND `code` = 'c') LIMIT 1",
        Sql.HasRow([[("id", "1")], [("id", "1"), ("code", "'c'")]]));

    [Fact]
    public void The_copy_makes_no_numbers_where_no_record_asks_for_one()
    {
        Assert.Equal("ALTER TABLE `shop`.`bulkload_copy` MODIFY `id` int NOT NULL", Sql.GiveNoNumbers(Id with { TypeText = "int" }));
        Assert.Equal("SELECT 1 FROM stage s WHERE s.`k` IS NULL OR s.`k` = 0 LIMIT 1", PreviewSql.AsksForNumber("stage", "k"));
    }

    [Fact]
    public void A_default_is_a_literal_where_its_text_is_the_value()
    {
        var constant = Code with { Default = ColumnDefault.Constant, DefaultText = "it's" };
        Assert.Equal("'it\\'s'", PreviewSql.DefaultOf(constant));
        Assert.Null(PreviewSql.DefaultOf(constant with { Kind = ColumnKind.Bit }));
        Assert.Null(PreviewSql.DefaultOf(constant with { Default = ColumnDefault.Expression }));
        Assert.Null(PreviewSql.DefaultOf(Id));
    }
}
