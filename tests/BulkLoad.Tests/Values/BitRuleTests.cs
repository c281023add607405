using BulkLoad.Core.Input;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Tests.Values;

public sealed class BitRuleTests
{
    private static readonly ValueZone NoZone = new("here", null);

    [Theory]
    [InlineData(1, "00", "0")]
    [InlineData(1, "01", "1")]
    [InlineData(1, "02", null)]
    [InlineData(1, "0001", "1")]
    [InlineData(8, "31", "49")]
    [InlineData(8, "FF", "255")]
    [InlineData(8, "0100", null)]
    [InlineData(8, "", null)]
    [InlineData(9, "01FF", "511")]
    [InlineData(9, "0200", null)]
    [InlineData(64, "FFFFFFFFFFFFFFFF", "18446744073709551615")]
    [InlineData(64, "8000000000000000", "9223372036854775808")]
    [InlineData(64, "010000000000000000", null)]
    [InlineData(64, "000000000000000000000A", "10")]
    public void Bytes_are_the_number_of_their_bits(int bits, string bytes, string? expected)
    {
        var column = Columns.Bit(bits);
        var options = RuleOptions.Of(new ValueOptions { BinaryColumns = [new BinaryColumn("B", BinaryForm.Raw)] }, NoZone);
        var rule = ValueRules.For(column, options, notation: null);
        var block = new RowBlock(1, 1);
        Assert.Equal(expected is null, rule.Add(Convert.FromHexString(bytes), block) is not null);
        if (expected is not null)
        {
            block.EndRow(1, 1, 0, []);
            Assert.Equal(expected, Encoding.UTF8.GetString(block.TextOf(0, 1).Span[..^1]));
        }
    }

    [Fact]
    public void Vector_of_bytes_is_taken_where_fields_are_raw()
    {
        var column = Columns.Of("v", ColumnKind.Blob, "vector(2)") with { VectorSize = 2, MaxBytes = 8 };
        foreach (var (form, bytes, isTaken) in new[]
        {
            (BinaryForm.Raw, "0000803F00000040", true), (BinaryForm.Raw, "5B00803F00000040", true),
            (BinaryForm.Raw, "0000803F000000", false),
            (BinaryForm.Raw, "0000C07F00000040", false), (BinaryForm.Hex, "0000803F00000040", false),
        })
        {
            var options = RuleOptions.Of(new ValueOptions { Binary = form }, NoZone);
            var block = new RowBlock(1, 1);
            Assert.Equal(isTaken, ValueRules.For(column, options).Add(Convert.FromHexString(bytes), block) is null);
        }
    }
}
