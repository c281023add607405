using System.Runtime.CompilerServices;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Reads what may be long from a ledger in pages of bounded length, in the order of its key.</summary>
internal static class LedgerPages
{
    private const int MostTries = 3;

    /// <summary>Chunks of a page.</summary>
    private const int Chunks = 10_000;

    /// <summary>Rows with long details that are read together: of a chunk they have less than 1 MiB.</summary>
    private const int LongChunks = 16;

    /// <summary>Jobs of a page.</summary>
    public const int Jobs = 500;

    /// <summary>Bytes of details that are read together, where there are more than one's.</summary>
    private const long MostBytes = 16 << 20;

    /// <summary>Further rows with inputs, of at most 1 MiB each, that are read together.</summary>
    private const int SourceRows = 16;

    /// <summary>A job's committed chunks, as they were committed last.</summary>
    public static async Task<ChunkList> ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, CancellationToken cancellationToken)
    {
        var chunks = new ChunkList();
        await ReadChunksAsync(session, sql, job, long.MaxValue, isLocked: false, chunk => chunks.Add(chunk), cancellationToken);
        return chunks;
    }

    /// <summary>The same, one after the other.</summary>
    public static Task ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, Action<LedgerChunk> take, CancellationToken cancellationToken) =>
        ReadChunksAsync(session, sql, job, long.MaxValue, isLocked: false, take, cancellationToken);

    /// <summary>A job's committed chunks, which this session locks by asking for their tally.</summary>
    /// <param name="askAsync">asks for the tally; asked again where a former session has committed another one meanwhile</param>
    public static async Task<ChunkList> LockChunksAsync(
        IServerSession session, LedgerSql sql, string job, Func<Task<LedgerTally>> askAsync, CancellationToken cancellationToken)
    {
        for (var tries = 1; ; tries++)
        {
            var (tally, chunks) = (await askAsync(), new ChunkList());
            await ReadChunksAsync(session, sql, job, tally.Chunks, isLocked: true, chunk => chunks.Add(chunk), cancellationToken);
            if (chunks.Tally == tally || tries == MostTries)
            {
                return chunks;
            }
        }
    }

    /// <param name="count">how many there are: a locking read that continues behind them waits for whoever holds the row there</param>
    private static async Task ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, long count, bool isLocked, Action<LedgerChunk> take,
        CancellationToken cancellationToken)
    {
        for (var (source, record, isLast) = (0, -1L, count == 0); !isLast;)
        {
            var most = (int)Math.Min(count, Chunks);
            var page = (await session.QueryAsync(sql.ReadChunks(job, source, record, most, isLocked), cancellationToken)).Rows;
            await AddLongDetailsAsync(session, sql, job, page, cancellationToken);
            foreach (var row in page)
            {
                var chunk = LedgerChunk.Read(row);
                (source, record) = (chunk.Source, chunk.FirstRecord);
                take(chunk);
            }

            count -= page.Count;
            isLast = page.Count < most || count == 0;
        }
    }

    private static async Task AddLongDetailsAsync(
        IServerSession session, LedgerSql sql, string job, IReadOnlyList<string?[]> page, CancellationToken cancellationToken)
    {
        foreach (var some in page.Where(row => row[6] is null).Chunk(LongChunks))
        {
            var rows = (await session.QueryAsync(
                sql.ReadChunkDetails(job, some.Select(row => (row[0]!, row[1]!))), cancellationToken)).Rows;
            var details = rows.ToDictionary(row => (row[0], row[1]), row => row[2]);
            foreach (var row in some)
            {
                row[6] = details.GetValueOrDefault((row[0], row[1]));
            }
        }
    }

    /// <summary>A row for each of some jobs that there is: the name first, then the details, and the last change (UTC) at the
    /// end.</summary>
    public static async IAsyncEnumerable<string?[]> ReadJobsAsync(
        IServerSession session, JobIndexSql sql, IEnumerable<string> ids,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        foreach (var some in ids.Chunk(Jobs))
        {
            var rows = (await session.QueryAsync(sql.ReadJobs(some), cancellationToken)).Rows;
            foreach (var row in rows.Where(row => row[1] is not null))
            {
                yield return row;
            }

            foreach (var group in Together(rows.Where(row => row[1] is null)))
            {
                foreach (var row in (await session.QueryAsync(sql.ReadLongJobs(group), cancellationToken)).Rows)
                {
                    yield return row;
                }
            }
        }
    }

    /// <summary>Names of jobs with long details, in groups of <see cref="MostBytes"/> at most.</summary>
    private static IEnumerable<List<string>> Together(IEnumerable<string?[]> rows)
    {
        var (group, bytes) = (new List<string>(), 0L);
        foreach (var row in rows)
        {
            var length = long.Parse(row[2]!, CultureInfo.InvariantCulture);
            if (group.Count > 0 && bytes + length > MostBytes)
            {
                yield return group;
                (group, bytes) = ([], 0);
            }

            group.Add(row[0]!);
            bytes += length;
        }

        if (group.Count > 0)
        {
            yield return group;
        }
    }

    /// <summary>The names of all jobs, in pages.</summary>
    public static async IAsyncEnumerable<string[]> ListJobsAsync(
        IServerSession session, LedgerSql sql, [EnumeratorCancellation] CancellationToken cancellationToken, bool isComplete = false)
    {
        for (var (after, isLast) = ("", false); !isLast;)
        {
            string[] names = [.. (await session.QueryAsync(sql.ListJobs(after, Jobs, isComplete), cancellationToken)).Rows
                .Select(row => row[0]!)];
            isLast = names.Length < Jobs;
            after = names is [.., var last] ? last : after;
            yield return names;
        }
    }

    /// <summary>The further rows with inputs of a job, in order: their details.</summary>
    public static async Task<IReadOnlyList<string?>> ReadSourcesAsync(
        IServerSession session, JobIndexSql sql, string job, CancellationToken cancellationToken)
    {
        List<string?> all = [];
        for (var isLast = false; !isLast;)
        {
            var rows = (await session.QueryAsync(sql.ReadSources(job, all.Count, SourceRows), cancellationToken)).Rows;
            all.AddRange(rows.Select(row => row[0]));
            isLast = rows.Count < SourceRows;
        }

        return all;
    }
}
