using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>One run of a plan: the reading side and the sending side, joined by a bounded channel; tried again after faults that
/// pass.</summary>
/// <param name="connections">stay the caller's</param>
internal sealed class LoadRun(PreparedJob job, JobServices services, JobConnections connections, RejectLog rejects, RepairLog repairs)
    : ILoadRun
{
    private readonly LoadRequest _request = job.Request;
    private readonly IReadOnlyList<LoadSource> _sources = job.Sources;
    private readonly LoadFacts _facts = job.Facts;
    private readonly LoadDecision _decision = job.Decision;
    private readonly RecordOrder _order = new(
        job.Facts.Columns, job.Decision.Sessions.WatchedKeys, job.Decision.Sort.IsSorted, job.Decision.Sessions.AllWait);
    private readonly WorkerCountTuner _size = new(job.Decision.Sessions.Most, job.Decision.Sessions.MostTried, services.Time);
    private InputReader _reading = new(job.Sources, job.Request, job.Facts, job.Decision.Sizes);
    private long _narrowed;
    private string? _fewerSessions;
    private string? _lockFault;
    private MissingRows? _missing;
    private RepeatedKeys? _superseded;
    private Func<bool> _isEnding = static () => false;
    private Throttle? _throttle;
    private long _sent;
    private long _unverifiedBefore;
    private CommitCheck _check = null!;

    /// <summary>What is committed already, and takes what will be; stays the caller's; null: nobody keeps it.</summary>
    public JobLedger? Ledger { private get; init; }

    /// <summary>May have begun to read; stays the caller's; null: it has not.</summary>
    public InputFeed? Feed { private get; init; }

    /// <summary>Counts what was tried again before too.</summary>
    public ChunkRetry Retry { private get; init; } = new(job.Request.Retry, services.Time, services.Log);

    /// <summary>Asked before a chunk is committed; null: nobody is.</summary>
    public ColumnWatch? Columns { private get; init; }

    /// <summary>Called when all is committed, before that is written down; gets what reports a wait. Null: nothing is left to do.</summary>
    public Func<Action<string>, CancellationToken, Task>? OnAllCommitted { private get; init; }

    public ReadCounts Read => _reading.Read;

    public CommittedState Committed { get; } = new() { SortedBy = job.Decision.Sort.By };

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    public bool HasCommitted => Committed is { Last: not null } or { IsInDoubt: true };

    public IReadOnlyList<string> SourceNames { get; } = [.. job.Sources.Select(source => source.Look.Name)];

    /// <inheritdoc/>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        Resume();
        _check = new CommitCheck(Ledger, Committed, _facts.Server, SourceNames, CanReadAgain, services.Log);
        await using var pool = new WorkerPool(new WorkerSession(
            _decision, _facts, session, _facts.Server, isOwned: false, connections.OpenAsync), OpenWorkerSessionAsync, Ledger, Columns);
        await using var orderly = new OrderlyStop(_request.Grace, token => pool.KillQueriesAsync(_request.Connection, token), services.Time,
            services.Log, cancellationToken, () => _isEnding());
        _missing = _facts.Key is null ? null : new MissingRows(_sources, _facts, _decision.Sizes, ConnectAloneAsync, WithinTimeAsync);
        var limit = new RowLimit(_request);
        await using var throttle = _throttle = Throttle.Of(
            _request, connections.ConnectAsync, services.Time, services.Started, Hold, services.Log);
        try
        {
            await (throttle?.ReachReplicasAsync(cancellationToken) ?? Task.CompletedTask);
            await RunFaults.ExplainAsync(
                async () =>
                {
                    _superseded = await Retry.MakeReadyAsync(
                        async fault =>
                        {
                            await (fault is null ? Task.CompletedTask : pool.RenewAsync(isElsewhere: false, cancellationToken));
                            if (throttle is not null || _decision.Sort.IsSorted || _facts.Server.LogsStatements)
                            {
                                // Before a long wait: the questions so far have begun a transaction, which keeps others from altering
                                // the table. And one that reads as of its beginning (REPEATABLE READ) must not be older than the
                                // ledger's table.
                                await pool.Lead.Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
                            }

                            return await FindSupersededAsync(pool.Lead.Session, cancellationToken);
                        },
                        cancellationToken);
                },
                () => Faults,
                cancellationToken);
            await SendAllAsync(pool, limit, orderly.Abort, cancellationToken);
        }
        finally
        {
            _missing?.Dispose();
            _superseded?.Dispose();
        }

        if (Ledger is { WasComplete: true, Identity.Id: var id })
        {
            services.Log.JobWasComplete(id, Committed.Records, Committed.Chunks);
            return;
        }

        services.Log.JobComplete(JobVerbs.Of(_request).Done, Committed.Records, Committed.Chunks);
        if (VerificationReports.WhyNone(_facts.Verify, Committed.Taken) is { } reason)
        {
            throw Faults.Explain(new ReconciliationException(reason));
        }
    }

    /// <summary>What a former start of the job has committed counts as if this one had.</summary>
    private void Resume()
    {
        if (Ledger is not { Chunks: { Count: > 0 } chunks })
        {
            return;
        }

        Committed.Add(chunks, SourceNames);
        foreach (var chunk in chunks)
        {
            rejects.AddCommitted(chunk.Rejects);
            repairs.AddCommitted(chunk.Repairs);
        }

        _unverifiedBefore = Committed.Taken.Inserted - Committed.Taken.Verified(_request.Verify);
        if (!Ledger.WasComplete)
        {
            services.Log.JobResumed(Ledger.Identity.Id, Committed.Records, chunks.Count);
        }
    }

    /// <summary>
    /// Reads and sends until the end. After a fault that passes it continues behind what is committed: with the blocks of the open chunk
    /// where they were kept, else by another reading. Keeping them takes memory and with it time, so that inputs that can be read again pay
    /// for it only once there was a fault.
    /// </summary>
    private async Task SendAsync(WorkerPool pool, RowLimit limit, Exception? last, CancellationToken abort, CancellationToken stop)
    {
        var results = new ChunkResults(_sources, rejects, repairs, _missing, limit, Committed, Report, services.Log, _decision.Sort.IsSorted
            ? () => Read.Records
            : null);
        var loader = new ChunkLoader(results, _request.IsOneChunk, _request.IsCheck, _facts.Table.IsTransactional, _throttle, services.Log);
        _isEnding = () => loader.IsEnding;
        await using var own = Feed is null ? new InputFeed() : null;
        var inputs = Feed ?? own!;
        try
        {
            await Retry.RunAsync(
                async _ =>
                {
                    try
                    {
                        var state = last is null ? LedgerState.Same : await RecoverAsync(last, pool, loader, stop);
                        if (state == LedgerState.SameWithOpen && _request.IsOneChunk)
                        {
                            // Its COMMIT had only lost its answer.
                            return;
                        }

                        await (state == LedgerState.Other ? inputs.ForgetAsync() : Task.CompletedTask);

                        var feed = inputs.Kept ?? await ReadAsync(inputs, pool.Lead, loader.Behind, last is not null, stop);
                        await RunAsync(loader, pool, results, feed, stop, abort);
                    }
                    catch (Exception fault)
                    {
                        last = fault;
                        throw;
                    }
                },
                _ => CanGoOn(stop) && (CanReadAgain || !inputs.HasGivenUp), () => Committed.Chunks, stop);
        }
        catch (Exception fault)
        {
            loader.GiveUp(fault);
            throw;
        }
        finally
        {
            _narrowed += loader.NarrowedBatches;
        }
    }

    private async Task RunAsync(
        ChunkLoader loader, WorkerPool pool, ChunkResults results, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        var lead = pool.LeadWorker(results);
        if (_decision.Sessions.Most == 1 || _lockFault is not null)
        {
            await loader.RunAsync(lead, feed, stop, abort);
            return;
        }

        _size.BeginAgain();
        await using var scheduler = new ChunkScheduler(_size, lead, token => pool.OpenWorkerAsync(results, token), _order, services.Log);
        try
        {
            await loader.RunAsync(scheduler, feed, stop, abort);
        }
        finally
        {
            _fewerSessions = scheduler.Refusal is { } refusal && scheduler.Sessions < _decision.Sessions.Most
                ? $"{scheduler.Sessions:N0} of {Plural.Count(_decision.Sessions.Most, "session")}: {refusal}"
                : null;
        }
    }

    private async Task<ReplayQueue> ReadAsync(
        InputFeed inputs, WorkerSession lead, ResumePoint behind, bool isAgain, CancellationToken stop)
    {
        if (isAgain && KnowsSuperseded)
        {
            // They are reported once, in the input's order.
            _superseded?.Dispose();
            _superseded = await FindSupersededAsync(lead.Session, stop);
        }

        var committed = ReadCommitted();
        if (committed is null && !isAgain && _sources.All(source => source.Content is not { Behind: > 0 })
            && inputs.TakeAhead() is { } ahead)
        {
            _reading = ahead.Reading;
            _reading.OnSorting = ReportSorting;
            return ahead.Feed;
        }

        var keeps = ChunkSizes.CanKeep(_facts) && (isAgain || _decision.KeepsChunks || !CanReadAgain);
        _reading = new InputReader(_sources, _request, _facts, keeps
            ? ChunkSizes.With(_decision.Sizes, _request, areKept: true, _decision.Sessions.Most)
            : _decision.Sizes, _superseded, committed, behind, _decision.Sort)
        {
            OnSorting = ReportSorting,
        };
        return await inputs.StartAsync(_reading, keeps, _decision.Sizes.Kept, stop);
    }

    private void ReportSorting() =>
        services.Progress?.Report(new LoadProgress(Read.Bytes, _sources.TotalBytes(), _sent, Committed.Records, "sorting"));

    private async Task FinishAsync(
        Func<Action<string>, CancellationToken, Task> onAllCommitted, IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            // Where nothing was sent, the questions before have left a transaction open, which keeps others, and what comes here, from
            // altering the table.
            await (session.IsUsable ? session.ExecuteAsync(TransactionSql.RollBack, cancellationToken).AsTask() : Task.CompletedTask);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !cancellationToken.IsCancellationRequested)
        {
            // The lost session holds no locks.
        }

        await onAllCommitted(Hold, cancellationToken);
    }

    /// <summary>
    /// Until all is sent, the two sides add up, and the ledger has each chunk that counts as committed: what the server has lost is sent
    /// again.
    /// </summary>
    private async Task SendAllAsync(WorkerPool pool, RowLimit limit, CancellationToken abort, CancellationToken stop)
    {
        ServerException? fault = null;
        for (var tries = 0; ; tries++)
        {
            await RunFaults.ExplainAsync(
                async () =>
                {
                    await SendAsync(pool, limit, fault, abort, stop);
                    limit.CheckEnd(Committed.Taken.TouchedRows);
                },
                () => Faults,
                stop);
            Reconcile();
            if (OnAllCommitted is { } onAllCommitted)
            {
                await FinishAsync(onAllCommitted, pool.Lead.Session, stop);
            }

            var isComplete = false;
            await RunFaults.ExplainAsync(async () => isComplete = await CompleteAsync(stop), () => Faults, stop);
            if (isComplete)
            {
                return;
            }

            fault = new ServerException(FaultKind.TransactionLost, "the ledger has other chunks than those that were committed");
            if (tries >= _request.Retry.Most)
            {
                throw new ReconciliationException($"{fault.Message}, again and again: compare the table with the input before you use it");
            }
        }
    }

    /// <returns>false: the ledger has other chunks than those that count as committed</returns>
    /// <exception cref="ServerException">all is committed, but that cannot be written down: the next start finds it out</exception>
    private async Task<bool> CompleteAsync(CancellationToken stop)
    {
        if (Ledger is null or { WasComplete: true })
        {
            return true;
        }

        Ledger.Total = () => new JobTotal(Committed.Chunks, Committed.Records, Committed.Taken.Present, rejects.Committed);
        var isComplete = false;
        await Retry.RunAsync(async token => isComplete = await Ledger.CompleteAsync(services.Time.GetUtcNow().UtcDateTime, token),
            _ => !stop.IsCancellationRequested, () => 0, stop);
        return isComplete;
    }

    private RunFaults Faults =>
        new(_request, rejects, Committed, _sources.Count == 1, Retry.Count, Ledger is { Identity.IsLasting: false } unnamed
            ? unnamed.Identity.Id
            : null);

    private CommittedRecords? ReadCommitted() => Ledger is null or { Former: null, Chunks.Count: 0 } ? null
        : new CommittedRecords(Ledger.Identity.Id, Ledger.Chunks, Ledger.WasComplete, SourceNames, _request.Kind == JobKind.Update
            && KnowsSuperseded ? IsSuperseded : null)
        { SortedBy = _decision.Sort.By };

    private bool IsSuperseded(int source, long record) => _superseded?.Has(RecordId.Of(source, record)) == true;

    /// <summary>Whether records that another one replaces are found out before anything is sent. Sorted ones show them by
    /// themselves.</summary>
    private bool KnowsSuperseded => !_decision.Sort.IsSorted && (_request.Kind == JobKind.Update || _decision.Sessions.NeedsDistinctKeys);

    private bool CanReadAgain => _sources.All(source => source.CanReadAgain);

    /// <summary>
    /// Whether what became of the open chunk can be found out, and be sent again. Never after a stop, whose own means look like faults.
    /// </summary>
    private bool CanGoOn(CancellationToken stop) =>
        !stop.IsCancellationRequested && _facts.Table.IsTransactional && (!Committed.IsInDoubt || Ledger is not null)
            && (!_request.IsOneChunk || CanReadAgain);

    /// <param name="fault">that ended the try before</param>
    /// <param name="loader">continues behind what is committed</param>
    private async Task<LedgerState> RecoverAsync(Exception fault, WorkerPool pool, ChunkLoader loader, CancellationToken cancellationToken)
    {
        if (fault is ServerException { Error: ServerError.LockWaitTimeout or ServerError.LockDeadlock } locked)
        {
            // Should sessions have waited for each other, they would do so again: one for locks, the other for its chunk's turn.
            _lockFault = locked.Message;
        }

        var isElsewhere = fault is ServerException { IsNotReady: true };
        await pool.RenewAsync(isElsewhere, cancellationToken);
        _check.Follow(pool.Lead.Server);
        if (Ledger is not null)
        {
            await Ledger.HoldAsync(isElsewhere, cancellationToken);
        }

        _order.Rewind();
        var state = await loader.RecoverAsync(pool.Lead.Session, Ledger is null ? null : _check, cancellationToken);
        _sent = Committed.Records - Committed.EarlierRecords;
        return state;
    }

    /// <inheritdoc/>
    public LoadReport Complete(LoadReport report)
    {
        // A start that reads again what an earlier one has committed may end before it has read all of that, which was read then.
        var known = Committed.Records + report.Counts.Rejected;
        var read = Math.Max(report.Counts.Read, known);
        var counts = report.Counts with { Read = read, NotCommitted = read - known };
        return report with
        {
            Notes = [.. report.Notes, .. Ledger?.NotesOf(report)
                ?? [], .. WayNotes(),
                .. new[] { report.Outcome == LoadOutcome.Interrupted
                    ? Faults.DescribeStop()
                    : Committed.IsInDoubt
                    ? Committed.DescribeDoubt(Ledger is not null)
                    : null, _missing?.Note, _facts.Table.IsTransactional || report.Outcome == LoadOutcome.Complete
                    ? null
                    : NonTransactionalRules.DescribeEnd(_facts.Table) }.OfType<string>()],
            Counts = _request.IsCheck
                ? counts with { Accepted = Committed.Records }
                : Taken.AddTo(counts, _facts.Verify is null ? null : _request.Verify),
            Verification = VerificationReports.Of(_facts, report.Failure, Committed.Taken, _unverifiedBefore),
            Job = Ledger?.Identity.Id,
            Retries = Retry.Count,
            FirstRetries = Retry.Reports,
            Waits = _throttle?.Waited ?? [],
            EarlierChunks = Committed.Earlier,
            Chunks = Committed.Chunks,
            Batches = Committed.Batches,
            NarrowedBatches = _narrowed,
        };
    }

    /// <summary>What is committed, with the rows that went when the table was emptied.</summary>
    private RowCounts Taken => Committed.Last is null || Ledger is null
        ? Committed.Taken : Committed.Taken with { DeletedRows = Committed.Taken.DeletedRows + Ledger.EmptiedRows };

    private IEnumerable<string> WayNotes()
    {
        var sort = _decision.Sort is { IsSorted: true } && _sent > 0
            ? $"sorted by {_decision.Sort.By} before it was sent: {_decision.Sort.Reason}" : null;
        var fault = _lockFault is not null && _decision.Sessions.Most > 1 ? $"one session after a fault: {_lockFault}" : null;
        string?[] notes =
            [.. _check?.Notes ?? [], sort, .. _order.Describe(SourceNames, _decision.Sort.IsSorted), fault, _fewerSessions, _size.Finding];
        return notes.OfType<string>();
    }

    private async Task<RepeatedKeys?> FindSupersededAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if (!KnowsSuperseded)
        {
            return null;
        }

        // Before a long wait: with autocommit off, the questions so far have begun a transaction, which keeps others from altering the
        // table.
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return await WithinTimeAsync(
            new SupersededRecords(_sources, _facts, _decision.Sizes, ConnectAloneAsync).FindAsync, cancellationToken);
    }

    private Task<RepeatedKeys?> WithinTimeAsync(Func<CancellationToken, Task<RepeatedKeys?>> work, CancellationToken stop) =>
        _throttle?.WithinTimeAsync(work, stop) ?? work(stop);

    private async Task<WorkerSession> OpenWorkerSessionAsync(CancellationToken cancellationToken)
    {
        var (session, server) = await connections.TakeSecondAsync(cancellationToken);
        var opened = new WorkerSession(_decision, _facts, session, server, isOwned: true, connections.OpenAsync);
        try
        {
            _check.RequireSameServer(server);
            return opened;
        }
        catch
        {
            await opened.DisposeAsync();
            throw;
        }
    }

    private async Task<IServerSession> ConnectAloneAsync(CancellationToken cancellationToken) =>
        (await connections.OpenAsync(cancellationToken)).Session;

    private void Report(long rows)
    {
        _sent += rows;
        Hold(null);
    }

    private void Hold(string? reason) =>
        services.Progress?.Report(new LoadProgress(BytesSent, _sources.TotalBytes(), _sent, Committed.Records, reason));

    /// <summary>Of the input, as stored, so much as its records are of those that were read: reading is ahead of sending, by all of a small
    /// input.</summary>
    private long BytesSent
    {
        get
        {
            var settled = Math.Max(_sent + Committed.EarlierRecords, Committed.Records) + rejects.Committed;
            return (long)(Read.Bytes * Math.Min(1, (double)settled / Math.Max(1, Read.Records)));
        }
    }

    /// <summary>Both sides counted by themselves; each record read must have been taken by the server or be a reject.</summary>
    private void Reconcile()
    {
        if (Read.Records != Committed.Records + rejects.Committed)
        {
            throw new ReconciliationException(
                $"counts do not add up: {Read.Records} {Plural.For(Read.Records, "record was", "records were")} read, "
                + $"{Committed.Records} taken by the server and {rejects.Committed} rejected; compare the table with the input before you "
                + "use it");
        }
    }
}
