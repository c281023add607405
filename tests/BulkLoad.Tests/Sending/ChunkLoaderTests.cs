using System.Threading.Channels;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

public sealed class ChunkLoaderTests
{
    private static readonly LoadSource[] Sources =
    [
        new(
            new SourceInfo { Name = "people.csv", Format = InputFormat.Csv, EncodingName = "utf-8", Guesses = [] },
            ColumnMapping.Create("people.csv", ["name"], 1, Columns.Table(Columns.Varchar("name")), TestFacts.Request, null),
            null),
    ];

    private int _records;

    /// <summary>The next block, of so many rows; an E behind them ends the chunk, a J the job.</summary>
    private RowBlock Block(string text)
    {
        var block = new RowBlock(1, 16) { EndsChunk = text[^1] is 'E' or 'J', EndsJob = text[^1] == 'J' };
        for (var row = 0; row < text[0] - '0'; row++)
        {
            block.AddNull();
            block.EndRow(++_records, _records, _records, "x"u8);
        }

        return block;
    }

    private static Task RunAsync(RecordingSession session, IBatchSender sender, bool isAtomic, ReplayQueue feed, CancellationToken stop) =>
        Runs.RunAsync(session, sender, Sources, TestFacts.Request, isAtomic, feed, stop);

    private static ReplayQueue FeedOf(Channel<RowBlock> channel) => new(channel.Reader, new BlockPool(1, 16), keeps: false);

    [Theory]
    [InlineData("2 1J", false, "++-")] // a batch a row; the rest of the block, the next block
    [InlineData("1E 1J", false, "--")] // never across a commit
    [InlineData("1E 2J", true, "++-")] // unless there is none in between
    [InlineData("1 0J", false, "-")] // a block without rows has no batch
    [InlineData("1E 0J", true, "-")]
    [InlineData("1 | 1J", false, "--")] // the next block is not there yet
    [InlineData("1E | 1J", true, "--")]
    public async Task A_sender_is_told_whether_more_is_sure_to_follow_at_once(string blocks, bool isAtomic, string expected)
    {
        var channel = Channel.CreateBounded<RowBlock>(
            new BoundedChannelOptions(8) { SingleReader = true, SingleWriter = true });
        var waves = new Queue<string>(blocks.Split(" | "));
        void Feed()
        {
            foreach (var block in waves.Dequeue().Split(' '))
            {
                Assert.True(channel.Writer.TryWrite(Block(block)));
            }

            if (waves.Count == 0)
            {
                channel.Writer.Complete();
            }
        }

        Feed();
        var sender = new RowByRow(() =>
        {
            if (waves.Count > 0)
            {
                Feed();
            }
        });
        var session = new RecordingSession();
        await RunAsync(session, sender, isAtomic, FeedOf(channel), CancellationToken.None);
        Assert.Equal(expected, sender.Told);
        Assert.Equal("COMMIT -> ok", session.Steps[^1]);
    }

    [Fact]
    public async Task A_rollback_is_sent_again_where_an_announced_load_failed_in_its_place()
    {
        var session = new RecordingSession().Fails("receive", 2, new ServerException(1317, "70100", "Query execution was interrupted"));
        var load = new LocalLoad(TransactionSql.Savepoint(0), "LOAD 'f'", "f");
        var channel = Channel.CreateUnbounded<RowBlock>();
        channel.Writer.TryWrite(Block("1"));
        using var stop = new CancellationTokenSource();
        var sender = new RowByRow(() =>
        {
            _ = session.LoadLocalAsync(load, "x\n"u8.ToArray(), load, null, CancellationToken.None).AsTask();
            stop.Cancel();
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => RunAsync(session, sender, isAtomic: false, FeedOf(channel), stop.Token));

        Assert.Equal("ROLLBACK -> ok", session.Steps[^1]);
        Assert.Single(session.Steps, step => step.Contains("interrupted", StringComparison.Ordinal));
    }

    /// <summary>Sends a row a batch, and remembers what it was told of the next: + or -.</summary>
    private sealed class RowByRow(Action sending) : IBatchSender
    {
        public string Told { get; private set; } = "";

        public EncodedBatch Encode(RowBlock block, int from, int most) => new Batch();

        public ValueTask<BatchOutcome> SendAsync(EncodedBatch batch, bool isMoreToCome, Action onSent, CancellationToken cancellationToken)
        {
            Told += isMoreToCome ? "+" : "-";
            sending();
            return ValueTask.FromResult<BatchOutcome>(new RowCounts(1));
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;

        private sealed class Batch : EncodedBatch
        {
            public Batch() => RowCount = 1;
        }
    }
}
