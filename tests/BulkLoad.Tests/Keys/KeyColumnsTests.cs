using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Keys;

public sealed class KeyColumnsTests
{
    private static byte[] KeyOf(TableColumn[] columns, params string?[] values)
    {
        var block = new RowBlock(columns.Length, 64);
        foreach (var value in values)
        {
            if (value is null)
            {
                block.AddNull();
            }
            else
            {
                block.AddValue(Encoding.Latin1.GetBytes(value));
            }
        }

        block.EndRow(1, 1, 0, []);
        var key = new KeyColumns([.. columns.Select((column, place) => (column, place))]);
        var bytes = new byte[key.MaxBytes(block, 0)];
        return bytes[..key.Write(block, 0, bytes)];
    }

    private static void ShouldRise(TableColumn[] columns, params string?[][] rows)
    {
        for (var i = 0; i < rows.Length; i++)
        {
            Assert.Equal(0, KeyOf(columns, rows[i]).AsSpan().SequenceCompareTo(KeyOf(columns, rows[i])));
            for (var j = i + 1; j < rows.Length; j++)
            {
                Assert.True(KeyOf(columns, rows[i]).AsSpan().SequenceCompareTo(KeyOf(columns, rows[j])) < 0,
                    $"{string.Join(", ", rows[i])} before {string.Join(", ", rows[j])}");
            }
        }
    }

    [Fact]
    public void Numbers_come_in_their_order() => ShouldRise(
        [Columns.Integer(bytes: 8)], ["-9223372036854775808"], ["-256"], ["-1"], ["0"], ["9"], ["10"], ["255"], ["256"],
        ["9223372036854775806"]);

    [Fact]
    public void Numbers_without_a_sign_come_in_their_order() => ShouldRise(
        [Columns.Integer(bytes: 8, isUnsigned: true)], ["0"], ["9223372036854775808"], ["18446744073709551614"]);

    [Fact]
    public void Bits_come_in_the_order_of_their_numbers() => ShouldRise([Columns.Bit(64)], ["0"], ["9"], ["10"], ["18446744073709551615"]);

    [Fact]
    public void Bytes_come_as_the_server_compares_them() => ShouldRise(
        [Columns.Blob(), Columns.Integer()], ["", "7"], ["\0", "1"], ["\0\0", "1"], ["\0\u0001", "1"], ["a", "2"], ["a", "3"], ["a\0", "1"],
        ["ab", "1"], ["\u00FF", "1"]);

    [Fact]
    public void Times_come_in_their_order() => ShouldRise(
        [Columns.DateTime(3)], ["0999-12-31 23:59:59.999"], ["2026-01-02 03:04:05.000"], ["2026-01-02 03:04:05.010"],
        ["2026-11-02 03:04:05.000"]);

    [Fact]
    public void The_next_id_is_behind_all_others() =>
        ShouldRise([Columns.Id(), Columns.Integer()], ["1", "5"], ["9223372036854775806", "1"], [null, "1"], [null, "2"]);

    [Fact]
    public void Only_columns_whose_order_is_known_can_be_written()
    {
        Assert.All([Columns.Integer(), Columns.Blob(), Columns.Date(), Columns.Timestamp(), Columns.Year(), Columns.Bit()],
            column => Assert.True(KeyColumns.CanWrite(column)));
        Assert.All([Columns.Varchar(), Columns.Decimal(5, 2), Columns.Double(), Columns.Enum("a"), Columns.Time()],
            column => Assert.False(KeyColumns.CanWrite(column)));
    }
}
