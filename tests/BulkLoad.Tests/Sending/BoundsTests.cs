using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Strategies.LoadData;
using BulkLoad.Tests.Planning;
using BulkLoad.Tests.Strategies;
using BulkLoad.Tests.Values;

namespace BulkLoad.Tests.Sending;

/// <summary>Memory does not follow what an input happens to look like.</summary>
public sealed class BoundsTests
{
    [Fact]
    public async Task A_block_ends_with_so_many_values_though_hardly_any_has_a_byte()
    {
        const int columns = 1000;
        var session = new RecordingSession();
        var content = string.Concat(Enumerable.Repeat("{\"c0\":1}\n", 2500));
        var run = Runs.Create(
            new LoadDataStrategy(), new BatchSizes(65_535, 1 << 20), content,
            [.. Enumerable.Range(0, columns).Select(i => Columns.Integer($"c{i}"))],
            TestFacts.Request with { Map = [.. Enumerable.Range(1, columns - 1).Select(i => KeyValuePair.Create($"c{i}?", $"c{i}"))] });

        await run.RunAsync(session, CancellationToken.None);

        Assert.Equal((2500, 3), (run.Committed.Records, session.Steps.Count(step => step.StartsWith("serve", StringComparison.Ordinal))));
    }

    /// <summary>What is left over behind the last full statement of a block would be a batch of its own.</summary>
    [Theory]
    [InlineData(65_535, 10, 1, 100)]
    [InlineData(65_535, 10, 12, 108)] // nine statements of twelve rows
    [InlineData(65_535, 10, 13, 100)] // thirteen rows of ten bytes are too much to go on for
    [InlineData(25, 10, 10, 20)]
    [InlineData(25, 10, 30, 25)] // a statement is never full
    [InlineData(65_535, 1200, 10, 1)]
    public void A_block_ends_behind_a_whole_statement_where_its_rows_are_small(
        int rowsPerBatch, int rowBytes, int rowsPerStatement, int expected)
    {
        const int bytes = 1000;
        var bounds = new BlockBounds(new BatchSizes(rowsPerBatch, bytes) { RowsPerStatement = rowsPerStatement });
        var block = new RowBlock(1, 4096);
        do
        {
            block.AddValue(new byte[rowBytes]);
            block.EndRow(block.RowCount + 1, block.RowCount + 1, 0, "x"u8);
        }
        while (!bounds.AreReachedBy(block, bytes));
        Assert.Equal(expected, block.RowCount);
    }

    [Fact]
    public void Records_are_kept_with_their_rejects_as_far_as_they_are_not_too_large()
    {
        var log = new RejectLog(RejectLimit.OfPercent(100), file: null);
        foreach (var size in new[] { RejectLog.MaxTextKept - 5, 6, 5, 1 })
        {
            log.Add(new Reject
            { Source = "a.csv", Record = 1, Line = 1, Offset = 0, Code = "too-long", Message = "is too long", Text = new byte[size] });
        }

        Assert.Equal([RejectLog.MaxTextKept - 5, 0, 5, 0], log.First.Select(reject => reject.Text.Length));
    }
}
