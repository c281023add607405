using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Statements that read a table of the user's whole: the server must not keep a copy of it, nor sort one. What the server keeps by
/// nature is named here, with what bounds it.</summary>
public sealed class WholeTableTests
{
    private const string Columns = "id INT NOT NULL PRIMARY KEY AUTO_INCREMENT, code VARCHAR(20) NOT NULL UNIQUE, n INT, text VARCHAR(40), "
        + "parent INT, spare INT UNIQUE, KEY (parent)";

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task No_statement_makes_the_server_keep_a_copy_of_the_table(string name)
    {
        await using var database = await CreateAsync(name);
        var copying = new List<string>();
        foreach (var (what, statement) in await StatementsAsync(database))
        {
            var plan = await ExplainAsync(database, statement);
            if (plan.Any(IsCopy))
            {
                copying.Add($"{what}: {statement}\n    {string.Join("\n    ", plan.Select(row => string.Join(" | ", row)))}");
            }
        }

        Assert.True(copying.Count == 0, string.Join('\n', copying));
    }

    /// <summary>Rows that an INSERT takes from the table that it fills are kept until all are found: the new ones, no more than the records
    /// of the file, or the missing ones. Two tables without a key are compared by grouping all rows of both: a seed that is reset, of
    /// tables without a key.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_is_kept_by_nature_is_known(string name)
    {
        await using var database = await CreateAsync(name);
        var (stage, copy) = (StageOf(database), await CopyOfAsync(database, "t"));
        foreach (var statement in
                new[] { stage.Insert(onlyMissing: true), copy.InsertMissing, (await CopyOfAsync(database, "bare")).FindDifference })
        {
            Assert.Contains(await ExplainAsync(database, statement), IsCopy);
        }
    }

    private static async Task<IReadOnlyList<string?[]>> ExplainAsync(TestDatabase database, string statement)
    {
        var format = database.Session.Server.IsMariaDb ? "" : "FORMAT=TRADITIONAL ";
        try
        {
            return (await database.Session.QueryAsync($"EXPLAIN {format}{statement}", default)).Rows;
        }
        catch (ServerException fault)
        {
            throw new Xunit.Sdk.XunitException($"{statement}: {fault.Message}");
        }
    }

    private static bool IsCopy(string?[] row) =>
        row.Any(cell => cell is not null && (cell is "DERIVED" or "MATERIALIZED" || cell.StartsWith("<derived", StringComparison.Ordinal)
            || cell.StartsWith("<subquery", StringComparison.Ordinal) || cell.Contains("Using temporary", StringComparison.Ordinal)
            || cell.Contains("Using filesort", StringComparison.Ordinal)));

    private static async Task<TestDatabase> CreateAsync(string name)
    {
        var database = await TestDatabase.CreateAsync(Servers.Get(name));
        await database.RunAsync(
            $"CREATE TABLE t ({Columns})",
            "CREATE TABLE child (id INT PRIMARY KEY, t INT, CONSTRAINT c FOREIGN KEY (t) REFERENCES t (id))",
            "CREATE TABLE bare (n INT, text VARCHAR(40))",
            "INSERT INTO t (code, n, text) WITH RECURSIVE i AS (SELECT 1 id UNION ALL SELECT id + 1 FROM i WHERE id < 900) SELECT id, id, "
                + "REPEAT('x', 40) FROM i",
            "INSERT INTO t (code, n, text) SELECT CONCAT('a', a.id, '.', b.id), 1, REPEAT('y', 40) FROM t a JOIN t b ON b.id <= 3",
            "INSERT INTO child SELECT id, id FROM t",
            "INSERT INTO bare SELECT n, text FROM t",
            "CREATE TABLE t_copy LIKE t",
            "INSERT INTO t_copy SELECT * FROM t",
            "CREATE TABLE bare_copy LIKE bare",
            "INSERT INTO bare_copy SELECT * FROM bare",
            $"CREATE TABLE {StageSql.NameOf("t")} LIKE t",
            $"INSERT INTO {StageSql.NameOf("t")} SELECT * FROM t WHERE id > 20",
            $"CREATE TABLE {PreviewSql.Copy} LIKE t",
            $"INSERT INTO {PreviewSql.Copy} SELECT * FROM t WHERE id > 20",
            $"CREATE TABLE {PreviewSql.Before} LIKE t",
            LevelSql.Create(TableOf(database)), "ANALYZE TABLE t", "ANALYZE TABLE child", "ANALYZE TABLE bare", "ANALYZE TABLE t_copy",
            "ANALYZE TABLE bare_copy", $"ANALYZE TABLE {StageSql.NameOf("t")}",
            $"ANALYZE TABLE {PreviewSql.Copy}");
        return database;
    }

    private static TableFacts TableOf(TestDatabase database) => new()
    {
        Database = database.Name,
        Name = "t",
        Engine = "InnoDB",
        IsTransactional = true,
        Columns =
        [
            Column("id", ColumnKind.Integer, false) with { Default = ColumnDefault.AutoIncrement },
            Column("code", ColumnKind.Varchar, false), Column("n", ColumnKind.Integer, true), Column("text", ColumnKind.Varchar, true),
            Column("parent", ColumnKind.Integer, true), Column("spare", ColumnKind.Integer, true),
        ],
        InsertTriggers = [],
        UniqueKeys = [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")]), new UniqueKey("code", [new KeyPart("code")]),
            new UniqueKey("spare", [new KeyPart("spare")])],
    };

    private static TableColumn Column(string name, ColumnKind kind, bool isNullable) =>
        new()
        {
            Name = name,
            Kind = kind,
            TypeText = "",
            IsNullable = isNullable,
            Default = isNullable ? ColumnDefault.Null : ColumnDefault.None
        };

    private static StageSql StageOf(TestDatabase database) => new(TableOf(database), ["id", "code", "n", "text", "parent", "spare"], []);

    private static async Task<CopySql> CopyOfAsync(TestDatabase database, string table) =>
        new(await TableProbe.LookAsync(database.Session, database.Name, table, default), database.Name, $"{table}_copy");

    private static async Task<IReadOnlyList<(string What, string Statement)>> StatementsAsync(TestDatabase database)
    {
        var facts = await TableProbe.LookAsync(database.Session, database.Name, "t", default);
        var name = SqlName.Quote(database.Name, "t");
        var (table, stage, copy, preview) = (TableOf(database), StageOf(database), await CopyOfAsync(database, "t"), new PreviewSql(facts));
        var self = new ForeignKey("self", database.Name, "t", ["parent"], database.Name, "t", ["id"], "RESTRICT");
        var outer = new ForeignKey("c", database.Name, "child", ["t"], database.Name, "t", ["id"], "RESTRICT");
        var statements = new List<(string, string)>
        {
            ("a resume", RowCountSql.HasAtLeast(name, 3000)),
            ("a resume whose rows are gone", RowCountSql.All(name)),
            ("seed: hash of all rows", ExactSql.Sum(table)),
            ("seed: the largest number", SeedSql.LargestNumber(table)),
            ("seed: emptying", SeedSql.Empty(table)),
            ("seed: emptying", SeedSql.SetNull(table, ["parent"])),
            ("seed: emptying", LevelSql.OfAll(table, [self]).Begin),
            ("seed sync", stage.CountRecords), ("seed sync", stage.CountRows), ("seed sync", stage.CountPresent),
            ("seed sync", stage.FindPresent),
            ("seed sync", stage.Update), ("seed sync", stage.UpdateFree), ("seed sync", stage.DeleteChanged),
            ("seed sync", stage.MakeRoom!), ("seed sync", stage.Delete),
            ("seed sync", LevelSql.OfExtra(table, [self]).Begin), ("seed", LevelSql.OfNew(table, [self]).Begin),
            ("seed sync", stage.CountReferring(outer)), ("seed sync", stage.FindOrphans(self, name)),
            ("seed reset", copy.Fill), ("seed reset", copy.DeleteOthers), ("seed reset", copy.UpdateOthers), ("seed reset", copy.FindOther),
            ("seed reset", copy.DeleteAll),
            ("seed reset", copy.InsertAll), ("seed reset", copy.Count),
            ("preview", preview.CountRows), ("preview", preview.NextNumber(facts.Columns[0])),
            ("preview", preview.CountConflicts(facts.UniqueKeys[^1])),
            ("preview", preview.CountChildren(outer)), ("preview", preview.CountChildrenOfAll(outer)),
            ("seed init", SeedInitSql.Rows(database.Name, "t", [.. facts.Columns], ["id"])),
            ("seed init", SeedInitSql.Rows(database.Name, "bare", [.. facts.Columns.Skip(2).Take(2)], [])),
            ("whether there is a row", ConstraintSql.AnyRow(database.Name, "t")),
            ("whether rows refer to the table", CatalogSql.HasReference(database.Name, "child", ["t"])),
            ("whether keys are free", KeySql.AnyBetween(database.Name, "t", "n", "1", "7")),
            ("whether ids are used up", DuplicateSql.IsLastIdUsed(database.Name, "t", "id", 7)),
            ("--add-columns", AddColumnsSql.AnyValue(database.Name, "t", ["n", "text"], [])),
        };
        statements.AddRange(copy.CountTableAndCopy.Select(statement => ("seed reset", statement)));
        return statements;
    }
}
