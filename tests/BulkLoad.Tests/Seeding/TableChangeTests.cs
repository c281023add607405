using BulkLoad.Core.Schema;
using BulkLoad.Seeding;

namespace BulkLoad.Tests.Seeding;

/// <summary>Actions of ALTER TABLE one by one, and what is left of the table.</summary>
public sealed class TableChangeTests
{
    /// <summary>The table is <c>id INT PRIMARY KEY, a INT, b INT</c>.</summary>
    [Theory]
    [InlineData("ADD c INT", "id! a b c")]
    [InlineData("ADD COLUMN IF NOT EXISTS c INT NOT NULL FIRST", "c! id! a b")]
    [InlineData("ADD c INT AFTER A", "id! a c b")]
    [InlineData("ADD (c INT, d INT, KEY (c))", "id! a b c d")]
    [InlineData("ADD COLUMN (c INT, UNIQUE u (a))", "id! a b c u(a)")]
    [InlineData("MODIFY b BIGINT FIRST", "b id! a")]
    [InlineData("MODIFY COLUMN a INT NOT NULL", "id! a! b")]
    [InlineData("MODIFY id INT", "id! a b")] // a column of the primary key stays NOT NULL
    [InlineData("CHANGE COLUMN b B INT AFTER id", "id! B a")]
    [InlineData("ADD UNIQUE KEY (a, b)", "id! a b a(a,b)")]
    [InlineData("ADD CONSTRAINT u UNIQUE USING BTREE (b)", "id! a b u(b)")]
    [InlineData("ADD CONSTRAINT UNIQUE i (b)", "id! a b i(b)")]
    [InlineData("ADD INDEX (a), ADD FULLTEXT f (b), ADD SPATIAL INDEX s (b)", "id! a b")]
    [InlineData("ADD FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL ON UPDATE NO ACTION", "id! a b t_ibfk_1(a)>p(id)SET NULL")]
    [InlineData("ADD CONSTRAINT f FOREIGN KEY IF NOT EXISTS i (a) REFERENCES d.p (id) MATCH SIMPLE", "id! a b f(a)>d.p(id)RESTRICT")]
    [InlineData("ADD CONSTRAINT FOREIGN KEY i (a) REFERENCES p (id)", "id! a b i(a)>p(id)RESTRICT")]
    [InlineData("ADD CHECK (a > 0)", "id! a b checked")]
    [InlineData("DISABLE KEYS, AUTO_INCREMENT = 7, ADD c INT", "id! a b c")]
    [InlineData("ALGORITHM=INPLACE, LOCK=NONE", "id! a b")]
    public void An_action_changes_the_table(string actions, string expected)
    {
        var table = Table();
        Change(table, actions);
        var columns = table.Columns.Select(column => column.IsNullable ? column.Name : $"{column.Name}!");
        var keys = table.Uniques.Select(key => $"{key.Name}({string.Join(',', key.Parts.Select(part => part.Column))})");
        var references = table.References.Select(key => $"{key.Name}({string.Join(',', key.Columns)})>"
            + $"{(key.ToDatabase.Length > 0 ? $"{key.ToDatabase}." : "")}{key.ToTable}({string.Join(',', key.ToColumns)}){key.DeleteRule}");
        Assert.Equal(
            expected, string.Join(' ', [.. columns, .. keys, .. references, .. table.HasChecks ? ["checked"] : Array.Empty<string>()]));
    }

    [Theory]
    [InlineData("MODIFY z INT", "s.sql:3: table t: there is no column z")]
    [InlineData("CHANGE a z INT",
        "s.sql:3: table t: a column with another name is not followed here: write the table as it is in the end (SHOW CREATE TABLE)")]
    [InlineData("DROP COLUMN a", "s.sql:3: table t: 'DROP' is not followed here")]
    [InlineData("RENAME TO u", "s.sql:3: table t: 'RENAME' is not followed here")]
    [InlineData("ADD c INT ADD d INT", "column 'c': 'ADD' is not known here")]
    [InlineData("DISABLE KEYS)", "s.sql:3: table t: ')' is not followed here")]
    [InlineData("ADD CONSTRAINT c SOMETHING (a)", "s.sql:3: table t: constraint c: 'SOMETHING' is not known here")]
    [InlineData("ADD FOREIGN KEY (a)", "REFERENCES was expected, and there is the end of the statement")]
    [InlineData("ADD FOREIGN KEY (a) REFERENCES p (id) ON DELETE NOTHING", "a rule such as CASCADE was expected, and there is 'NOTHING'")]
    public void What_cannot_be_followed_is_refused(string actions, string expected) =>
        Assert.Contains(expected, Assert.Throws<PlanException>(() => Change(Table(), actions)).Message, StringComparison.Ordinal);

    private static SchemaTable Table() =>
        SchemaReader.Read([("CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)", 1)], "s.sql").Tables.Single();

    private static void Change(SchemaTable table, string actions) =>
        new TableChange(new SqlCursor(actions, 3, "s.sql", SqlDialect.MySql), table).Read();
}
