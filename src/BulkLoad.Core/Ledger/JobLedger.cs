using BulkLoad.Core.Planning;
using BulkLoad.Core.Probing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>
/// What is committed of a running job. The job's row stays locked, on a session of its own, as long as this is open, so that nobody else runs
/// the job; a chunk's row is written in the chunk's transaction, by its session.
/// </summary>
internal sealed class JobLedger : IAsyncDisposable
{
    private readonly LedgerSql _sql;
    private readonly Func<CancellationToken, Task<IServerSession>> _openAsync;
    private readonly string _program;
    private readonly ServerFacts _server;
    private (int Source, long Record) _lost = (-1, 0);
    private JobRecord _job;
    private IServerSession _session;
    private bool _isHeld = true;
    private bool _isEnding;
    private bool _isDone;

    private JobLedger(
        JobIdentity identity, LedgerSql sql, Func<CancellationToken, Task<IServerSession>> openAsync, string program, JobRecord job, IServerSession session, ServerFacts server)
    {
        (Identity, _sql, _openAsync, _program, _job, _session, _server) = (identity, sql, openAsync, program, job, session, server);
        Truth = new LedgerTruth(sql, identity.Id, server.IsGalera);
    }

    public JobIdentity Identity { get; }

    /// <summary>Asks which chunks are committed.</summary>
    public LedgerTruth Truth { get; }

    /// <summary>Committed when this was opened, or <see cref="GoBack"/> was called, in the input's order.</summary>
    public IReadOnlyList<LedgerChunk> Chunks { get; private set; } = [];

    /// <summary>The job as it was left by its former start; null: there was none.</summary>
    public JobRecord? Former { get; private set; }

    /// <summary>What to know of how this start goes on, for people.</summary>
    public List<string> Notes { get; } = [];

    /// <summary>The same, of inputs that turn out to be what was committed.</summary>
    public List<string> NotesOnSame { get; } = [];

    /// <summary>The notes that hold as a start has ended.</summary>
    public IEnumerable<string> NotesOf(LoadReport report) =>
        report.Failure is PlanException || report.Outcome == LoadOutcome.Interrupted ? Notes : [.. Notes, .. NotesOnSame];

    /// <summary>Whether the job was done when this was opened.</summary>
    public bool WasComplete => Former?.Completed is not null;

    /// <summary>Indexes of the table that the job has dropped, or is about to, and not added again; null: none.</summary>
    public DroppedIndexes? Dropped => _job.Dropped;

    /// <summary>Takes the job over: makes the ledger where there is none, and the job's row where it has none.</summary>
    /// <param name="identity">which job</param>
    /// <param name="job">as this start has it</param>
    /// <param name="facts">of server and request</param>
    /// <param name="openAsync">opens a session, as <see cref="LedgerSession"/> does</param>
    /// <param name="opening">the ledger's first session, opened so; owned from here on</param>
    /// <param name="program">this program's version</param>
    /// <param name="acceptAsync">asked before anything of this start is written down, on the ledger's session: whether the job can go on; throws where it cannot</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="PlanException">somebody else runs the job, it is another one, or the ledger cannot be had</exception>
    public static async Task<JobLedger> OpenAsync(
        JobIdentity identity, JobRecord job, LoadFacts facts, Func<CancellationToken, Task<IServerSession>> openAsync, Task<IServerSession> opening, string program,
        Func<JobLedger, JobRecord, IServerSession, Task> acceptAsync, CancellationToken cancellationToken)
    {
        var sql = JobStart.SqlOf(facts);
        var session = await opening;
        var ledger = new JobLedger(identity, sql, openAsync, program, job, session, facts.Server);
        try
        {
            await ledger.TakeAsync(facts.Request.Reload, acceptAsync, cancellationToken);
            return ledger;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            await ledger.DisposeAsync();
            throw LedgerSession.Refuse(sql, fault);
        }
        catch
        {
            await ledger.DisposeAsync();
            throw;
        }
    }

    /// <summary>A chunk's first statement, in its transaction.</summary>
    /// <exception cref="ServerException">1205: a former session of the job is still at this chunk</exception>
    /// <exception cref="ServerException">the same: the chunk is committed, which the server did not know when it was asked</exception>
    public async Task BeginAsync(IServerSession session, int source, long firstRecord, long firstOffset, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(_sql.BeginChunk(Identity.Id, source, firstRecord, firstOffset, _program), cancellationToken);
        }
        catch (ServerException fault) when (fault.Code == 1062)
        {
            throw new ServerException(FaultKind.TransactionLost, $"the ledger {_sql.DisplayName} has record {firstRecord} of job {Identity.Id} already: it is read again, to go on behind what is committed", fault);
        }
    }

    /// <summary>A chunk's last statement before it is committed.</summary>
    /// <exception cref="ServerException">the chunk's row is gone, and the transaction with it</exception>
    /// <exception cref="ReconciliationException">the chunk's row is gone once more</exception>
    public async Task EndAsync(IServerSession session, LedgerChunk chunk, CancellationToken cancellationToken)
    {
        if (await TryEndAsync(session, chunk, condition: null, cancellationToken))
        {
            return;
        }

        var message = $"the ledger {_sql.DisplayName} has lost the row of the open chunk";
        if (_lost == (chunk.Source, chunk.FirstRecord))
        {
            throw new ReconciliationException($"{message} twice: has somebody changed the table?");
        }

        _lost = (chunk.Source, chunk.FirstRecord);
        throw new ServerException(FaultKind.TransactionLost, $"{message}: the server has rolled the transaction back, and reported no error");
    }

    /// <summary>The same, under a condition.</summary>
    /// <returns>whether it holds, and the chunk's row is there</returns>
    public async Task<bool> TryEndAsync(IServerSession session, LedgerChunk chunk, string? condition, CancellationToken cancellationToken)
    {
        var rejected = chunk.RejectCount;
        var statement = _sql.EndChunk(
            Identity.Id, chunk.Source, chunk.FirstRecord, chunk.LastRecord, chunk.LastOffset, chunk.Content, chunk.Taken.Count, rejected, chunk.WriteDetails(), condition);
        return (await session.ExecuteAsync(statement, cancellationToken)).AffectedRows == 1;
    }

    /// <summary>These chunks are committed, and no others.</summary>
    public void GoBack(IReadOnlyList<LedgerChunk> chunks)
    {
        Chunks = chunks;
        Truth.Set(chunks);
    }

    /// <summary>Holds the job again where the session that did so is lost.</summary>
    /// <param name="isElsewhere">whether to ask for another session in any case, since its server takes no changes any more</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="ServerException">1205: the former session is still there</exception>
    /// <exception cref="PlanException">somebody else runs the job now</exception>
    public async Task HoldAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        if (!isElsewhere && _isHeld && _session.IsUsable && await IsHeldAsync(cancellationToken))
        {
            return;
        }

        _isHeld = false;
        await _session.DisposeAsync();
        _session = await _openAsync(cancellationToken);
        if (await LockAgainAsync(cancellationToken) is not { } details)
        {
            await HoldMissingAsync(cancellationToken);
            return;
        }

        var held = JobRecord.Read(details);
        if (held.Runner.Started != _job.Runner.Started)
        {
            throw RunBy(held);
        }

        await RegisterAsync(cancellationToken);
        _isHeld = true;
    }

    /// <summary>The job's details, locked from here on; null where it has no row. Makes the ledger where a server has none that it had.</summary>
    private async Task<string?> LockAgainAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (await _session.QueryAsync(_sql.LockJob(Identity.Id), cancellationToken)).Rows is [var row] ? row[0] : null;
        }
        catch (ServerException fault) when (fault.Code == LedgerSession.NoSuchTable)
        {
            await LedgerSession.CreateAsync(_session, _sql, cancellationToken);
            return null;
        }
    }

    /// <summary>The job's row is gone: by its end, by somebody, or since another server answers, which never had it or has lost it.</summary>
    /// <exception cref="PlanException">somebody has forgotten the job</exception>
    private async Task HoldMissingAsync(CancellationToken cancellationToken)
    {
        if (_server.Incarnation is { } before && !(await ServerProbe.AskIncarnationAsync(_session, cancellationToken)).IsStill(before))
        {
            await RegisterAsync(cancellationToken, isNew: true);
            _isHeld = true;
            return;
        }

        // The row of a job that nobody can go on with goes with its end, of which only the answer was lost.
        _isDone = _isEnding && !Identity.IsLasting ? true : throw Forgotten();
    }

    /// <summary>Writes down which indexes are dropped, before they are, and that none is, behind that; and holds the job again.</summary>
    /// <param name="dropped">null: none any more</param>
    /// <param name="tableCreated">as <see cref="JobRecord.TableCreated"/> is now; null: as it was</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="PlanException">another start of the job was waiting for it, and has it now</exception>
    public async Task NoteAsync(DroppedIndexes? dropped, string? tableCreated, CancellationToken cancellationToken)
    {
        await HoldAsync(isElsewhere: false, cancellationToken);
        _job = _job with { Dropped = dropped, TableCreated = tableCreated ?? _job.TableCreated };
        await RegisterAsync(cancellationToken);
    }

    /// <summary>The job is done: all its records are committed. After a fault it may be called again, and holds the job again before.</summary>
    /// <param name="now">the time, in UTC</param>
    /// <param name="cancellationToken">gives up</param>
    /// <returns>false: the ledger has other chunks than those that count as committed, and the job is not done</returns>
    /// <exception cref="PlanException">somebody has forgotten it meanwhile</exception>
    public async Task<bool> CompleteAsync(DateTime now, CancellationToken cancellationToken)
    {
        try
        {
            return await TryCompleteAsync(now, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !cancellationToken.IsCancellationRequested)
        {
            // The session had nothing to say for as long as the job took.
            return await TryCompleteAsync(now, cancellationToken);
        }
    }

    private async Task<bool> TryCompleteAsync(DateTime now, CancellationToken cancellationToken)
    {
        if (!_isDone && !_isHeld)
        {
            await HoldAsync(isElsewhere: true, cancellationToken);
        }

        if (_isDone)
        {
            return true;
        }

        // COMMIT lets go of the job, whatever becomes of the rest.
        (_isEnding, _isHeld) = (true, false);
        var answers = await _session.QueryAllAsync(
            [
                Truth.KeepTally, _sql.LockJobWithTally(Identity.Id),
                $"{(Identity.IsLasting ? _sql.UpdateJob(Identity.Id, (_job with { Completed = now }).Write(), _program) : _sql.DeleteJob(Identity.Id))} AND {Truth.IsWhole}", TransactionSql.Commit,
            ],
            cancellationToken);
        if (answers[1].Rows is not [var row])
        {
            throw Forgotten();
        }

        return _isEnding = LedgerTruth.Read(row, 1) == Truth.Counted;
    }

    public ValueTask DisposeAsync() => _session.DisposeAsync();

    private async Task TakeAsync(bool isReload, Func<JobLedger, JobRecord, IServerSession, Task> acceptAsync, CancellationToken cancellationToken)
    {
        var details = await LockAsync(isReload, cancellationToken);
        if (details is not null)
        {
            Former = JobRecord.Read(details);
            if (Former.Fingerprint != _job.Fingerprint)
            {
                throw new PlanException($"--job-id {Identity.Id} is another job: {Former.Command} of {string.Join(", ", Former.Sources.Select(source => source.Name))} to {Former.Table}, or with other columns or options: name another one");
            }

            // Known to nobody else, also where all of it is done again.
            _job = _job with { Dropped = Former.Dropped };
            if (isReload)
            {
                Former = null;
            }
            else
            {
                GoBack(await ReadChunksAsync(cancellationToken));
                LedgerPieces.RequireWhole(Chunks, Identity.Id, [.. _job.Sources.Select(source => source.Name)], _session.Server.Endpoint);
            }
        }

        await acceptAsync(this, _job, _session);
        if (WasComplete)
        {
            await _session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            await LockAsync(isReload: false, cancellationToken);
            return;
        }

        await RegisterAsync(cancellationToken, isNew: details is null);
    }

    /// <summary>A former session may have a chunk that is not decided; a locking read waits for it.</summary>
    private async Task<IReadOnlyList<LedgerChunk>> ReadChunksAsync(CancellationToken cancellationToken)
    {
        try
        {
            return [.. (await _session.QueryAllAsync([LedgerSql.WaitAsUsual, _sql.LockChunks(Identity.Id), LedgerSql.WaitBriefly], cancellationToken))[1].Rows.Select(LedgerChunk.Read)];
        }
        catch (ServerException fault) when (fault.Code == 1205)
        {
            throw new ServerException($"a session that a former start of job {Identity.Id} has left on the server is still at work ({Former!.Runner.Describe()}): wait until it ends, or KILL it", fault);
        }
    }

    /// <summary>Writes down who runs the job, for all to see, and holds it again.</summary>
    private async Task RegisterAsync(CancellationToken cancellationToken, bool isNew = false)
    {
        _job = _job with { Runner = _job.Runner with { Session = _session.Server.ConnectionId } };
        try
        {
            var write = isNew ? _sql.InsertJob(Identity.Id, _job.Write(), _program) : _sql.UpdateJob(Identity.Id, _job.Write(), _program);
            var rows = (await _session.QueryAllAsync([write, TransactionSql.Commit, _sql.LockJob(Identity.Id)], cancellationToken))[2].Rows;
            if (rows is not [var row])
            {
                throw Forgotten();
            }

            if (JobRecord.Read(row[0]) is var now && now.Runner.Started != _job.Runner.Started)
            {
                throw RunBy(now);
            }
        }
        catch (ServerException fault) when (IsHeldElsewhere(fault))
        {
            throw await TellHolderAsync(fault, cancellationToken);
        }
    }

    /// <summary>The job's details, locked from here on; null where it is new. Makes the ledger where there is none.</summary>
    /// <param name="isReload">whether the job's chunks are to be forgotten, which holds once this start is registered</param>
    /// <param name="cancellationToken">gives up</param>
    /// <exception cref="PlanException">somebody else holds it</exception>
    private async Task<string?> LockAsync(bool isReload, CancellationToken cancellationToken)
    {
        string[] questions = isReload ? [_sql.LockJob(Identity.Id), _sql.DeleteChunks(Identity.Id)] : [_sql.LockJob(Identity.Id)];
        for (var isMade = false; ;)
        {
            try
            {
                return (await _session.QueryAllAsync(questions, cancellationToken))[0].Rows is [var row] ? row[0] : null;
            }
            catch (ServerException fault) when (!isMade && LedgerSession.IsMissing(fault))
            {
                isMade = true;
                await LedgerSession.CreateAsync(_session, _sql, cancellationToken);
            }
            catch (ServerException fault) when (IsHeldElsewhere(fault))
            {
                throw await TellHolderAsync(fault, cancellationToken);
            }
        }
    }

    /// <summary>Another session has the job's row, or has just made it.</summary>
    private static bool IsHeldElsewhere(ServerException fault) => fault.Code is 1205 or 1062 or 1213;

    private async Task<PlanException> TellHolderAsync(ServerException fault, CancellationToken cancellationToken) =>
        (await _session.QueryAsync(_sql.ReadJob(Identity.Id), cancellationToken)).Rows is [var row]
            ? RunBy(JobRecord.Read(row[0]))
            : new PlanException($"job {Identity.Id} is being started by somebody else at this moment: two starts cannot run the same job", fault);

    private async Task<bool> IsHeldAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (await _session.QueryAsync(_sql.LockJob(Identity.Id), cancellationToken)).Rows.Count > 0;
        }
        catch (ServerException) when (!_session.IsUsable)
        {
            return false;
        }
    }

    private PlanException RunBy(JobRecord job) => new(
        $"job {Identity.Id} is being run by {job.Runner.Describe()}: wait until that is done, or stop it (KILL {job.Runner.Session} where its machine is gone)");

    private PlanException Forgotten() => new($"job {Identity.Id} is gone from the ledger {_sql.DisplayName}: somebody has forgotten it meanwhile");
}
