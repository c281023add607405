using BulkLoad.Core.Rows;

namespace BulkLoad.Tests.Rows;

public sealed class RecordIssueTests
{
    [Theory]
    [InlineData(17, null, "people.csv:17: column 'id': is not an integer")]
    [InlineData(0, null, "people.csv, record 1,016: column 'id': is not an integer")]
    [InlineData(0, "sheet 2026, cell D17", "people.csv, sheet 2026, cell D17: column 'id': is not an integer")]
    public void It_says_where_the_record_is_in_inputs_with_lines_and_without(long line, string? at, string expected) => Assert.Equal(
        expected,
        new Reject
        {
            Source = "people.csv",
            Record = 1016,
            Line = line,
            At = at,
            Offset = 0,
            Column = "id",
            Code = "not-an-integer",
            Message = "is not an integer",
        }.Describe());
}
