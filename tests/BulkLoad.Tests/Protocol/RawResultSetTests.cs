using BulkLoad.Core.Protocol;

namespace BulkLoad.Tests.Protocol;

/// <summary>Rows as the bytes that came.</summary>
public sealed class RawResultSetTests
{
    [Fact]
    public void Values_are_found_where_they_stand_and_null_is_empty()
    {
        var rows = new RawResultSet();
        Assert.Equal(0, rows.Count);
        for (var turn = 0; turn < 2; turn++)
        {
            rows.Clear();
            string?[][] sent = [["1", "", null], [null, new string('x', 70_000), "é"], ["3", null, null]];
            Array.ForEach(sent, row => ((IRowSink)rows).AddRow(ServerPayloads.Row(row), row.Length));
            Assert.Equal(3, rows.Count);
            Assert.Equal(
                sent.Select(row => row.Select(value => value ?? "")),
                Enumerable.Range(0, 3).Select(row => Enumerable.Range(0, 3).Select(column => Encoding.UTF8.GetString(rows[row, column]))));
        }
    }
}
