using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Input;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Ledger;

/// <summary>What is committed of a running job. The job's row stays locked on a separate session as long as this is open, so that nobody
/// else runs the job; a chunk's row is written in the chunk's transaction, by its session. GET_LOCK would do the same on one server, but
/// not in a cluster; there the chunk's primary key still decides.</summary>
internal sealed class JobLedger : IAsyncDisposable
{
    private const int MaxTries = 3;

    /// <summary>Time limit for removing the row of a job that has committed nothing.</summary>
    private static readonly TimeSpan ReleaseTimeout = TimeSpan.FromSeconds(5);

    private readonly LedgerSql _sql;
    private readonly Func<CancellationToken, Task<IServerSession>> _openAsync;
    private readonly ServerFacts _server;
    private readonly SourceOptions _options;
    private readonly TimeSpan? _history;
    private (int Source, long Record) _lost = (-1, 0);
    private JobRecord _job;
    private IServerSession _session;
    private JobDecision _decision;
    private (int Source, long Record)? _emptied;
    private bool _isHeld = true;
    private bool _isRegistered;
    private bool _isEnding;
    private bool _isDone;

    private JobLedger(
        JobIdentity identity, JobRecord job, LoadFacts facts, Func<CancellationToken, Task<IServerSession>> openAsync,
        IServerSession session)
    {
        (Identity, _job, _sql, _server, _openAsync, _session) = (identity, job, LedgerSql.Of(facts), facts.Server, openAsync, session);
        (_options, _history, _decision) = (facts.Request.Source, facts.Request.JobHistory, new JobDecision { Id = "", Job = job });
        Truth = new LedgerTruth(_sql, () => Identity.Id, _server.IsGalera, () => _session);
    }

    public JobIdentity Identity { get; private set; }

    public LedgerTruth Truth { get; }

    /// <summary>Committed when this was opened, or <see cref="GoBack"/> was called; in the input's order.</summary>
    public ChunkList Chunks { get; private set; } = ChunkList.None;

    /// <summary>The job as its former start left it; null: there was none.</summary>
    public JobRecord? Former => _decision.Former;

    public bool IsNothingToDo => _decision.IsNothingToDo;

    /// <summary>The first line of the report; null: none.</summary>
    public string? Headline => _decision.Headline;

    /// <summary>When jobs with the same content were complete, for the report of a repeated delete; null: it is no repeat.</summary>
    public DateTime? RepeatOf => _job.RepeatOf;

    /// <summary>Whether a job whose committed records have changed can begin again with its first record; otherwise it is
    /// refused.</summary>
    public bool CanBeginAgain => _decision is { CanBeginAgain: true, Former.Completed: null };

    /// <summary>The job's totals, as far as they are known; recorded with its end.</summary>
    public Func<JobTotal>? Total { private get; set; }

    public KeptImages? Images => _job.Images;

    private IReadOnlyList<LoadSource> Sources { get; init; } = [];

    /// <summary>How this start continues, for people.</summary>
    public List<string> Notes { get; } = [];

    /// <summary>The one of <see cref="Notes"/> that says that the ledger was created; null: it was there.</summary>
    public string? Created { get; private set; }

    /// <summary>Notes for inputs whose content turns out to be what was committed.</summary>
    public List<string> NotesOnSame { get; } = [];

    /// <summary>The notes that are right for the report's outcome.</summary>
    public IEnumerable<string> NotesOf(LoadReport report) =>
        report.Failure is PlanException || report.Outcome == LoadOutcome.Interrupted ? Notes : [.. Notes, .. NotesOnSame];

    /// <summary>Rows that the first chunk has deleted to empty the table (<c>--truncate</c>).</summary>
    public long EmptiedRows { get; private set; }

    public bool WasComplete => Former?.Completed is not null;

    /// <summary>Indexes of the table that the job has dropped, or is about to drop, and has not added again; null: none.</summary>
    public DroppedIndexes? Dropped => _job.Dropped;

    /// <summary>Takes over the job: creates the ledger and the job's row where they are missing.</summary>
    /// <param name="openAsync">opens a session, as <see cref="LedgerSession"/> does</param>
    /// <param name="opening">the ledger's first session, opened so; owned from here on</param>
    /// <param name="decideAsync">called with the ledger, and the job that has this one's first name, before anything of this start is
    /// recorded: decides what the start is, or throws</param>
    /// <exception cref="PlanException">somebody else runs the job, it is another one, or the ledger cannot be used</exception>
    public static async Task<JobLedger> OpenAsync(
        JobIdentity identity, JobRecord job, LoadFacts facts, Func<CancellationToken, Task<IServerSession>> openAsync,
        Task<IServerSession> opening, IReadOnlyList<LoadSource> sources, Func<LedgerView, FoundJob?, Task<JobDecision>> decideAsync,
        CancellationToken cancellationToken)
    {
        var session = await opening;
        var ledger = new JobLedger(identity, job, facts, openAsync, session) { Sources = sources };
        try
        {
            await ledger.TakeAsync(decideAsync, cancellationToken);
            return ledger;
        }
        catch (ServerException fault) when (fault.IsOfFullTable || (fault.Kind == FaultKind.Configuration && session.IsUsable))
        {
            var refusal = await LedgerSession.RefuseAsync(session, ledger._sql, fault, cancellationToken);
            await ledger.DisposeAsync();
            throw refusal;
        }
        catch
        {
            await ledger.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs a chunk's first statement, in its transaction.</summary>
    /// <exception cref="ServerException">1205: a former session of the job is still at this chunk; or the chunk is committed, which the
    /// server did not know when it was asked</exception>
    public async Task BeginAsync(
        IServerSession session, int source, long firstRecord, long firstOffset, CancellationToken cancellationToken)
    {
        try
        {
            await session.ExecuteAsync(_sql.BeginChunk(Identity.Id, source, firstRecord, firstOffset), cancellationToken);
        }
        catch (ServerException fault) when (fault.Error == ServerError.DupEntry)
        {
            throw new ServerException(FaultKind.TransactionLost,
                $"the ledger {_sql.DisplayName} has record {firstRecord} of job {Identity.Id} already: it is read again, to resume after "
                    + "what is committed",
                fault);
        }

        if (_decision.Empties.Count > 0 && Chunks.Count == 0 && (_emptied ??= (source, firstRecord)) == (source, firstRecord))
        {
            EmptiedRows = 0;
            foreach (var statement in Statements.Empty())
            {
                var rows = (await session.ExecuteAsync(statement, cancellationToken)).AffectedRows;
                EmptiedRows += _decision.Empties.Contains(statement) ? (long)rows : 0;
            }
        }
    }

    /// <summary>Runs a chunk's last statement before its COMMIT.</summary>
    /// <exception cref="ServerException">the chunk's row is gone, and the transaction with it</exception>
    /// <exception cref="ReconciliationException">the chunk's row is gone for the second time</exception>
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
        throw new ServerException(
            FaultKind.TransactionLost, $"{message}: the server has rolled the transaction back, and reported no error");
    }

    /// <summary>Runs a chunk's last statement under a condition.</summary>
    /// <returns>whether the condition holds, and the chunk's row is there</returns>
    public async Task<bool> TryEndAsync(IServerSession session, LedgerChunk chunk, string? condition, CancellationToken cancellationToken)
    {
        var rejected = chunk.RejectCount;
        var statement = _sql.EndChunk(
            Identity.Id, chunk.Source, chunk.FirstRecord, chunk.LastRecord, chunk.LastOffset, chunk.Content, chunk.Taken.Count, rejected,
            chunk.WriteDetails(), condition);
        return (await session.ExecuteAsync(statement, cancellationToken)).AffectedRows == 1;
    }

    public void GoBack(ChunkList chunks)
    {
        Chunks = chunks;
        Truth.Set(chunks);
    }

    /// <summary>Records of an input that an earlier job has loaded, as far as they were read; 0: records are sorted, and numbered
    /// without them.</summary>
    public long? LoadedBefore(int source) =>
        _job.SortedBy.Length > 0 ? 0 : Sources.ElementAtOrDefault(source)?.Content?.LoadedRecords ?? 0;

    /// <summary>The beginning that is half of what is committed of an input, up to a record; null: not known.</summary>
    /// <param name="offset">of the record</param>
    public (long Length, string Hash)? HalfUpTo(int source, long offset)
    {
        if (_job.SortedBy.Length > 0 || Sources.ElementAtOrDefault(source) is not { Content: { } content, CanReadAgain: true } input)
        {
            return null;
        }

        try
        {
            return content.HalfUpTo(offset, input, _options, CancellationToken.None);
        }
        catch (InputException)
        {
            // The reader says it.
            return null;
        }
    }

    /// <summary>Locks the job again after its session was lost.</summary>
    /// <param name="isElsewhere">whether another session is needed in any case, since its server takes no changes any more</param>
    /// <exception cref="ServerException">1205: the former session is still there</exception>
    /// <exception cref="PlanException">somebody else runs the job now</exception>
    public async Task HoldAsync(bool isElsewhere, CancellationToken cancellationToken)
    {
        if (!isElsewhere && _isHeld && _session.IsUsable && await LedgerSession.HasJobAsync(_session, _sql, Identity.Id, cancellationToken))
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
            throw LedgerSession.RunBy(Identity.Id, held);
        }

        if (_isEnding && held.Completed is not null)
        {
            _isDone = true;
            return; // Its end was committed, and only the answer was lost.
        }

        await RegisterAsync([], cancellationToken);
        _isHeld = true;
    }

    /// <summary>Locks and returns the job's details; null: it has no row. Creates the ledger where a server has lost it.</summary>
    private async Task<string?> LockAgainAsync(CancellationToken cancellationToken)
    {
        try
        {
            return (await _session.QueryAsync(_sql.LockJob(Identity.Id), cancellationToken)).Rows is [var row] ? row[0] : null;
        }
        catch (ServerException fault) when (fault.Error == ServerError.NoSuchTable)
        {
            await LedgerSession.CreateAsync(_session, _sql, cancellationToken);
            return null;
        }
    }

    /// <summary>The job's row is gone: somebody has deleted it, or another server answers that never had it or has lost it.</summary>
    /// <exception cref="PlanException">somebody has forgotten the job</exception>
    private async Task HoldMissingAsync(CancellationToken cancellationToken)
    {
        if (_server.Incarnation is { } before && !(await ServerProbe.AskIncarnationAsync(_session, cancellationToken)).IsStill(before))
        {
            await RegisterAsync(Statements.BeginElsewhere(), cancellationToken, isNew: true);
            _isHeld = true;
            return;
        }

        throw Forgotten();
    }

    /// <summary>Changes the job's row, and locks the job again.</summary>
    /// <exception cref="PlanException">another start of the job was waiting for it, and has it now</exception>
    public async Task ChangeAsync(Func<JobRecord, JobRecord> change, CancellationToken cancellationToken)
    {
        await HoldAsync(isElsewhere: false, cancellationToken);
        _job = change(_job);
        await RegisterAsync([], cancellationToken);
    }

    /// <summary>Forgets what former starts have committed: this one begins with the first record, which does no harm.</summary>
    /// <exception cref="PlanException">another start of the job was waiting for it, and has it now</exception>
    public async Task BeginAgainAsync(CancellationToken cancellationToken)
    {
        await HoldAsync(isElsewhere: false, cancellationToken);
        _decision = _decision with { Former = null };
        GoBack([]);
        Notes.Clear();
        NotesOnSame.Clear();
        await RegisterAsync([_sql.DeleteChunks(Identity.Id)], cancellationToken);
    }

    /// <summary>Records that the job is complete. After a fault it may be called again, and first locks the job again.</summary>
    /// <returns>false: the ledger has other chunks than those that count as committed, and the job is not complete</returns>
    /// <exception cref="PlanException">somebody has forgotten the job meanwhile</exception>
    public async Task<bool> CompleteAsync(DateTime now, CancellationToken cancellationToken)
    {
        try
        {
            return await TryCompleteAsync(now, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !cancellationToken.IsCancellationRequested)
        {
            // The session was idle for as long as the job took.
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
            await ForgetAsync(cancellationToken);
            return true;
        }

        var view = new LedgerView(_sql, _session, holds: true, cancellationToken);
        var replaced = await view.ReadJobsAsync(_job.Replaces);

        // COMMIT unlocks the job, whatever happens next.
        (_isEnding, _isHeld) = (true, false);
        var isEmptied = _decision.Empties.Count == 0 || Chunks.Count > 0 || _emptied is not null;
        var done = JobStatements.Done(_job, Sources) with { Completed = now, Total = Total?.Invoke() };
        var answers = await LedgerSession.QueryManyAsync(
            _session,
            new[] { Truth.KeepTally, _sql.LockJobWithTally(Identity.Id) }
                .Concat(isEmptied ? [] : Statements.Empty()) // Where there was no record, there was no chunk.
                .Concat(Statements.Complete(done, replaced, Truth.IsWhole)).Append(TransactionSql.Commit),
            cancellationToken);
        var row = answers[1].Rows is [var only] ? only : throw Forgotten();
        _isDone = _isEnding = LedgerTruth.Read(row, 1) == Truth.Counted;
        if (_isDone)
        {
            await ForgetAsync(cancellationToken);
        }

        return _isDone;
    }

    /// <summary>Runs after the end was answered: without its rows it would look as if the server had lost the job.</summary>
    private async Task ForgetAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (!Identity.IsLasting)
            {
                await _session.QueryAllAsync([.. _sql.DeleteJob(Identity.Id, null, []), TransactionSql.Commit], cancellationToken);
            }
            else if (_history is { } age && _job.Family.Length > 0)
            {
                var view = new LedgerView(_sql, _session, holds: true, cancellationToken);
                await view.ForgetCompleteAsync(_job.Family, DateTime.UtcNow - age, except: Identity.Id);
            }
        }
        catch (Exception fault) when (fault is BulkLoadException or OperationCanceledException)
        {
            // They stay; 'jobs forget' removes them.
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_isRegistered && !_isDone && _isHeld && _session.IsUsable && Truth.Counted.Chunks == 0 && _job.Dropped is null)
        {
            await LeaveNothingAsync();
        }

        await _session.DisposeAsync();
    }

    private async Task LeaveNothingAsync()
    {
        using var patience = new CancellationTokenSource(ReleaseTimeout);
        try
        {
            if (LedgerTruth.Read((await _session.QueryAsync(_sql.LockTally(Identity.Id), patience.Token)).FirstRow, 0).Chunks > 0)
            {
                return;
            }

            await _session.QueryAllAsync([.. Statements.LeaveNothing(), TransactionSql.Commit], patience.Token);
            await (_job.Images?.DropAsync(_session, patience.Token) ?? Task.CompletedTask);
        }
        catch (Exception fault) when (fault is ServerException or OperationCanceledException)
        {
            // The next start finds no chunk.
        }
    }

    private async Task TakeAsync(Func<LedgerView, FoundJob?, Task<JobDecision>> decideAsync, CancellationToken cancellationToken)
    {
        var view = new LedgerView(_sql, _session, holds: true, cancellationToken);
        var named = await LookUpAsync(view, cancellationToken);
        _decision = await decideAsync(view, named);
        Identity = Identity with { Id = _decision.Id };
        _job = _decision.Job;
        Notes.AddRange(_decision.Notes);
        NotesOnSame.AddRange(_decision.NotesOnSame);
        GoBack(_decision.Chunks);
        if (_decision.IsNothingToDo || WasComplete)
        {
            await _session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            if (!_decision.IsNothingToDo)
            {
                await LedgerSession.LockAsync(_session, _sql, Identity.Id, cancellationToken);
            }

            return;
        }

        await RegisterAsync(Statements.Begin(), cancellationToken, isNew: !_decision.IsThere);
        _isRegistered = true;
    }

    private JobStatements Statements => new(_sql, Identity, _decision, _job);

    /// <summary>Locks the slot, so that no other start of the same first record or name looks at it, and returns the job of this name.
    /// Creates the ledger where there is none.</summary>
    private async Task<FoundJob?> LookUpAsync(LedgerView view, CancellationToken cancellationToken)
    {
        string[] slot = Identity.Slot.Length == 0 ? []
            : Identity.Whole.Length == 0 || Identity.Whole == Identity.Slot ? [_sql.LockSlot(Identity.Family, Identity.Slot)]

            // All parts of a file may be started at the same moment: each waits for its turn.
            : [LedgerSql.WaitByDefault, _sql.LockSlot(Identity.Family, Identity.Whole), LedgerSql.WaitBriefly,
                _sql.LockSlot(Identity.Family, Identity.Slot)];
        string[] questions = [.. slot, _sql.FindJob(Identity.Slot, Identity.Whole)];
        for (var (isMade, tries) = (false, 0); ;)
        {
            try
            {
                var rows = (await _session.QueryAllAsync(questions, cancellationToken))[^1].Rows;
                LedgerSession.RequireShape(_sql, rows is [[_, var shape], ..] ? shape : null);
                return await view.ReadNamedAsync(rows);
            }
            catch (ServerException fault) when (!isMade && LedgerSession.IsMissing(fault))
            {
                isMade = true;
                await LedgerSession.CreateAsync(_session, _sql, cancellationToken);
                Created = $"the ledger {_sql.DisplayName} was created: it records what is committed";
                Notes.Add(Created);
            }
            catch (ServerException fault) when (LedgerSession.IsMisshapen(fault))
            {
                LedgerSession.RequireShape(_sql, (await _session.QueryAsync(_sql.Shape, cancellationToken)).Scalar);
                throw;
            }
            catch (ServerException fault) when (fault.Error == ServerError.LockDeadlock && ++tries < MaxTries)
            {
                // Another start of the same first record was quicker; it will soon be done.
            }
            catch (ServerException fault) when (LedgerSession.IsHeldElsewhere(fault))
            {
                throw await LedgerSession.FindHolderAsync(_session, _sql, Identity.Slot, fault, cancellationToken);
            }
        }
    }

    /// <summary>Records who runs the job, for all to see, and locks it again.</summary>
    private async Task RegisterAsync(IEnumerable<string> before, CancellationToken cancellationToken, bool isNew = false)
    {
        _job = _job with { Runner = _job.Runner with { Session = _session.Server.ConnectionId } };
        try
        {
            var details = _job.Write();
            var write = isNew ? _sql.InsertJob(Identity.Id, details) : _sql.UpdateJob(Identity.Id, details);
            var answers = await LedgerSession.QueryManyAsync(
                _session, before.Append(write).Append(TransactionSql.Commit).Append(_sql.LockJob(Identity.Id)), cancellationToken);
            var row = answers[^1].Rows is [var only] ? only : throw Forgotten();
            if (JobRecord.Read(row[0]) is var now && now.Runner.Started != _job.Runner.Started)
            {
                throw LedgerSession.RunBy(Identity.Id, now);
            }
        }
        catch (ServerException fault) when (LedgerSession.IsHeldElsewhere(fault))
        {
            throw await LedgerSession.FindHolderAsync(_session, _sql, Identity.Id, fault, cancellationToken);
        }
    }

    private PlanException Forgotten() =>
        new($"job {Identity.Id} is gone from the ledger {_sql.DisplayName}: somebody has forgotten it meanwhile");
}
