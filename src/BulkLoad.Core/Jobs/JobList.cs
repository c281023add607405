using System.Text.Json;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using Microsoft.Extensions.Logging.Abstractions;

namespace BulkLoad.Core.Jobs;

/// <param name="schema">database of the ledger; null: the connection's default</param>
internal sealed class JobList(ConnectionOptions connection, string? schema)
{
    /// <summary>Takes the place of a job whose row cannot be read.</summary>
    private static readonly JobRecord Unreadable = new()
    {
        Command = "?",
        Table = "?",
        Sources = [],
        Runner = new JobRunner("?", 0, 0, default),
    };

    public const int DefaultJobs = 100;

    public const int DefaultChunks = 1_000;

    public const int MaxListed = 10_000;

    private const int MaxTries = 5;

    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(5);

    private readonly LedgerSql _sql = new((schema ?? connection.Database) is { } name && !string.IsNullOrWhiteSpace(name)
        ? name
        : throw new RequestException("no schema: name the one that has the ledger with --ledger-schema or --database"));

    /// <summary>First the jobs that are not complete, then the complete ones; in both the last changed first.</summary>
    public Task<JobPage> ListAsync(int max, JobFilter filter, CancellationToken cancellationToken) => AskAsync(
        async session =>
        {
            try
            {
                var (state, table) = (filter.State, TableOf(filter));
                var (count, complete) = await CountAsync(session, table, cancellationToken);

                // Of jobs that are not complete, only the locks tell which are running.
                var isByLock = state is JobState.Running or JobState.Stopped;
                var list = _sql.ListNewest(
                    isByLock ? MaxListed : Math.Min(max, MaxListed), table, state is null ? null : !isByLock,
                    areMixed: complete > 0 && complete < count);
                var ids = (await session.QueryAsync(list, cancellationToken)).Rows.Select(row => row[0]!);
                var jobs = await DescribeAsync(session, [.. ids], cancellationToken);
                if (!isByLock)
                {
                    return new JobPage(jobs, state is null ? count : complete, complete);
                }

                JobSummary[] some = [.. jobs.Where(job => job.Completed is null && job.IsRunning != (state == JobState.Stopped))];
                return new JobPage([.. some.Take(max)], some.Length, 0);
            }
            catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
            {
                // No ledger: no jobs.
                return new JobPage([], 0, 0);
            }
        },
        cancellationToken);

    public Task<(long Jobs, long Complete)> CountAsync(CancellationToken cancellationToken) =>
        AskAsync(session => CountAsync(session, null, cancellationToken), cancellationToken);

    /// <returns>the name in the ledger's form; null: any table</returns>
    private string? TableOf(JobFilter filter)
    {
        if (filter.Table is not { } text)
        {
            return null;
        }

        var name = TableName.Parse(text);
        return $"\"{JsonEncodedText.Encode($"{name.Database ?? connection.Database ?? schema}.{name.Table}")}\"";
    }

    private async Task<(long Jobs, long Complete)> CountAsync(IServerSession session, string? table, CancellationToken cancellationToken)
    {
        var counts = (await session.QueryAsync(_sql.CountJobs(table), cancellationToken)).FirstRow;
        return (Number(counts[0]), Number(counts[1]));
    }

    /// <summary>The job, its last chunks, and how many chunks it has.</summary>
    public Task<(JobSummary Job, IReadOnlyList<JobChunk> Chunks, long Count)> ShowAsync(
        string id, int max, CancellationToken cancellationToken) => AskAsync(
        async session =>
        {
            var job = await DescribeAsync(session, [id], cancellationToken, withAllSources: true) is [var one] ? one : throw Unknown(id);
            var (chunks, count) = (new Queue<JobChunk>(), 0L);
            await LedgerPages.ReadChunksAsync(session, _sql, id, chunk =>
            {
                chunks.Enqueue(new JobChunk(
                    job.SortedBy is not null ? Plural.Names(job.Sources) : FilesOf(job, chunk),
                    chunk.FirstRecord, chunk.LastRecord, chunk.Taken.Count, chunk.RejectCount));
                if (++count > max)
                {
                    chunks.Dequeue();
                }
            }, cancellationToken);
            job = job with { Undo = await UndoOutlook.LookAsync(session, _sql, job, cancellationToken) };
            return (job, (IReadOnlyList<JobChunk>)[.. chunks], count);
        },
        cancellationToken);

    /// <summary>How many of a job's first records are committed; 0: there is no such job.</summary>
    public Task<long> FindPositionAsync(string id, CancellationToken cancellationToken) => AskAsync(
        async session =>
        {
            try
            {
                return (await new LedgerView(_sql, session, holds: false, cancellationToken).FindLastChunkAsync(id))?.LastRecord ?? 0;
            }
            catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
            {
                return 0;
            }
        },
        cancellationToken);

    private static string FilesOf(JobSummary job, LedgerChunk chunk)
    {
        var first = job.Sources.ElementAtOrDefault(chunk.Source) ?? "";
        return chunk.LastSource == chunk.Source ? first : $"{first} to {job.Sources.ElementAtOrDefault(chunk.LastSource)}";
    }

    /// <summary>Forgets jobs: what they have loaded stays, and they cannot be resumed.</summary>
    /// <returns>which tables stay that the jobs have left, for people</returns>
    /// <exception cref="PlanException">a job does not exist, is running, or has indexes to restore; then no job is forgotten</exception>
    public Task<IReadOnlyList<string>> ForgetAsync(IReadOnlyList<string> ids, CancellationToken cancellationToken) => AskAsync(
        async session =>
        {
            List<string> left = [];
            List<(string Database, string Table, string Job)> beside = [];
            List<KeptImages> images = [];
            await session.ExecuteAsync(LedgerSql.WaitBriefly, cancellationToken);
            foreach (var id in ids)
            {
                var row = await LockAsync(session, id, cancellationToken) ?? throw Unknown(id);
                var job = TryRead(row);
                await RequireIndexesAsync(session, id, job?.Dropped, cancellationToken);
                images.AddRange(job?.Images is { } kept ? [kept] : []);

                // When the job is gone, its place in the family points to nothing.
                var one = job is null
                    ? null
                    : await new LedgerView(_sql, session, holds: true, cancellationToken).CompleteAsync(new FoundJob(id, job));
                await session.QueryAllAsync([.. _sql.DeleteJob(id, job?.Family, one?.Rows ?? [])], cancellationToken);
                left.AddRange(await LeftTables.FindAsync(session, id, job, cancellationToken));
                if (job is { Undo.Table: var table, Kept: null } && UndoMark.IsNameOf(id, table)
                    && UndoableJob.Of(id, job, 1) is { Obstacle: null, Database: var database })
                {
                    beside.Add((database, table, id));
                }
            }

            // Last, since a table that is dropped does not come back.
            foreach (var kept in images)
            {
                await DropImagesAsync(kept, cancellationToken);
            }

            await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
            foreach (var (database, table, id) in beside)
            {
                left.Add(await LeftTables.DropAsync(session, database, table, id, cancellationToken));
            }

            return (IReadOnlyList<string>)left;
        },
        cancellationToken, changes: true);

    /// <param name="olderThan">only jobs that have been complete for longer than this</param>
    /// <returns>their number; and which tables stay that they have left, for people</returns>
    public async Task<(long Jobs, IReadOnlyList<string> Left)> ForgetCompleteAsync(
        TimeSpan olderThan, CancellationToken cancellationToken)
    {
        List<string> left = [];
        var until = TimeProvider.System.GetUtcNow().UtcDateTime - olderThan;
        var forgotten = await AskAsync(ForgetAllAsync, cancellationToken, changes: true);
        return (forgotten, left);

        async Task<long> ForgetAllAsync(IServerSession session)
        {
            await session.ExecuteAsync(LedgerSql.WaitBriefly, cancellationToken);
            var count = 0L;
            await foreach (var ids in LedgerPages.ListJobsAsync(session, _sql, cancellationToken, isComplete: true))
            {
                count += await ForgetPageAsync(session, ids, until, left, cancellationToken);
            }

            return count;
        }
    }

    /// <summary>Forgets those of the jobs that were complete by a time, are not running, and have all their indexes. Commits.</summary>
    private async Task<int> ForgetPageAsync(
        IServerSession session, IReadOnlyList<string> ids, DateTime until, List<string> left, CancellationToken cancellationToken)
    {
        for (var tries = 1; ; tries++)
        {
            try
            {
                var view = new LedgerView(_sql, session, holds: true, cancellationToken);
                List<FoundJob> some = [];
                await foreach (var row in LedgerPages.ReadJobsAsync(session, _sql.Index, ids, cancellationToken))
                {
                    if (TryRead(row[1]) is { Dropped: null, Undo: null } job && job.Completed <= until)
                    {
                        some.Add(await view.CompleteAsync(new FoundJob(row[0]!, job)));
                    }
                }

                if (some.Count > 0)
                {
                    var idle = await LockIdleAsync(session, [.. some.Select(one => one.Id)], cancellationToken);
                    some.RemoveAll(one => !idle.Contains(one.Id));
                    foreach (var one in some)
                    {
                        await DropImagesAsync(one.Job.Images, cancellationToken);
                    }

                    await session.QueryAllAsync(
                        [.. _sql.DeleteJobs([.. some.Select(one => (one.Id, (string?)one.Job.Family, one.Rows))])], cancellationToken);
                }

                await session.ExecuteAsync(TransactionSql.Commit, cancellationToken);
                foreach (var one in some.Where(one => one.Job.Kept is not null))
                {
                    left.AddRange(await LeftTables.FindAsync(session, one.Id, one.Job, cancellationToken));
                }

                return some.Count;
            }
            catch (ServerException fault) when (tries < MaxTries
                && fault.Error is ServerError.LockDeadlock or ServerError.LockWaitTimeout)
            {
                // Another process begins or ends a job of one of these tables at this moment.
                await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            }
        }
    }

    /// <summary>On a session of its own: DROP TABLE would commit what this one has changed, and unlock the job.</summary>
    private async Task DropImagesAsync(KeptImages? images, CancellationToken cancellationToken)
    {
        if (images is not null)
        {
            await using var ready = await ReadySession.OpenForTablesAsync(connection, TimeProvider.System, cancellationToken);
            await images.DropAsync(ready.Session, cancellationToken);
        }
    }

    private async Task<HashSet<string>> LockIdleAsync(
        IServerSession session, IReadOnlyList<string> ids, CancellationToken cancellationToken)
    {
        if (await FindIdleAsync(session, ids, cancellationToken) is { } all)
        {
            return all;
        }

        HashSet<string> idle = [];
        foreach (var id in ids)
        {
            try
            {
                await session.QueryAsync(_sql.LockJob(id), cancellationToken);
                idle.Add(id);
            }
            catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
            {
                // A process runs it.
            }
        }

        return idle;
    }

    /// <summary>Adds the indexes again that a job has dropped; the job stays as it is.</summary>
    /// <param name="confirm">gets the statement before it is sent, and may refuse; null: nobody is asked</param>
    /// <returns>what was done, for people</returns>
    /// <exception cref="PlanException">the job does not exist, is running, or lacks no index; or the user refuses</exception>
    public Task<IReadOnlyList<string>> RestoreAsync(string id, Func<string, bool>? confirm, CancellationToken cancellationToken) =>
        AskAsync(
        async session =>
        {
            await session.ExecuteAsync(LedgerSql.WaitBriefly, cancellationToken);
            var job = JobRecord.Read(await LockAsync(session, id, cancellationToken) ?? throw Unknown(id));
            var dropped = job.Dropped ?? throw new PlanException($"job {id} has no index to add again: nothing was done");
            if ($"{dropped.Database}.{dropped.Table}" != job.Table)
            {
                throw new PlanException($"job {id} is about {job.Table}, and its indexes are recorded for "
                    + $"{dropped.Database}.{dropped.Table}: the ledger was changed by hand; nothing was done");
            }

            if (confirm?.Invoke(dropped.Statement) == false)
            {
                throw new PlanException("not confirmed: nothing was done");
            }

            var services = new JobServices(NullLogger.Instance, TimeProvider.System);
            var indexes = new TableIndexes(connection, dropped.Database, dropped.Table, JobTag.Of(id), Grace, services);
            try
            {
                var notes = await indexes.AddAsync(dropped.Definitions, cancellationToken);
                await session.ExecuteAsync(
                    _sql.UpdateJob(id, (job with { Dropped = null }).Write()), CancellationToken.None);
                await session.ExecuteAsync(TransactionSql.Commit, CancellationToken.None);
                return (IReadOnlyList<string>)[dropped.Statement, $"{dropped.Describe()}: added again", .. notes];
            }
            catch (ServerException fault)
            {
                var message = $"{dropped.Describe()} could not be added again: {fault.Message}; by hand: {dropped.Statement}";
                throw fault.Kind == FaultKind.Configuration ? new PlanException(message, fault) : new ServerException(message, fault);
            }
        },
        cancellationToken, changes: true);

    /// <summary>Refuses to forget a job if only the ledger knows its missing indexes.</summary>
    private static async Task RequireIndexesAsync(
        IServerSession session, string id, DroppedIndexes? dropped, CancellationToken cancellationToken)
    {
        if (dropped is null)
        {
            return;
        }

        try
        {
            var there = await IndexProbe.ReadAsync(session, dropped.Database, dropped.Table, cancellationToken);
            if (dropped.Names.Any(name => !there.Any(index => index.Name.Equals(name, StringComparison.OrdinalIgnoreCase))))
            {
                throw new PlanException($"job {id} has dropped {dropped.Describe()}, and only the ledger knows how to make "
                    + $"{dropped.Them}: 'bulkload jobs restore {id}' adds {dropped.Them} again; by hand: {dropped.Statement}");
            }
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            // The indexes are gone with the table.
        }
    }

    private async Task<string?> LockAsync(IServerSession session, string id, CancellationToken cancellationToken)
    {
        try
        {
            return (await session.QueryAsync(_sql.LockJob(id), cancellationToken)).Rows is [var row] ? row[0] : null;
        }
        catch (ServerException fault) when (fault.Error == ServerError.LockWaitTimeout)
        {
            throw new PlanException($"job {id} is running: stop it first", fault);
        }
    }

    /// <summary>Those of the jobs that exist, the last changed first.</summary>
    private async Task<IReadOnlyList<JobSummary>> DescribeAsync(
        IServerSession session, IReadOnlyList<string> ids, CancellationToken cancellationToken, bool withAllSources = false)
    {
        List<JobSummary> jobs = [];
        var view = new LedgerView(_sql, session, holds: false, cancellationToken);
        foreach (var some in ids.Chunk(LedgerPages.Jobs))
        {
            var idle = await FindIdleAsync(session, some, cancellationToken);
            await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            List<(string Id, JobRecord? Job, string Changed)> read = [];
            await foreach (var row in LedgerPages.ReadJobsAsync(session, _sql.Index, some, cancellationToken))
            {
                var job = TryRead(row[1]);
                job = job is null || !withAllSources ? job : (await view.CompleteAsync(new FoundJob(row[0]!, job))).Job;
                read.Add((row[0]!, job, row[^1]!));
            }

            string[] unknown = [.. read.Where(one => one.Job?.Total is null).Select(one => one.Id)];
            var sums = unknown.Length == 0 ? [] : (await session.QueryAsync(_sql.SumChunks(unknown), cancellationToken)).Rows
                .ToDictionary(row => row[0]!, StringComparer.Ordinal);
            jobs.AddRange(read.Select(one => Describe(one.Id, one.Job, one.Changed, sums.GetValueOrDefault(one.Id),
                idle is null ? null : !idle.Contains(one.Id))));
        }

        // The ledger's own times have whole seconds.
        return [.. jobs.OrderByDescending(job => job.Changed, StringComparer.Ordinal).ThenByDescending(job => job.Completed)
            .ThenBy(job => job.Id, StringComparer.Ordinal)];
    }

    private static JobSummary Describe(string id, JobRecord? read, string changed, string?[]? sums, bool? isRunning)
    {
        var job = read ?? Unreadable;
        return new JobSummary
        {
            Id = id,
            IsUnreadable = read is null,
            Command = job.Command,
            Table = job.Table,
            Sources = [.. job.Sources.Select(source => source.Name)],
            SourceCount = job.SourceCount,
            Written = job.SourceCount == 1 && job.Sources is [{ Bytes: { } bytes, Changed: { } written }] ? (bytes, written) : null,
            Chunks = job.Total?.Chunks ?? Number(sums?[1]),
            Taken = job.Total?.Taken ?? Number(sums?[2]),
            Rejected = job.Total?.Rejected ?? Number(sums?[3]),
            Changed = sums?[4] ?? changed,
            Completed = job.Completed,
            IsRunning = isRunning,
            Runner = job.Runner.Describe(),
            DroppedIndexes = job.Dropped?.Names ?? [],
            SortedBy = job.SortedBy.Length == 0 ? null : job.SortedBy,
            RejectFile = job.RejectFile,
            Kept = job.Completed is null ? null : job.Kept,
            IsBeingUndone = job.Undo is not null,
        };
    }

    private static long Number(string? text) => long.Parse(text ?? "0", CultureInfo.InvariantCulture);

    private static JobRecord? TryRead(string? details)
    {
        try
        {
            return JobRecord.Read(details);
        }
        catch (PlanException)
        {
            return null;
        }
    }

    /// <summary>Locks those of the jobs that no process runs; null: the server cannot tell without waiting.</summary>
    private async Task<HashSet<string>?> FindIdleAsync(
        IServerSession session, IReadOnlyList<string> ids, CancellationToken cancellationToken)
    {
        try
        {
            return ids.Count == 0 ? []
                : [.. (await session.QueryAsync(_sql.Index.FindIdle(ids), cancellationToken)).Rows.Select(row => row[0]!)];
        }
        catch (ServerException fault) when (fault.Error == ServerError.Parse)
        {
            return null;
        }
    }

    private async Task<T> AskAsync<T>(Func<IServerSession, Task<T>> ask, CancellationToken cancellationToken, bool changes = false)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        await using var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, cancellationToken);
        try
        {
            // A list must not lock rows that running jobs need; and a server may log changes by statement.
            await LedgerSession.SetUpAsync(session, logsStatements: changes, cancellationToken);
            if ((await session.QueryAsync(CatalogSql.Galera, cancellationToken)).Rows is [[_, "ON"]])
            {
                await session.ExecuteAsync(SessionSql.WaitForCluster, cancellationToken);
            }

            return await ask(session);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            throw new PlanException($"the ledger {_sql.DisplayName} cannot be read: {fault.Message}", fault);
        }
    }

    private PlanException Unknown(string id) => new($"the ledger {_sql.DisplayName} knows no job {id}: 'bulkload jobs' lists them");
}
