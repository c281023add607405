using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Seeding;

namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>A table read from its text is what the catalogue says of the table that the text makes.</summary>
public sealed class SchemaTextTests
{
    private const string Shared = """
        CREATE TABLE parent (a INT UNSIGNED NOT NULL, b CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, PRIMARY KEY (a, b)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
        CREATE TABLE numbers (
          id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
          a TINYINT, b TINYINT(1) NOT NULL DEFAULT 0, c TINYINT UNSIGNED, d BOOL, e SMALLINT, f SMALLINT UNSIGNED DEFAULT 5, g MEDIUMINT, h MEDIUMINT UNSIGNED, i INT NOT NULL, j INTEGER UNSIGNED,
          k BIGINT, l DECIMAL, m DECIMAL(5) UNSIGNED, n DECIMAL(10,2) NOT NULL DEFAULT '1.50', o NUMERIC(65,30), p DEC(4,1), q FIXED(3,0), r FLOAT, s FLOAT(7,3), t FLOAT(30), u DOUBLE, v DOUBLE PRECISION, w REAL, x DOUBLE(10,4),
          y BIT, z BIT(7) DEFAULT b'101', aa INT(6) ZEROFILL, ab INT1, ac INT2, ad INT3, ae INT4, af INT8, ag MIDDLEINT, ah TINYINT(1) UNSIGNED, ai FLOAT UNSIGNED DEFAULT 1,
          aj INT DEFAULT -3, ak INT AS (a + 1) VIRTUAL, al INT GENERATED ALWAYS AS (a * 2) STORED,
          KEY (a), UNIQUE KEY (e), UNIQUE (f, g), CONSTRAINT named UNIQUE (h), CONSTRAINT more CHECK (a < 100)
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
        CREATE TABLE texts (
          a CHAR, b CHAR(10) NOT NULL DEFAULT '', c VARCHAR(20) DEFAULT 'it''s "x" \\ y', d VARCHAR(20) CHARACTER SET latin1, e VARCHAR(20) COLLATE utf8mb4_bin, f CHAR(5) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          g TINYTEXT, h TEXT, i MEDIUMTEXT, j LONGTEXT, k TEXT CHARACTER SET latin1 NOT NULL, l ENUM('a','it''s','back\\slash','c,d'), m SET('x','y') NOT NULL DEFAULT 'x', n BINARY, o BINARY(16), p VARBINARY(30), q TINYBLOB, r BLOB,
          s MEDIUMBLOB, t LONGBLOB, u CHAR(4) CHARACTER SET binary, v VARCHAR(4) BINARY, w CHAR(3) BYTE, x NCHAR(4), y NATIONAL VARCHAR(6), z CHARACTER VARYING(9), aa LONG, ab LONG VARBINARY, ac ENUM('1','2') CHARACTER SET latin1 DEFAULT '2',
          ad VARCHAR(5) DEFAULT NULL COMMENT 'a, b) c', ae VARCHAR(10) CHARACTER SET gbk, af TEXT(100), ag TEXT(300), ah BLOB(70000), ai TEXT CHARACTER SET latin1 COLLATE latin1_general_cs, aj VARCHAR(9) CHARACTER SET koi8r, ak VARCHAR(3) CHARACTER SET utf8mb3,
          UNIQUE KEY k1 (c(5)), UNIQUE KEY k2 (d DESC), UNIQUE INDEX USING BTREE (e), UNIQUE KEY whole (b(10)), KEY (h(20)), FULLTEXT KEY ft (h)
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci COMMENT='CREATE TABLE x; (';
        CREATE TABLE times (
          a DATE, b DATETIME, c DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), d TIMESTAMP NULL, e TIMESTAMP(3) NULL DEFAULT NULL, f TIME, g TIME(2), h YEAR, i DATE NOT NULL DEFAULT '2020-01-01',
          j TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, k YEAR(4) NOT NULL DEFAULT '2024', l DATETIME DEFAULT NOW()
        ) ENGINE=InnoDB DEFAULT CHARSET=latin1;
        CREATE TABLE spaces (id INT PRIMARY KEY, a GEOMETRY, b POINT NOT NULL, c LINESTRING, d POLYGON, e MULTIPOINT, f MULTILINESTRING, g MULTIPOLYGON, h GEOMETRYCOLLECTION) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
        CREATE TABLE child (
          id INT, pa INT UNSIGNED, pb CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, self INT, v INT, `odd ``name` INT, PRIMARY KEY (id), UNIQUE KEY v (v), UNIQUE KEY (v, self), INDEX p (pa, pb),
          CONSTRAINT to_parent FOREIGN KEY (pa, pb) REFERENCES parent (a, b) ON DELETE SET NULL ON UPDATE CASCADE
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
        ALTER TABLE child ADD CONSTRAINT own FOREIGN KEY (self) REFERENCES child (id);
        CREATE UNIQUE INDEX later ON child (`odd ``name`, v);
        CREATE TABLE listed (id INT NOT NULL, r INT NOT NULL, PRIMARY KEY (id, r)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin PARTITION BY RANGE (r) (PARTITION p0 VALUES LESS THAN (10));
        CREATE TABLE bare (x INT NOT NULL, y VARCHAR(5));
        ALTER TABLE bare ADD PRIMARY KEY (x), ADD UNIQUE KEY `u` (`y`);
        ALTER TABLE bare MODIFY x int NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=10;
        ALTER TABLE bare ADD COLUMN z INT FIRST, ADD w INT AFTER x
        """;

    private const string OfMySql = """
        ;
        CREATE TABLE own (
          a JSON, b JSON DEFAULT (JSON_ARRAY()), c INT INVISIBLE, d VARCHAR(36) DEFAULT (uuid()), e POINT SRID 4326, f VECTOR(3), g GEOMCOLLECTION, h VARCHAR(10) COLLATE utf8mb4_0900_as_cs, i SERIAL, j VARCHAR(4) CHARACTER SET gb18030,
          UNIQUE KEY low ((lower(h))), UNIQUE KEY hidden (c) INVISIBLE, CONSTRAINT off CHECK (c > 1) NOT ENFORCED
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci
        """;

    private const string OfMariaDb = """
        ;
        CREATE TABLE own (
          a JSON, b UUID, c INET4, d INET6 NOT NULL, e INT INVISIBLE DEFAULT 3, f VARCHAR(36) DEFAULT uuid(), g POINT REF_SYSTEM_ID=4326, h VARCHAR(10) DEFAULT concat('a', 'b'), i INT AS (e + 1) PERSISTENT, j UUID NOT NULL DEFAULT uuid(),
          k TIMESTAMP NOT NULL DEFAULT current_timestamp() ON UPDATE current_timestamp(), l VARCHAR(9) COMPRESSED, m DATE DEFAULT curdate(), UNIQUE KEY (e)
        ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_uca1400_as_cs
        """;

    private const string AsWritten = "as written";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task Text_and_catalogue_agree(string name)
    {
        var isMariaDb = name == Servers.MariaDb;
        await using var database = await TestDatabase.CreateAsync(Servers.Get(name));
        var text = Shared + (isMariaDb ? OfMariaDb : OfMySql);
        var statements = SqlScript.Parse(text, "schema.sql");
        await database.RunAsync(statements.Select(statement => statement.Text));
        var written = SchemaReader.Read(statements, "schema.sql", isMariaDb ? SqlDialect.MariaDb : SqlDialect.MySql);
        var shown = new List<(string, int)>();
        foreach (var table in written.Tables)
        {
            shown.Add(((await database.Session.QueryAsync($"SHOW CREATE TABLE {table.Name}", default)).FirstRow[1]!, 1));
        }

        var dumped = SchemaReader.Read(shown, "dump.sql");
        Assert.Equal(isMariaDb ? SqlDialect.MariaDb : SqlDialect.MySql, dumped.Dialect);
        Assert.Empty(written.Notes);
        foreach (var table in written.Tables)
        {
            var facts = await TableProbe.LookAsync(database.Session, database.Name, table.Name, default);
            var constraints = await ConstraintProbe.LookAsync(database.Session, facts, default);
            Compare(facts, constraints, table, written, database.Name, AsWritten);
            Compare(facts, constraints, dumped.Find(null, table.Name)!, dumped, database.Name, "as SHOW CREATE TABLE has it");
        }

        var catalog = await SeedCatalog.ReadAsync(database.Session, database.Name, default);
        foreach (var schema in (SchemaReader[])[written, dumped])
        {
            foreach (var table in schema.Tables)
            {
                Assert.Equal(Describe(catalog.Find(table.Name)!), Describe(SchemaRows.ToFacts(table, database.Name, schema)));
            }
        }
    }

    private static void Compare(
        TableFacts facts, TableConstraints constraints, SchemaTable table, SchemaReader schema, string database, string what)
    {
        var read = SchemaRows.ToFacts(table, database, schema);
        Assert.Equal(facts.Columns.Count, read.Columns.Count);
        foreach (var (column, other) in facts.Columns.Zip(read.Columns))
        {
            // MariaDB does not show the reference system of a spatial column.
            var seen = what == AsWritten || schema.Dialect == SqlDialect.MySql ? column : column with { Srid = 0 };
            var (expected, actual) = (Describe(seen), Describe(other));
            Assert.True(expected == actual, $"{table.Name}, {what}:\n{expected}\n{actual}");
        }

        Assert.Equal(Keys(facts), Keys(read));
        Assert.Equal((facts.Engine, facts.IsTransactional), (read.Engine, read.IsTransactional));
        var made = SchemaRows.ToConstraints(table);
        Assert.True((constraints.HasChecks, constraints.CanLackPartition) == (made.HasChecks
            || table.Columns.Any(column => column.Type == "json" && schema.Dialect == SqlDialect.MariaDb), made.CanLackPartition),
            $"{table.Name}, {what}: {constraints} {made}");
        Assert.Equal(constraints.ForeignKeys.Select(key => $"{key.Name}({string.Join(',', key.Columns)})").Order(),
            made.ForeignKeys.Select(key => $"{key.Name}({string.Join(',', key.Columns)})").Order());
    }

    private static string Keys(TableFacts table) => string.Join(
        " ", table.UniqueKeys.Select(key => $"{key.Name}({string.Join(',', key.Parts.Select(part => $"{part.Column}:{part.Prefix}"))})"));

    /// <summary>All that rules look at. The text of an expression is not compared.</summary>
    private static string Describe(TableColumn column) =>
        $"{column.Name} {column.TypeText} {column.Kind} null:{column.IsNullable} default:{column.Default}("
            + $"{(column.Kind is ColumnKind.Decimal or ColumnKind.Float or ColumnKind.Double ? "" : column.DefaultText)}) "
            + $"generated:{column.IsGenerated} invisible:{column.IsInvisible} "
        + $"bytes:{column.IntegerBytes} bool:{column.IsBoolean} unsigned:{column.IsUnsigned} "
        + $"{(column.IntegerBytes > 0 ? 0 : column.Precision)},{column.Scale} chars:{column.MaxCharacters} max:{column.MaxBytes} "
        + $"{column.Charset} "
        + $"{column.Collation} labels:{string.Join('|', column.Labels)} {column.GeometryType} {column.Srid}";

    private static string Describe(TableFacts table) =>
        $"{table.Name} {table.NumberColumn} "
            + $"[{string.Join(", ", table.Columns.Select(column => $"{column.Name} {column.IsNullable} {column.IsGenerated}"))}] "
            + $"[{string.Join(',', table.PrimaryKey)}] "
            + $"[{string.Join("; ", table.OtherKeys.Select(key => string.Join(',', key)).Order())}] "
            + $"[{string.Join("; ", table.References.Select(Describe).Order())}]";

    private static string Describe(ForeignKey key) =>
        $"{key.Name} {string.Join(',', key.Columns)} {key.ToDatabase}.{key.ToTable} {string.Join(',', key.ToColumns)} "
            + key.DeleteRule.Replace("NO ACTION", "RESTRICT", StringComparison.Ordinal);
}
