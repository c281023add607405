using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

public sealed class SqlScriptTests
{
    /// <summary>A script, and its statements: the line on which each begins, a colon, its text.</summary>
    public static TheoryData<string, string[]> Scripts { get; } = new()
    {
        { "", [] },
        { " \n\t; ;\n-- nothing\n# nothing\n/* ; */", [] },
        { "SELECT 1", ["1:SELECT 1"] },
        { "SELECT 1;", ["1:SELECT 1"] },
        { "SELECT 1; SELECT 2;\nSELECT 3", ["1:SELECT 1", "1:SELECT 2", "2:SELECT 3"] },
        { "\uFEFFSELECT 1;", ["1:SELECT 1"] },
        { "SELECT\r\n1;\r\nSELECT 2;\r\n", ["1:SELECT\r\n1", "3:SELECT 2"] },
        {
            "SELECT ';' , 'it''s;', 'a\\';b', \"x;\\\"y\"\"z;\", `a;``b`;SELECT 2;",
            ["1:SELECT ';' , 'it''s;', 'a\\';b', \"x;\\\"y\"\"z;\", `a;``b`", "1:SELECT 2"]
        },
        { "SELECT `a\\`; SELECT '\\\\'; SELECT 3", ["1:SELECT `a\\`", "1:SELECT '\\\\'", "1:SELECT 3"] },
        { "SELECT 'a\n;\nb';\nSELECT 2;", ["1:SELECT 'a\n;\nb'", "4:SELECT 2"] },
        { "-- it's; one\nSELECT 1 -- ; 'two\n+ 1;\n", ["2:SELECT 1 -- ; 'two\n+ 1"] },
        { "--no blank; here\nSELECT 5--3;SELECT 6", ["2:SELECT 5--3", "2:SELECT 6"] },
        { "SELECT 1 # it's; so\n+1;SELECT 2", ["1:SELECT 1 # it's; so\n+1", "2:SELECT 2"] },
        { "/* it's;\n */ SELECT /* ; */ 1;", ["2:SELECT /* ; */ 1"] },
        {
            "SET sql_mode='NO_BACKSLASH_ESCAPES';SELECT 'C:\\';SET sql_mode='';SELECT '\\';';SELECT 4",
            ["1:SET sql_mode='NO_BACKSLASH_ESCAPES'", "1:SELECT 'C:\\'", "1:SET sql_mode=''", "1:SELECT '\\';'", "1:SELECT 4"]
        },
        {
            "/*!40101 SET @OLD=@@SQL_MODE, SQL_MODE='ANSI_QUOTES' */;SELECT \"x\\\", '\\';';SELECT 3",
            ["1:/*!40101 SET @OLD=@@SQL_MODE, SQL_MODE='ANSI_QUOTES' */", "1:SELECT \"x\\\", '\\';'", "1:SELECT 3"]
        },
        { "/*!40101 SET NAMES utf8 */;\n/*M!100616 SET a=1 */;", ["1:/*!40101 SET NAMES utf8 */", "2:/*M!100616 SET a=1 */"] },
        { "/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\nSELECT 1;", ["3:SELECT 1"] },
        { "/*!50003 SELECT /* ; */ 'a*/' */;SELECT 2", ["1:/*!50003 SELECT /* ; */ 'a*/' */", "1:SELECT 2"] },
        { "SELECT /*+ NO_INDEX(t) ; */ 1;SELECT 2", ["1:SELECT /*+ NO_INDEX(t) ; */ 1", "1:SELECT 2"] },
        {
            "DELIMITER ;;\nCREATE TRIGGER x BEGIN SELECT 1; END;;\ndelimiter ;\nSELECT 2;",
            ["2:CREATE TRIGGER x BEGIN SELECT 1; END", "4:SELECT 2"]
        },
        {
            "  DeLiMiTeR '$$' ignored\nSELECT ';', '$$' $$ SELECT 2 $$ DELIMITER ;\nSELECT 3;",
            ["2:SELECT ';', '$$'", "2:SELECT 2", "3:SELECT 3"]
        },
        { "DELIMITER //\r\nSELECT 1; //\r\n-- c\r\nDELIMITER ;\r\nSELECT 2;\r\n", ["2:SELECT 1;", "5:SELECT 2"] },
        { "CREATE TABLE t (\n  delimiter INT);", ["1:CREATE TABLE t (\n  delimiter INT)"] },
        { "SELECT 1\\G SELECT 2\\g\nSELECT 3;", ["1:SELECT 1", "1:SELECT 2", "2:SELECT 3"] },
        { "SELECT '\\.', `\\u`;", ["1:SELECT '\\.', `\\u`"] },
        {
            "INSERT INTO used VALUES ('DROP DATABASE x');SELECT 'USE x'",
            ["1:INSERT INTO used VALUES ('DROP DATABASE x')", "1:SELECT 'USE x'"]
        },
        { "LOAD INDEX INTO CACHE t;CREATE TABLE `database` (a INT)", ["1:LOAD INDEX INTO CACHE t", "1:CREATE TABLE `database` (a INT)"] },
        { "SELECT 'ä😀;'; SELECT 'never closed;", ["1:SELECT 'ä😀;'", "1:SELECT 'never closed;"] },
    };

    [Theory]
    [MemberData(nameof(Scripts))]
    public void A_script_is_split_as_the_servers_clients_do(string script, string[] expected) =>
        Assert.Equal(expected, SqlScript.Parse(script, "s.sql").Select(statement => $"{statement.Line}:{statement.Text}"));

    [Theory]
    [InlineData("\nUSE shop;", "s.sql:2: USE ")]
    [InlineData("CREATE TABLE a (id INT);\n/* CREATE TABLE b (id INT);\n", "s.sql:2: a comment begins here and has no end")]
    [InlineData("SELECT 1 /* never closed; SELECT 2;", "s.sql:1: a comment begins here and has no end")]
    [InlineData("use shop\nSELECT 1;", "s.sql:1: USE ")]
    [InlineData("SELECT 1;\n\n  source other.sql\n", "s.sql:3: SOURCE ")]
    [InlineData("SELECT 1;\n\\. other.sql\n", "s.sql:2: \\. (SOURCE) ")]
    [InlineData("\\! rm x\n", "s.sql:1: \\! ")]
    [InlineData("create database x", "s.sql:1: CREATE DATABASE ")]
    [InlineData("CREATE SCHEMA IF NOT EXISTS x", "s.sql:1: CREATE SCHEMA ")]
    [InlineData("CREATE OR REPLACE DATABASE x", "s.sql:1: CREATE DATABASE ")]
    [InlineData("DROP\n-- so\n/* so */ DATABASE x", "s.sql:1: DROP DATABASE ")]
    [InlineData("ALTER DATABASE x CHARACTER SET latin1", "s.sql:1: ALTER DATABASE ")]
    [InlineData("CREATE DATABASE /*!32312 IF NOT EXISTS*/ x", "s.sql:1: CREATE DATABASE ")]
    [InlineData("/*!40000 DROP DATABASE IF EXISTS x*/;", "s.sql:1: DROP DATABASE ")]
    [InlineData("/*M!100100 DROP DATABASE x*/;", "s.sql:1: DROP DATABASE ")]
    [InlineData("/*!99999 SELECT */ DROP DATABASE x", "s.sql:1: DROP DATABASE ")]
    [InlineData("/*!90100 SELECT */ /*!50100 DROP */ DATABASE x", "s.sql:1: DROP DATABASE ")]
    [InlineData("/*!50700 SELECT */ /*M!100100 DROP */ DATABASE x", "s.sql:1: DROP DATABASE ")]
    [InlineData("CREATE /*! DATABASE */ x", "s.sql:1: CREATE DATABASE ")]
    [InlineData("LOAD DATA INFILE 'x' INTO TABLE t", "s.sql:1: LOAD DATA ")]
    [InlineData("load xml local infile 'x' INTO TABLE t", "s.sql:1: LOAD XML ")]
    [InlineData("DELIMITER //\nSELECT 1//USE x//", "s.sql:2: USE ")]
    [InlineData("DELIMITER\nSELECT 1", "s.sql:1: DELIMITER ")]
    [InlineData("DELIMITER a\\b\nSELECT 1", "s.sql:1: DELIMITER ")]
    public void What_leads_out_of_the_database_is_refused_with_its_line(string script, string message)
    {
        var refused = Assert.Throws<PlanException>(() => SqlScript.Parse(script, "s.sql"));
        Assert.StartsWith(message, refused.Message);
    }

    [Fact]
    public void A_file_that_is_not_utf8_is_refused()
    {
        var path = Path.GetTempFileName();
        File.WriteAllBytes(path, [(byte)'#', 0xE4]);
        var refused = Assert.Throws<InputException>(() => SqlScript.Read(path));
        Assert.StartsWith($"{path} is not UTF-8", refused.Message);
        File.Delete(path);
    }
}
