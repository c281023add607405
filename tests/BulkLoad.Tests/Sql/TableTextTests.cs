using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;

namespace BulkLoad.Tests.Sql;

/// <summary>Indexes as SHOW CREATE TABLE has them.</summary>
public sealed class TableTextTests
{
    [Fact]
    public void Each_index_but_the_primary_key_is_found_with_its_text()
    {
        var found = TableText.Indexes("""
            CREATE TABLE `people` (
              `id` int NOT NULL AUTO_INCREMENT,
              `name` varchar(40) DEFAULT 'KEY `x` (`y`),',
              PRIMARY KEY (`id`),
              UNIQUE KEY `one` (`name`),
              KEY `name` (`name`(10),`age` DESC) USING BTREE COMMENT 'it''s, ok',
              FULLTEXT KEY `words` (`name`) /*!50100 WITH PARSER `ngram`, really */ ,
              SPATIAL KEY `place` (`place`),
              KEY `hidden` (`age`) /*!80000 INVISIBLE */,
              KEY `sum` (((`age` + 1)),(concat(`name`,_utf8mb4'),KEY `q`'))),
              CONSTRAINT `f` FOREIGN KEY (`age`) REFERENCES `ages` (`age`),
              CONSTRAINT `c` CHECK ((`name` <> _utf8mb4'x\',\n  KEY `k` (`a`),'))
            ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='a (KEY `b` (`c`))'
            """);
        Assert.Equal(
            [
                new IndexDefinition("one", "UNIQUE", "UNIQUE KEY `one` (`name`)"),
                new IndexDefinition("name", "", "KEY `name` (`name`(10),`age` DESC) USING BTREE COMMENT 'it''s, ok'"),
                new IndexDefinition("words", "FULLTEXT", "FULLTEXT KEY `words` (`name`) /*!50100 WITH PARSER `ngram`, really */"),
                new IndexDefinition("place", "SPATIAL", "SPATIAL KEY `place` (`place`)"),
                new IndexDefinition("hidden", "", "KEY `hidden` (`age`) /*!80000 INVISIBLE */"),
                new IndexDefinition("sum", "", "KEY `sum` (((`age` + 1)),(concat(`name`,_utf8mb4'),KEY `q`')))"),
            ],
            found);
    }

    [Fact]
    public void A_temporary_table_has_all_that_it_can_have()
    {
        var made = TableText.Temporary("`shop`.`copy`", """
            CREATE TABLE `people` (
              `id` int NOT NULL AUTO_INCREMENT,
              `name` varchar(40) DEFAULT 'FULLTEXT KEY `x` (`y`),',
              PRIMARY KEY (`id`),
              KEY `name` (`name`(10)),
              FULLTEXT KEY `words` (`name`),
              CONSTRAINT `f` FOREIGN KEY (`age`) REFERENCES `ages` (`age`),
              CONSTRAINT `c` CHECK ((`name` <> _utf8mb4'x\',\n'))
            ) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=latin1 COMMENT='a COLLATE=utf8mb4_bin'
            /*!50100 PARTITION BY HASH (`id`)
            PARTITIONS 3 */
            """);
        Assert.Equal(
            "CREATE TEMPORARY TABLE `shop`.`copy` (`id` int NOT NULL AUTO_INCREMENT, `name` varchar(40) DEFAULT 'FULLTEXT KEY `x` (`y`),', "
                + "PRIMARY KEY (`id`), "
                + "KEY `name` (`name`(10)), CHECK ((`name` <> _utf8mb4'x\\',\\n'))) ENGINE=InnoDB DEFAULT CHARSET=latin1",
            made);
    }

    [Theory]
    [InlineData("a`b")]
    [InlineData("a,b")]
    [InlineData("a) KEY")]
    [InlineData("'")]
    [InlineData("\\")]
    [InlineData("/*")]
    [InlineData("\n  KEY ")]
    [InlineData("``")]
    public void A_name_can_be_anything(string name)
    {
        var quoted = SqlName.Quote(name);
        var found = TableText.Indexes(
            $"CREATE TABLE {quoted} (\n  {quoted} int COMMENT 'KEY',\n  KEY {quoted} ({quoted}),\n  KEY `next` (`a`)\n) ENGINE=InnoDB");
        Assert.Equal(
            [new IndexDefinition(name, "", $"KEY {quoted} ({quoted})"), new IndexDefinition("next", "", "KEY `next` (`a`)")], found);
        Assert.Equal(name, TableText.NameOf(found[0].Text));
    }

    [Theory]
    [InlineData("")]
    [InlineData("CREATE TABLE `t` (")]
    [InlineData("CREATE TABLE `t` (`a` int, KEY `")]
    [InlineData("CREATE TABLE `t` (`a` int, KEY `a` (`a`), COMMENT 'x")]
    [InlineData(")))")]
    public void A_text_that_is_cut_off_breaks_nothing(string text) =>
        Assert.All(TableText.Indexes(text), index => Assert.Equal("KEY `a` (`a`)", index.Text));

    [Fact]
    public void Statements_name_their_job_and_take_definitions_as_they_are()
    {
        var sql = new IndexSql("shop", "peo`ple");
        Assert.Equal(
            "ALTER /* bulkload job j */ TABLE `shop`.`peo``ple` DROP INDEX `a``b`, DROP INDEX `c`", sql.Drop(["a`b", "c"], JobTag.Of("j")));
        Assert.Equal("ALTER TABLE `shop`.`peo``ple` ADD KEY `a` (`a`), ADD KEY `c` (`c`) COMMENT 'x'",
            sql.Add(["KEY `a` (`a`)", "KEY `c` (`c`) COMMENT 'x'"], ""));
    }
}
