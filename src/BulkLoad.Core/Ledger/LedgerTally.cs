using System.IO.Hashing;

namespace BulkLoad.Core.Ledger;

/// <summary>What the chunks of a job come to: where two of these are equal, so are the chunks.</summary>
/// <remarks>Both servers compute it too, as COUNT and SUM(CRC32(content)): one row answers, whatever the number of chunks.</remarks>
/// <param name="Chunks">how many</param>
/// <param name="Contents">sum of the CRC-32 of each one's content</param>
internal readonly record struct LedgerTally(long Chunks, long Contents)
{
    /// <summary>With another chunk.</summary>
    public LedgerTally With(LedgerChunk chunk) => new(Chunks + 1, Contents + Crc32.HashToUInt32(Encoding.ASCII.GetBytes(chunk.Content)));

    /// <summary>Of chunks.</summary>
    public static LedgerTally Of(IEnumerable<LedgerChunk> chunks) => chunks.Aggregate(default(LedgerTally), (tally, chunk) => tally.With(chunk));
}
