using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>Reads the ledger to decide what a start is to do.</summary>
/// <param name="session">also asks about the table's rows</param>
/// <param name="holds">whether what is read stays locked until the start has registered; false: committed data only, without locks</param>
internal sealed class LedgerView(LedgerSql sql, IServerSession session, bool holds, CancellationToken cancellationToken) : IJobIndex
{
    /// <summary>Jobs that are forgotten in one transaction.</summary>
    private const int MaxForgotten = LedgerPages.Jobs;

    /// <summary>Ranges of the index in one question.</summary>
    private const int MaxRanges = 500;

    /// <summary>Of a few keys, it costs less to read the ranges than to wait for the answer which of them exist.</summary>
    private const int MaxKeysAtOnce = 20;

    private readonly Dictionary<string, FoundJob> _read = new(StringComparer.Ordinal);

    public IServerSession Session => session;

    public JobIndexSql IndexSql => sql.Index;

    /// <summary>Names of the jobs that have a part of the start's file.</summary>
    public IReadOnlyList<string> Parts { get; private set; } = [];

    /// <summary>Takes the rows of <see cref="LedgerSql.FindJob"/>, and completes the one of the start's first name to a job; null: there is
    /// none.</summary>
    public async Task<FoundJob?> ReadNamedAsync(IReadOnlyList<string?[]> rows)
    {
        Parts = [.. rows.Skip(1).Where(row => row[1] is null).Select(row => row[0]!)];
        return rows.Skip(1).FirstOrDefault(row => row[1] is not null) is { } found ? await CompleteAsync(FoundJob.Read(found)) : null;
    }

    /// <summary>The job as it is now; null: it is gone.</summary>
    /// <exception cref="PlanException">somebody runs it</exception>
    public async Task<JobRecord?> ReadAsync(FoundJob job) => !holds ? job.Job
        : await LedgerSession.LockAsync(session, sql, job.Id, cancellationToken) is { } details
            ? (await CompleteAsync(FoundJob.Read([job.Id, details]))).Job
            : null;

    /// <summary>In the input's order.</summary>
    public async Task<ChunkList> ReadChunksAsync(FoundJob job) => holds
        ? await LedgerSession.ReadChunksAsync(session, sql, job, cancellationToken)
        : await LedgerPages.ReadChunksAsync(session, sql, job.Id, cancellationToken);

    /// <summary>Committed data only; null: it has none.</summary>
    public Task<LedgerChunk?> FindLastChunkAsync(string job) =>
        LedgerPages.ReadLastChunkAsync(session, sql, job, cancellationToken);

    /// <summary>Whether a job has committed a record that the server took.</summary>
    public async Task<bool> HasRowsAsync(string job) =>
        (await session.QueryAsync(sql.FindTaken(job), cancellationToken)).Rows.Count > 0;

    /// <summary>Null: the server does not say without a wait, or without a right to write.</summary>
    public async Task<bool?> IsRunningAsync(string job)
    {
        if (!holds)
        {
            return null;
        }

        try
        {
            return (await session.QueryAsync(IndexSql.IsIdle(job), cancellationToken)).Rows.Count == 0;
        }
        catch (ServerException fault) when (fault.Error == ServerError.Parse)
        {
            return null;
        }
    }

    /// <summary>Forgets complete jobs of a family in groups. Commits.</summary>
    /// <param name="until">latest time of their completion, in UTC</param>
    /// <param name="except">a job that stays</param>
    public async Task ForgetCompleteAsync(string family, DateTime until, string except)
    {
        for (var (to, isLast) = (JobIndex.RankOf(until), false); !isLast;)
        {
            var rows = await FindRowsAsync([new IndexRange(JobIndex.DoneOf(family), 1, to, MaxForgotten)]);
            isLast = rows.Count < MaxForgotten;
            to = isLast ? to : rows.Min(row => row.Rank) - 1;
            var page = new LedgerView(sql, session, holds, cancellationToken);
            var some = (await page.ReadJobsAsync([.. rows.Select(row => row.Job)]))
                .Where(one => one.Id != except && one.Job.IsForgettable && one.Job.Completed <= until);
            await session.QueryAllAsync(
                [.. sql.DeleteJobs([.. some.Select(one => (one.Id, (string?)family, one.Rows))]), TransactionSql.Commit],
                cancellationToken);
        }
    }

    public async Task<IReadOnlyList<FoundJob>> ListFamilyAsync(string family)
    {
        List<FoundJob> all = [];
        for (var (after, isLast) = (-1L, false); !isLast;)
        {
            var rows = (await session.QueryAsync(IndexSql.ListFamily(family, after, LedgerPages.Jobs), cancellationToken)).Rows;
            isLast = rows.Count < LedgerPages.Jobs;
            after = rows is [.., var last] ? long.Parse(last[0]!, CultureInfo.InvariantCulture) : after;
            await foreach (var row in LedgerPages.ReadJobsAsync(session, IndexSql, rows.Select(row => row[1]!), cancellationToken))
            {
                all.Add(await CompleteAsync(FoundJob.Read(row)));
            }
        }

        return [.. all.Where(one => one.Job.Family == family)];
    }

    public async Task<IReadOnlySet<string>> FindKeysAsync(IReadOnlyCollection<string> keys)
    {
        var found = new HashSet<string>(StringComparer.Ordinal);
        foreach (var some in keys.Distinct().Chunk(JobIndexSql.MaxKeys))
        {
            found.UnionWith((await session.QueryAsync(IndexSql.FindKeys(some), cancellationToken)).Rows.Select(row => row[0]!));
        }

        return found;
    }

    public async Task<(IReadOnlySet<string> There, IReadOnlyList<IndexRow> Rows)> FindAsync(
        IReadOnlyCollection<string> keys, IReadOnlyCollection<IndexRange> ranges)
    {
        if (keys.Count is 0 or > MaxKeysAtOnce)
        {
            var there = await FindKeysAsync(keys);
            var asked = keys.ToHashSet(StringComparer.Ordinal);
            return (there, await FindRowsAsync([.. ranges.Where(range => there.Contains(range.Key) || !asked.Contains(range.Key))]));
        }

        // Both in one round trip.
        var answers = await session.QueryAllAsync([IndexSql.FindKeys(keys.Distinct()), IndexSql.FindRows(ranges.Distinct())],
            cancellationToken);
        return (answers[0].Rows.Select(row => row[0]!).ToHashSet(StringComparer.Ordinal), [.. answers[1].Rows.Select(ReadRow)]);
    }

    public async Task<IReadOnlyList<IndexRow>> FindRowsAsync(IReadOnlyCollection<IndexRange> ranges)
    {
        List<IndexRow> found = [];
        foreach (var some in ranges.Distinct().Chunk(MaxRanges))
        {
            found.AddRange((await session.QueryAsync(IndexSql.FindRows(some), cancellationToken)).Rows.Select(ReadRow));
        }

        return found;
    }

    private static IndexRow ReadRow(string?[] row) => new(row[0]!, long.Parse(row[1]!, CultureInfo.InvariantCulture), row[2]!);

    public async Task<bool> HasOthersAsync(string family, string name) =>
        (await session.QueryAsync(IndexSql.HasOthers(family, name), cancellationToken)).Rows.Count > 0;

    public async Task<IReadOnlyList<FoundJob>> ReadJobsAsync(IReadOnlyCollection<string> ids)
    {
        var some = ids.Where(id => id.Length > 0 && !_read.ContainsKey(id)).Distinct().ToArray();
        await foreach (var row in LedgerPages.ReadJobsAsync(session, IndexSql, some, cancellationToken))
        {
            _read[row[0]!] = await CompleteAsync(FoundJob.Read(row));
        }

        return [.. ids.Distinct().Where(_read.ContainsKey).Select(id => _read[id])];
    }

    /// <summary>Adds the inputs that have rows of their own.</summary>
    public async Task<FoundJob> CompleteAsync(FoundJob one)
    {
        if (one.Job.SourceCount == one.Job.Sources.Count)
        {
            return one;
        }

        var rows = await LedgerPages.ReadSourcesAsync(session, IndexSql, one.Id, cancellationToken);
        try
        {
            return one with { Job = one.Job.WithMoreSources(rows) };
        }
        catch (PlanException fault)
        {
            throw FoundJob.Unreadable(one.Id, fault);
        }
    }
}

internal static class LedgerJobs
{
    /// <summary>Forgets all jobs that have loaded the tables, in the open transaction.</summary>
    /// <param name="tables">as <c>database.table</c></param>
    /// <exception cref="PlanException">a job has dropped indexes that only the ledger knows</exception>
    public static async Task ForgetAsync(
        IServerSession session, string schema, IReadOnlyList<string> tables, CancellationToken cancellationToken)
    {
        var sql = new LedgerSql(schema);
        try
        {
            await foreach (var names in LedgerPages.ListJobsAsync(session, sql, cancellationToken))
            {
                List<FoundJob> page = [];
                await foreach (var row in LedgerPages.ReadJobsAsync(session, sql.Index, names, cancellationToken))
                {
                    if (JobRecord.Read(row[1]) is var job && tables.Contains(job.Table))
                    {
                        if (job.Images is not null)
                        {
                            throw new PlanException($"job {row[0]} has kept rows of {job.Table} as they were (--undoable): 'bulkload jobs "
                                + $"forget {row[0]}' drops them; nothing was deleted");
                        }

                        page.Add(job.Dropped is not { } dropped ? new FoundJob(row[0]!, job)
                            : throw new PlanException($"job {row[0]} has dropped {dropped.Describe()}: 'bulkload jobs restore {row[0]}' "
                                + $"adds {dropped.Them} again; nothing was deleted"));
                    }
                }

                var view = new LedgerView(sql, session, holds: true, cancellationToken);
                for (var i = 0; i < page.Count; i++)
                {
                    page[i] = await view.CompleteAsync(page[i]);
                }

                await session.QueryAllAsync([.. sql.DeleteJobs([.. page.Select(one => (one.Id, one.Job.Family, one.Rows))])],
                    cancellationToken);
            }
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // There is no ledger yet.
        }
    }
}
