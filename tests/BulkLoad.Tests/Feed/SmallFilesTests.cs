using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Values;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Feed;

/// <summary>What each of many small files takes.</summary>
public sealed class SmallFilesTests
{
    private const int Files = 300;

    [Fact]
    public void A_block_of_one_record_is_small_however_large_a_batch_is()
    {
        var block = new RowBlock(6, 4 * 1024 * 1024, 65_536);
        block.AddValue("1"u8);
        Assert.InRange(block.HeldBytes, 1, 16 * 1024);
    }

    /// <summary>Two wait in the channel at most, one is read, and one is written.</summary>
    [Fact]
    public async Task No_file_needs_a_block_of_its_own()
    {
        var facts = TestFacts.Of(TestFacts.MariaDb, Columns.Integer("id"));
        var sources = Enumerable.Range(0, Files).Select(i => Source(i, "id\n1\n", facts)).ToArray();
        var pool = new BlockPool(1, 1024 * 1024);
        var channel = Channel.CreateBounded<RowBlock>(2);
        var pump = new BlockProducer(
            sources, facts, new BatchSizes(1000, 1024 * 1024, 50_000, 1L << 40), new BlockOutput(pool, channel.Writer, new ReadCounts(Files)), KnownRecords.None);
        var pumping = pump.RunAsync(CancellationToken.None);
        var blocks = new HashSet<RowBlock>(ReferenceEqualityComparer.Instance);
        var rows = 0;
        await foreach (var block in channel.Reader.ReadAllAsync(TestContext.Current.CancellationToken))
        {
            blocks.Add(block);
            rows += block.RowCount;
            pool.Return(block);
        }

        await pumping;
        Assert.Equal(Files, rows);
        Assert.InRange(blocks.Count, 1, 4);
    }

    private static LoadSource Source(int number, string text, LoadFacts facts)
    {
        var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(text)), $"{number}.csv", facts.Request.Source);
        var look = SourceProbe.Look(input, facts.Request.Source);
        return new LoadSource(look, ColumnMapping.Create(look.Name, look.FieldNames, look.FieldCount, facts.Table, facts.Request, hint: null), input);
    }
}
