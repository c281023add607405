using System.Buffers;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Undoing;

public sealed class KeptImageTests
{
    private static readonly UniqueKey Primary = new(UniqueKey.Primary, [new KeyPart("id")]);

    private static LoadFacts Facts(JobKind kind, params ForeignKey[] references)
    {
        var facts = TestKeys.Facts(TestFacts.MariaDb);
        return facts with
        {
            Request = facts.Request with { Kind = kind, Undoable = TimeSpan.FromDays(7) },
            Table = facts.Table with { UniqueKeys = [Primary] },
            Columns = [.. facts.Columns, .. kind == JobKind.Update ? [facts.Table.Find("name")!] : Array.Empty<TableColumn>()],
            Images = new ImageFacts(references, 100, 1000),
        };
    }

    private static ForeignKey To(string column, string onDelete, string onUpdate) =>
        new("refers", "d", "child", ["p"], "d", "t", [column], onDelete) { UpdateRule = onUpdate };

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rows_with_a_primary_key_can_be_put_back(bool isDelete)
    {
        var facts = Facts(isDelete ? JobKind.Delete : JobKind.Update);
        Assert.Null(ImageRules.FindObstacle(facts));
        Assert.Contains("no primary key", ImageRules.FindObstacle(facts with { Table = facts.Table with { UniqueKeys = [] } }),
            StringComparison.Ordinal);
        Assert.Contains("binary log", ImageRules.FindObstacle(facts with { Server = facts.Server with { LogsStatements = true } }),
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_foreign_key_that_would_change_other_rows_is_an_obstacle()
    {
        Assert.Contains("foreign key refers of d.child is ON DELETE CASCADE",
            ImageRules.FindObstacle(Facts(JobKind.Delete, To("id", "CASCADE", "RESTRICT"))), StringComparison.Ordinal);
        Assert.Contains("ON DELETE SET NULL", ImageRules.FindObstacle(Facts(JobKind.Delete, To("id", "SET NULL", "RESTRICT"))),
            StringComparison.Ordinal);
        Assert.Null(ImageRules.FindObstacle(Facts(JobKind.Delete, To("id", "RESTRICT", "CASCADE"))));
        Assert.Contains("ON UPDATE CASCADE", ImageRules.FindObstacle(Facts(JobKind.Update, To("name", "RESTRICT", "CASCADE"))),
            StringComparison.Ordinal);
        Assert.Null(ImageRules.FindObstacle(Facts(JobKind.Update, To("id", "CASCADE", "CASCADE"))));
        Assert.Null(ImageRules.FindObstacle(Facts(JobKind.Update, To("name", "CASCADE", "NO ACTION"))));
    }

    /// <summary>MySQL copies a TIMESTAMP by its time in the session's zone, and both servers read keys and conditions in it.</summary>
    [Theory]
    [InlineData(null, "id", "Europe/Berlin", null)]
    [InlineData("v > 0 and name <> 'now()' or id is not null", "id", "Europe/Berlin", "--where finds rows")]
    [InlineData("v > 0 AND name <> 'x'", "id", "Europe/Berlin", null)]
    [InlineData("at < '2026-01-01'", "id", "Europe/Berlin", "--where finds rows")]
    [InlineData("v < current_date", "id", "CET", "--where finds rows")]
    [InlineData("at < '2026-01-01'", "id", "UTC", null)]
    [InlineData(null, "at", "Europe/Berlin", "key 'at' finds rows")]
    [InlineData(null, "at", "CET", "key 'at' finds rows")]
    [InlineData(null, "at", "+02:00", null)]
    public void Times_by_which_rows_are_found_are_an_obstacle_where_clocks_are_set_back(
        string? where, string key, string zone, string? expected)
    {
        var facts = Facts(JobKind.Delete);
        var at = Columns.Timestamp();
        facts = facts with
        {
            Server = TestFacts.MySql with { Zone = new ValueZone(zone, SessionZone.Find(zone)) },
            Request = facts.Request with { Key = facts.Request.Key with { Where = where } },
            Table = facts.Table with { Columns = [.. facts.Table.Columns, at, Columns.Integer("v")] },
            Key = key == "at" ? facts.Key! with { Columns = [at] } : facts.Key,
        };
        Assert.Equal(zone is "CET" or "Europe/Berlin", ImageRules.CopiesInUtc(facts));
        var obstacle = ImageRules.FindObstacle(facts);
        Assert.StartsWith(expected ?? "", obstacle ?? "", StringComparison.Ordinal);
        Assert.Equal(expected is null, obstacle is null);
        Assert.Null(ImageRules.FindObstacle(facts with { Server = facts.Server with { IsMariaDb = true } }));
    }

    [Fact]
    public void What_finds_the_rows_must_not_change()
    {
        var facts = Facts(JobKind.Update);
        Assert.StartsWith("'id' is changed", ImageRules.FindObstacle(facts with { Assignments = [new("id", "id + 1")] }),
            StringComparison.Ordinal);
        Assert.Null(ImageRules.FindObstacle(facts with { Assignments = [new("other", "1")] }));
    }

    /// <summary>Into a table with a primary key, which the input has, and a name.</summary>
    private static LoadFacts ImportFacts(DuplicateMode mode, params ForeignKey[] references)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id") with { IsNullable = false }, Columns.Varchar("name"));
        return facts with
        {
            Request = facts.Request with { OnDuplicate = mode, Undoable = TimeSpan.FromDays(7) },
            Table = facts.Table with { UniqueKeys = [Primary] },
            Images = new ImageFacts(references, 100, 1000) { Found = Primary },
        };
    }

    [Fact]
    public void An_import_has_one_key_by_which_its_rows_are_known()
    {
        foreach (var mode in Enum.GetValues<DuplicateMode>())
        {
            var facts = ImportFacts(mode);
            Assert.Null(ImageRules.FindObstacle(facts));
            var bare = facts with { Columns = [.. facts.Columns.Skip(1)] };
            Assert.Contains("has column 'id', whose values are not in the file", ImageRules.FindObstacle(bare), StringComparison.Ordinal);
            var two = facts with
            {
                Table = facts.Table with { UniqueKeys = [Primary, new UniqueKey("name", [new KeyPart("name")])] },
            };
            Assert.Equal(ImageRules.ChangesRows(facts.Request), ImageRules.FindObstacle(two) is not null);
            var moved = facts with { Table = facts.Table with { InsertTriggers = ["m (BEFORE INSERT)"] } };
            Assert.Equal(mode != DuplicateMode.Error, ImageRules.FindObstacle(moved) is not null);
        }
    }

    [Fact]
    public void A_foreign_key_to_what_an_import_changes_is_an_obstacle()
    {
        // The number by which a row is found stays.
        Assert.Null(ImageRules.FindObstacle(ImportFacts(DuplicateMode.Update, To("id", "CASCADE", "CASCADE"))));
        Assert.Null(ImageRules.FindObstacle(ImportFacts(DuplicateMode.Ignore, To("name", "CASCADE", "CASCADE"))));
        Assert.Contains("ON UPDATE CASCADE",
            ImageRules.FindObstacle(ImportFacts(DuplicateMode.Update, To("name", "RESTRICT", "CASCADE"))), StringComparison.Ordinal);
        Assert.Contains("ON DELETE CASCADE",
            ImageRules.FindObstacle(ImportFacts(DuplicateMode.Replace, To("id", "CASCADE", "RESTRICT"))), StringComparison.Ordinal);
    }

    [Fact]
    public void The_plan_says_what_is_kept()
    {
        var note = Assert.Single(ImageRules.Notes(Facts(JobKind.Update)));
        Assert.StartsWith("--undoable: ", note, StringComparison.Ordinal);
        Assert.Contains(" are kept as they were, and as the job leaves them, in tables beside ", note, StringComparison.Ordinal);
        Assert.EndsWith(", for 7 days", note, StringComparison.Ordinal);
        Assert.Empty(ImageRules.Notes(Facts(JobKind.Update) with { Images = null }));
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public void Rows_are_copied_byte_by_byte_and_the_first_image_stays(bool isMariaDb, bool inUtc)
    {
        var table = Facts(JobKind.Update).Table;
        var sql = new ImageSql(
            table, "b", "a", new KeySql(table, [table.Find("id")!], [table.Find("id")!], where: null), "PRIMARY", "x > 0", isMariaDb,
            inUtc);
        var text = new ArrayBufferWriter<byte>();
        sql.WriteBefore(2, static (key, _) => key == 0 ? "1"u8 : "2"u8, text);
        var (d, t) = (SqlName.Quote(table.Database), table.QuotedName);
        var head = isMariaDb ? "SET STATEMENT sql_mode='NO_AUTO_VALUE_ON_ZERO',check_constraint_checks=0 FOR INSERT"
            : $"INSERT /*+ SET_VAR(sql_mode='NO_AUTO_VALUE_ON_ZERO'){(inUtc ? " SET_VAR(time_zone='+00:00')" : "")} */";
        Assert.Equal($"{head} INTO {d}.`b` (`id`,`name`) SELECT {t}.`id`,{t}.`name` FROM {t} FORCE INDEX (`PRIMARY`) WHERE {t}.`id` IN "
            + $"(1,2) AND (x > 0) FOR UPDATE ON DUPLICATE KEY UPDATE {d}.`b`.`id`={d}.`b`.`id`", Encoding.UTF8.GetString(text.WrittenSpan));
    }

    /// <summary>What is inserted, and changed by a later record, stays marked.</summary>
    [Fact]
    public void Inserted_rows_are_marked_once()
    {
        var table = Facts(JobKind.Update).Table;
        var sql = new ImageSql(table, "b", "a", new KeySql(table, [table.Find("id")!], [table.Find("id")!], where: null), "PRIMARY", null,
            isMariaDb: false);
        var text = new ArrayBufferWriter<byte>();
        sql.WriteAfterInsert(1, static (_, _) => "1"u8, text);
        var (d, t) = (SqlName.Quote(table.Database), table.QuotedName);
        Assert.Equal($"INSERT /*+ SET_VAR(sql_mode='NO_AUTO_VALUE_ON_ZERO') */ INTO {d}.`a` (`id`,`name`,`bulkload_new`) SELECT {t}.`id`,"
            + $"{t}.`name`,b.`id` IS NULL FROM {t} FORCE INDEX (`PRIMARY`) LEFT JOIN {d}.`b` b ON b.`id` = {t}.`id` WHERE {t}.`id` IN (1) "
            + $"ON DUPLICATE KEY UPDATE {d}.`a`.`id`={t}.`id`,{d}.`a`.`name`={t}.`name`", Encoding.UTF8.GetString(text.WrittenSpan));
    }

    [Fact]
    public void The_ledger_names_the_tables_and_no_others_are_dropped()
    {
        var job = new JobRecord { Command = "update", Table = "d.t", Sources = [], Runner = new JobRunner("", 0, 0, default) };
        Assert.Null(JobRecord.Read(job.Write()).Images);
        Assert.StartsWith("is an update that has not kept ", UndoableJob.Of("j", job, 5).Obstacle, StringComparison.Ordinal);
        var table = Facts(JobKind.Update).Table with { Database = "d", Name = "t" };
        var images = KeptImages.New(table, leavesRows: true, "digest", "seed", new DateTime(2026, 12, 5, 0, 0, 0, DateTimeKind.Utc));
        var kept = job with { Images = images, Completed = DateTime.UnixEpoch };
        Assert.Equal(images, JobRecord.Read(kept.Write()).Images);
        var ofImport = images with { Inserts = true, Changes = false };
        Assert.Equal(ofImport, JobRecord.Read((kept with { Images = ofImport }).Write()).Images);
        Assert.Equal(new UndoableJob("d", "t", null), UndoableJob.Of("j", kept, 0));
        Assert.False(kept.IsForgettable);
        Assert.True((kept with { Images = null }).IsForgettable);
        Assert.Null(JobRecord.Read((job with { Images = images with { After = null } }).Write()).Images!.After);
        var both = KeptImages.Join([images, KeptImages.New(table, leavesRows: true, "other", "other seed", DateTime.UnixEpoch)])!;
        Assert.Equal(4, both.Tables.Concat(both.Left).Distinct().Count());
        Assert.Equal(both.Left, JobRecord.Read((kept with { Images = both }).Write()).Images!.Left);
        foreach (var forged in new[] { images with { Before = "people" }, images with { After = "people" }, images with { Table = "u" },
            images with { Left = ["people"] } })
        {
            Assert.Throws<PlanException>(() => JobRecord.Read((job with { Images = forged }).Write()));
        }
    }
}
