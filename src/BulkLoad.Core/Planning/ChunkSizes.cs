using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Planning;

/// <summary>How much is committed together where nobody says.</summary>
internal static class ChunkSizes
{
    /// <summary>The server does no other work while it commits: with 8 MiB an import of 78 MB into MySQL took 1 to 3 hundredths longer. A
    /// fault costs a second or two of work at most.</summary>
    private const long Bytes = 32 * 1024 * 1024;

    private const long Records = 524_288;
    private const long KeptBytes = 8 * 1024 * 1024;
    private const long KeptRecords = 131_072;
    private const long SharedBytes = 4 * 1024 * 1024;
    private const long SharedRecords = 65_536;

    /// <summary>Records of a chunk where several sessions change or delete rows; measured: at the half of it commits took more than the
    /// sessions gained.</summary>
    public const long SharedChanges = 50_000;

    /// <summary>Whether a chunk's records stay in memory until it is committed, so that it can be sent again: those of a pipe, of an update
    /// or a delete of which more must be known than its inputs say, and sorted ones. They take more room there than in the input.</summary>
    public static bool AreKept(LoadFacts facts, SortPlan sort, SessionPlan sessions) =>
        facts.Request.Kind == JobKind.Update || facts.Sources.Any(source => source.Bytes is null) || sort.IsSorted
            || sessions.NeedsDistinctKeys;

    /// <summary>Whether records that stay in memory would be of use: everything in one chunk is too much to stay, and nothing is sent again
    /// without another try, nor where the engine cannot roll back.</summary>
    public static bool CanKeep(LoadFacts facts) => !facts.Request.IsOneChunk && facts.Request.Retry.Most > 0 && facts.Table.IsTransactional;

    /// <summary>The sizes with those of chunks.</summary>
    /// <param name="sizes">of batches, and chunks that are not to be larger</param>
    /// <param name="request">what was asked for comes first; everything, where that is one chunk</param>
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

    /// <summary>What sets the bytes of a chunk.</summary>
    public static string Reason(LoadRequest request, bool areKept, int sessions) =>
        request.BytesPerChunk is not null ? "--bytes-per-chunk"
        : sessions > 1 ? "each session has one in memory until those before it are committed"
        : areKept ? "a chunk's records are kept until it is committed" : "measured: a commit costs next to nothing at this size";
}
