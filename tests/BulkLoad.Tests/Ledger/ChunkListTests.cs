using BulkLoad.Core.Ledger;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Tests.Ledger;

/// <summary>Chunks are read as they were added.</summary>
public sealed class ChunkListTests
{
    [Fact]
    public void Chunks_are_read_as_they_were_added()
    {
        LedgerChunk[] chunks = [.. Enumerable.Range(0, 1_000).Select(Chunk)];
        var list = ChunkList.Of(chunks);
        Assert.Equal(chunks.Select(Text), list.Select(Text));
        Assert.Equal([.. new[] { 0, 1, 255, 256, 700, 999 }.Select(i => Text(chunks[i]))],
            new[] { 0, 1, 255, 256, 700, 999 }.Select(i => Text(list[i])));
        Assert.Throws<ArgumentOutOfRangeException>(() => list[1_000]);
        Assert.Equal((chunks[^1], 999 / 100), (list.Last, list.LastSource));
        Assert.Equal(chunks.Sum(chunk => chunk.RejectCount), list.RejectCount);
        Assert.Equal(chunks.Sum(chunk => chunk.Repairs.Values.Sum()), list.Repairs["padding"]);
        Assert.Equal(
            (chunks.Sum(chunk => chunk.Taken.Count), chunks.Sum(chunk => chunk.Taken.NotFound)), (list.Taken.Count, list.Taken.NotFound));
        Assert.Equal(chunks.Aggregate(default(LedgerTally), (tally, chunk) => tally.With(chunk)), list.Tally);
        Assert.Equal(chunks.Count(chunk => chunk.Taken.Count > 0), list.WithRows);
        Assert.Equal(chunks[500], list.Incomplete);

        static string Text(LedgerChunk chunk) =>
            $"{chunk with { Rejects = None, Repairs = None, Superseded = null }} {string.Join(' ', chunk.Rejects)} "
                + $"{string.Join(' ', chunk.Repairs)} {(chunk.Superseded is { IsEmpty: false } marks ? marks.Write() : "")}";
    }

    private static readonly Dictionary<string, long> None = [];

    private static LedgerChunk Chunk(int i)
    {
        var marks = new RecordMarks();
        marks.Add(i);
        return new LedgerChunk
        {
            Source = i / 100,
            FirstRecord = (i % 100 * 10L) + (i % 7 == 0 ? 2 : 1),
            FirstOffset = i % 100 * 1_000_000_000L,
            LastSource = i / 100,
            LastRecord = (i % 100 * 10) + 10,
            LastOffset = (i % 100 * 1_000_000_000L) + 999,
            Content = i == 500
                ? "" : i % 9 == 0 ? "odd" : Convert.ToHexStringLower([.. Enumerable.Range(0, 32).Select(at => (byte)(at * i))]),
            Taken = i % 5 == 0 ? new RowCounts(i, Updated: 3) { NotFound = i, Deleted = 7 } : i % 11 == 0 ? default : new RowCounts(i),
            Superseded = i % 13 == 0 ? marks : null,
            Batches = 1 + (i % 3),
            Rejects = i % 6 == 0 ? new Dictionary<string, long> { ["a"] = i, ["b"] = 1 } : None,
            Repairs = i % 8 == 0 ? new Dictionary<string, long> { ["padding"] = 2 } : None,
            Findings = i % 10 == 0 ? new IssuePositions(i, 2, 3, 4) : default,
            HalfLength = i == 999 ? 77 : 0,
            Half = i == 999 ? "half" : null,
        };
    }
}
