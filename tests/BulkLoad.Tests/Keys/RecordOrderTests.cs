using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Keys;

/// <summary>Which blocks may be sent beside those before them.</summary>
public sealed class RecordOrderTests
{
    /// <param name="blocks">ids of a row each, _ for none; a bar ends a chunk</param>
    /// <param name="free">for each block, + where nothing in it waits</param>
    /// <param name="chunks">that waited</param>
    /// <param name="fall">the first record that waited, by its number; 0: none</param>
    /// <param name="end">the record from which on all do; 0: none</param>
    /// <param name="mayRepeat">whether the records were sorted</param>
    [Theory]
    [InlineData("1 2 | 3 | 4 5 |", "+++", 0, 0, 0)]
    [InlineData("5 6 | 1 | 7 8 | 9 |", "+-++", 1, 3, 0)]
    [InlineData("5 6 | 6 | 7 8 | 9 |", "+-++", 1, 3, 0)]
    [InlineData("5 9 1 | 9 | 8 | 7 | 10 |", "----+", 3, 3, 0)]
    [InlineData("1 | 2 _ | 3 4 | 5 |", "+---", 3, 3, 3)]
    [InlineData("1 | 2 _ | | 5 |", "+-+-", 2, 3, 3)]
    [InlineData("9 | 2 | 10 | _ | 11 |", "+-+--", 3, 2, 4)]
    [InlineData("1 1 | 2 2 3 | 4 |", "--+", 1, 2, 0)]
    [InlineData("1 1 | 2 3 | 4 |", "-++", 0, 2, 0)]
    [InlineData("1 1 | 2 2 3 | 4 |", "+++", 0, 0, 0, true)]
    [InlineData("1 1 | 1 1 2 | 2 | 3 |", "+--+", 2, 3, 0, true)]
    public void Only_records_that_are_not_above_all_before_them_wait(
        string blocks, string free, long chunks, long fall, long end, bool mayRepeat = false)
    {
        var order = new RecordOrder([Columns.Integer("id")], [[0]], mayRepeat);
        var record = 0;
        var actual = string.Concat(
            blocks.Split('|', StringSplitOptions.RemoveEmptyEntries).Select(ids => order.IsFreeIn(Block(ids, ref record)) ? '+' : '-'));
        Assert.Equal(free, actual);
        Assert.Equal((chunks, fall, end), (order.WaitingChunks, order.Fall?.Record ?? 0, order.End?.Record ?? 0));
    }

    [Fact]
    public void A_chunk_of_several_blocks_waits_once()
    {
        var order = new RecordOrder([Columns.Integer("id")], [[0]]);
        var record = 0;
        Assert.True(order.IsFreeIn(Block("9", ref record)));
        Assert.Equal(
            [false, false, true], new[] { "1", "2", "10" }.Select(id => order.IsFreeIn(Block(id, ref record, endsChunk: id == "10"))));
        Assert.Equal(1, order.WaitingChunks);
    }

    [Fact]
    public void Where_all_wait_one_record_ends_it()
    {
        var order = new RecordOrder([Columns.Integer("id")], [[0]], allWait: true);
        var record = 0;
        Assert.Equal(
            [true, true, false, false, false], new[] { "1", "5", "2", "10", "11" }.Select(id => order.IsFreeIn(Block(id, ref record))));
        Assert.Equal(((0, 3L), (0, 3L), 3), (order.Fall, order.End, order.WaitingChunks));
    }

    [Fact]
    public void A_chunk_that_is_sent_again_is_counted_once()
    {
        var order = new RecordOrder([Columns.Integer("id")], [[0]]);
        for (var i = 0; i < 3; i++)
        {
            var record = 0;
            Assert.Equal([true, false, true], new[] { "9", "3", "10" }.Select(id => order.IsFreeIn(Block(id, ref record))));
            order.Rewind();
        }

        Assert.Equal(1, order.WaitingChunks);
    }

    [Fact]
    public void What_is_begun_again_is_compared_with_nothing_before_that()
    {
        var order = new RecordOrder([Columns.Integer("id")], [[0]]);
        var record = 0;
        Assert.True(order.IsFreeIn(Block("9", ref record)));
        order.Rewind();
        Assert.True(order.IsFreeIn(Block("3", ref record)));
        Assert.False(order.IsFreeIn(Block("3", ref record)));
    }

    private static RowBlock Block(string ids, ref int record, bool endsChunk = true)
    {
        var block = new RowBlock(1, 16) { EndsChunk = endsChunk };
        foreach (var id in ids.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (id == "_")
            {
                block.AddNull();
            }
            else
            {
                block.AddValue(Encoding.UTF8.GetBytes(id));
            }

            block.EndRow(++record, record, 0, default);
        }

        return block;
    }
}
