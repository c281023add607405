using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Rows;

public sealed class RowBlockTests
{
    [Fact]
    public void A_default_of_a_refused_record_is_forgotten_and_one_of_a_row_is_not()
    {
        var block = new RowBlock(columns: 2, byteCapacity: 64);
        block.AddValue("1"u8);
        block.AddDefault();
        block.AbandonRow();
        Assert.False(block.HasDefaults);

        block.AddValue("2"u8);
        block.AddDefault();
        block.EndRow(record: 2, line: 3, offset: 4, "2,"u8);
        block.AddDefault();
        block.AbandonRow();
        Assert.True(block.HasDefaults);

        block.Clear();
        block.AddValue("3"u8);
        block.AbandonRow();
        Assert.False(block.HasDefaults);
    }
}
