using BulkLoad.Core.Options;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Options;

/// <summary>What <c>--type</c> takes, and what becomes of it in a statement.</summary>
public sealed class ColumnTypeTests
{
    [Theory]
    [InlineData("DECIMAL(12,4)", "DECIMAL(12,4)")]
    [InlineData("decimal( 12 , 4 )", "DECIMAL(12,4)")]
    [InlineData("numeric(5)", "DECIMAL(5,0)")]
    [InlineData("int(11) unsigned", "INT UNSIGNED")]
    [InlineData("bool", "TINYINT(1)")]
    [InlineData(
        "varchar(40) character set latin1 collate latin1_bin not null", "VARCHAR(40) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL")]
    [InlineData("datetime(3) null default null", "DATETIME(3) NULL")]
    [InlineData("enum('a','It''s','b\\\\c')", "ENUM('a','It''s','b\\\\c')")]
    [InlineData("char(3) default 'x''y'", @"CHAR(3) DEFAULT 'x\'y'")]
    [InlineData("int default -5", "INT DEFAULT '-5'")]
    [InlineData("bit(8) default 5", "BIT(8) DEFAULT 5")]
    [InlineData("tinyint(1) default true", "TINYINT(1) DEFAULT '1'")]
    [InlineData("geometrycollection", "GEOMETRYCOLLECTION")]
    [InlineData("json", "JSON")]
    public void A_type_is_written_in_one_way(string text, string written) =>
        Assert.Equal(written, NewColumn.Describe(new ColumnType("c", text).Read()));

    [Theory]
    [InlineData("INT; DROP TABLE x", "--type c: 'INT; DROP TABLE x' has a semicolon: write a type only, such as DECIMAL(12,4)")]
    [InlineData("INT /* x */", "--type c: 'INT /* x */' has a comment: write a type only, such as DECIMAL(12,4)")]
    [InlineData("INT /*!50000 , x INT */", "--type c: 'INT /*!50000 , x INT */' has a comment: write a type only, such as DECIMAL(12,4)")]
    [InlineData("INT # x", "--type c: 'INT # x' has a comment: write a type only, such as DECIMAL(12,4)")]
    [InlineData(
        "CHAR(3) DEFAULT 'x", "--type c: 'CHAR(3) DEFAULT 'x' has a quote that is not closed: write a type only, such as DECIMAL(12,4)")]
    [InlineData(
        "INT, x INT", "--type c: 'INT, x INT': ',' is no part of a type: --type gives one column one type, and is repeated for others")]
    [InlineData("INT) ENGINE=MyISAM",
        "--type c: 'INT) ENGINE=MyISAM': ')' is no part of a type: --type gives one column one type, and is repeated for others")]
    [InlineData(
        "INT FIRST", "--type c: 'INT FIRST': 'FIRST' is no part of a type: --type gives one column one type, and is repeated for others")]
    [InlineData("INT DEFAULT (1 + 1)", "--type c: DEFAULT 1 + 1 is not a value: write a number, a text in quotes or NULL")]
    [InlineData("INT DEFAULT x", "--type c: DEFAULT x is not a value: write a number, a text in quotes or NULL")]
    [InlineData("DATETIME DEFAULT NOW()", "--type c: DEFAULT CURRENT_TIMESTAMP is not a value: write a number, a text in quotes or NULL")]
    [InlineData("DATETIME DEFAULT CURRENT_TIMESTAMP",
        "--type c: DEFAULT CURRENT_TIMESTAMP is not a value: write a number, a text in quotes or NULL")]
    [InlineData("CHAR(3) COLLATE `x y`", "--type c: 'x y' is no name of a character set or collation")]
    [InlineData("CHAR(3) CHARACTER SET 'x''y'", "--type c: 'x'y' is no name of a character set or collation")]
    [InlineData("VARCHR(3)", "--type c: type VARCHR is not known here; did you mean 'varchar'?")]
    [InlineData("VARCHAR", "--type c: varchar needs a length, such as varchar(40)")]
    [InlineData("DECIMAL(12,4", "--type c: ')' was expected, and there is the end of the statement")]
    [InlineData("SERIAL", "--type c: type SERIAL is not known here")]
    public void Nothing_but_one_type_is_taken(string text, string message) =>
        Assert.Equal(message, Assert.Throws<RequestException>(() => new ColumnType("c", text).Read()).Message);

    [Theory]
    [InlineData("INT PRIMARY KEY")]
    [InlineData("INT UNIQUE")]
    [InlineData("INT AUTO_INCREMENT")]
    [InlineData("INT COMMENT 'x'")]
    [InlineData("INT CHECK (c > 0)")]
    [InlineData("INT REFERENCES t (id)")]
    [InlineData("INT AS (1) STORED")]
    [InlineData("INT INVISIBLE")]
    [InlineData("INT CONSTRAINT x CHECK (c > 0)")]
    [InlineData("TIMESTAMP ON UPDATE CURRENT_TIMESTAMP")]
    [InlineData("POINT SRID 4326")]
    public void What_is_more_than_a_type_is_refused(string text) => Assert.Contains(
        "cannot stand behind the type: NULL, NOT NULL, UNSIGNED, CHARACTER SET, COLLATE and DEFAULT with a value can",
        Assert.Throws<RequestException>(() => new ColumnType("c", text).Read()).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("INT", false,
        "--type gives a new column its type: add --create for a new table, or --add-columns for new columns of one that is there")]
    [InlineData("INT NOT NULL", true, "--type c: NOT NULL without a DEFAULT: the rows that are there have no value for a column that is "
        + "added: add DEFAULT, or leave out NOT NULL")]
    public void A_type_needs_a_new_column_that_can_have_it(string text, bool adds, string message) => Assert.Equal(
        message, Assert.Throws<RequestException>(
            () => (TestFacts.Request with { AddColumns = adds, ColumnTypes = [new("c", text)] }).Validate()).Message);

    [Fact]
    public void A_column_has_one_type() => Assert.Equal(
        "--type names column 'c' twice",
        Assert.Throws<RequestException>(
            () => (TestFacts.Request with { Create = true, ColumnTypes = [new("c", "INT"), new("C", "TEXT")] }).Validate()).Message);
}
