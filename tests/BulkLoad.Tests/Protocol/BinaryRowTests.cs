using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

public sealed class BinaryRowTests
{
    private const byte LongLong = 0x08;
    private const byte DateTime = 0x0c;
    private const byte VarString = 0xfd;

    [Fact]
    public void Values_are_counted_by_their_types() => Assert.Equal(
        8 + 4 + 3, BinaryRow.Measure(
            [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 0xea, 7, 1, 2, 3, (byte)'a', (byte)'b', (byte)'c'], [LongLong, DateTime, VarString]));

    [Fact]
    public void Null_has_no_bytes() => Assert.Equal(1, BinaryRow.Measure([0, 0b0000_1100, 1, (byte)'a'], [LongLong, VarString, VarString]));

    [Fact]
    public void The_bitmap_begins_with_two_bits_that_mean_nothing() =>
        Assert.Equal(
            0, BinaryRow.Measure([0, 0b1111_1100, 0b0000_0001], [LongLong, LongLong, LongLong, LongLong, LongLong, LongLong, LongLong]));

    [Theory]
    [InlineData(new byte[] { 0, 0, 1, 2, 3 })]
    [InlineData(new byte[] { 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 })]
    [InlineData(new byte[] { 1, 0, 1, 2, 3, 4, 5, 6, 7, 8 })]
    [InlineData(new byte[] { 0 })]
    public void A_row_that_is_not_as_its_columns_say_breaks_the_protocol(byte[] payload) =>
        Assert.Equal(FaultKind.Protocol, Assert.Throws<ServerException>(() => BinaryRow.Measure(payload, [LongLong])).Kind);
}
