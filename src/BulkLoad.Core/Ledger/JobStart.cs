using System.Globalization;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Running;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>How a start of a job takes it over: whether what is committed can be relied on, and what goes on from there.</summary>
internal sealed class JobStart
{
    public static readonly string Program = typeof(JobStart).Assembly.GetName().Version?.ToString(3) ?? "";

    private readonly LoadFacts _facts;
    private readonly IReadOnlyList<LoadSource> _sources;
    private readonly RejectFile _rejectFile;
    private readonly CancellationToken _cancellation;

    private JobStart(LoadFacts facts, IReadOnlyList<LoadSource> sources, RejectFile rejectFile, CancellationToken cancellation) =>
        (_facts, _sources, _rejectFile, _cancellation) = (facts, sources, rejectFile, cancellation);

    /// <summary>Opens the job's ledger.</summary>
    /// <param name="facts">of the job</param>
    /// <param name="sources">its inputs</param>
    /// <param name="opened">the ledger's session; stays the caller's unless it is taken; null, or taken before: another one is opened</param>
    /// <param name="rejectFile">begins anew, or goes on where a former start has ended</param>
    /// <param name="time">the clock</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="PlanException">the job cannot go on, or somebody else runs it</exception>
    /// <exception cref="RequestException">a file of refused or repaired records is there already</exception>
    public static async Task<JobLedger?> TakeOverAsync(
        LoadFacts facts, IReadOnlyList<LoadSource> sources, Early<IServerSession>? opened, RejectFile rejectFile, TimeProvider time, CancellationToken cancellationToken)
    {
        var identity = JobIdentity.Of(facts, sources);
        var job = new JobRecord
        {
            Command = JobIdentity.CommandOf(facts.Request),
            Table = facts.Table.DisplayName,
            Fingerprint = identity.Fingerprint,
            Sources = [.. sources.Select(source => new JobSource(source.Look.Name, source.Look.Length, source.Look.Changed))],
            Runner = new JobRunner($"{Environment.UserName}@{Environment.MachineName}", Environment.ProcessId, 0, time.GetUtcNow().UtcDateTime),
            TableCreated = facts.Table.Created,
            SortedBy = SortPlanner.Plan(facts).By,
            RejectFile = rejectFile.RecordsPath,
            RepairsFile = rejectFile.RepairsPath,
        };
        var start = new JobStart(facts, sources, rejectFile, cancellationToken);
        var opening = opened?.TryTake(out var early) == true ? early : OpenAsync(cancellationToken);
        return await JobLedger.OpenAsync(identity, job, facts, OpenAsync, opening, Program, start.AcceptAsync, cancellationToken);

        Task<IServerSession> OpenAsync(CancellationToken token) => LedgerSession.OpenAsync(facts.Request.LedgerConnection, facts.Server, token);
    }

    /// <summary>What the ledger knows of a job, as it was committed last; changes nothing.</summary>
    /// <param name="facts">of the job</param>
    /// <param name="sources">its inputs</param>
    /// <param name="session">set up, and idle</param>
    /// <param name="cancellationToken">gives up</param>
    /// <returns>the job and its chunks; null: it knows nothing, or there is no ledger that the account may read</returns>
    public static async Task<(JobRecord Job, IReadOnlyList<LedgerChunk> Chunks)?> FindAsync(
        LoadFacts facts, IReadOnlyList<LoadSource> sources, IServerSession session, CancellationToken cancellationToken)
    {
        var sql = SqlOf(facts);
        var job = JobIdentity.Of(facts, sources).Id;
        try
        {
            return (await session.QueryAsync(sql.ReadJob(job), cancellationToken)).Rows is [var row]
                ? (JobRecord.Read(row[0]), [.. (await session.QueryAsync(sql.ReadChunks(job), cancellationToken)).Rows.Select(LedgerChunk.Read)])
                : null;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            return null;
        }
    }

    /// <summary>What another start of a job would do, for people.</summary>
    /// <param name="id">the job's name</param>
    /// <param name="job">as its last start has left it</param>
    /// <param name="last">of its chunks; null: there is none, or they will be forgotten</param>
    public static IEnumerable<string> DescribePlan(string id, JobRecord job, LedgerChunk? last)
    {
        if (last is not null)
        {
            yield return DescribePlace(id, job, last);
        }

        if (job.Dropped is { } dropped)
        {
            yield return $"a former start of job {id} has dropped {dropped.Describe()}, and not added them again: this command does it when it is done, 'bulkload jobs restore {id}' at once";
        }
    }

    private static string DescribePlace(string id, JobRecord job, LedgerChunk last) => job.Completed is null
        ? job.SortedBy.Length > 0
            ? string.Create(CultureInfo.InvariantCulture, $"job {id} would go on behind the first {last.LastRecord:N0} records by {job.SortedBy}, which are committed")
            : string.Create(CultureInfo.InvariantCulture, $"job {id} would go on behind record {last.LastRecord:N0} of {job.Sources[last.LastSource].Name}, which is committed")
        : string.Create(CultureInfo.InvariantCulture, $"job {id} was complete on {job.Completed:yyyy-MM-dd HH:mm:ss} UTC: if its inputs are the same nothing would be sent, else it would be refused (--reload does it again)");

    /// <summary>The ledger that a job's chunks are in.</summary>
    public static LedgerSql SqlOf(LoadFacts facts) => new(facts.Request.LedgerSchema ?? facts.Table.Database);

    private async Task AcceptAsync(JobLedger ledger, JobRecord job, IServerSession session)
    {
        if (ledger.Former is not { } former)
        {
            _rejectFile.Begin();
            return;
        }

        if (ledger.Chunks is [.., var last])
        {
            try
            {
                RequireSameOrder(ledger, former, job);
                await RequireSameTableAsync(ledger, former, job, session);
            }
            catch (PlanException fault) when (former.Dropped is { } dropped)
            {
                throw new PlanException($"{fault.Message}; {dropped.Describe()} may be missing, since a former start has dropped {dropped.Them}: 'bulkload jobs restore {ledger.Identity.Id}' adds {dropped.Them} again", fault.InnerException);
            }

            Describe(ledger, former, job, last);
        }

        ledger.Notes.AddRange(_rejectFile.GoOn(
            ledger.Chunks is [.., var end] ? end.Findings : default, former.RejectFile, former.RepairsFile, ledger.Chunks.Sum(chunk => chunk.RejectCount)));
    }

    private void Describe(JobLedger ledger, JobRecord former, JobRecord job, LedgerChunk last)
    {
        if (former.Completed is { } completed)
        {
            ledger.NotesOnSame.Add(string.Create(
                CultureInfo.InvariantCulture, $"job {ledger.Identity.Id} was complete on {completed:yyyy-MM-dd HH:mm:ss} UTC, and its inputs are the same: nothing was sent (--reload does it again)"));
            return;
        }

        var place = _sources.Count == 1 ? "" : $" of {_sources[last.LastSource].Look.Name}";
        ledger.Notes.Add(job.SortedBy.Length > 0
            ? string.Create(CultureInfo.InvariantCulture, $"job {ledger.Identity.Id} went on behind the first {last.LastRecord:N0} records by {job.SortedBy}, which a former start had committed")
            : string.Create(CultureInfo.InvariantCulture, $"job {ledger.Identity.Id} went on behind record {last.LastRecord:N0}{place}, which a former start had committed"));
        foreach (var (before, now) in former.Sources.Zip(job.Sources).Where(pair => pair.First.Changed != pair.Second.Changed || pair.First.Bytes != pair.Second.Bytes))
        {
            ledger.NotesOnSame.Add($"{now.Name} has changed since the job was started before, but not {(job.SortedBy.Length > 0 ? "in the records that were" : "up to the last record that was")} committed");
        }
    }

    /// <summary>What is committed is known by its place in the order in which the job goes.</summary>
    private static void RequireSameOrder(JobLedger ledger, JobRecord former, JobRecord job)
    {
        if (former.SortedBy != job.SortedBy)
        {
            throw new PlanException(former.SortedBy.Length > 0
                ? $"job {ledger.Identity.Id} was begun with its records sorted by {former.SortedBy}, and cannot go on in {(job.SortedBy.Length > 0 ? $"the order of {job.SortedBy}" : "the input's order")}: {CommittedRecords.WaysOn}"
                : $"job {ledger.Identity.Id} was begun in the input's order: add --no-sort to go on so; or {CommittedRecords.WaysOn}");
        }
    }

    /// <summary>The rows that were committed must still be there, as far as can be told without knowing them.</summary>
    private async Task RequireSameTableAsync(JobLedger ledger, JobRecord former, JobRecord job, IServerSession session)
    {
        var inserted = ledger.Chunks.Sum(chunk => chunk.Taken.Inserted);
        var present = ledger.Chunks.Sum(chunk => chunk.Taken.Present);
        var done = former.Completed is null ? "has committed" : "was complete with";
        if (present > 0 && await CountAsync(session, 1) == 0)
        {
            throw new PlanException(string.Create(
                CultureInfo.InvariantCulture, $"table {former.Table} is empty, and job {ledger.Identity.Id} {done} {present:N0} rows in it: {CommittedRecords.WaysOn}"));
        }

        if (former.TableCreated == job.TableCreated && job.TableCreated is not null)
        {
            return;
        }

        // A job that was dropping or adding indexes has altered the table itself.
        var isOwn = former.Dropped is not null;
        if (former.Completed is not null || (inserted == 0 && !isOwn) || await CountAsync(session, inserted) < inserted)
        {
            throw new PlanException(string.Create(
                CultureInfo.InvariantCulture, $"table {former.Table} was made anew or altered since job {ledger.Identity.Id} {done} {ledger.Chunks.Sum(chunk => chunk.Taken.Count):N0} records: {CommittedRecords.WaysOn}"));
        }

        if (isOwn)
        {
            return;
        }

        ledger.Notes.Add(string.Create(CultureInfo.InvariantCulture, $"table {former.Table} was made anew or altered since the job was started before; it was taken for the same one, since it has no fewer rows than the {inserted:N0} that were committed"));
    }

    private async Task<long> CountAsync(IServerSession session, long most)
    {
        session.Bound(AnswerBound.Statement);
        try
        {
            return long.Parse((await session.QueryAsync(LedgerSql.CountUpTo(_facts.Table.Database, _facts.Table.Name, most), _cancellation)).Scalar!, CultureInfo.InvariantCulture);
        }
        catch (ServerException fault) when (fault.Code is 1142 or 1143 or 1044)
        {
            throw new PlanException($"whether the rows that were committed are still in {_facts.Table.DisplayName} cannot be told: {fault.ServerText}: GRANT SELECT ON {_facts.Table.DisplayName} to the account; or {CommittedRecords.WaysOn}", fault);
        }
        finally
        {
            session.Bound(AnswerBound.Lock);
        }
    }
}
