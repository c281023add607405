using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Cli;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

/// <summary>
/// Read = inserted + rejected: whichever of the counts is falsified, on whichever way through the program, the job ends with exit code 7
/// and what is open is rolled back.
/// </summary>
public sealed class ConservationTests
{
    private static readonly BatchSizes ThreeRowsABatch = new(3, 1 << 20, long.MaxValue, long.MaxValue);
    private static readonly LoadRequest WithRejects = TestFacts.Request with { MaxRejects = RejectLimit.OfRecords(10) };

    public static TheoryData<string> Strategies => [.. StrategyCatalog.Import.Select(strategy => strategy.Name)];

    private static ILoadStrategy Find(string name) => StrategyCatalog.Import.Single(strategy => strategy.Name == name);

    /// <summary>The run fails over its counts, with the exit code for that.</summary>
    private static async Task FailsAsync(RecordingSession session, LoadRun run, string expected)
    {
        var fault = await Assert.ThrowsAsync<ReconciliationException>(() => run.RunAsync(session, CancellationToken.None));
        Assert.Contains(expected, fault.Message, StringComparison.Ordinal);
        Assert.Equal(7, (int)await new CliRun { Run = (_, _) => Samples.Failed(fault) }.CallAsync("import", "a.csv"));
    }

    private static void NothingIsCommitted(RecordingSession session)
    {
        Assert.Equal("ROLLBACK -> ok", session.Steps.Last(step => !step.StartsWith("close", StringComparison.Ordinal)));
        Assert.DoesNotContain(session.Steps, step => step.StartsWith("COMMIT", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task A_server_that_counts_a_row_too_few(string strategy)
    {
        var session = new RecordingSession().Warns("n5", fewer: 1, warnings: 0);
        await FailsAsync(session, Runs.Create(Find(strategy), ThreeRowsABatch, Runs.People(9)),
            "people.csv:6: counts do not add up: the server counted 0 rows where 1 was sent, and did not say why");
        NothingIsCommitted(session);
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task A_server_that_counts_a_row_twice(string strategy)
    {
        var session = new RecordingSession().Warns("n5", fewer: ulong.MaxValue, warnings: 0);
        await FailsAsync(
            session, Runs.Create(Find(strategy), ThreeRowsABatch, Runs.People(9)), "the server counted 2 rows where 1 was sent");
        NothingIsCommitted(session);
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task A_server_that_counts_a_warning_and_shows_none(string strategy)
    {
        var session = new RecordingSession().Warns("n5", fewer: 0, warnings: 1);
        await FailsAsync(session, Runs.Create(Find(strategy), ThreeRowsABatch, Runs.People(9)), "people.csv:6: counts do not add up");
        NothingIsCommitted(session);
    }

    [Theory]
    [MemberData(nameof(Strategies))]
    public async Task A_server_that_miscounts_once_has_the_batch_undone_and_sent_again(string strategy)
    {
        var session = new RecordingSession().Answers(strategy == "load-data" ? "serve" : "run", 2, affected: 2);
        var run = Runs.Create(Find(strategy), ThreeRowsABatch, Runs.People(9));
        await run.RunAsync(session, CancellationToken.None);
        Assert.Equal((9, 9, 1),
            (run.Read.Records, run.Committed.Records, run.Complete(new LoadReport { Outcome = LoadOutcome.Complete }).NarrowedBatches));
        Assert.Single(session.Steps, step => step.StartsWith("ROLLBACK TO", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_sender_that_says_of_a_batch_that_it_has_a_row_more() =>
        await FailsAsync(new RecordingSession(), Runs.Create(new SenderStrategy(new Boasting()), ThreeRowsABatch, Runs.People(9)),
            "counts do not add up");

    [Fact]
    public async Task A_reject_that_is_counted_twice()
    {
        LoadRun run = null!;
        var session = new RecordingSession().Meanwhile("COMMIT", 1, () => run.Rejects.Add(Reject(1)));
        run = Runs.Create(Find("load-data"), ThreeRowsABatch, Runs.People(9), request: WithRejects);
        await FailsAsync(session, run, "9 records were read, 9 taken by the server and 1 rejected");
    }

    [Fact]
    public async Task A_chunk_that_is_counted_twice()
    {
        LoadRun run = null!;
        var twice = default(OpenChunk);
        twice.Add("people.csv", 3, new RowCounts(3));
        var session = new RecordingSession().Meanwhile("COMMIT", 1, () => run.Committed.Add(twice));
        run = Runs.Create(Find("load-data"), ThreeRowsABatch, Runs.People(9));
        await FailsAsync(session, run, "9 records were read, 12 taken by the server and 0 rejected");
    }

    [Theory]
    [InlineData("1 3")] // a row is lost between reader and sender
    [InlineData("1 2 2")] // or there twice
    [InlineData("1 !3")] // a reject whose neighbour is lost
    [InlineData("!1 !1 2")] // a reject twice
    [InlineData("2")] // the first is lost
    public async Task A_block_that_lacks_a_record_or_has_one_twice(string records)
    {
        var block = new RowBlock(1, 16) { EndsChunk = true, EndsJob = true };
        foreach (var record in records.Split(' '))
        {
            var number = record[^1] - '0';
            if (record[0] == '!')
            {
                block.AddReject(Reject(number));
                continue;
            }

            block.AddNull();
            block.EndRow(number, number, number, "x"u8);
        }

        var session = new RecordingSession();
        var channel = Channel.CreateUnbounded<RowBlock>();
        channel.Writer.TryWrite(block);
        channel.Writer.Complete();
        await using var sender = Find("load-data")
            .CreateSender(session, TestFacts.Of(TestFacts.MariaDb, Columns.Varchar("name")), ThreeRowsABatch);
        var source = new LoadSource(
            new SourceInfo { Name = "people.csv", Format = InputFormat.Csv, EncodingName = "utf-8", Guesses = [] },
            ColumnMapping.Create("people.csv", ["name"], 1, Columns.Table(Columns.Varchar("name")), WithRejects, null),
            null);
        var feed = new ReplayQueue(channel.Reader, new BlockPool(1, 16), keeps: false);

        var fault = await Assert.ThrowsAsync<ReconciliationException>(
            () => Runs.RunAsync(session, sender, [source], WithRejects, isAtomic: false, feed, CancellationToken.None));

        Assert.Contains("counts do not add up", fault.Message, StringComparison.Ordinal);
        NothingIsCommitted(session);
    }

    private static Reject Reject(long record) =>
        new() { Source = "people.csv", Record = record, Line = record, Offset = 0, Code = "x", Message = "x" };

    /// <summary>Says of each batch that it has a row more.</summary>
    private sealed class Boasting : IBatchSender
    {
        public EncodedBatch Encode(RowBlock block, int from, int most) => new Batch(block.RowCount - from + 1);

        public ValueTask<BatchOutcome> SendAsync(
            EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken) =>
                ValueTask.FromResult<BatchOutcome>(new RowCounts(batch.RowCount));

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        private sealed class Batch : EncodedBatch
        {
            public Batch(int rows) => RowCount = rows;
        }
    }
}
