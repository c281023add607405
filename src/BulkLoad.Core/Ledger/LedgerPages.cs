using System.Runtime.CompilerServices;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Reads a ledger's long lists in pages of bounded length, in the order of the key.</summary>
internal static class LedgerPages
{
    private const int MaxTries = 3;

    private const int Chunks = 10_000;

    /// <summary>A page's columns behind the numbers.</summary>
    private const int ContentColumn = 5, DetailsColumn = 6;

    /// <summary>Rows with long details that are read together: each is shorter than 1 MiB.</summary>
    private const int LongChunks = 16;

    public const int Jobs = 500;

    /// <summary>Bytes of details that are read together, unless one row has more.</summary>
    private const long MaxBytes = 16 << 20;

    /// <summary>Further rows with inputs, of at most 1 MiB each, that are read together.</summary>
    private const int SourceRows = 16;

    /// <summary>Committed data only, without locks.</summary>
    public static async Task<ChunkList> ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, CancellationToken cancellationToken)
    {
        var chunks = new ChunkList();
        await ReadChunksAsync(session, sql, job, long.MaxValue, isLocked: false, chunk => chunks.Add(chunk), cancellationToken);
        return chunks;
    }

    /// <summary>Committed data only, without locks.</summary>
    public static Task ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, Action<LedgerChunk> take, CancellationToken cancellationToken) =>
        ReadChunksAsync(session, sql, job, long.MaxValue, isLocked: false, take, cancellationToken);

    /// <summary>Reads a job's committed chunks, which this session locks by asking for their tally.</summary>
    /// <param name="askAsync">asks for the tally; again where a former session has committed another chunk meanwhile</param>
    public static async Task<ChunkList> LockChunksAsync(
        IServerSession session, LedgerSql sql, string job, Func<Task<LedgerTally>> askAsync, CancellationToken cancellationToken)
    {
        for (var tries = 1; ; tries++)
        {
            var (tally, chunks) = (await askAsync(), new ChunkList());
            await ReadChunksAsync(session, sql, job, tally.Chunks, isLocked: true, chunk => chunks.Add(chunk), cancellationToken);
            if (chunks.Tally == tally || tries == MaxTries)
            {
                return chunks;
            }
        }
    }

    /// <summary>Committed data only; null: there is none.</summary>
    public static async Task<LedgerChunk?> ReadLastChunkAsync(
        IServerSession session, LedgerSql sql, string job, CancellationToken cancellationToken)
    {
        var row = new RawResultSet();
        await session.QueryAsync(StatementText.Encode(sql.ReadLastChunk(job)), row, cancellationToken);
        return row.Count == 0 ? null : Read(row, 0);
    }

    /// <param name="count">number of chunks: a locking read that continues behind them waits for the session that holds the row
    /// there</param>
    private static async Task ReadChunksAsync(
        IServerSession session, LedgerSql sql, string job, long count, bool isLocked, Action<LedgerChunk> take,
        CancellationToken cancellationToken)
    {
        if (count == 0)
        {
            return;
        }

        var (page, next) = (new RawResultSet(), new RawResultSet());
        await AskAsync(page, (0, -1));
        for (var isLast = false; !isLast;)
        {
            isLast = page.Count < Math.Min(count, Chunks) || page.Count == count;
            count -= page.Count;

            // The server prepares the next page while this one is read, unless it is asked for long details in between.
            var isAhead = !isLast && !HasLong(page);
            var asking = isAhead ? AskAsync(next, PlaceOf(page, page.Count - 1)) : Task.CompletedTask;
            try
            {
                await TakeAsync(session, sql, job, page, take, cancellationToken);
            }
            finally
            {
                await asking;
            }

            if (!isLast && !isAhead)
            {
                await AskAsync(next, PlaceOf(page, page.Count - 1));
            }

            (page, next) = (next, page);
        }

        Task AskAsync(RawResultSet to, (int Source, long Record) behind) => session.QueryAsync(
            StatementText.Encode(sql.ReadChunks(job, behind.Source, behind.Record, (int)Math.Min(count, Chunks), isLocked)), to,
            cancellationToken).AsTask();
    }

    private static bool HasLong(RawResultSet page)
    {
        var row = 0;
        while (row < page.Count && page[row, DetailsColumn].Length > 0)
        {
            row++;
        }

        return row < page.Count;
    }

    /// <summary>Gives a page's chunks in order, after reading the long details.</summary>
    private static async Task TakeAsync(
        IServerSession session, LedgerSql sql, string job, RawResultSet page, Action<LedgerChunk> take, CancellationToken cancellationToken)
    {
        var (longOnes, some) = (new Queue<LedgerChunk>(), new RawResultSet());
        for (var i = 0; i < page.Count; i++)
        {
            if (page[i, DetailsColumn].Length > 0)
            {
                take(Read(page, i));
                continue;
            }

            if (longOnes.Count == 0)
            {
                var places = Enumerable.Range(i, page.Count - i).Where(row => page[row, DetailsColumn].Length == 0).Take(LongChunks)
                    .Select(row => PlaceOf(page, row));
                await session.QueryAsync(StatementText.Encode(sql.ReadChunksAt(job, places)), some, cancellationToken);
                longOnes = new Queue<LedgerChunk>(Enumerable.Range(0, some.Count).Select(row => Read(some, row)));
            }

            if (longOnes.TryPeek(out var chunk) && (chunk.Source, chunk.FirstRecord) == PlaceOf(page, i))
            {
                take(longOnes.Dequeue());
            }
        }
    }

    private static (int Source, long Record) PlaceOf(RawResultSet page, int row) => ((int)Number(page[row, 0]), Number(page[row, 1]));

    private static LedgerChunk Read(RawResultSet rows, int row)
    {
        Span<long> place = stackalloc long[ContentColumn];
        for (var i = 0; i < ContentColumn; i++)
        {
            place[i] = Number(rows[row, i]);
        }

        return LedgerChunk.Read(place, Encoding.UTF8.GetString(rows[row, ContentColumn]), rows[row, DetailsColumn]);
    }

    private static long Number(ReadOnlySpan<byte> digits) => long.Parse(digits, CultureInfo.InvariantCulture);

    /// <summary>Reads those of some jobs that exist: the name first, then the details, and the last change (UTC) at the end.</summary>
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

    /// <summary>Names of jobs with long details, in groups of <see cref="MaxBytes"/> at most.</summary>
    private static IEnumerable<List<string>> Together(IEnumerable<string?[]> rows)
    {
        var (group, bytes) = (new List<string>(), 0L);
        foreach (var row in rows)
        {
            var length = long.Parse(row[2]!, CultureInfo.InvariantCulture);
            if (group.Count > 0 && bytes + length > MaxBytes)
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

    /// <summary>The details of a job's further rows with inputs, in order.</summary>
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
