using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values.Mapping;
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
            sources, facts, new BatchSizes(1000, 1024 * 1024, 50_000, 1L << 40),
            new BlockOutput(pool, channel.Writer, new ReadCounts(Files)), KnownRecords.None);
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

    [Fact]
    public void What_looks_alike_is_there_once()
    {
        var parts = new SharedParts();
        var looks = Enumerable.Range(0, Files).Select(i => Look(i, $"id,name\n{i % 10},b\n").With(parts)).ToArray();
        Assert.All(looks, look => Assert.True(look.HasFieldsOf(looks[0])));
        Assert.All(looks, look => Assert.Same(looks[0].Fields, look.Fields));
        Assert.All(looks, look => Assert.Same(looks[0].Head, look.Head));
        Assert.Single(looks.Select(look => look.Detections).Distinct(ReferenceEqualityComparer.Instance));
        Assert.False(Look(0, "name,id\nb,1\n").With(parts).HasFieldsOf(looks[0]));
    }

    [Fact]
    public void Statements_go_out_in_pieces()
    {
        var pieces = LedgerSession.InPieces(Enumerable.Repeat(new string('x', 100_000), 101)).ToArray();
        Assert.Equal(101, pieces.Sum(some => some.Count));
        Assert.All(pieces, some => Assert.InRange(some.Count, 1, 5));
        Assert.Equal([50, 50, 20], LedgerSession.InPieces(Enumerable.Repeat("SELECT 1", 120)).Select(some => some.Count));
        Assert.Equal([1, 1], LedgerSession.InPieces(Enumerable.Repeat(new string('x', 10_000_000), 2)).Select(some => some.Count));
    }

    [Fact]
    public void Rows_that_a_job_takes_out_and_adds_are_found_by_their_order()
    {
        IndexRow[] one = [new("/a", 0, ""), new("/a", 7, "j"), new("/b", 1, "i"), new("/b", 1, "j")];
        IndexRow[] other = [new("/a", 0, ""), new("/b", 1, "i"), new("/b", 2, "j")];
        Assert.Equal(one.Except(other), JobIndex.Except(one, other));
        Assert.Equal(other.Except(one), JobIndex.Except(other, one));
        Assert.Equal(one, JobIndex.Except(one, []));
        Assert.Equal(one, one.Reverse().Order(Comparer<IndexRow>.Create(JobIndex.Compare)));
    }

    /// <summary>Those that are of one job alone, which most are, are not changed before they go.</summary>
    [Fact]
    public void Rows_of_the_index_go_before_others_are_counted_down() => Assert.Collection(
        new JobIndexSql("shop").Remove([new IndexRow("/a", 3, "j")]),
        first => Assert.Equal("DELETE `shop`.`bulkload_ledger` FROM `shop`.`bulkload_ledger` FORCE INDEX (PRIMARY) WHERE ((job = '/a' AND "
            + "source = -3 AND first_record = 3)) AND taken <= 1", first),
        second => Assert.Equal("UPDATE `shop`.`bulkload_ledger` FORCE INDEX (PRIMARY) SET taken = taken - 1 WHERE ((job = '/a' AND source "
            + "= -3 AND first_record = 3))", second));

    private static SourceInfo Look(int number, string text)
    {
        using var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(text)), $"{number}.csv", new SourceOptions());
        return SourceProbe.Look(input, new SourceOptions());
    }

    private static LoadSource Source(int number, string text, LoadFacts facts)
    {
        var input = InputFile.Open(new MemoryStream(Encoding.UTF8.GetBytes(text)), $"{number}.csv", facts.Request.Source);
        var look = SourceProbe.Look(input, facts.Request.Source);
        return new LoadSource(
            look, ColumnMapping.Create(look.Name, look.FieldNames, look.FieldCount, facts.Table, facts.Request, hint: null), input);
    }
}
