using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Values;
using static BulkLoad.Tests.Sending.Runs;

namespace BulkLoad.Tests.Strategies;

/// <summary>What a server hears of an update, word for word.</summary>
public sealed class UpdateTranscriptTests : IDisposable
{
    private const string Look = "SELECT bulkload_list.bulkload_n,COUNT(*)";

    /// <summary>At most four rows a batch and eight a chunk, so that lists hold four.</summary>
    private static readonly BatchSizes FourRowsABatch = new(4, 1 << 20, 8, long.MaxValue);

    private static readonly ServerException Refused =
        new(1452, "23000", "Cannot add or update a child row: a foreign key constraint fails");

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    private LoadRun Create(string records, ILoadStrategy strategy, KeyOptions? options = null, ServerFacts? server = null,
        InputFormat format = InputFormat.Csv, string[]? set = null,
        Func<LoadRequest, LoadRequest>? with = null, RecordingSession? other = null)
    {
        File.WriteAllText(_file, records);
        var table = Columns.Table(Columns.Integer("id").Required(), Columns.Varchar("name"), Columns.Integer("age"));
        var key = TestKeys.Of([table.Columns[0]], TestKeys.Primary);
        var facts = TestFacts.Of(server ?? TestFacts.MariaDb, [.. table.Columns]);
        var request = facts.Request with
        {
            Kind = JobKind.Update,
            Key = options ?? new(),
            Source = new() { Format = format },
            MaxRejects = RejectLimit.OfRecords(100),
            Assignments = [.. (set ?? []).Select(text => new ColumnAssignment(text.Split('=')[0], text.Split('=')[1]))],
        };
        request = with?.Invoke(request) ?? request;
        using var input = InputFile.Open(_file, request.Source);
        var look = SourceProbe.Look(input, request.Source) with { Name = "people" };
        var names = format == InputFormat.Jsonl ? JsonFields.Choose(look.FieldNames!, table, request) : look.FieldNames;
        var source = new LoadSource(look with { FieldNames = names },
            ColumnMapping.Create("people", names, look.FieldCount, table, request, null, key.Columns), null);
        facts = facts with
        {
            Request = request,
            Table = table,
            Key = key,
            Columns = source.Mapping.Columns,
            Assignments = request.Assignments,
            RecordsCanLackColumns = format == InputFormat.Jsonl,
        };
        return Runs.Of(
            new PreparedJob([source], facts, Planned.By(strategy, FourRowsABatch, facts)), time: new SkippingClock(),
            connect: _ => Task.FromResult<IServerSession>(other ?? throw new ConnectException("none")));
    }

    /// <summary>That is before the first chunk.</summary>
    [Fact]
    public async Task A_session_that_is_lost_while_repeated_keys_are_looked_for_is_replaced()
    {
        var session = new RecordingSession().Fails("ROLLBACK", 1, new ServerException(FaultKind.SessionLost, "the connection broke"));
        var other = RetriedRunTests.Prepared();
        var run = Create("id,name\n30,a\n4,b\n", new InlineJoinStrategy(),
            with: request => request with { Retry = new RetryOptions(3, TimeSpan.FromHours(1)) }, other: other);

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 2, Updated = 2, MatchedRows = 2, ChangedRows = 2 }, Counts(run));
        Assert.DoesNotContain("UPDATE", session.Transcript, StringComparison.Ordinal);
        Assert.Contains("UPDATE", other.Transcript, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Rows_go_sorted_in_lists()
    {
        var session = new RecordingSession();
        var run = Create("id,name\n30,a\n4,\n100,c\n9,d'\n7,e\n8,f\n", new InlineJoinStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("inline-join-clean", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 6, Updated = 6, MatchedRows = 6, ChangedRows = 6 }, Counts(run));
    }

    [Fact]
    public async Task MySql_has_a_word_of_its_own_for_rows()
    {
        var session = new RecordingSession(isMariaDb: false);
        var run = Create("name,id\na,1\n", new InlineJoinStrategy(), new KeyOptions { Where = "id<9" }, TestFacts.MySql, set: ["age=7"]);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("inline-join-mysql", session.Transcript);
    }

    [Fact]
    public async Task Only_the_last_record_of_a_key_is_sent()
    {
        var session = new RecordingSession();
        var run = Create("id,name\n1,a\n2,b\n1,c\n3,d\n4,e\n2,f\n", new PipelinedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-update-superseded", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 6, Updated = 4, Superseded = 2, MatchedRows = 4, ChangedRows = 4 }, Counts(run));
    }

    [Fact]
    public async Task A_list_that_comes_short_is_undone_and_the_server_is_asked_which_keys_are_there()
    {
        var session = new RecordingSession()
            .Answers("UPDATE", 1, 2, info: "Rows matched: 3  Changed: 2  Warnings: 0")
            .Answers("UPDATE", 2, 2, info: "Rows matched: 3  Changed: 2  Warnings: 0")
            .Rows(Look, ["0", "1", "31"], ["1", "1", "32"], ["3", "1", "34"]);
        var run = Create("id,name\n1,a\n2,b\n3,c\n4,d\n", new InlineJoinStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("inline-join-missing", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Updated = 2, Unchanged = 1, Rejected = 1, MatchedRows = 3, ChangedRows = 2 }, Counts(run));
        Assert.Equal("people:4: column 'id': '3' is the key of no row of shop.people", Assert.Single(run.Rejects.First).Describe());
    }

    [Fact]
    public async Task A_refused_list_undoes_its_batch_and_single_updates_find_the_record()
    {
        var session = new RecordingSession().Refuses("(3,'c')", Refused).Refuses("'c' | 3", Refused);
        var run = Create("id,name\n1,a\n2,b\n3,c\n4,d\n", new InlineJoinStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("inline-join-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Updated = 3, Rejected = 1, MatchedRows = 3, ChangedRows = 3 }, Counts(run));
        Assert.Equal("foreign-key", Assert.Single(run.Rejects.First).Code);
    }

    [Fact]
    public async Task Staged_rows_are_joined()
    {
        var session = new RecordingSession().Answers("UPDATE `shop`", 1, 2, info: "Rows matched: 3  Changed: 2  Warnings: 0")
            .Answers("UPDATE `shop`", 2, 2, info: "Rows matched: 2  Changed: 2  Warnings: 0");
        var run = Create("id,name\n30,a\n4,\n100,c\n9,d\\'\n4,e\n8,f\n", new StagedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-update-clean", session.Transcript);
        Assert.Equal(
            new LoadCounts { Read = 6, Updated = 4, Unchanged = 1, Superseded = 1, MatchedRows = 5, ChangedRows = 4 }, Counts(run));
    }

    [Fact]
    public async Task Without_load_data_rows_are_staged_by_inserts()
    {
        var session = new RecordingSession(isMariaDb: false).Answers("INSERT", 1, 2)
            .Answers("UPDATE `shop`", 1, 2, info: "Rows matched: 2  Changed: 2  Warnings: 0");
        var run = Create(
            "name,id\na,2\nb'c,1\n", new StagedUpdateStrategy(), new KeyOptions { Where = "id<9" },
            TestFacts.MySql with { LocalInfileRefusal = "it is off" }, set: ["age=7"]);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-update-inserts", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 2, Updated = 2, MatchedRows = 2, ChangedRows = 2 }, Counts(run));
    }

    [Fact]
    public async Task A_join_that_comes_short_is_undone_and_the_server_is_asked_which_keys_are_there()
    {
        var session = new RecordingSession()
            .Answers("UPDATE `shop`", 1, 2, info: "Rows matched: 3  Changed: 2  Warnings: 0")
            .Answers("UPDATE `shop`", 2, 2, info: "Rows matched: 3  Changed: 2  Warnings: 0")
            .Rows("SELECT `shop`", ["0"], ["3"], ["1"]);
        var run = Create("id,name\n1,a\n2,b\n3,c\n4,d\n", new StagedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-update-missing", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 4, Updated = 2, Unchanged = 1, Rejected = 1, MatchedRows = 3, ChangedRows = 2 }, Counts(run));
        Assert.Equal(3, Assert.Single(run.Rejects.First).Record);
    }

    [Fact]
    public async Task A_join_that_is_refused_is_undone_and_single_updates_find_the_record()
    {
        var session = new RecordingSession().Fails("UPDATE `shop`", 1, Refused).Refuses("'b' | 2", Refused);
        var run = Create("id,name\n1,a\n2,b\n3,c\n", new StagedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("staged-join-update-error", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 3, Updated = 2, Rejected = 1, MatchedRows = 2, ChangedRows = 2 }, Counts(run));
        Assert.Equal("foreign-key", Assert.Single(run.Rejects.First).Code);
    }

    [Fact]
    public async Task A_batch_of_superseded_records_alone_is_not_staged()
    {
        var session = new RecordingSession();
        var run = Create("id,name\n1,a\n1,b\n1,c\n1,d\n1,e\n", new StagedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Single(session.Steps, step => step.Contains("INTO TABLE", StringComparison.Ordinal));
        Assert.Equal(new LoadCounts { Read = 5, Updated = 1, Superseded = 4, MatchedRows = 1, ChangedRows = 1 }, Counts(run));
    }

    [Theory]
    [InlineData("1", "3")]
    [InlineData("3", "3")]
    public async Task A_join_whose_count_does_not_add_up_ends_the_job(string first, string then)
    {
        var session = new RecordingSession()
            .Answers("UPDATE `shop`", 1, 1, info: $"Rows matched: {first}  Changed: 1  Warnings: 0")
            .Answers("run", 1, 1, info: $"Rows matched: {then}  Changed: 1  Warnings: 0");
        var run = Create("id,name\n1,a\n", new StagedUpdateStrategy());

        var fault = await Record.ExceptionAsync(() => run.RunAsync(session, CancellationToken.None));

        Assert.Equal(first == "3", fault is ReconciliationException);
    }

    [Fact]
    public async Task A_single_update_that_fails_is_its_records_reject_and_the_others_stay()
    {
        var session = new RecordingSession().Refuses("'b' | 2", Refused)
            .Answers("run", 3, 0, info: "Rows matched: 0  Changed: 0  Warnings: 0");
        var run = Create("id,name\n1,a\n2,b\n3,c\n4,d\n", new PipelinedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal([(2, "foreign-key"), (3, "not-found")], run.Rejects.First.Select(reject => ((int)reject.Record, reject.Code)));
        Assert.Equal(new LoadCounts { Read = 4, Updated = 2, Rejected = 2, MatchedRows = 2, ChangedRows = 2 }, Counts(run));
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("ROLLBACK TO", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_warning_undoes_the_batch_and_is_the_reject_of_its_record_alone()
    {
        var session = new RecordingSession().Warns("'b' | 2", 0)
            .Rows("SHOW WARNINGS", ["Warning", "1265", "Data truncated for column 'name' at row 1"]);
        var run = Create("id,name\n1,a\n2,b\n3,c\n", new PipelinedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal((2, "refused-by-server"), ((int)Assert.Single(run.Rejects.First).Record, run.Rejects.First[0].Code));
        Assert.Equal(2, Counts(run).Updated);
        Assert.Equal(2, session.Steps.Count(step => step.StartsWith("ROLLBACK TO", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task A_deadlock_in_the_middle_rolls_the_chunk_back()
    {
        var session = new RecordingSession().Fails("run", 2, new ServerException(1213, "40001", "Deadlock found when trying to get lock"));
        var run = Create("id,name\n1,a\n2,b\n3,c\n", new PipelinedUpdateStrategy());

        await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.Contains("ROLLBACK -> ok", session.Steps.SkipWhile(step => !step.Contains("Deadlock", StringComparison.Ordinal)));
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("COMMIT", StringComparison.Ordinal));
        Assert.Equal(0, Counts(run).Updated);
    }

    [Fact]
    public async Task What_is_left_unsent_without_a_fault_goes_afterwards()
    {
        var session = new RecordingSession { SendsAtFirst = 3 };
        var run = Create("id,name\n1,a\n2,b\n3,c\n4,d\n", new PipelinedUpdateStrategy());

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 4, Updated = 4, MatchedRows = 4, ChangedRows = 4 }, Counts(run));
        Assert.Equal(4, session.Steps.Count(step => step.StartsWith("run", StringComparison.Ordinal)));
        Assert.Single(session.Steps, step => step.StartsWith("SAVEPOINT", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_object_changes_the_columns_that_it_has()
    {
        var session = new RecordingSession();
        var run = Create(
            "{\"id\":1,\"age\":5}\n{\"id\":2,\"name\":null}\n{\"id\":3}\n{\"id\":1,\"name\":\"x\",\"age\":6}\n",
            new PipelinedUpdateStrategy(), format: InputFormat.Jsonl);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-update-objects", session.Transcript);
        Assert.Equal(4, Counts(run).Updated);
    }

    [Fact]
    public async Task Where_no_statement_can_be_prepared_everything_is_text()
    {
        var session = new RecordingSession();
        var run = Create("id,name\n1,a\n2,b\n", new PipelinedUpdateStrategy(), new KeyOptions { Where = "age>1" },
            TestFacts.MariaDb with { MaxPreparedStatements = 0 }, set: ["age=7"]);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("pipelined-update-text", session.Transcript);
    }

    [Fact]
    public async Task Matched_records_count_as_updated_where_that_is_asked_for()
    {
        var session = new RecordingSession().Answers("UPDATE", 1, 0, info: "Rows matched: 2  Changed: 0  Warnings: 0");
        var run = Create("id,name\n1,a\n2,b\n", new InlineJoinStrategy(), new KeyOptions { CountsMatched = true });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 2, Updated = 2, MatchedRows = 2 }, Counts(run));
    }

    [Fact]
    public async Task An_answer_that_does_not_add_up_ends_the_job()
    {
        var session = new RecordingSession();
        for (var time = 1; time <= 3; time++)
        {
            session.Answers("run", time, 2, info: "Rows matched: 2  Changed: 2  Warnings: 0");
        }

        var run = Create("id,name\n1,a\n", new PipelinedUpdateStrategy());

        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.Contains("people:2: counts do not add up", fault.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("COMMIT", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_bulk_execution_counts_rows_that_it_found()
    {
        var session = new RecordingSession().Answers("run", 2, 1);
        var run = Create("id,name\n3,c\n1,a\n2,b\n1,d\n4,e\n5,f\n", new BulkUpdateStrategy(), new KeyOptions { CountsMatched = true });

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("bulk-update", session.Transcript);
        Assert.Equal(new LoadCounts { Read = 6, Updated = 5, Superseded = 1, MatchedRows = 5 }, Counts(run));
    }

    [Fact]
    public async Task A_bulk_execution_that_finds_nothing_has_missing_records_only()
    {
        var session = new RecordingSession().Answers("run", 1, 0);
        var run = Create("id,name\n3,c\n1,a\n", new BulkUpdateStrategy(), new KeyOptions { CountsMatched = true });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal([1, 2], run.Rejects.First.Select(reject => reject.Record));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_superseded_stays_so_when_a_chunk_is_sent_again(bool isAtomic)
    {
        var session = new RecordingSession().Fails("run", 2, new ServerException(1213, "40001", "Deadlock found when trying to get lock"));
        var run = Create(
            "id,name\n1,a\n2,b\n1,c\n3,d\n2,e\n", new PipelinedUpdateStrategy(),
            with: request => request with { Atomic = isAtomic, Retry = new RetryOptions(3, TimeSpan.FromHours(1)) });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(new LoadCounts { Read = 5, Updated = 3, Superseded = 2, MatchedRows = 3, ChangedRows = 3 }, Counts(run));
        var sent = session.Transcript[session.Transcript.IndexOf("Deadlock", StringComparison.Ordinal)..];
        Assert.DoesNotContain("'a' | 1", sent, StringComparison.Ordinal);
        Assert.DoesNotContain("'b' | 2", sent, StringComparison.Ordinal);
        Assert.Contains("'c' | 1", sent, StringComparison.Ordinal);
    }
}
