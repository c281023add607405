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
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>One run of a plan: the reading side and the sending side, joined by a bounded channel; tried again after faults that pass.</summary>
/// <param name="request">what was asked for</param>
/// <param name="sources">the inputs</param>
/// <param name="sending">how rows are sent</param>
/// <param name="facts">that it was chosen by</param>
/// <param name="rejects">takes what is refused</param>
/// <param name="repairs">takes what was repaired</param>
/// <param name="progress">told after each batch</param>
/// <param name="ledger">what is committed already, and takes what will be; stays the caller's; null: nobody keeps it</param>
/// <param name="feeder">may have begun to read; stays the caller's; null: it has not</param>
/// <param name="connect">opens a session as the first was; null: as the request says</param>
/// <param name="started">when the job was, by the clock; null: now</param>
/// <param name="retry">counts what was tried again before too; null: nothing was</param>
/// <param name="columns">asked before a chunk is committed; null: nobody is</param>
/// <param name="finish">called when all is committed, before that is written down, with what is told of a wait; null: nothing is left to do</param>
/// <param name="second">a session beside the first, which was opened as that was; stays the caller's unless it is taken; null: it is opened when there is work for it</param>
internal sealed class LoadRun(
    LoadRequest request, IReadOnlyList<LoadSource> sources, LoadDecision sending, LoadFacts facts, RejectLog rejects, RepairLog repairs,
    IProgress<LoadProgress>? progress, TimeProvider time, ILogger log, JobLedger? ledger = null, InputFeed? feeder = null, Func<CancellationToken, Task<IServerSession>>? connect = null, long? started = null,
    ChunkRetry? retry = null, ColumnWatch? columns = null, Func<Action<string>, CancellationToken, Task>? finish = null, BackgroundTask<ReadySession>? second = null) : ILoadRun
{
    private readonly ChunkRetry _retry = retry ?? new(request.Retry, time, log);
    private readonly long _started = started ?? time.GetTimestamp();
    private readonly RecordOrder _order = new(facts.Columns, sending.Sessions.WatchedKeys, sending.Sort.IsSorted, sending.Sessions.AllWait);
    private readonly WorkerCountTuner _size = new(sending.Sessions.Most, sending.Sessions.MostTried, time);
    private InputReader _reading = new(sources, request, facts, sending.Sizes);
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

    public ReadCounts Read => _reading.Read;

    public CommittedState Committed { get; } = new() { SortedBy = sending.Sort.By };

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    public bool HasCommitted => Committed is { Last: not null } or { IsInDoubt: true };

    public IReadOnlyList<string> SourceNames { get; } = [.. sources.Select(source => source.Look.Name)];

    /// <inheritdoc/>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        Resume();
        _check = new CommitCheck(ledger, Committed, facts.Server, SourceNames, CanReadAgain, log);
        await using var crew = new WorkerPool(new WorkerSession(sending, facts, session, facts.Server, isOwned: false, ConnectAsync), OpenCarrierAsync, ledger, columns);
        await using var orderly = new OrderlyStop(request.Grace, token => crew.KillQueriesAsync(request.Connection, token), time, log, cancellationToken, () => _isEnding());
        _missing = facts.Key is null ? null : new MissingRows(sources, facts, sending.Sizes, ConnectAloneAsync, WithinTimeAsync);
        var limit = new RowLimit(request);
        await using var throttle = _throttle = Throttle.Of(request, ConnectAsync, time, _started, Hold, log);
        try
        {
            await (throttle?.ReachReplicasAsync(cancellationToken) ?? Task.CompletedTask);
            await RunFaults.ExplainAsync(
                async () =>
                {
                    _superseded = await _retry.MakeReadyAsync(
                        async fault =>
                        {
                            await (fault is null ? Task.CompletedTask : crew.RenewAsync(isElsewhere: false, cancellationToken));
                            if (throttle is not null || sending.Sort.IsSorted || facts.Server.LogsStatements)
                            {
                                // Before a long wait: the questions so far have begun a transaction, which keeps others from altering
                                // the table. And one that reads as of its beginning (REPEATABLE READ) must not be older than the
                                // ledger's table.
                                await crew.Lead.Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
                            }

                            return await FindSupersededAsync(crew.Lead.Session, cancellationToken);
                        },
                        cancellationToken);
                },
                () => Faults,
                cancellationToken);
            await SendAllAsync(crew, limit, orderly.Abort, cancellationToken);
        }
        finally
        {
            _missing?.Dispose();
            _superseded?.Dispose();
        }

        if (ledger is { WasComplete: true, Identity.Id: var id })
        {
            log.JobWasComplete(id, Committed.Records, Committed.Chunks);
            return;
        }

        log.JobComplete(JobVerbs.Of(request).Done, Committed.Records, Committed.Chunks);
        if (VerificationReports.WhyNone(facts.Verify, Committed.Taken) is { } reason)
        {
            throw Faults.Explain(new ReconciliationException(reason));
        }
    }

    /// <summary>What a former start of the job has committed counts as if this one had.</summary>
    private void Resume()
    {
        if (ledger is not { Chunks: { Count: > 0 } chunks })
        {
            return;
        }

        Committed.Add(chunks, SourceNames);
        foreach (var chunk in chunks)
        {
            rejects.AddCommitted(chunk.Rejects);
            repairs.AddCommitted(chunk.Repairs);
        }

        _unverifiedBefore = Committed.Taken.Inserted - Committed.Taken.Verified(request.Verify);
        if (!ledger.WasComplete)
        {
            log.JobResumed(ledger.Identity.Id, Committed.Records, chunks.Count);
        }
    }

    /// <summary>
    /// Reads and sends until the end. After a fault that passes it goes on behind what is committed: with the blocks of the open chunk where
    /// they were kept, else by another reading. Keeping them takes memory and with it time, so that inputs that can be read again pay for it
    /// only once there was a fault.
    /// </summary>
    private async Task SendAsync(WorkerPool crew, RowLimit limit, Exception? last, CancellationToken abort, CancellationToken stop)
    {
        var account = new ChunkResults(sources, rejects, repairs, _missing, limit, Committed, Report, log, sending.Sort.IsSorted ? () => Read.Records : null);
        var runner = new ChunkLoader(account, request.IsOneChunk, request.IsCheck, facts.Table.IsTransactional, _throttle, log);
        _isEnding = () => runner.IsEnding;
        await using var own = feeder is null ? new InputFeed() : null;
        var passes = feeder ?? own!;
        try
        {
            await _retry.RunAsync(
                async _ =>
                {
                    try
                    {
                        var state = last is null ? LedgerState.Same : await RecoverAsync(last, crew, runner, stop);
                        if (state == LedgerState.SameWithOpen && request.IsOneChunk)
                        {
                            // Its COMMIT had only lost its answer.
                            return;
                        }

                        await (state == LedgerState.Other ? passes.ForgetAsync() : Task.CompletedTask);

                        var feed = passes.Kept ?? await ReadAsync(passes, crew.Lead, runner.Behind, last is not null, stop);
                        await RunAsync(runner, crew, account, feed, stop, abort);
                    }
                    catch (Exception fault)
                    {
                        last = fault;
                        throw;
                    }
                },
                _ => CanGoOn(stop) && (CanReadAgain || !passes.HasGivenUp), () => Committed.Chunks, stop);
        }
        catch (Exception fault)
        {
            runner.GiveUp(fault);
            throw;
        }
        finally
        {
            _narrowed += runner.NarrowedBatches;
        }
    }

    private async Task RunAsync(ChunkLoader runner, WorkerPool crew, ChunkResults account, ReplayQueue feed, CancellationToken stop, CancellationToken abort)
    {
        var lead = crew.LineOfLead(account);
        if (sending.Sessions.Most == 1 || _lockFault is not null)
        {
            await runner.RunAsync(lead, feed, stop, abort);
            return;
        }

        _size.BeginAgain();
        await using var team = new ChunkScheduler(_size, lead, token => crew.OpenLineAsync(account, token), _order, log);
        try
        {
            await runner.RunAsync(team, feed, stop, abort);
        }
        finally
        {
            _fewerSessions = team.Refusal is { } refusal && team.Sessions < sending.Sessions.Most ? $"{team.Sessions:N0} of {sending.Sessions.Most:N0} sessions: {refusal}" : null;
        }
    }

    private async Task<ReplayQueue> ReadAsync(InputFeed passes, WorkerSession carrier, ResumePoint behind, bool isAgain, CancellationToken stop)
    {
        if (isAgain && KnowsSuperseded)
        {
            // They are told once, in the input's order.
            _superseded?.Dispose();
            _superseded = await FindSupersededAsync(carrier.Session, stop);
        }

        var committed = ReadCommitted();
        if (committed is null && !isAgain && sources.All(source => source.Content is not { Behind: > 0 }) && passes.TakeAhead() is { } ahead)
        {
            _reading = ahead.Reading;
            _reading.OnSorting = TellSorting;
            return ahead.Feed;
        }

        var keeps = ChunkSizes.CanKeep(facts) && (isAgain || sending.KeepsChunks || !CanReadAgain);
        _reading = new InputReader(sources, request, facts, keeps ? ChunkSizes.With(sending.Sizes, request, areKept: true, sending.Sessions.Most) : sending.Sizes, _superseded, committed, behind, sending.Sort)
        {
            OnSorting = TellSorting,
        };
        return await passes.StartAsync(_reading, keeps, sending.Sizes.Kept, stop);
    }

    private void TellSorting() => progress?.Report(new LoadProgress(Read.Bytes, sources.TotalBytes(), _sent, Committed.Records, "sorting"));

    private async Task FinishAsync(Func<Action<string>, CancellationToken, Task> finish, IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            // Where nothing was sent, the questions before have left a transaction open, which keeps others, and what comes here, from altering the table.
            await (session.IsUsable ? session.ExecuteAsync(TransactionSql.RollBack, cancellationToken).AsTask() : Task.CompletedTask);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !cancellationToken.IsCancellationRequested)
        {
            // It keeps nobody from anything any more.
        }

        await finish(Hold, cancellationToken);
    }

    /// <summary>
    /// Until all is sent, the two sides add up, and the ledger has each chunk that counts as committed: what the server has lost is sent again.
    /// </summary>
    private async Task SendAllAsync(WorkerPool crew, RowLimit limit, CancellationToken abort, CancellationToken stop)
    {
        ServerException? fault = null;
        for (var tries = 0; ; tries++)
        {
            await RunFaults.ExplainAsync(
                async () =>
                {
                    await SendAsync(crew, limit, fault, abort, stop);
                    limit.CheckEnd(Committed.Taken.TouchedRows);
                },
                () => Faults,
                stop);
            Reconcile();
            if (finish is not null)
            {
                await FinishAsync(finish, crew.Lead.Session, stop);
            }

            var isComplete = false;
            await RunFaults.ExplainAsync(async () => isComplete = await CompleteAsync(stop), () => Faults, stop);
            if (isComplete)
            {
                return;
            }

            fault = new ServerException(FaultKind.TransactionLost, "the ledger has other chunks than those that were committed");
            if (tries >= request.Retry.Most)
            {
                throw new ReconciliationException($"{fault.Message}, again and again: compare the table with the input before you use it");
            }
        }
    }

    /// <returns>false: the ledger has other chunks than those that count as committed</returns>
    /// <exception cref="ServerException">all is committed, but that cannot be written down: the next start finds it out</exception>
    private async Task<bool> CompleteAsync(CancellationToken stop)
    {
        if (ledger is null or { WasComplete: true })
        {
            return true;
        }

        ledger.Total = () => new JobTotal(Committed.Chunks, Committed.Records, Committed.Taken.Present, rejects.Committed);
        var isComplete = false;
        await _retry.RunAsync(async token => isComplete = await ledger.CompleteAsync(time.GetUtcNow().UtcDateTime, token), _ => !stop.IsCancellationRequested, () => 0, stop);
        return isComplete;
    }

    private RunFaults Faults => new(request, rejects, Committed, sources.Count == 1, _retry.Count, ledger is { Identity.IsLasting: false } unnamed ? unnamed.Identity.Id : null);

    private CommittedRecords? ReadCommitted() => ledger is null or { Former: null, Chunks.Count: 0 } ? null
        : new CommittedRecords(ledger.Identity.Id, ledger.Chunks, ledger.WasComplete, SourceNames, request.Kind == JobKind.Update && KnowsSuperseded ? IsSuperseded : null) { SortedBy = sending.Sort.By };

    private bool IsSuperseded(int source, long record) => _superseded?.Has(RecordId.Of(source, record)) == true;

    /// <summary>Whether records that another one stands for are found out before anything is sent. Sorted ones show them by themselves.</summary>
    private bool KnowsSuperseded => !sending.Sort.IsSorted && (request.Kind == JobKind.Update || sending.Sessions.NeedsDistinctKeys);

    private bool CanReadAgain => sources.All(source => source.CanReadAgain);

    /// <summary>
    /// Whether what became of the open chunk can be found out, and be sent again. Never after a stop, whose own means look like faults.
    /// </summary>
    private bool CanGoOn(CancellationToken stop) =>
        !stop.IsCancellationRequested && facts.Table.IsTransactional && (!Committed.IsInDoubt || ledger is not null) && (!request.IsOneChunk || CanReadAgain);

    /// <param name="fault">that ended the try before</param>
    /// <param name="crew">gets other sessions where it needs them</param>
    /// <param name="runner">goes on behind what is committed</param>
    private async Task<LedgerState> RecoverAsync(Exception fault, WorkerPool crew, ChunkLoader runner, CancellationToken cancellationToken)
    {
        if (fault is ServerException { Error: ServerError.LockWaitTimeout or ServerError.LockDeadlock } locked)
        {
            // Should sessions have waited for each other, they would do so again: one for locks, the other for its chunk's turn.
            _lockFault = locked.Message;
        }

        var isElsewhere = fault is ServerException { IsNotReady: true };
        await crew.RenewAsync(isElsewhere, cancellationToken);
        _check.Follow(crew.Lead.Server);
        if (ledger is not null)
        {
            await ledger.HoldAsync(isElsewhere, cancellationToken);
        }

        _order.Rewind();
        var state = await runner.RecoverAsync(crew.Lead.Session, ledger is null ? null : _check, cancellationToken);
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
            Notes = [.. report.Notes, .. ledger?.NotesOf(report) ?? [], .. WayNotes(), .. new[] { report.Outcome == LoadOutcome.Interrupted ? Faults.DescribeStop() : Committed.IsInDoubt ? Committed.DescribeDoubt(ledger is not null) : null, _missing?.Note, facts.Table.IsTransactional || report.Outcome == LoadOutcome.Complete ? null : NonTransactionalRules.DescribeEnd(facts.Table) }.OfType<string>()],
            Counts = request.IsCheck ? counts with { Accepted = Committed.Records } : counts with
            {
                Inserted = Committed.Taken.Inserted,
                Verified = facts.Verify is null ? 0 : Committed.Taken.Verified(request.Verify),
                Updated = Committed.Taken.Updated,
                Unchanged = Committed.Taken.Unchanged,
                Ignored = Committed.Taken.Ignored,
                Deleted = Committed.Taken.Deleted,
                Superseded = Committed.Taken.Superseded,
                NotFound = Committed.Taken.NotFound,
                DeletedRows = Committed.Taken.DeletedRows,
                MatchedRows = Committed.Taken.MatchedRows,
                ChangedRows = Committed.Taken.ChangedRows,
            },
            Verification = VerificationReports.Of(facts, report.Failure, Committed.Taken, _unverifiedBefore),
            Job = ledger?.Identity.Id,
            Retries = _retry.Count,
            FirstRetries = _retry.Reports,
            Waits = _throttle?.Waited ?? [],
            EarlierChunks = Committed.Earlier,
            Chunks = Committed.Chunks,
            Batches = Committed.Batches,
            NarrowedBatches = _narrowed,
        };
    }

    private IEnumerable<string> WayNotes()
    {
        foreach (var lost in _check?.Notes ?? [])
        {
            yield return lost;
        }

        if (sending.Sort is { IsSorted: true } sort && _sent > 0)
        {
            yield return $"sorted by {sort.By} before it was sent: {sort.Reason}";
        }

        if (_order.End is var (unknown, from))
        {
            yield return $"one session at a time from {SourceNames[unknown]}, record {from:N0} on: its key is not above all before it, or the server makes it";
        }

        if (_order.WaitingChunks > 0 && _order.Fall is var (source, record) && _order.Fall != _order.End)
        {
            var reason = sending.Sort.IsSorted ? "records before it have its key, too" : "its key is not above all before it";
            yield return $"chunks that had to wait for those before them: {_order.WaitingChunks:N0}; the first for {SourceNames[source]}, record {record:N0}: {reason}";
        }

        if (_lockFault is not null && sending.Sessions.Most > 1)
        {
            yield return $"one session after a fault: {_lockFault}";
        }

        if (_fewerSessions is not null)
        {
            yield return _fewerSessions;
        }

        if (_size.Finding is { } finding)
        {
            yield return finding;
        }
    }

    private async Task<RepeatedKeys?> FindSupersededAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if (!KnowsSuperseded)
        {
            return null;
        }

        // Before a long wait: with autocommit off, the questions so far have begun a transaction, which keeps others from altering the table.
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return await WithinTimeAsync(new SupersededRecords(sources, facts, sending.Sizes, ConnectAloneAsync).FindAsync, cancellationToken);
    }

    private Task<RepeatedKeys?> WithinTimeAsync(Func<CancellationToken, Task<RepeatedKeys?>> work, CancellationToken stop) => _throttle?.WithinTimeAsync(work, stop) ?? work(stop);

    private async Task<WorkerSession> OpenCarrierAsync(CancellationToken cancellationToken)
    {
        var (session, server) = await (second?.TryTake(out var opened) == true ? opened : ConnectAsync(cancellationToken));
        var carrier = new WorkerSession(sending, facts, session, server, isOwned: true, ConnectAsync);
        try
        {
            _check.RequireSameServer(server);
            return carrier;
        }
        catch
        {
            await carrier.DisposeAsync();
            throw;
        }
    }

    private async Task<IServerSession> ConnectAloneAsync(CancellationToken cancellationToken) => (await ConnectAsync(cancellationToken)).Session;

    private Task<ReadySession> ConnectAsync(CancellationToken cancellationToken) =>
        ReadySession.OpenAsync(token => ConnectAsync(request.WorkConnection, token), request.Values, time, cancellationToken);

    private Task<IServerSession> ConnectAsync(ConnectionOptions options, CancellationToken cancellationToken) =>
        connect is not null ? connect(cancellationToken) : OpenAsync(options, cancellationToken);

    private static async Task<IServerSession> OpenAsync(ConnectionOptions options, CancellationToken cancellationToken) => await ServerSession.ConnectAsync(options, cancellationToken);

    private void Report(long rows)
    {
        _sent += rows;
        Hold(null);
    }

    private void Hold(string? reason) => progress?.Report(new LoadProgress(BytesSent, sources.TotalBytes(), _sent, Committed.Records, reason));

    /// <summary>Of the input, as stored, so much as its records are of those that were read: reading is ahead of sending, by all of a small input.</summary>
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
                $"counts do not add up: {Read.Records} records were read, {Committed.Records} taken by the server and {rejects.Committed} rejected; compare the table with the input before you use it");
        }
    }
}
