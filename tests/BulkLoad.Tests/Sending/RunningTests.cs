using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Planning;

namespace BulkLoad.Tests.Sending;

public sealed class RunningTests
{
    private static OpenChunk Chunk(int batches, int rows, string source, long lastRecord)
    {
        var chunk = new OpenChunk();
        for (var i = 1; i <= batches; i++)
        {
            chunk.Add(source, lastRecord, new RowCounts(rows / batches + (i == batches ? rows % batches : 0)));
        }

        return chunk;
    }

    private static List<long> Cuts(BatchSizes sizes, params long[] offsets)
    {
        var cutter = new ChunkCutter(sizes);
        return [.. offsets.Where(offset => cutter.StartsChunk(offset))];
    }

    [Fact]
    public void Chunks_begin_where_the_inputs_offsets_say()
    {
        var sizes = new BatchSizes(1, 1, long.MaxValue, 100);
        Assert.Equal([], Cuts(sizes, 0, 50, 99));
        Assert.Equal([100], Cuts(sizes, 0, 50, 100, 150, 199));
        Assert.Equal([103, 250], Cuts(sizes, 3, 50, 102, 103, 150, 202, 250));
        Assert.Equal([500, 600, 700], Cuts(sizes, 0, 500, 600, 700));
    }

    [Fact]
    public void Chunks_begin_after_so_many_records()
    {
        Assert.Equal([20, 40], Cuts(new BatchSizes(1, 1, 2, long.MaxValue), 0, 10, 20, 30, 40));
        Assert.Equal([10, 20], Cuts(new BatchSizes(1, 1, 1, long.MaxValue), 0, 10, 20));
        Assert.Equal([20, 100], Cuts(new BatchSizes(1, 1, 2, 60), 0, 10, 20, 100, 110));
    }

    [Fact]
    public void Batch_sizes_move_no_chunk()
    {
        var offsets = Enumerable.Range(0, 1000).Select(i => i * 7L).ToArray();
        Assert.Equal(Cuts(new BatchSizes(1, 1, 99, 500), offsets), Cuts(new BatchSizes(1000, 1 << 20, 99, 500), offsets));
    }

    [Theory]
    [InlineData("people", null, "people")]
    [InlineData("shop.people", "shop", "people")]
    [InlineData("`shop`.`people`", "shop", "people")]
    [InlineData("`odd.name`", null, "odd.name")]
    [InlineData("`a``b`.`c`", "a`b", "c")]
    [InlineData("shop.`odd.name`", "shop", "odd.name")]
    [InlineData("`odd.db`.t", "odd.db", "t")]
    [InlineData("a`b", null, "a`b")]
    [InlineData(" a ", null, " a ")]
    [InlineData("Größe", null, "Größe")]
    public void A_tables_name_is_read(string text, string? database, string table) =>
        Assert.Equal(new TableName(database, table), TableName.Of(TestFacts.Request with { Table = text }, "x.csv"));

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("a.")]
    [InlineData(".a")]
    [InlineData("a..b")]
    [InlineData("a.b.c")]
    [InlineData("``")]
    [InlineData("`a`.")]
    [InlineData("`a`b")]
    [InlineData("`a")]
    [InlineData("`")]
    [InlineData("```")]
    [InlineData("a.`b")]
    public void A_text_that_is_no_tables_name_is_refused(string text) =>
        Assert.StartsWith($"--table '{text}': ", Assert.Throws<RequestException>(
            () => TableName.Of(TestFacts.Request with { Table = text }, "x.csv")).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("people.csv", "people")]
    [InlineData("/data/in.d/people.csv", "people")]
    [InlineData("people.csv.gz", "people")]
    [InlineData("people.GZ", "people")]
    [InlineData("people.csv.zst", "people")]
    [InlineData("people.zip", "people")]
    [InlineData("people", "people")]
    [InlineData("people.2024.csv", "people")]
    [InlineData(".csv", ".csv")]
    [InlineData("dir.with.dots/people", "people")]
    public void Without_a_table_the_files_base_name_is_it(string path, string table) =>
        Assert.Equal(new TableName(null, table), TableName.Of(TestFacts.Request with { Table = null }, path));

    [Fact]
    public void What_is_committed_is_told()
    {
        var committed = new CommittedState();
        Assert.Equal(("nothing was loaded", null), Tell(JobKind.Import));
        Assert.Equal(("nothing was updated", null), Tell(JobKind.Update));
        Assert.Equal(("nothing was deleted", null), Tell(JobKind.Delete));
        var rejects = default(OpenChunk);
        rejects.Add("a.csv", 6);
        committed.Add(rejects);
        Assert.Equal(("nothing was loaded", null), Tell(JobKind.Import));
        committed.Add(Chunk(3, 300, "a.csv", 300));
        Assert.Equal(("300 rows are in shop.people", "chunk 1, records 1-300, stay committed"), Tell(JobKind.Import));
        committed.Add(Chunk(3, 20, "b.csv", 20));
        Assert.Equal("chunks 1-2, everything up to record 20 of b.csv, stay committed", committed.DescribeChunks(isOneSource: false));
        Assert.Equal("what follows record 20 of b.csv", committed.DescribeRest(isOneSource: false));
        Assert.Equal((2, 6, 320), (committed.Chunks, committed.Batches, committed.Records));

        (string, string?) Tell(JobKind kind) =>
            (committed.Describe(kind, "shop.people", isOneSource: true, hasLedger: false), committed.DescribeChunks(isOneSource: true));
    }

    [Fact]
    public void What_may_be_committed_is_told_too()
    {
        var committed = new CommittedState { IsInDoubt = true };
        const string Doubt = "was committed is not known, since the session was lost at that moment: look at the table before you continue";
        Assert.Equal($"nothing is known to be committed; whether chunk 1 {Doubt}",
            committed.Describe(JobKind.Import, "shop.people", true, hasLedger: false));
        committed.Add(Chunk(1, 5, "a.csv", 5));
        Assert.Equal($"5 rows are in shop.people; whether chunk 2 {Doubt}",
            committed.Describe(JobKind.Import, "shop.people", true, hasLedger: false));
    }

    [Fact]
    public void A_reject_says_where_and_what_on_one_line()
    {
        var reject = new Reject { Source = "a.csv", Record = 3, Line = 4, Offset = 30, Code = "x", Message = "is bad" };
        Assert.Equal("a.csv:4: is bad", reject.Describe());
        Assert.Equal("a.csv:4: column 'b': is bad", (reject with { Column = "b" }).Describe());
    }

    [Fact]
    public void Blocks_are_used_again_but_for_those_that_a_huge_record_has_blown_up()
    {
        var pool = new BlockPool(1, 16);
        var block = pool.Rent();
        block.AddValue("abc"u8);
        block.EndRow(1, 1, 0, "abc"u8);
        block.EndsChunk = true;
        pool.Return(block);
        var again = pool.Rent();
        Assert.Same(block, again);
        Assert.Equal((0, 0, false), (again.RowCount, again.ByteCount, again.EndsChunk));
        again.AddValue(new byte[1000]);
        pool.Return(again);
        Assert.NotSame(again, pool.Rent());
    }

    [Fact]
    public void A_report_accounts_for_every_record()
    {
        var run = Runs.Create(StrategyCatalog.Import[0], Runs.TwoRowsABatch, "id,name\n1,a\n");
        run.Read.SetRecords(0, 10);
        Assert.Throws<RefusedRecordException>(
            () => run.Rejects.Add(new Reject { Source = "people.csv", Record = 7, Line = 8, Offset = 0, Code = "x", Message = "is bad" }));
        run.Committed.Add(Chunk(1, 6, "people.csv", 6));
        var counts = RunResult.Of(LoadOutcome.Failed, null, TestFacts.Request, null, run, TimeSpan.Zero).Counts;
        Assert.Equal(new LoadCounts { Read = 10, Inserted = 6, Rejected = 1, NotCommitted = 3 }, counts);
    }

    [Theory]
    [InlineData("a\tb")]
    [InlineData("x")]
    public void A_block_gives_back_what_was_added_and_forgets_an_abandoned_row(string value)
    {
        var block = new RowBlock(2, 1);
        for (var row = 0; row < 1000; row++)
        {
            block.AddValue(System.Text.Encoding.UTF8.GetBytes(value + row));
            if (row % 3 == 0)
            {
                block.AbandonRow();
                block.AddNull();
            }

            block.AddDefault();
            block.EndRow(row + 1, row + 2, row * 10L, System.Text.Encoding.UTF8.GetBytes($"record {row}"));
        }

        for (var row = 0; row < 1000; row++)
        {
            Assert.Equal(row % 3 == 0 ? CellState.Null : CellState.Value, block.Get(row, 0, out var text));
            Assert.Equal(row % 3 == 0 ? "" : value + row, System.Text.Encoding.UTF8.GetString(text));
            Assert.Equal(CellState.Default, block.Get(row, 1, out _));
            Assert.Equal((row + 1, row + 2, row * 10L), (block.Record(row), block.Line(row), block.Offset(row)));
        }

        Assert.Equal(block.ByteCount + (2 * 334), block.ByteCountOf(0, 400) + block.ByteCountOf(400, 600));
        Assert.Equal(0, block.ByteCountOf(5, 0));
        Assert.Equal($"\u001bN\u001f\u001e{value}1\u001f\u001e", System.Text.Encoding.UTF8.GetString(block.TextOf(0, 2).Span));
        Assert.Equal((-1, 0), (block.CountNulls(0, 2), block.CountNulls(0, 0)));
        Assert.Equal("record 0", System.Text.Encoding.UTF8.GetString(block.Original(0)));
        Assert.Equal("record 999", System.Text.Encoding.UTF8.GetString(block.Original(999)));
    }
}
