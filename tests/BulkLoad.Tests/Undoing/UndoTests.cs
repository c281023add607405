using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Undoing;

public sealed class UndoTests
{
    private static LoadFacts Facts(params TableColumn[] others)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id").Required(), Columns.Varchar("name"));
        var table = facts.Table with { UniqueKeys = [new UniqueKey(UniqueKey.Primary, [new KeyPart("id")])] };
        return facts with { Table = table with { Columns = [.. table.Columns, .. others] } };
    }

    private static TableColumn Expression(string text) =>
        Columns.Integer("more") with { Default = ColumnDefault.Expression, Expression = text };

    [Theory]
    [InlineData("b'01'")]
    [InlineData("-1.5e3")]
    [InlineData("0x1F")]
    [InlineData("'it''s (now())'")]
    [InlineData("_utf8mb4'a'")]
    public void A_default_that_is_always_the_same_is_no_obstacle(string text) =>
        Assert.Null(UndoRules.FindObstacle(Facts(Expression(text)), hasIds: false));

    [Fact]
    public void A_constant_that_the_catalogue_does_not_write_as_one_is_none()
    {
        var filled = Columns.Timestamp() with { Default = ColumnDefault.Expression, Expression = "2020-01-01 00:00:00" };
        Assert.NotNull(UndoRules.FindObstacle(Facts(filled), hasIds: false));
        Assert.Null(UndoRules.FindObstacle(Facts(filled with { HasConstantDefault = true }), hasIds: false));
    }

    [Theory]
    [InlineData("uuid()")]
    [InlineData("current_timestamp()")]
    [InlineData("1 + rand()")]
    [InlineData("'a' || now()")]
    public void A_default_that_the_server_computes_is_one(string text) => Assert.Equal(
        $"the server has computed the values of 'more' ({text}), and the input does not have them",
        UndoRules.FindObstacle(Facts(Expression(text)), hasIds: false));

    [Fact]
    public void What_the_table_does_not_allow_is_said()
    {
        var table = Facts().Table;
        Assert.Null(UndoRules.FindObstacle(table));
        Assert.Contains("no primary key", UndoRules.FindObstacle(table with { UniqueKeys = [] }), StringComparison.Ordinal);
        Assert.Contains("has no transactions", UndoRules.FindObstacle(table with { IsTransactional = false }), StringComparison.Ordinal);
        Assert.Contains("system-versioned", UndoRules.FindObstacle(table with { IsVersioned = true }), StringComparison.Ordinal);
        Assert.StartsWith("trigger sets (BEFORE INSERT)",
            UndoRules.FindObstacle(table with { InsertTriggers = ["sets (BEFORE INSERT)"] }), StringComparison.Ordinal);
        Assert.Null(UndoRules.FindObstacle(table with { InsertTriggers = ["logs (AFTER INSERT)"] }));
    }

    /// <summary>A name and a comment may be what would be left out.</summary>
    [Fact]
    public void The_table_beside_makes_no_values_and_refuses_none_for_other_rows()
    {
        const string Definition = """
            CREATE TABLE `t` (
              `a ON UPDATE CURRENT_TIMESTAMP` int NOT NULL AUTO_INCREMENT COMMENT 'it''s AUTO_INCREMENT',
              `at` timestamp NULL DEFAULT '2000-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP,
              `at6` datetime(6) DEFAULT NULL ON UPDATE current_timestamp(6),
              `j` longtext CHECK (json_valid(`j`)),
              PRIMARY KEY (`a ON UPDATE CURRENT_TIMESTAMP`),
              UNIQUE KEY `u` (`at`),
              KEY `k` (`at6`),
              FULLTEXT KEY `f` (`j`),
              CONSTRAINT `c` CHECK (`at` is not null),
              CONSTRAINT `r` FOREIGN KEY (`a`) REFERENCES `o` (`id`)
            ) ENGINE=InnoDB AUTO_INCREMENT=7 COMMENT='AUTO_INCREMENT'
            """;
        var made = CopyText.Create(Definition, "`d`.`s`");
        Assert.Equal("""
            CREATE TABLE `d`.`s` (
            `a ON UPDATE CURRENT_TIMESTAMP` int NOT NULL COMMENT 'it''s AUTO_INCREMENT',
            `at` timestamp NULL DEFAULT '2000-01-01 00:00:00',
            `at6` datetime(6) DEFAULT NULL,
            `j` longtext CHECK (json_valid(`j`)),
            PRIMARY KEY (`a ON UPDATE CURRENT_TIMESTAMP`),
            CHECK (`at` is not null)
            )
            """, made[..made.LastIndexOf(" ENGINE", StringComparison.Ordinal)]);
        var numbered = CopyText.Create(Definition, "`d`.`s`", "a");
        Assert.Contains("CURRENT_TIMESTAMP` int NOT NULL AUTO_INCREMENT COMMENT 'it''s AUTO_INCREMENT',", numbered,
            StringComparison.Ordinal);
        Assert.Contains("CHECK (`at` is not null),\nKEY (`a`)\n", numbered, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_records_of_the_jobs_chunks_come_through_and_only_if_they_are_the_same()
    {
        var records = Enumerable.Range(1, 9).Select(record => Encoding.ASCII.GetBytes($"record {record}")).ToArray();
        ChunkList chunks = [Chunk(2, 3), Chunk(6, 8)];
        Assert.Equal("2 3 6 7 8", Read(records));
        Assert.Equal("2 3 6 7 8", Read(records[..8]));
        Assert.Equal("t.csv: is not what job j has loaded: records 6-8 differ", Read(records[..7]));
        records[6] = "other"u8.ToArray();
        Assert.Equal("t.csv: is not what job j has loaded: records 6-8 differ", Read(records));
        records[1] = "other"u8.ToArray();
        Assert.Equal("t.csv: is not what job j has loaded: records 2-3 differ", Read(records));

        string Read(byte[][] all)
        {
            var chosen = new ChosenRecords("j", chunks, ["t.csv"]);
            try
            {
                List<int> some = [];
                for (var record = 1; record <= all.Length; record++)
                {
                    if (!chosen.Has(0, record, record * 10, all[record - 1]))
                    {
                        some.Add(record);
                    }
                }

                chosen.EndSource(0);
                Assert.Equal(all.Length - some.Count, chosen.Skipped);
                return string.Join(' ', some);
            }
            catch (BulkLoadException refusal)
            {
                return refusal.Message;
            }
        }

        LedgerChunk Chunk(int first, int last)
        {
            var hash = new ChunkHash();
            for (var record = first; record <= last; record++)
            {
                hash.Add(record * 10, records[record - 1]);
            }

            return new LedgerChunk
            {
                Source = 0,
                FirstRecord = first,
                FirstOffset = first * 10,
                LastSource = 0,
                LastRecord = last,
                LastOffset = last * 10,
                Content = hash.Finish(),
                Taken = new RowCounts(last - first + 1),
                Batches = 1,
                Rejects = new Dictionary<string, long>(),
                Repairs = new Dictionary<string, long>(),
                Findings = default,
            };
        }
    }

    [Fact]
    public void The_ledger_tells_of_a_job_whether_it_has_only_inserted()
    {
        var job = new JobRecord
        {
            Command = "import",
            Table = "my.shop.people",
            Sources = [],
            Runner = new JobRunner("", 0, 0, default),
            Family = JobIdentity.FamilyOf("my.shop", "people", DuplicateMode.Error),
        };
        Assert.Equal(new UndoableJob("my.shop", "people", null), UndoableJob.Of("j", job, 5));
        Assert.Contains("no row", UndoableJob.Of("j", job, 0).Obstacle, StringComparison.Ordinal);
        Assert.StartsWith("is an update that has not kept ", UndoableJob.Of("j", job with { Command = "update" }, 5).Obstacle,
            StringComparison.Ordinal);
        var upsert = job with { Family = JobIdentity.FamilyOf("my.shop", "people", DuplicateMode.Update) };
        Assert.StartsWith("was started with --on-duplicate update, and has not kept its rows ",
            UndoableJob.Of("j", upsert, 5).Obstacle, StringComparison.Ordinal);
        Assert.Contains("--set", UndoableJob.Of("j", job with { Family = "other" }, 5).Obstacle, StringComparison.Ordinal);
    }

    [Fact]
    public void The_mark_of_a_job_that_is_being_undone_is_kept()
    {
        var job = new JobRecord { Command = "import", Table = "d.t", Sources = [], Runner = new JobRunner("", 0, 0, default) };
        Assert.Null(JobRecord.Read(job.Write()).Undo);
        Assert.Equal(new UndoMark("beside"), JobRecord.Read((job with { Undo = new UndoMark("beside") }).Write()).Undo);
        var done = new UndoMark("beside") { Counts = new Dictionary<string, long> { ["1"] = 7, ["10"] = 2 } };
        Assert.Equal(done.Counts, JobRecord.Read((job with { Undo = done }).Write()).Undo!.Counts);
        Assert.Throws<PlanException>(() => JobRecord.Read("""{"command":"import","undo":5}"""));
    }
}
