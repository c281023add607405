using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Planning;

internal static class ChunkSizes
{
    /// <summary>The server does no other work while it commits: with 8 MiB an import of 78 MB into MySQL took 1 to 3 hundredths longer. A
    /// fault costs at most a second or two of work.</summary>
    private const long Bytes = 32 * 1024 * 1024;

    private const long Records = 524_288;
    private const long KeptBytes = 8 * 1024 * 1024;
    private const long KeptRecords = 131_072;
    private const long SharedBytes = 4 * 1024 * 1024;
    private const long SharedRecords = 65_536;

    /// <summary>Records of a chunk if sessions change or delete rows; measured: with half of it, commits took more than the sessions
    /// gained.</summary>
    public const long SharedChanges = 50_000;

    /// <summary>Whether a chunk's records stay in memory until it is committed, so that it can be sent again: records of a pipe, of an
    /// update, sorted ones, and those whose keys must be distinct. They take more room there than in the input.</summary>
    public static bool AreKept(LoadFacts facts, SortPlan sort, SessionPlan sessions) =>
        facts.Request.Kind == JobKind.Update || facts.Sources.Any(source => source.Bytes is null) || sort.IsSorted
            || sessions.NeedsDistinctKeys;

    /// <summary>Whether it is of use that records stay in memory: one chunk of everything is too large for that, and without retries or
    /// rollback nothing is sent again.</summary>
    public static bool CanKeep(LoadFacts facts) =>
        !facts.Request.IsOneChunk && facts.Request.Retry.MaxRetries > 0 && facts.Table.IsTransactional;

    /// <param name="sizes">of batches, and the largest sizes that chunks may have</param>
    /// <param name="request">its sizes come first; a job of one chunk takes everything</param>
    public static BatchSizes With(BatchSizes sizes, LoadRequest request, bool areKept, int sessions)
    {
        if (request.IsOneChunk)
        {
            return sizes with { RowsPerChunk = long.MaxValue, BytesPerChunk = long.MaxValue };
        }

        var (records, bytes) = sessions > 1
            ? (request.Kind == JobKind.Import ? SharedRecords : SharedChanges, SharedBytes)
            : areKept
            ? (KeptRecords, KeptBytes)
            : (Records, Bytes);
        return sizes with
        {
            RowsPerChunk = request.RowsPerChunk ?? Math.Min(sizes.RowsPerChunk, records),
            BytesPerChunk = request.BytesPerChunk ?? Math.Min(sizes.BytesPerChunk, bytes),
        };
    }

    public static string Reason(LoadRequest request, bool areKept, int sessions) =>
        request.BytesPerChunk is not null ? "--bytes-per-chunk"
        : sessions > 1 ? "each session has one in memory until those before it are committed"
        : areKept ? "a chunk's records are kept until it is committed" : "measured: a commit costs next to nothing at this size";
}
