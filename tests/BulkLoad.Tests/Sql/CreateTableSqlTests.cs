using BulkLoad.Core.Sql;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sql;

public sealed class CreateTableSqlTests
{
    [Fact]
    public void Names_are_quoted_and_null_is_said() => Assert.Equal(
        """
        CREATE TABLE `shop`.`odd``one` (
          `a``b` INT NOT NULL,
          `name` VARCHAR(10) NULL,
          PRIMARY KEY (`a``b`)
        ) DEFAULT CHARSET=utf8mb4
        """.ReplaceLineEndings("\n"),
        CreateTableSql.Create("shop", "odd`one", [new(Columns.Integer("a`b").Required()), new(Columns.Varchar("name", 10))], ["a`b"]));

    [Fact]
    public void Without_a_key_there_is_none() =>
        Assert.DoesNotContain("KEY", CreateTableSql.Create("shop", "t", [new(Columns.Integer("id"))], []), StringComparison.Ordinal);

    [Fact]
    public void Columns_are_added_and_dropped_by_one_statement()
    {
        Assert.Equal("ALTER TABLE `shop`.`t` ADD COLUMN `a``b` INT NULL, ADD COLUMN `c` VARCHAR(10) NULL",
            AddColumnsSql.Add("shop", "t", [new(Columns.Integer("a`b")), new(Columns.Varchar("c", 10))]));
        Assert.Equal("ALTER TABLE `shop`.`t` DROP COLUMN `a``b`, DROP COLUMN `c`", AddColumnsSql.Drop("shop", "t", ["a`b", "c"]));
        Assert.Equal("SELECT 1 FROM `shop`.`t` WHERE `a` IS NOT NULL OR NOT (`c` <=> DEFAULT(`c`)) LIMIT 1",
            AddColumnsSql.AnyValue("shop", "t", ["a", "c"], ["c"]));
    }
}
