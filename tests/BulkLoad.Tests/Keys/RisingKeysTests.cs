using BulkLoad.Core.Keys;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Keys;

public sealed class RisingKeysTests
{
    private static bool Rise(TableColumn[] columns, params string[] rows)
    {
        var keys = new RisingKeys([.. columns.Select((column, place) => (column, place))]);

        // A block for each row: what was before lives on.
        foreach (var row in rows)
        {
            var block = new RowBlock(columns.Length, 16);
            foreach (var value in row.Split(' '))
            {
                block.AddValue(System.Text.Encoding.UTF8.GetBytes(value));
            }

            block.EndRow(1, 1, 0, default);
            keys.Take(block);
        }

        return keys.Fall is null;
    }

    [Theory]
    [InlineData(true, "-9223372036854775808", "-100", "-10", "-9", "0", "9", "10", "100", "9223372036854775807")]
    [InlineData(false, "-9", "-10")]
    [InlineData(false, "5", "-5")]
    [InlineData(false, "-5", "-5")]
    [InlineData(false, "9", "10", "10")]
    [InlineData(false, "10", "9")]
    [InlineData(true)]
    public void Integers_rise_by_their_value(bool expected, params string[] rows) =>
        Assert.Equal(expected, Rise([Columns.Integer("id")], rows));

    [Theory]
    [InlineData(true, "1 2026-01-01", "1 2026-01-02", "2 2025-01-01")]
    [InlineData(false, "1 2026-01-02", "1 2026-01-01")]
    [InlineData(false, "1 2026-01-02", "1 2026-01-02")]
    public void Of_several_columns_the_first_that_differs_decides(bool expected, params string[] rows) =>
        Assert.Equal(expected, Rise([Columns.Integer("id"), Columns.Date()], rows));

    [Fact]
    public void Text_has_no_order_that_is_known_here()
    {
        Assert.False(RisingKeys.CanTell([Columns.Varchar("s")]));
        Assert.False(RisingKeys.CanTell([Columns.Double()]));
        Assert.True(RisingKeys.CanTell([Columns.Integer("id"), Columns.DateTime()]));
    }

    [Theory]
    [InlineData("utf8mb4_general_ci", "a B c", true)]
    [InlineData("utf8mb4_general_ci", "a B b", false)]
    [InlineData("utf8mb4_general_ci", "a b é", false)]
    [InlineData("utf8mb4_general_ci", "é", false)]
    [InlineData("utf8mb4_bin", "A B a é", true)]
    [InlineData("utf8mb4_czech_ci", "a b", false)]
    public async Task Texts_that_rise_are_distinct_where_their_collation_is_known(string collation, string values, bool expected)
    {
        var column = Columns.Varchar(collation: collation);
        var key = ComparedKey.OfColumns([column], TestFacts.Of(TestFacts.MariaDb, column));
        Assert.Equal(expected, await KeyWatch.AreDistinctAsync(key, BlocksOf(values)));
    }

    private static async IAsyncEnumerable<RowBlock> BlocksOf(string values)
    {
        foreach (var value in values.Split(' '))
        {
            var block = new RowBlock(1, 16);
            block.AddValue(System.Text.Encoding.UTF8.GetBytes(value));
            block.EndRow(1, 1, 0, default);
            yield return await Task.FromResult(block);
        }
    }
}
