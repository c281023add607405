using BulkLoad.Core.Ledger;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Ledger;

/// <summary>Whether chunks are one piece from the job's beginning on.</summary>
public sealed class LedgerPiecesTests
{
    private static readonly string[] Names = ["a.csv", "b.csv", "c.csv"];

    [Theory]
    [InlineData("", null)]
    [InlineData("0:1-10", null)]
    [InlineData("0:1-10 0:11-20", null)]
    [InlineData("0:1-10 0:21-30", "0:11-20")]
    [InlineData("0:11-20", "0:1-10")]
    [InlineData("0:1-30 1:1-10", null)]
    [InlineData("0:1-20 1:1-10", "0:21-30")]
    [InlineData("0:1-30 1:11-20", "1:1-10")]
    [InlineData("1:1-10", "0:1-30")]
    [InlineData("0:1-30 2:1-10", null)]
    [InlineData("0:1-30 2:1-10 2:12-20", "2:11-11")]
    public void A_hole_is_found_between_chunks_and_between_inputs(string chunks, string? hole)
    {
        // The first input has 30 records, the second is empty or not at its end.
        var found = LedgerPieces.FindHole(Chunks(chunks), source => source == 0 ? 30 : null);
        Assert.Equal(hole, found is var (source, from, to) ? $"{source}:{from}-{to}" : null);
    }

    [Fact]
    public void Where_the_end_of_an_input_is_not_known_no_hole_is_made_up() =>
        Assert.Null(LedgerPieces.FindHole(Chunks("0:1-20 1:1-10"), _ => null));

    [Fact]
    public void A_start_that_finds_a_hole_names_its_records()
    {
        var fault =
            Assert.Throws<ReconciliationException>(() => LedgerPieces.RequireWhole(Chunks("0:1-1000 0:2001-3000"), "j", Names, "db:3306"));
        Assert.Equal(
            "db:3306 has lost records 1,001-2,000 of a.csv, which job j had committed, and has records after them (a failover or a "
                + "crash?): nothing was sent; "
            + "import the missing records from a separate file, and compare the table with 'bulkload verify'",
            fault.Message);
    }

    [Fact]
    public void A_chunk_that_was_committed_before_it_was_complete_is_not_relied_on()
    {
        var chunks = Chunks("0:1-10");
        var fault = Assert.Throws<ReconciliationException>(
            () => LedgerPieces.RequireComplete([chunks[0] with { Content = "", LastRecord = 0 }], "j"));
        Assert.Contains(
            "from record 1 on, that was committed before it was complete: autocommit was on then", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Chunks_of_other_content_have_another_tally()
    {
        var one = Chunks("0:1-10 0:11-20");
        Assert.Equal(one.Tally, ChunkList.Of([.. one.Reverse()]).Tally);
        Assert.NotEqual(one.Tally, ChunkList.Of([one[0], one[1] with { Content = "other" }]).Tally);
        Assert.NotEqual(one.Tally, ChunkList.Of([one[0]]).Tally);

        // The CRC-32 of "123456789" is known to all who compute it, servers among them.
        Assert.Equal(new LedgerTally(1, 0xcbf43926), default(LedgerTally).With(one[0] with { Content = "123456789" }));
    }

    private static ChunkList Chunks(string text) => [.. text.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(part =>
    {
        var numbers = part.Split(':', '-').Select(int.Parse).ToArray();
        return new LedgerChunk
        {
            Source = numbers[0],
            FirstRecord = numbers[1],
            FirstOffset = 0,
            LastSource = numbers[0],
            LastRecord = numbers[2],
            LastOffset = 0,
            Content = part,
            Taken = new RowCounts(numbers[2] - numbers[1] + 1),
            Batches = 1,
            Rejects = new Dictionary<string, long>(),
            Repairs = new Dictionary<string, long>(),
            Findings = default(IssuePositions),
        };
    })];
}
