using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sorting;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Values.Mapping;
using BulkLoad.DataSet;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

/// <summary>From the file's bytes to those that are sent: what is allocated belongs to a block or a batch, never to a row.</summary>
public sealed class RowAllocationTests
{
    private const int Rows = 100_000;
    private const int WarmRows = 20_000;

    /// <summary>What blocks and batches of thousands of rows may take; an object for each row would take 24 at least.</summary>
    private const int MostBytesARow = 2;

    /// <summary>Each allocates what its rows do; a collection in between, which empties the pools of arrays, happens to one of
    /// them.</summary>
    private const int Measurements = 3;

    private static readonly BatchSizes Sizes = new(1000, 1024 * 1024, 50_000, 1L << 40);

    private static readonly TableColumn[] Users =
    [
        Columns.Integer("id", bytes: 8).Required(), Columns.Varchar("name")
            .Required(), Columns.Integer("age"), Columns.Varchar("email"), Columns.Double("score"), Columns.DateTime(name: "created"),
    ];

    public static TheoryData<string> Imports => NamesOf(StrategyCatalog.Import);

    public static TheoryData<string> Deletes => NamesOf(StrategyCatalog.Delete);

    public static TheoryData<string> Updates => NamesOf(StrategyCatalog.Update);

    [Theory]
    [InlineData(DataFormat.Tsv)]
    [InlineData(DataFormat.Mysql)]
    [InlineData(DataFormat.Jsonl)]
    public async Task No_format_allocates_anything_for_a_row(DataFormat format)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Users);
        facts = facts with
        { Request = facts.Request with { Source = new SourceOptions { Format = Enum.Parse<InputFormat>(format.ToString()) } } };
        await AssertAllocatesNothingAsync(facts, StrategyCatalog.Import[0], rows => Write(rows, format));
    }

    [Theory]
    [MemberData(nameof(Imports))]
    public async Task An_import_allocates_nothing_for_a_row(string strategy) =>
        await AssertAllocatesNothingAsync(
            TestFacts.Of(TestFacts.MariaDb, Users), Named(StrategyCatalog.Import, strategy), rows => Write(rows, DataFormat.Csv));

    [Theory]
    [MemberData(nameof(Deletes))]
    public async Task A_delete_allocates_nothing_for_a_key(string strategy)
    {
        var key = TestKeys.Of([Users[0]], TestKeys.Primary);
        var facts = TestKeys.Facts(TestFacts.MariaDb, key: key);
        facts = facts with
        { Table = Columns.Table(Users), Request = facts.Request with { Source = new SourceOptions { Format = InputFormat.Keys } } };
        await AssertAllocatesNothingAsync(facts, Named(StrategyCatalog.Delete, strategy),
            rows => Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(1, rows).Select(id => $"{id}\n"))));
    }

    [Fact]
    public async Task Keys_are_put_in_order_without_an_allocation_for_each()
    {
        TableColumn[] columns = [Columns.Varchar("name", charset: "ascii").Required(), Columns.Integer("id").Required()];
        var facts = TestKeys.Facts(TestFacts.MariaDb, key: TestKeys.Of(columns, TestKeys.Index("PRIMARY", isUnique: true, "name", "id")));
        facts = facts with { Table = Columns.Table(columns) };
        await AssertAllocatesNothingAsync(
            facts, StrategyCatalog.Delete[0], rows => Encoding.UTF8.GetBytes(
                "name,id\n" + string.Concat(Enumerable.Range(1, rows).Select(id => $"as they begin{id % 7},{rows - id}\n"))));
    }

    [Theory]
    [MemberData(nameof(Updates))]
    public async Task An_update_allocates_nothing_for_a_row(string strategy)
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Users) with { Key = TestKeys.Of([Users[0]], TestKeys.Primary) };
        facts = facts with { Request = facts.Request with { Kind = JobKind.Update } };
        await AssertAllocatesNothingAsync(facts, Named(StrategyCatalog.Update, strategy), rows => Write(rows, DataFormat.Csv));
    }

    /// <summary>Of a file for what does not fit into memory there is one for thousands of rows.</summary>
    [Fact]
    public void Rows_are_sorted_without_an_allocation_for_each()
    {
        const int memory = 1024 * 1024;
        var blocks = Enumerable.Range(0, (WarmRows + Rows) / 1000).Select(number =>
        {
            var block = new RowBlock(2, 32 * 1024, 1000);
            for (var row = 0; row < 1000; row++)
            {
                var id = Encoding.UTF8.GetBytes($"{(((number * 1000) + row) * 7919L % 1_000_003)}");
                block.AddValue(id);
                block.AddValue("some name"u8);
                block.EndRow((number * 1000) + row + 1, row + 2, row * 20, id);
            }

            return block;
        }).ToArray();
        SortRows(WarmRows);
        var allocated = SortRows(WarmRows + Rows) - SortRows(WarmRows);
        Assert.True(allocated < 12L * Rows, $"{allocated:N0} bytes for {Rows:N0} rows"); // an object for each would take 24 at least

        long SortRows(int rows)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            using var sort = new RowSort(
                new KeyColumns([(Users[0], 0)]), 2, isLastFirst: false, Path.GetTempPath(), memory, CancellationToken.None);
            foreach (var block in blocks.AsSpan(0, rows / 1000))
            {
                sort.Add(block);
            }

            var read = 0;
            while (sort.Read())
            {
                read += sort.Current.Original.Length > 0 ? 1 : 0;
            }

            Assert.Equal(rows, read);
            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }

    [Fact]
    public void That_keys_do_not_rise_is_found_without_an_allocation_for_each_row()
    {
        var block = BlockOf(4096, _ => 1);
        var keys = new RisingKeys([(Users[0], 0)]);
        keys.Take(block);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.False(keys.Take(block));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4096);
    }

    [Fact]
    public void Keys_are_watched_without_an_allocation_for_each_row()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Users[0]);
        facts = facts with { Table = facts.Table with { UniqueKeys = [new("PRIMARY", [new("id")])] } };
        var keys = new KeyWatch(ComparedKey.Of(facts));
        Assert.True(keys.Rises(BlockOf(10, row => row)));
        var block = BlockOf(4096, row => 10 + row);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.True(keys.Rises(block));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4096);
        Assert.False(keys.Rises(block));
    }

    [Fact]
    public void Rows_are_checked_without_an_allocation_for_each()
    {
        var block = BlockOf(4096, row => row);
        var facts = TestFacts.Of(TestFacts.MariaDb, Users[0]) with
        { Constraints = new() { ForeignKeys = [], HasChecks = false, CanLackPartition = false, HasRows = false } };
        facts = facts with { Table = facts.Table with { UniqueKeys = [new("PRIMARY", [new("id")])] } };
        var judge = new RowJudge(facts, ComparedKey.Of(facts));
        using var sort = new ExternalSort(Path.GetTempPath(), 1024 * 1024);
        using var conflicts = new KeyConflicts(sort, 0);
        Assert.Equal(block.RowCount, CountTaken());
        var before = GC.GetAllocatedBytesForCurrentThread();
        CountTaken();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4096);

        int CountTaken()
        {
            var taken = 0;
            for (var row = 0; row < block.RowCount; row++)
            {
                taken += conflicts.Find(RecordId.Of(0, block.Record(row))) < 0 && judge.Judge(block, row) == UndecidedReasons.None ? 1 : 0;
                conflicts.Take(isSure: !conflicts.IsUnsure);
            }

            return taken;
        }
    }

    private static RowBlock BlockOf(int rows, Func<int, int> id)
    {
        var block = new RowBlock(1, 64 * 1024, rows);
        for (var row = 0; row < rows; row++)
        {
            var value = Encoding.UTF8.GetBytes($"{id(row)}");
            block.AddValue(value);
            block.EndRow(row + 1, row + 1, row, value);
        }

        return block;
    }

    private static TheoryData<string> NamesOf(IEnumerable<ILoadStrategy> strategies) => [.. strategies.Select(strategy => strategy.Name)];

    private static ILoadStrategy Named(IReadOnlyList<ILoadStrategy> strategies, string name) =>
        strategies.Single(strategy => strategy.Name == name);

    private static byte[] Write(int rows, DataFormat format)
    {
        using var stream = new MemoryStream();
        new UserDataSet(rows, 20261).Write(stream, format);
        return stream.ToArray();
    }

    private static async Task AssertAllocatesNothingAsync(LoadFacts facts, ILoadStrategy strategy, Func<int, byte[]> write)
    {
        await using var sender = strategy.CreateSender(new RecordingSession(), facts, Sizes);
        var blocks = new BlockPool(facts.Columns.Count, 1024 * 1024);
        await AllocateAsync(WarmRows);
        var least = long.MaxValue;
        for (var i = 0; i < Measurements && least >= MostBytesARow * Rows; i++)
        {
            var few = await AllocateAsync(WarmRows);
            least = Math.Min(least, await AllocateAsync(WarmRows + Rows) - few);
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{least:N0} bytes for {Rows:N0} rows");
        Assert.True(least < MostBytesARow * Rows, $"{least:N0} bytes for {Rows:N0} rows");

        async Task<long> AllocateAsync(int rows)
        {
            var content = write(rows);
            var encoder = new Encoder(sender, blocks);
            var input = InputFile.Open(new MemoryStream(content), "users", facts.Request.Source);
            var look = SourceProbe.Look(input, facts.Request.Source);
            if (look.Format == InputFormat.Jsonl)
            {
                look = look with { FieldNames = JsonFields.Choose(look.FieldNames ?? [], facts.Table, facts.Request) };
            }

            var mapping = facts.Request.Kind == JobKind.Delete
                ? KeyMapping.Create("users", look.Format == InputFormat.Keys ? null : look.FieldNames, look.FieldCount, facts.Table,
                    facts.Key!.Columns, facts.Request)
                : ColumnMapping.Create(
                    "users", look.FieldNames, look.FieldCount, facts.Table, facts.Request, hint: null, facts.Key?.Columns);
            var pump = new BlockProducer([new LoadSource(look, mapping, input)], facts, Sizes,
                new BlockOutput(blocks, encoder, new ReadCounts(1)), KnownRecords.None);
            var before = GC.GetAllocatedBytesForCurrentThread();
            var pumping = pump.RunAsync(CancellationToken.None);
            var allocated = GC.GetAllocatedBytesForCurrentThread() - before;

            // Else it was not this thread alone that has worked.
            Assert.True(pumping.IsCompletedSuccessfully);
            await pumping;
            Assert.Null(encoder.Fault);
            Assert.Equal(rows, encoder.Rows);
            return allocated;
        }
    }

    /// <summary>Stands where the sending side's channel does, and has each block encoded at once.</summary>
    private sealed class Encoder(IBatchSender sender, BlockPool blocks) : ChannelWriter<RowBlock>
    {
        public long Rows { get; private set; }

        public Exception? Fault { get; private set; }

        public override bool TryWrite(RowBlock block)
        {
            Assert.Empty(block.Rejects);
            for (var from = 0; from < block.RowCount;)
            {
                from += sender.Encode(block, from, block.RowCount - from).RowCount;
            }

            Rows += block.RowCount;
            blocks.Return(block);
            return true;
        }

        public override ValueTask<bool> WaitToWriteAsync(CancellationToken cancellationToken = default) => new(true);

        public override bool TryComplete(Exception? error = null)
        {
            Fault = error;
            return true;
        }
    }
}
