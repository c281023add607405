using BulkLoad.Core.Facts;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Strategies;

/// <summary>Batch after batch, each with word of what follows: what a server hears of it, and what is said of the batch.</summary>
public sealed class SenderTests
{
    private static async Task<string> SendAsync(
        RecordingSession session, string strategy, params (string Rows, bool IsMoreToCome)[] batches)
    {
        var play = new StringBuilder();
        var chosen = StrategyCatalog.Import.Single(one => one.Name == strategy);
        await using var sender =
            chosen.CreateSender(session, TestFacts.Of(TestFacts.MariaDb, Columns.Varchar("name")), new BatchSizes(2, 1 << 20, 2, 1 << 20));
        var heard = 0;
        foreach (var (rows, isMoreToCome) in batches)
        {
            var block = new RowBlock(1, 16);
            foreach (var row in rows)
            {
                block.AddValue(Encoding.UTF8.GetBytes($"{row}"));
                block.EndRow(1, 1, 0, "x"u8);
            }

            for (var from = 0; from < rows.Length;)
            {
                var batch = sender.Encode(block, from, rows.Length - from);
                var outcome = await sender.SendAsync(batch, isMoreToCome, () => { }, CancellationToken.None);
                play.Append(session.Transcript.AsSpan(heard))
                    .Append(outcome.Refusal is { } refusal ? Show(refusal) : $"({outcome.Taken.Count} taken)").Append('\n');
                heard = session.Transcript.Length;
                from += batch.RowCount;
            }
        }

        return play.ToString();

        static string Show(BatchRefusal refusal) =>
            $"({refusal.Code}, row {refusal.Row}{(refusal.Among is var (first, count) ? $", of the {count} from {first}" : "")}: "
                + $"{refusal.Message})";
    }

    [Fact]
    public async Task Loads_follow_each_other_without_a_wait()
    {
        var session = new RecordingSession { TellsAnnouncements = true };
        ApprovedText.Check(
            "load-data-announced", await SendAsync(session, "load-data", ("ab", true), ("cd", true), ("ef", false), ("gh", false)));
    }

    [Fact]
    public async Task Of_a_load_with_a_warning_and_an_announced_one_behind_it_only_the_counts_are_told()
    {
        var session = new RecordingSession { TellsAnnouncements = true }.Warns("    d", fewer: 0);
        ApprovedText.Check("load-data-announced-warning", await SendAsync(session, "load-data", ("ab", true), ("cd", true), ("ef", false)));
    }

    [Fact]
    public async Task Behind_a_load_of_one_row_nothing_is_announced_since_its_refusal_must_say_why()
    {
        var session = new RecordingSession { TellsAnnouncements = true }
            .Warns("    a", fewer: 0)
            .Rows("SHOW WARNINGS", ["Warning", "1265", "Data truncated for column 'name' at row 1"]);
        ApprovedText.Check("load-data-one-row", await SendAsync(session, "load-data", ("a", true), ("bc", false)));
    }

    [Fact]
    public async Task A_load_that_fails_says_why_though_one_was_announced()
    {
        var session = new RecordingSession { TellsAnnouncements = true }
            .Refuses("    b", new ServerException(1300, "HY000", "Invalid utf8mb4 character string: '\\xFF'"));
        ApprovedText.Check("load-data-announced-error", await SendAsync(session, "load-data", ("ab", true), ("cd", false)));
    }

    /// <summary>An engine that cannot roll back keeps what LOAD DATA has taken beside a row that it has left out.</summary>
    [Fact]
    public async Task Without_undo_only_rows_that_can_be_no_duplicates_are_loaded()
    {
        var session = new RecordingSession(isMariaDb: false)
            .Rows("SELECT 1 FROM `shop`.`people` WHERE `id` BETWEEN 7 AND 9", ["1"])
            .Warns("    5", fewer: 1).Rows("SHOW WARNINGS", ["Warning", "1062", "Duplicate entry '5' for key 't.PRIMARY'"]);
        await using var sender = CreateWithoutUndo(session);

        Assert.Equal(3, (await SendAsync(sender, "-2", "10", "11")).Taken.Count);
        foreach (var rows in new[] { ["3", "2", "4"], ["7", "8", "9"], ["1", "2", null], new string?[] { "6", "6" } })
        {
            Assert.True((await SendAsync(sender, rows)).Refusal is { Kind: RefusalKind.Unsent });
        }

        // An only row that was left out left nothing behind; of several, nobody knows.
        Assert.True((await SendAsync(sender, "5")).Refusal is { Kind: not RefusalKind.Unsent, Code: 1062 });
        await Assert.ThrowsAsync<ReconciliationException>(async () => await SendAsync(sender, "4", "5", "6"));
        ApprovedText.Check("load-data-no-undo", session.Transcript);
    }

    [Fact]
    public async Task An_engine_that_cannot_undo_a_batch_gets_no_savepoint_and_a_refused_statement_is_not_undone_again()
    {
        var facts = TestFacts.Of(TestFacts.MySql, Columns.Integer("id"));
        facts = facts with { Table = facts.Table with { Engine = "ROCKSDB", UndoPart = UndoPart.Statement } };
        var session = new RecordingSession(isMariaDb: false).Refuses("    2", new ServerException(1062, "23000", "Duplicate entry '2'"));
        var sender = new MultiRowInsertStrategy().CreateSender(session, facts, new BatchSizes(4, 1 << 20, 4, 1 << 20));
        Assert.Null((await SendAsync(sender, "1", "3")).Refusal);
        Assert.Equal(1062, (await SendAsync(sender, "1", "2", "3")).Refusal!.Code);
        Assert.Equal(1062, (await SendAsync(sender, "2")).Refusal!.Code);
        Assert.DoesNotContain("SAVEPOINT", session.Transcript, StringComparison.Ordinal);
    }

    private static IBatchSender CreateWithoutUndo(RecordingSession session)
    {
        var facts = TestFacts.Of(TestFacts.MySql, Columns.Integer("id"));
        facts = facts with
        {
            Table = facts.Table with { Engine = "MyISAM", IsTransactional = false, UniqueKeys = [new("PRIMARY", [new("id")])] },
        };
        return new LoadDataStrategy().CreateSender(session, facts, new BatchSizes(3, 1 << 20, 3, 1 << 20));
    }

    private static ValueTask<BatchOutcome> SendAsync(IBatchSender sender, params string?[] ids) =>
        SendAsync(sender, isMoreToCome: true, ids);

    private static ValueTask<BatchOutcome> SendAsync(IBatchSender sender, bool isMoreToCome, params string?[] ids)
    {
        var block = new RowBlock(1, 16);
        foreach (var id in ids)
        {
            if (id is null)
            {
                block.AddNull();
            }
            else
            {
                block.AddValue(Encoding.UTF8.GetBytes(id));
            }

            block.EndRow(1, 1, 0, "x"u8);
        }

        return sender.SendAsync(sender.Encode(block, 0, ids.Length), isMoreToCome, () => { }, CancellationToken.None);
    }

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task Inserts_of_a_batch_go_out_one_behind_the_other_once_their_statement_is_prepared(string strategy) =>
        ApprovedText.Check($"{strategy}-pipelined", await SendAsync(new RecordingSession(), strategy, ("abcdefg", true), ("hijk", false)));

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task Of_several_inserts_the_first_refused_one_is_told_and_all_are_undone(string strategy)
    {
        var session = new RecordingSession()
            .Refuses("    'e'", new ServerException(1062, "23000", "Duplicate entry 'e' for key 'name'"))
            .Warns("    'f'", fewer: 0);
        ApprovedText.Check($"{strategy}-pipelined-refused", await SendAsync(session, strategy, ("abcdefgh", false)));
    }

    [Fact]
    public async Task On_mysql_the_count_of_writes_is_asked_for_behind_a_refusal_so_that_the_next_one_can_be_understood() =>
        ApprovedText.Check(
            "multi-row-insert-pipelined-mysql",
            await SendAsync(
                new RecordingSession(isMariaDb: false)
                    .Refuses("    'e'", new ServerException(1406, "22001", "Data too long for column 'name' at row 2")),
                "multi-row-insert",
                ("abcdefgh", false)));

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task One_of_several_inserts_with_a_warning_or_another_count_undoes_them_all(string strategy)
    {
        ApprovedText.Check(
            $"{strategy}-pipelined-warning",
            await SendAsync(new RecordingSession().Warns("    'f'", fewer: 0), strategy, ("abcdefgh", false)));
        Assert.Contains(
            "the server counted 1 row", await SendAsync(
                new RecordingSession().Warns("    'd'", fewer: 1, warnings: 0), strategy, ("abcdefgh", false)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_deadlock_behind_a_refused_insert_is_what_is_told(string strategy)
    {
        var session = new RecordingSession()
            .Refuses("    'e'", new ServerException(1062, "23000", "Duplicate entry 'e' for key 'name'"))
            .Refuses("    'g'", new ServerException(1213, "40001", "Deadlock found"));
        var fault = await Assert.ThrowsAsync<ServerException>(() => SendAsync(session, strategy, ("abcdefgh", false)));
        Assert.Equal(1213, fault.Code);
        Assert.DoesNotContain("ROLLBACK TO", session.Transcript, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("load-data", "serve", 1)]
    [InlineData("load-data", "receive", 2)]
    [InlineData("bulk-execute", "receive", 1)]
    [InlineData("bulk-execute", "run", 1)]
    [InlineData("multi-row-insert", "receive", 1)]
    [InlineData("multi-row-insert", "run", 1)]
    public async Task A_fault_that_is_not_about_the_rows_is_no_refusal(string strategy, string step, int time)
    {
        var session = new RecordingSession().Fails(step, time, new ServerException(1213, "40001", "Deadlock found"));
        await Assert.ThrowsAsync<ServerException>(() => SendAsync(session, strategy, ("ab", true), ("cd", false)));
        Assert.DoesNotContain("ROLLBACK TO", session.Transcript, StringComparison.Ordinal);
    }
}
