using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Values;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Strategies;

/// <summary>What a server hears of a delete, word for word.</summary>
public sealed class DeleteTranscriptTests : IDisposable
{
    private const int ManyRejects = 100;

    /// <summary>At most four rows a batch and eight a chunk; lists hold two keys.</summary>
    private static readonly BatchSizes FourRowsABatch = new(4, 1 << 20, 8, long.MaxValue);

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    private LoadRun Create(string ids, KeyOptions? options = null, string onDelete = "", int maxRejects = ManyRejects, bool isUnique = true,
        ILoadStrategy? strategy = null, BatchSizes? sizes = null, ServerFacts? server = null)
    {
        File.WriteAllText(_file, ids);
        var key = TestKeys.Of([Columns.Integer("id").Required()], TestKeys.Index("PRIMARY", isUnique, "id")) with
        {
            MaxListKeys = 2,
            Referring = onDelete.Length == 0 ? [] : [new ReferringKey("shop.people", "fk", onDelete)],
        };
        var facts = TestKeys.Facts(server ?? TestFacts.MySql, options, key);
        var request = facts.Request with { Source = new() { Format = InputFormat.Keys }, MaxRejects = RejectLimit.OfRecords(maxRejects) };
        facts = facts with { Request = request };
        using var input = InputFile.Open(_file, request.Source);
        var look = SourceProbe.Look(input, request.Source) with { Name = "ids.txt" };
        var source = new LoadSource(look, KeyMapping.Create("ids.txt", null, 1, facts.Table, key.Columns, request), null);
        return Runs.Of(
            new PreparedJob([source], facts, Planned.By(strategy ?? new InListDeleteStrategy(), sizes ?? FourRowsABatch, facts)));
    }

    [Fact]
    public async Task Keys_go_sorted_and_once_in_each_batch()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 2).Answers("DELETE", 2, 1).Answers("DELETE", 3, 2)
            .Answers("DELETE", 4, 1);
        var run = Create("30\n4\n100\n4\n9\n7\n8\n7\n");

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-clean", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 8, Deleted = 6, DeletedRows = 6, Superseded = 2 }, Counts(run));
    }

    [Fact]
    public async Task A_list_that_comes_short_is_undone_and_the_server_is_asked_which_keys_are_there()
    {
        var session = new RecordingSession()
            .Answers("DELETE", 1, 1).Answers("DELETE", 2, 2).Answers("DELETE", 3, 1).Answers("DELETE", 4, 2).Answers("DELETE", 5, 2)
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS "
                + "bulkload_n,1 ", ["1", "1", "32"])
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS "
                + "bulkload_n,3 ", ["0", "1", "33"], ["1", "1", "34"]);
        var run = Create("1\n2\n3\n4\n5\n6\n");

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-missing", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 6, Deleted = 5, DeletedRows = 5, Rejected = 1 }, Counts(run));
        Assert.Equal("ids.txt:1: column 'id': '1' is the key of no row of shop.people", Assert.Single(run.Rejects.First).Describe());
    }

    [Fact]
    public async Task A_missing_key_that_an_earlier_record_had_is_superseded()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 2).Answers("DELETE", 2, 2).Answers("DELETE", 3, 0);
        var run = Create("1\n2\n3\n4\n007\n3\n", new KeyOptions { IgnoreMissing = true });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 6, Deleted = 4, DeletedRows = 4, Superseded = 1, NotFound = 1 }, Counts(run));
    }

    [Fact]
    public async Task A_refused_list_undoes_its_batch_which_is_narrowed()
    {
        var fault = new ServerException(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails");
        var session = new RecordingSession().Refuses("IN (3,4)", fault).Refuses("\n    3", fault).Answers("DELETE", 1, 2);
        var run = Create("1\n2\n3\n4\n");

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Deleted = 3, DeletedRows = 3, Rejected = 1 }, Counts(run));
        Assert.Equal("foreign-key", Assert.Single(run.Rejects.First).Code);
    }

    [Fact]
    public async Task A_table_that_refers_to_itself_gets_one_key_a_statement_in_the_files_order()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 1).Answers("DELETE", 2, 1).Answers("DELETE", 3, 1);
        var run = Create("3\n1\n2\n", onDelete: "CASCADE");

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(["IN (3)", "IN (1)", "IN (2)"], session.Steps.Where(step => step.StartsWith("DELETE", StringComparison.Ordinal))
            .Select(step => step[step.IndexOf("IN", StringComparison.Ordinal)..step.IndexOf(" ->", StringComparison.Ordinal)]));
        Assert.Equal(3, Counts(run).Deleted);
    }

    [Fact]
    public async Task Keys_of_several_rows_are_looked_up_first_and_rows_are_counted()
    {
        var session = new RecordingSession()
            .Answers("DELETE", 1, 5)
            .Rows("SELECT bulkload_list", ["0", "2", "31"], ["1", "3", "32"]);
        var run = Create("1\n2\n", new KeyOptions { AllowMultiple = true }, isUnique: false);

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 2, Deleted = 2, DeletedRows = 5 }, Counts(run));
    }

    [Theory]
    [InlineData("in-list-delete", "DELETE")]
    [InlineData("pipelined", "run")]
    [InlineData("staged-join", "DELETE `shop`")]
    public async Task A_count_that_does_not_add_up_ends_the_job(string name, string step)
    {
        var session = new RecordingSession().Answers(step, 1, 3);
        var run = Create("1\n", strategy: StrategyCatalog.Delete.Single(strategy => strategy.Name == name));

        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.Contains("ids.txt:1: counts do not add up", fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("COMMIT", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(7, null, false)]
    [InlineData(9, null, false)]
    [InlineData(8, null, true)]
    [InlineData(null, 7, false)]
    [InlineData(null, 8, true)]
    public async Task Rows_are_as_many_as_was_said_or_nothing_is_committed(int? expect, int? most, bool isComplete)
    {
        var session = new RecordingSession();
        for (var i = 1; i <= 4; i++)
        {
            session.Answers("DELETE", i, 2);
        }

        var run = Create("1\n2\n3\n4\n5\n6\n7\n8\n", new KeyOptions { Expect = expect, MaxRows = most });

        var fault = await Record.ExceptionAsync(() => run.RunAsync(session, CancellationToken.None));

        Assert.Equal(isComplete, fault is null);
        Assert.True(fault is null or ReconciliationException);
        Assert.Equal(isComplete, session.Steps.Any(step => step.StartsWith("COMMIT", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Lists_before_one_that_comes_short_go_again_and_the_rest_is_sent_ahead_once_keys_are_there()
    {
        // Lists of two keys; the second one of four has only one of its rows.
        var session = new RecordingSession()
            .Answers("DELETE", 1, 2).Answers("DELETE", 2, 1).Answers("DELETE", 3, 2).Answers("DELETE", 4, 2)
            .Answers("DELETE", 5, 2)
            .Answers("DELETE", 6, 1)
            .Answers("DELETE", 7, 2)
            .Answers("DELETE", 8, 2)
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS "
                + "bulkload_n,3 ", ["1", "1", "34"])
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS "
                + "bulkload_n,5 ", ["0", "1", "35"], ["1", "1", "36"]);
        var run = Create("1\n2\n3\n4\n5\n6\n7\n8\n", sizes: new BatchSizes(100, 1 << 20, 100, long.MaxValue));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-short", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 8, Deleted = 7, DeletedRows = 7, Rejected = 1 }, Counts(run));
    }

    [Fact]
    public async Task Pipelined_rows_go_sorted_each_with_an_answer_of_its_own()
    {
        var session = new RecordingSession().Answers("run", 2, 0);
        var run = Create("30\n4\n100\n4\n9\n", new KeyOptions { IgnoreMissing = true }, strategy: new PipelinedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-delete-clean", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 5, Deleted = 3, DeletedRows = 3, Superseded = 1, NotFound = 1 }, Counts(run));
    }

    [Fact]
    public async Task A_pipelined_row_that_is_refused_is_a_reject_and_the_others_stay_deleted()
    {
        var fault = new ServerException(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails");
        var session = new RecordingSession().Refuses("\n    3", fault);
        var run = Create("4\n3\n2\n1\n", strategy: new PipelinedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-delete-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Deleted = 3, DeletedRows = 3, Rejected = 1 }, Counts(run));
        Assert.Equal("ids.txt:2: the server refused it: Cannot delete or update a parent row: a foreign key constraint fails (error 1451, "
            + "SQLSTATE 23000)", Assert.Single(run.Rejects.First).Describe());
    }

    [Fact]
    public async Task Behind_a_refused_row_what_was_not_sent_goes_afterwards()
    {
        const int Rows = 5000;
        var fault = new ServerException(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails");
        var session = new RecordingSession().Fails("run", 10, fault).Fails("run", 2000, fault);
        var run = Create(string.Concat(Enumerable.Range(1, Rows).Select(id => $"{id}\n")), strategy: new PipelinedDeleteStrategy(),
            sizes: new BatchSizes(10_000, 1 << 20, 10_000, long.MaxValue));

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal([10, 2000], run.Rejects.First.Select(reject => reject.Record));
        Assert.Equal(new LoadCounts { Read = Rows, Deleted = Rows - 2, DeletedRows = Rows - 2, Rejected = 2 }, Counts(run));
        Assert.Equal(Rows, session.Steps.Count(step => step.StartsWith("run", StringComparison.Ordinal)));
        Assert.Single(session.Steps, step => step.StartsWith("SAVEPOINT", StringComparison.Ordinal));
    }

    [Fact]
    public async Task What_is_left_unsent_without_a_fault_goes_afterwards()
    {
        var session = new RecordingSession { SendsAtFirst = 3 };
        var run = Create("1\n2\n3\n4\n", strategy: new PipelinedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 4, Deleted = 4, DeletedRows = 4 }, Counts(run));
        Assert.Equal(4, session.Steps.Count(step => step.StartsWith("run", StringComparison.Ordinal)));
        Assert.Single(session.Steps, step => step.StartsWith("SAVEPOINT", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_pipelined_row_with_a_warning_undoes_its_batch_and_is_refused_alone_with_the_servers_words()
    {
        var session = new RecordingSession().Warns("\n    3", 0).Rows("SHOW WARNINGS", ["Warning", "1642", "not this one"]);
        var run = Create("1\n3\n2\n", strategy: new PipelinedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-delete-warning", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 3, Deleted = 2, DeletedRows = 2, Rejected = 1 }, Counts(run));
        Assert.Contains("not this one (warning 1642)", Assert.Single(run.Rejects.First).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Keys_that_all_find_their_rows_have_one_answer_in_bulk()
    {
        var session = new RecordingSession().Answers("run", 1, 3).Answers("run", 2, 1);
        var run = Create("30\n4\n100\n4\n9\n", strategy: new PipelinedDeleteStrategy(), server: TestFacts.MariaDb);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-delete-bulk", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 5, Deleted = 4, DeletedRows = 4, Superseded = 1 }, Counts(run));
    }

    [Fact]
    public async Task Keys_in_bulk_that_find_fewer_rows_are_undone_and_go_one_by_one()
    {
        var session = new RecordingSession().Answers("run", 1, 3).Answers("run", 3, 0);
        var run = Create(
            "1\n2\n3\n4\n", new KeyOptions { IgnoreMissing = true }, strategy: new PipelinedDeleteStrategy(), server: TestFacts.MariaDb);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-delete-bulk-missing", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Deleted = 3, DeletedRows = 3, NotFound = 1 }, Counts(run));
    }

    [Fact]
    public async Task A_row_in_bulk_that_is_refused_is_found_one_by_one_and_the_next_batches_go_so()
    {
        var fault = new ServerException(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails");
        var session = new RecordingSession().Fails("run", 1, fault).Fails("run", 4, fault);
        var run = Create(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n", strategy: new PipelinedDeleteStrategy(), server: TestFacts.MariaDb);

        await run.RunAsync(session, CancellationToken.None);

        // Four fail in bulk and go one by one, and so do the next four before it is tried again.
        Assert.Equal(3, Assert.Single(run.Rejects.First).Record);
        Assert.Equal(new LoadCounts { Read = 16, Deleted = 15, DeletedRows = 15, Rejected = 1 }, Counts(run));
        ApprovedText.Check("pipelined-delete-bulk-refused", session.Transcript);
    }

    [Fact]
    public async Task Staged_keys_go_with_their_rows_and_those_left_have_none()
    {
        var session = new RecordingSession().Answers("DELETE `shop`", 1, 4).Answers("DELETE `shop`", 2, 2)
            .Rows("SELECT bulkload_record", ["0"]);
        var run = Create("30\n4\n4\n9\n", new KeyOptions { IgnoreMissing = true, Where = "name<>''" }, strategy: new StagedDeleteStrategy(),
            sizes: new BatchSizes(3, 1 << 20, 8, long.MaxValue));

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-delete-clean", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Deleted = 3, DeletedRows = 3, Superseded = 1 }, Counts(run));
    }

    [Fact]
    public async Task Without_load_data_staged_keys_go_by_inserts()
    {
        var session = new RecordingSession(isMariaDb: false).Answers("INSERT", 1, 3).Answers("DELETE `shop`", 1, 4)
            .Rows("SELECT bulkload_record", ["1"]);
        var run =
            Create("3\n1\n2\n", strategy: new StagedDeleteStrategy(), server: TestFacts.MySql with { LocalInfileRefusal = "it is off" });

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-delete-inserts", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 3, Deleted = 2, DeletedRows = 2, Rejected = 1 }, Counts(run));
        Assert.Equal(3, Assert.Single(run.Rejects.First).Record);
    }

    [Fact]
    public async Task A_join_that_is_refused_is_undone_and_its_keys_go_one_by_one()
    {
        var fault = new ServerException(1451, "23000", "Cannot delete or update a parent row: a foreign key constraint fails");
        var session = new RecordingSession().Fails("DELETE `shop`", 1, fault).Refuses("run #1\n    2", fault);
        var run = Create("1\n2\n", strategy: new StagedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-delete-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 2, Deleted = 1, DeletedRows = 1, Rejected = 1 }, Counts(run));
    }

    [Fact]
    public async Task Staged_keys_that_are_one_to_the_column_delete_their_row_once()
    {
        // Four keys, one without a row; two of the others share one.
        var session = new RecordingSession().Answers("DELETE `shop`", 1, 5).Rows("SELECT bulkload_record", ["3"]);
        var run = Create("1\n2\n3\n4\n", new KeyOptions { IgnoreMissing = true }, strategy: new StagedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 4, Deleted = 2, DeletedRows = 2, Superseded = 1, NotFound = 1 }, Counts(run));
    }

    [Fact]
    public async Task Staged_keys_of_several_rows_each_are_counted_by_the_server()
    {
        var session = new RecordingSession().Answers("DELETE `shop`", 1, 7).Rows("SELECT COUNT(*) FROM (SELECT DISTINCT", ["2"]);
        var run = Create("1\n2\n", new KeyOptions { AllowMultiple = true }, isUnique: false, strategy: new StagedDeleteStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 2, Deleted = 2, DeletedRows = 5 }, Counts(run));
    }

    [Theory]
    [InlineData(1451)]
    [InlineData(1062)]
    public async Task A_deadlock_behind_a_refused_row_ends_the_job_and_nothing_is_committed(int first)
    {
        var session = new RecordingSession()
            .Fails("run", 2, new ServerException(first, "23000", "refused"))
            .Fails("run", 3, new ServerException(1213, "40001", "Deadlock found"));
        var run = Create("1\n2\n3\n4\n", strategy: new PipelinedDeleteStrategy());

        var fault = await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.Equal(FaultKind.TransactionLost, fault.Kind);
        Assert.Equal("ROLLBACK -> ok", session.Steps[^2]);
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("COMMIT", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_key_larger_than_a_packet_is_refused_unsent()
    {
        var key = TestKeys.Of([Columns.Varchar("name").Required()], TestKeys.Index("PRIMARY", isUnique: true, "name"));
        var facts = TestKeys.Facts(TestFacts.MariaDb with { MaxAllowedPacket = 1000 }, key: key);
        var session = new RecordingSession();
        await using var sender = new PipelinedDeleteStrategy().CreateSender(session, facts, FourRowsABatch);
        var block = new RowBlock(1, 16);
        foreach (var (name, row) in new[] { "a", new string('b', 2000), "c" }.Select((name, row) => (name, row)))
        {
            block.AddValue(Encoding.UTF8.GetBytes(name));
            block.EndRow(row + 1, row + 1, row, default);
        }

        var outcome = await sender.SendAsync(sender.Encode(block, 0, 3), isMoreToCome: false, static () => { }, CancellationToken.None);

        Assert.Equal((1, true), (Assert.Single(outcome.Refused).Row, outcome.Refused[0].Refusal.Kind == RefusalKind.TooLarge));
        Assert.Equal(2, outcome.Taken.Deleted);
    }

    [Fact]
    public async Task NULL_and_what_is_missing_are_keys_of_no_row()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 1);
        File.WriteAllText(_file, "{\"id\":1}\n{\"id\":null}\n{}\n");
        var key = TestKeys.Of([Columns.Id()], TestKeys.Primary);
        var facts = TestKeys.Facts(TestFacts.MySql, key: key);
        var request = facts.Request with { Source = new() { Format = InputFormat.Jsonl }, MaxRejects = RejectLimit.OfRecords(ManyRejects) };
        using var input = InputFile.Open(_file, request.Source);
        var look = SourceProbe.Look(input, request.Source) with { FieldNames = ["id"] };
        var source = new LoadSource(look, KeyMapping.Create("ids.jsonl", ["id"], 1, facts.Table, key.Columns, request), null);
        var run = Runs.Of(
            new PreparedJob([source], facts with { Request = request }, Planned.By(new InListDeleteStrategy(), FourRowsABatch, facts)));

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(["null-key", "missing-value"], run.Rejects.First.Select(reject => reject.Code));
        Assert.Equal(1, Counts(run).Deleted);
    }
}
