using BulkLoad.Bench;

namespace BulkLoad.Tests.Bench;

public sealed class SizedBatchesTests
{
    [Fact]
    public void Statements_have_their_rows_and_the_last_one_the_rest()
    {
        var statements = SizedBatches.Inserts(7, 3, long.MaxValue).Select(Text).ToList();
        Assert.Equal([3, 3, 1], statements.Select(statement => statement.Split("Neill").Length - 1));
        Assert.All(statements, statement => Assert.StartsWith(
            "INSERT INTO bulkload_bench_users (id,name,age,email,score,created) VALUES (", statement, StringComparison.Ordinal));
        Assert.EndsWith(
            "(7,'user 7 O\\'Neill',7,'user7@example.org',7.5e0,'2026-01-08 12:30:00')", statements[2], StringComparison.Ordinal);
    }

    [Fact]
    public void Statements_are_no_longer_than_they_may_unless_a_row_is()
    {
        var statements = SizedBatches.Inserts(50, long.MaxValue, 500);
        Assert.All(statements, statement => Assert.InRange(statement.Length, 400, 500));
        Assert.Equal(50, statements.Sum(statement => Text(statement).Split("Neill").Length - 1));
        Assert.Equal(5, SizedBatches.Inserts(5, long.MaxValue, 1).Count);
    }

    [Fact]
    public void Content_is_cut_between_lines()
    {
        var files = SizedBatches.Lines(5, 2, long.MaxValue).Select(Text).ToList();
        Assert.Equal([2, 2, 1], files.Select(file => file.Count(letter => letter == '\n')));
        Assert.Equal("5\tuser 5 O'Neill\t5\tuser5@example.org\t5.5\t2026-01-06 12:30:00\n", files[2]);
    }

    [Fact]
    public void Parameters_are_filled() =>
        Assert.Equal([(18, 18), (6, 6)], SizedBatches.Parameters(4, 3).Select(batch => (batch.Count, batch.Filled)));

    [Theory]
    [InlineData(10_922, true)]
    [InlineData(10_923, false)]
    public void A_statement_has_room_for_so_many_placeholders(long rows, bool canBe) =>
        Assert.Equal(canBe, SizesRequest.CanBePrepared(rows));

    private static string Text(ReadOnlyMemory<byte> bytes) => Encoding.UTF8.GetString(bytes.Span);
}
