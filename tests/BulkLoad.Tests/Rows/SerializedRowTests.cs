using System.Buffers;
using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Rows;

public sealed class SerializedRowTests
{
    [Fact]
    public void A_row_comes_out_as_it_went_in_and_knows_where_it_stood()
    {
        var from = new RowBlock(5, 16) { Source = 3 };
        from.AddValue("first"u8);
        from.AddNull();
        from.AddDefault();
        from.AddAbsent();
        from.AddValue([]);
        from.EndRow(7, 8, 9, "first,..."u8);
        var large = Encoding.UTF8.GetBytes(new string('x', 100_000));
        for (var i = 0; i < 5; i++)
        {
            from.AddValue(i == 2 ? large : [0, 255]);
        }

        from.EndRow(1L << 39, 1L << 41, long.MaxValue, large);

        var to = new RowBlock(5, 16);
        foreach (var row in new[] { 1, 0 })
        {
            var bytes = new ArrayBufferWriter<byte>();
            SerializedRow.Write(from, row, bytes);
            new SerializedRow(bytes.WrittenSpan, 5).AddTo(to, place: 2 - row, offset: 40 + row);
        }

        Assert.Equal((2, true, 1L, 2L, 41L, 40L), (to.RowCount, to.IsSorted, to.Record(0), to.Record(1), to.Offset(0), to.Offset(1)));
        Assert.Equal(new RowOrigin(3, 1L << 39, 1L << 41, long.MaxValue), to.Origin(0));
        Assert.Equal(new RowOrigin(3, 7, 8, 9), to.Origin(1));
        Assert.Equal((1L << 41, 8L), (to.Line(0), to.Line(1)));
        for (var row = 0; row < 2; row++)
        {
            Assert.True(from.Original(row).SequenceEqual(to.Original(1 - row)));
            for (var column = 0; column < 5; column++)
            {
                Assert.Equal(from.Get(row, column, out var before), to.Get(1 - row, column, out var after));
                Assert.True(before.SequenceEqual(after));
            }
        }

        to.Clear();
        to.Source = 1;
        to.AddValue("a"u8);
        for (var i = 0; i < 4; i++)
        {
            to.AddNull();
        }

        to.EndRow(5, 6, 7, "a"u8);
        Assert.Equal((false, new RowOrigin(1, 5, 6, 7)), (to.IsSorted, to.Origin(0)));
    }
}
