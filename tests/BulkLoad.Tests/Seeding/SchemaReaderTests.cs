using BulkLoad.Core.Schema;
using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

/// <summary>Tables as statements make them; that types are read as the catalogue has them is tested with the servers.</summary>
public sealed class SchemaReaderTests
{
    [Theory]
    [InlineData("a INT", "a int null")]
    [InlineData("`a b` INT NOT NULL", "a b int not")]
    [InlineData("a INT(11) UNSIGNED ZEROFILL", "a int(11) unsigned zerofill null")]
    [InlineData("a NUMERIC(5) DEFAULT 1.5", "a decimal(5,0) null =1.5")]
    [InlineData("a VARCHAR(3) DEFAULT 'a''b' COMMENT ', b) c (' NOT NULL", "a varchar(3) not =a'b")]
    [InlineData("a VARCHAR(3) DEFAULT \"x\\\"y\"", "a varchar(3) null =x\"y")]
    [InlineData("a VARCHAR(3) DEFAULT _utf8mb4'x' 'y'", "a varchar(3) null =xy")]
    [InlineData("a ENUM('x','it''s',\"b\\\\c\") DEFAULT 'x'", "a enum('x','it''s','b\\\\c') null =x")]
    [InlineData("a DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)", "a datetime(3) null =()")]
    [InlineData("a INT DEFAULT NULL", "a int null")]
    [InlineData("a INT DEFAULT (1 + (2 * 3))", "a int null =()")]
    [InlineData("a INT DEFAULT -7", "a int null =-7")]
    [InlineData("a BOOL DEFAULT TRUE", "a tinyint(1) null =1")]
    [InlineData("a INT PRIMARY KEY", "a int not PRIMARY(a)")]
    [InlineData("a INT, PRIMARY KEY (`a`) USING BTREE", "a int not PRIMARY(a)")]
    [InlineData("a INT UNIQUE, b INT, UNIQUE (a, b), UNIQUE KEY `b` (b)", "a int null, b int null a(a) a_2(a,b) b(b)")]
    [InlineData("a INT, CONSTRAINT u UNIQUE (a), KEY k (a), FULLTEXT INDEX f (a), SPATIAL KEY s (a)", "a int null u(a)")]
    [InlineData("a INT AS (1) STORED, b INT GENERATED ALWAYS AS (a) VIRTUAL NOT NULL", "a int null gen, b int not gen")]
    [InlineData("a SERIAL", "a bigint unsigned not auto a(a)")]
    [InlineData("a INT REFERENCES p (id) ON DELETE CASCADE", "a int null t_ibfk_1(a)>p(id)CASCADE")]
    [InlineData("a INT, b INT, CONSTRAINT `f` FOREIGN KEY i (a, b) REFERENCES `d`.`p` (x, y) ON UPDATE CASCADE ON DELETE SET NULL",
        "a int null, b int null f(a,b)>d.p(x,y)SET NULL")]
    [InlineData("a INT CHECK (a > 0)", "a int null checked")]
    [InlineData("a INT, CONSTRAINT c CHECK (a in (1, 2)) /*!80016 NOT ENFORCED */", "a int null")]
    [InlineData("a INT /* , b INT */ -- , c INT\n, d INT # , e INT\n", "a int null, d int null")]
    [InlineData("a INT /*!80023 INVISIBLE */, b INT", "a int null hidden, b int null")]
    [InlineData("a INT /*!50000 NOT /* so */ NULL */, b INT /*!99999 INVISIBLE */", "a int not, b int null")]
    [InlineData("a INT /*!80023 INVISIBLE */, b INT /*M!100203 INVISIBLE */", "a int null, b int null hidden")]
    public void Columns_and_keys_are_read(string columns, string expected) =>
        Assert.Equal(expected, Describe(Read($"CREATE TABLE t ({columns})")));

    [Theory]
    [InlineData("ENGINE=MyISAM", "MyISAM")]
    [InlineData("CHARSET=latin1 ENGINE InnoDB COMMENT='ENGINE=MyISAM'", "InnoDB")]
    [InlineData("AUTO_INCREMENT=7 ROW_FORMAT=DYNAMIC", "InnoDB")]
    public void Options_of_tables_are_read(string options, string engine) =>
        Assert.Equal(engine, Read($"CREATE TABLE t (a INT) {options}").Tables.Single().Engine);

    [Theory]
    [InlineData("CHARACTER SET latin1", "", "latin1 latin1_swedish_ci")]
    [InlineData("", "DEFAULT CHARSET=utf8", "utf8mb3 utf8mb3_general_ci")]
    [InlineData("COLLATE latin1_bin", "CHARSET=utf8mb4", "latin1 latin1_bin")]
    [InlineData("", "COLLATE=utf8mb4_bin", "utf8mb4 utf8mb4_bin")]
    [InlineData("", "", "utf8mb4 utf8mb4_0900_ai_ci")]
    [InlineData("BINARY", "CHARSET=latin1", "latin1 latin1_bin")]
    public void A_column_has_its_own_character_set_or_the_tables(string column, string table, string expected)
    {
        var read = Facts(Read($"CREATE TABLE t (a VARCHAR(5) {column}) {table}")).Columns[0];
        Assert.Equal(expected, $"{read.Charset} {read.Collation}");
    }

    [Theory]
    [InlineData("ALTER TABLE t ADD PRIMARY KEY (a), ADD KEY k (b)", "a int not, b int null PRIMARY(a)")]
    [InlineData("ALTER TABLE `t` MODIFY `a` int unsigned NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5", "a int unsigned not auto, b int null")]
    [InlineData("ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES t (b)", "a int null, b int null f(a)>t(b)RESTRICT")]
    [InlineData("ALTER TABLE t ADD COLUMN c INT AFTER a", "a int null, c int null, b int null")]
    [InlineData("CREATE UNIQUE INDEX u ON t (a, b(3) DESC)", "a int null, b int null u(a,b:3)")]
    [InlineData("CREATE INDEX u USING BTREE ON t (a)", "a int null, b int null")]
    [InlineData("/*!40000 ALTER TABLE `t` DISABLE KEYS */", "a int null, b int null")]
    public void Later_statements_change_a_table(string later, string expected) =>
        Assert.Equal(expected, Describe(Read("CREATE TABLE t (a INT, b INT)", later)));

    [Theory]
    [InlineData("CREATE TABLE t (a FOO)", "s.sql:1: column 'a': type FOO is not known here")]
    [InlineData("CREATE TABLE t (\n  a INT,\n  b WHATEVER(3)\n)", "s.sql:3: column 'b': type WHATEVER is not known here")]
    [InlineData("CREATE TABLE t (a VARCHAR)", "needs a length")]
    [InlineData("CREATE TABLE t (a INT SOMETHING)", "s.sql:1: column 'a': 'SOMETHING' is not known here")]
    [InlineData("CREATE TABLE t (a INT) AS SELECT 1", "come from a query")]
    [InlineData("CREATE TABLE t (a INT", "')' was expected")]
    [InlineData("ALTER TABLE t ADD KEY (a)", "table t is not made before")]
    [InlineData("CREATE TABLE t (a INT); ALTER TABLE t DROP COLUMN a", "'DROP' is not followed here")]
    public void What_cannot_be_understood_is_refused_with_its_line(string text, string expected) =>
        Assert.Contains(expected, Assert.Throws<PlanException>(() => SchemaReader.Read(SqlScript.Parse(text, "s.sql"), "s.sql")).Message);

    [Fact]
    public void What_is_passed_over_is_named_where_it_could_matter()
    {
        var read = SchemaReader.Read(SqlScript.Parse("""
            SET NAMES utf8mb4;
            CREATE TABLE t (a INT);
            INSERT INTO t VALUES (1);
            CREATE VIEW v AS SELECT 1;
            /*!50003 CREATE*/ /*!50017 DEFINER=`a`@`b`*/ /*!50003 TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1 */;
            FROBNICATE t;
            """, "s.sql"), "s.sql");
        var table = Assert.Single(read.Tables);
        Assert.True(table.HasRows);
        Assert.Equal(["g (BEFORE INSERT)"], table.InsertTriggers);
        Assert.Equal(["s.sql:3", "s.sql:6"], read.Notes.Select(note => string.Join(':', note.Split(':').Take(2))));
    }

    [Fact]
    public void Dumps_of_MariaDB_are_known() =>
        Assert.Equal(SqlDialect.MariaDb, Read("CREATE TABLE t (`a` timestamp NOT NULL DEFAULT current_timestamp())").Dialect);

    [Theory]
    [InlineData("t", true)]
    [InlineData("T", true)]
    [InlineData("d.t", true)]
    [InlineData("other.t", false)]
    [InlineData("p", false)]
    public void A_table_refers_to_itself_however_the_key_names_it(string to, bool isToItself) => Assert.Equal(
        isToItself, Facts(Read($"CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {to} (id))")).RefersToItself);

    private static SchemaReader Read(params string[] statements) => SchemaReader.Read([.. statements.Select(text => (text, 1))], "s.sql");

    private static TableFacts Facts(SchemaReader schema) => SchemaRows.ToFacts(schema.Tables.Single(), "d", schema);

    private static string Describe(SchemaReader schema)
    {
        var table = schema.Tables.Single();
        var facts = SchemaRows.ToFacts(table, "d", schema);
        var columns = table.Columns.Zip(facts.Columns)
            .Select(pair => $"{pair.Second.Name} {Type(pair.First, pair.Second)} {(pair.Second.IsNullable ? "null" : "not")}"
                + $"{(pair.First.IsAutoIncrement ? " auto" : "")}{(pair.Second.IsGenerated ? " gen" : "")}"
                + $"{(pair.Second.IsInvisible ? " hidden" : "")}"
                + $"{(pair.First.IsDefaultExpression ? " =()" : pair.First.Default is { } text ? $" ={text}" : "")}");
        string[] rest =
        [
            .. facts.UniqueKeys.Select(key => $"{key.Name}("
                + $"{string.Join(',', key.Parts.Select(part => $"{part.Column}{(part.Prefix is { } prefix ? $":{prefix}" : "")}"))})"),
            .. table.References.Select(
                key => $"{key.Name}({string.Join(',', key.Columns)})>{(key.ToDatabase.Length > 0 ? key.ToDatabase + "." : "")}"
                    + $"{key.ToTable}({string.Join(',', key.ToColumns)}){key.DeleteRule}"),
            .. table.HasChecks ? ["checked"] : Array.Empty<string>(),
        ];
        return string.Join(' ', [string.Join(", ", columns), .. rest]);
    }

    /// <summary>As MariaDB has it, without the widths that nobody wrote.</summary>
    private static string Type(SchemaColumn written, TableColumn read) =>
        written.Numbers.Count == 0 && read.IntegerBytes > 0
            ? string.Join(' ', new[] { written.Type, written.IsUnsigned ? "unsigned" : "" }.Where(word => word.Length > 0)) : read.TypeText;
}
