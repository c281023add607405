using BulkLoad.Core;
using BulkLoad.Core.Mapping;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Running;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Mapping;
using BulkLoad.Tests.Planning;
using Microsoft.Extensions.Logging.Abstractions;
using Xunit;

namespace BulkLoad.Tests.Strategies;

/// <summary>What a server hears of a delete, word for word.</summary>
public sealed class DeleteTranscriptTests : IDisposable
{
    private const int ManyRejects = 100;

    /// <summary>At most four rows a batch and eight a chunk; lists hold two keys.</summary>
    private static readonly BatchSizes FourRowsABatch = new(4, 1 << 20, 8, long.MaxValue);

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    private LoadRun Create(string ids, KeyOptions? options = null, string onDelete = "", int maxRejects = ManyRejects, bool isUnique = true)
    {
        File.WriteAllText(_file, ids);
        var key = Keys.Of([Columns.Integer("id").Required()], Keys.Index("PRIMARY", isUnique, "id")) with
        {
            MostListKeys = 2,
            Referring = onDelete.Length == 0 ? [] : [new ReferringKey("shop.people", "fk", onDelete)],
        };
        var facts = Keys.Facts(Facts.MariaDb, options, key);
        var request = facts.Request with { Source = new() { Format = InputFormat.Keys }, MaxRejects = RejectLimit.OfRecords(maxRejects) };
        facts = facts with { Request = request };
        using var input = InputFile.Open(_file, request.Source);
        var look = SourceProbe.Look(input, request.Source) with { Name = "ids.txt" };
        var source = new LoadSource(look, KeyMapping.Create("ids.txt", null, 1, facts.Table, key.Columns, request), null);
        return new LoadRun(
            request, [source], new InListDeleteStrategy(), facts, FourRowsABatch, new RejectLog(request.MaxRejects, file: null), new RepairLog(file: null),
            null, TimeProvider.System, NullLogger.Instance);
    }

    private static LoadCounts Counts(LoadRun run) => run.Complete(new LoadReport { Outcome = LoadOutcome.Complete, Counts = new() { Read = run.Read.Records, Rejected = run.Rejects.Count } }).Counts;

    [Fact]
    public async Task Keys_go_sorted_and_once_in_each_batch()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 2).Answers("DELETE", 2, 1).Answers("DELETE", 3, 2).Answers("DELETE", 4, 1);
        var run = Create("30\n4\n100\n4\n9\n7\n8\n7\n");

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-clean", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 8, Deleted = 6, DeletedRows = 6, Superseded = 2 }, Counts(run));
    }

    [Fact]
    public async Task A_list_that_comes_short_is_undone_and_the_server_is_asked_which_keys_are_there()
    {
        var session = new RecordingSession()
            .Answers("DELETE", 1, 1).Answers("DELETE", 2, 1).Answers("DELETE", 3, 2).Answers("DELETE", 4, 2)
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS bulkload_n,1 ", ["1", "1", "32"])
            .Rows("SELECT bulkload_list.bulkload_n,COUNT(*),MIN(CONCAT_WS(',',HEX(CAST(`shop`.`people`.`id` AS CHAR)))) FROM (SELECT 0 AS bulkload_n,3 ", ["0", "1", "33"], ["1", "1", "34"]);
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
        var session = new RecordingSession().Refuses("IN (3,4)", fault).Refuses("IN (3)", fault).Answers("DELETE", 1, 2).Answers("DELETE", 3, 2);
        var run = Create("1\n2\n3\n4\n");

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("in-list-delete-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Deleted = 3, DeletedRows = 3, Rejected = 1 }, Counts(run));
        Assert.Equal("foreign-key", Assert.Single(run.Rejects.First).Code);
    }

    [Fact]
    public async Task A_table_that_refers_to_itself_gets_one_key_a_statement_in_the_files_order()
    {
        var session = new RecordingSession();
        var run = Create("3\n1\n2\n", onDelete: "CASCADE");

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(["IN (3)", "IN (1)", "IN (2)"], session.Steps.Where(step => step.StartsWith("DELETE", StringComparison.Ordinal)).Select(step => step[step.IndexOf("IN", StringComparison.Ordinal)..step.IndexOf(" ->", StringComparison.Ordinal)]));
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

    [Fact]
    public async Task A_count_that_does_not_add_up_ends_the_job()
    {
        var session = new RecordingSession()
            .Answers("DELETE", 1, 0).Answers("DELETE", 2, 0).Answers("DELETE", 3, 0)
            .Rows("SELECT bulkload_list", ["0", "1", "31"]);
        var run = Create("1\n");

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
    public async Task NULL_and_what_is_missing_are_keys_of_no_row()
    {
        var session = new RecordingSession().Answers("DELETE", 1, 1);
        File.WriteAllText(_file, "{\"id\":1}\n{\"id\":null}\n{}\n");
        var key = Keys.Of([Columns.Id()], Keys.Primary);
        var facts = Keys.Facts(Facts.MySql, key: key);
        var request = facts.Request with { Source = new() { Format = InputFormat.Jsonl }, MaxRejects = RejectLimit.OfRecords(ManyRejects) };
        using var input = InputFile.Open(_file, request.Source);
        var look = SourceProbe.Look(input, request.Source) with { FieldNames = ["id"] };
        var source = new LoadSource(look, KeyMapping.Create("ids.jsonl", ["id"], 1, facts.Table, key.Columns, request), null);
        var run = new LoadRun(
            request, [source], new InListDeleteStrategy(), facts with { Request = request }, FourRowsABatch, new RejectLog(request.MaxRejects, file: null), new RepairLog(file: null),
            null, TimeProvider.System, NullLogger.Instance);

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(["null-key", "missing-value"], run.Rejects.First.Select(reject => reject.Code));
        Assert.Equal(1, Counts(run).Deleted);
    }
}
