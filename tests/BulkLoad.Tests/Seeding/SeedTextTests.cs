using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

public sealed class SeedTextTests
{
    [Theory]
    [InlineData("CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4",
        "CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4")]
    [InlineData("CREATE TABLE `t` (\n  `a` int COMMENT ') ENGINE=InnoDB AUTO_INCREMENT=7 '\n) ENGINE=InnoDB",
        "CREATE TABLE `t` (\n  `a` int COMMENT ') ENGINE=InnoDB AUTO_INCREMENT=7 '\n) ENGINE=InnoDB")]
    [InlineData("CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB COMMENT='AUTO_INCREMENT=7'",
        "CREATE TABLE `t` (\n  `a` int\n) ENGINE=InnoDB COMMENT='AUTO_INCREMENT=7'")]
    public void The_next_id_is_left_out_of_a_table(string create, string expected) =>
        Assert.Equal(expected, CreateText.WithoutCounter(create));

    [Theory]
    [InlineData("CREATE ALGORITHM=UNDEFINED DEFINER=`a``b`@`%` SQL SECURITY DEFINER VIEW `v` AS select 'DEFINER=`x`@`y` '",
        "CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW `v` AS select 'DEFINER=`x`@`y` '")]
    [InlineData("CREATE DEFINER=`root`@`localhost` TRIGGER `t` BEFORE", "CREATE TRIGGER `t` BEFORE")]
    [InlineData("CREATE VIEW `v` AS select 'DEFINER=`x`@`y` '", "CREATE VIEW `v` AS select 'DEFINER=`x`@`y` '")]
    public void The_definer_is_left_out(string create, string expected) => Assert.Equal(expected, CreateText.WithoutDefiner(create));

    [Fact]
    public void A_delimiter_does_not_stand_in_the_text() => Assert.Equal("$end2$", CreateText.DelimiterFor("a // $end1$"));

    [Fact]
    public void Parents_come_first_and_a_circle_is_kept() =>
        Assert.Equal(["c", "b", "a", "y", "x", "z"],
            SeedTree.Sort(["a", "b", "c", "x", "y", "z"], [("a", "b"), ("b", "c"), ("x", "y"), ("y", "x"), ("z", "z"), ("z", "gone")]));

    [Fact]
    public void Two_tables_never_have_one_file()
    {
        var names = new SeedFileNames();
        Assert.Equal(
            [("order", true), ("ORDER_2", false), ("a_b", false), ("a_b_2", false), ("schema_2", false), ("é", true)],
            new[] { "order", "ORDER", "a.b", "a/b", "schema", "é" }.Select(names.Of));
    }

    [Fact]
    public void Yaml_says_what_the_names_do_not()
    {
        var yaml = new SeedYaml();
        yaml.Share("quote", "\"");
        yaml.Share("escape", "");
        yaml.Share("header", "true");
        yaml.Add("plain.csv", null, []);
        yaml.Add("a_b.csv", "it's: #1", [("max-quoted-lines", "2000")]);
        yaml.Add("c.csv", "tab\t\"", []);
        Assert.Equal(
            """
            options:
              escape: ''
              header: true
              quote: '"'
            tables:
              a_b.csv:
                table: 'it''s: #1'
                options:
                  max-quoted-lines: 2000
              c.csv:
                table: "tab\u0009\""

            """,
            yaml.Write());
        Assert.Null(new SeedYaml().Write());
    }
}
