using BulkLoad.Core.Facts;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Sending;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Strategies;

/// <summary>What a server hears, word for word: read the files in Approved like a play.</summary>
public sealed class TranscriptTests
{
    private const string SevenPeople = "id,name\n1,Ada\n2,Bob\n3,\"C\tc\"\n4,\n5,\"\"\n6,\\N\n7,\"G\nb\\\"\n";

    /// <summary>Four rows a chunk, at most three a batch.</summary>
    private static readonly BatchSizes FourRowsAChunk = new(3, 1 << 20, 4, long.MaxValue);

    private static ILoadStrategy Strategy(string name) => StrategyCatalog.Import.Single(strategy => strategy.Name == name);

    [Theory]
    [InlineData("load-data")]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_clean_run_over_two_chunks(string strategy)
    {
        var session = new RecordingSession();
        var run = Runs.Create(Strategy(strategy), FourRowsAChunk, SevenPeople);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check($"{strategy}-clean", session.Transcript);
        Assert.Equal((7, 2, 3), (run.Committed.Records, run.Committed.Chunks, run.Committed.Batches));
    }

    [Theory]
    [InlineData("load-data")]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_warning_undoes_its_batch_and_rolls_the_chunk_back(string strategy)
    {
        var session = new RecordingSession()
            .Warns("    4", fewer: 0)
            .Rows("SHOW WARNINGS", ["Warning", "1265", "Data truncated for column 'name' at row 1"]);
        var run = Runs.Create(Strategy(strategy), FourRowsAChunk, SevenPeople);

        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check($"{strategy}-warning", session.Transcript + fault.Told() + "\n");
    }

    [Theory]
    [InlineData("load-data")]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task An_error_names_the_record_that_the_servers_row_number_means(string strategy)
    {
        var session = new RecordingSession()
            .Refuses("    6", new ServerException(1366, "22007", "Incorrect integer value: 'x' for column 'id' at row 2"));
        var run = Runs.Create(Strategy(strategy), FourRowsAChunk, SevenPeople);

        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check($"{strategy}-error", session.Transcript + fault.Told() + "\n");
        Assert.StartsWith("people.csv:7: ", fault.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("load-data")]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_count_that_is_short_without_a_warning_does_not_add_up(string strategy)
    {
        var session = new RecordingSession().Warns("    6", fewer: 1, warnings: 0);
        var run = Runs.Create(Strategy(strategy), FourRowsAChunk, SevenPeople);

        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check($"{strategy}-short", session.Transcript + fault.Told() + "\n");
    }

    [Fact]
    public async Task A_row_that_leaves_a_column_to_an_expression_goes_as_literal_text()
    {
        var columns = new[] { Columns.Integer("id"), Columns.Varchar("name") with { Default = ColumnDefault.Expression } };
        var session = new RecordingSession();
        var run = Runs.Create(Strategy("multi-row-insert"), FourRowsAChunk, "{\"id\":1,\"name\":\"it's "
            + "\\\"\\\\\\n\"}\n{\"id\":2}\n{\"id\":3,\"name\":null}\n{\"id\":4,\"name\":\"d\"}\n{\"id\":5,\"name\":\"e\"}\n", columns);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("multi-row-insert-default", session.Transcript);
    }

    [Fact]
    public async Task A_row_that_leaves_a_column_to_an_expression_goes_with_a_mark_in_bulk()
    {
        var columns = new[] { Columns.Integer("id"), Columns.Varchar("name") with { Default = ColumnDefault.Expression } };
        var session = new RecordingSession();
        var run = Runs.Create(Strategy("bulk-execute"), FourRowsAChunk,
            "{\"id\":1,\"name\":\"a\"}\n{\"id\":2}\n{\"id\":3,\"name\":null}\n{\"id\":4,\"name\":\"d\"}\n{\"id\":5,\"name\":\"e\"}\n",
            columns);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("bulk-execute-default", session.Transcript);
    }

    [Fact]
    public async Task A_mark_for_a_default_cannot_stand_within_a_function()
    {
        var columns = new[]
        {
            Columns.Integer("id"),
            Columns.Varchar("place") with { Kind = ColumnKind.Geometry, GeometryType = "POINT", Default = ColumnDefault.Expression }
        };
        var session = new RecordingSession();
        var run = Runs.Create(Strategy("bulk-execute"), new BatchSizes(3, 1 << 20, 2, long.MaxValue),
            "{\"id\":1,\"place\":\"POINT(1 2)\"}\n{\"id\":2}\n{\"id\":3,\"place\":\"POINT(3 4)\"}\n", columns);

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("bulk-execute-geometry", session.Transcript);
    }

    [Fact]
    public async Task Where_no_statement_can_be_prepared_rows_go_as_literal_text()
    {
        var session = new RecordingSession();
        var run = Runs.Create(
            Strategy("multi-row-insert"), FourRowsAChunk, SevenPeople, server: TestFacts.MariaDb with { MaxPreparedStatements = 0 });

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check("multi-row-insert-literal", session.Transcript);
    }

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_batch_is_split_until_it_fits_into_a_packet(string strategy)
    {
        var session = new RecordingSession();
        var long1 = new string('a', 100);
        var run = Runs.Create(
            Strategy(strategy), new BatchSizes(8, 1 << 20, long.MaxValue, long.MaxValue),
            "id,name\n" + string.Concat(Enumerable.Range(1, 8).Select(i => $"{i},{long1}\n")),
            server: TestFacts.MariaDb with { MaxAllowedPacket = 600 });

        await run.RunAsync(session, CancellationToken.None);

        ApprovedText.Check($"{strategy}-split", session.Transcript);
    }

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_row_beyond_max_allowed_packet_was_sent_and_cost_the_session(string strategy)
    {
        var session = new RecordingSession();
        var run = Runs.Create(
            Strategy(strategy), FourRowsAChunk, $"id,name\n1,Ada\n2,{new string('b', 2000)}\n3,C\n",
            [Columns.Integer("id"), Columns.Varchar("name", 5000)], server: TestFacts.MariaDb with { MaxAllowedPacket = 1024 });

        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check($"{strategy}-too-large", session.Transcript + fault.Told() + "\n");
    }

    [Fact]
    public async Task Literal_text_without_prepared_statements_was_split_as_if_nothing_were_escaped()
    {
        var session = new RecordingSession();
        var run = Runs.Create(
            Strategy("multi-row-insert"), new BatchSizes(8, 1 << 20, long.MaxValue, long.MaxValue),
            "id,name\n" + string.Concat(Enumerable.Range(1, 8).Select(i => $"{i},{new string('\\', 90)}\n")),
            server: TestFacts.MariaDb with { MaxAllowedPacket = 1200, MaxPreparedStatements = 0 });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(8, run.Committed.Records);
        Assert.All(session.Transcript.Split("INSERT")[1..], statement => Assert.True(statement.Length < 1200, statement));
    }

    [Fact]
    public async Task A_savepoint_that_fails_left_the_answer_of_its_statement_open()
    {
        var session = new RecordingSession()
            .Fails("receive SAVEPOINT", 2, new ServerException(1317, "70100", "Query execution was interrupted"));
        var run = Runs.Create(Strategy("load-data"), FourRowsAChunk, SevenPeople);

        await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check("load-data-savepoint", session.Transcript);
    }

    [Theory]
    [InlineData("bulk-execute")]
    [InlineData("multi-row-insert")]
    public async Task A_savepoint_before_an_insert_that_fails_rolls_the_chunk_back_though_the_rows_were_taken(string strategy)
    {
        var session = new RecordingSession()
            .Fails("receive SAVEPOINT", 2, new ServerException(1317, "70100", "Query execution was interrupted"));
        var run = Runs.Create(Strategy(strategy), FourRowsAChunk, SevenPeople);

        await Assert.ThrowsAsync<ServerException>(() => run.RunAsync(session, CancellationToken.None));

        ApprovedText.Check($"{strategy}-savepoint", session.Transcript);
    }

    [Fact]
    public async Task A_statement_that_cannot_be_closed_does_not_fail_a_job_that_is_committed()
    {
        var session = new RecordingSession().Fails("close", 1, new ServerException(FaultKind.SessionLost, "gone"))
            .Fails("close", 2, new ServerException(FaultKind.SessionLost, "gone"));
        var run =
            Runs.Create(Strategy("multi-row-insert"), new BatchSizes(2, 1 << 20, long.MaxValue, long.MaxValue), "id,name\n1,a\n2,b\n");

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal(2, run.Committed.Records);
        Assert.Contains("close #1 -> gone", session.Steps);
    }

    [Fact]
    public async Task A_row_number_that_the_batch_does_not_have_was_taken_for_its_first_row()
    {
        var session = new RecordingSession().Refuses("    2", new ServerException(1062, "23000", "Duplicate entry at row 99"));
        var run = Runs.Create(Strategy("load-data"), FourRowsAChunk, SevenPeople);

        var fault = await Assert.ThrowsAsync<RejectLimitException>(() => run.RunAsync(session, CancellationToken.None));

        Assert.StartsWith("people.csv:3: the server refused it", fault.Message, StringComparison.Ordinal);
    }
}
