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
    : JobRun(job, services, rejects, repairs)
{
    private readonly IReadOnlyList<LoadSource> _sources = job.Sources;
    private readonly LoadFacts _facts = job.Facts;
    private readonly LoadDecision _decision = job.Decision;
    private readonly RecordOrder _order = new(
        job.Facts.Columns, job.Decision.Sessions.WatchedKeys, job.Decision.Sort.IsSorted, job.Decision.Sessions.AllWait);
    private readonly WorkerCountTuner _size = new(job.Decision.Sessions.Most, job.Decision.Sessions.MostTried, services.Time);
    private readonly RowLimit _limit = new(job.Request);
    private InputReader _reading = new(job.Sources, job.Facts, job.Decision.Sizes);
    private WorkerPool _pool = null!;
    private CommitCheck _check = null!;
    private Throttle? _throttle;
    private MissingRows? _missing;
    private RepeatedKeys? _superseded;
    private CancellationToken _stop;
    private CancellationToken _abort;
    private string? _fewerSessions;
    private string? _lockFault;
    private long _narrowed;
    private long _sent;
    private long _unverifiedBefore;

    /// <summary>What is committed already, and takes what will be; stays the caller's; null: nobody keeps it.</summary>
    public JobLedger? Ledger { private get; init; }

    /// <summary>May have begun to read; stays the caller's; null: it has not.</summary>
    public InputFeed? Feed { private get; init; }

    /// <summary>Counts what was tried again before too.</summary>
    public ChunkRetry Retry { private get; init; } = new(job.Request.Retry, services.Time, services.Log);

    /// <summary>Asked before a chunk is committed; null: nobody is.</summary>
    public ColumnWatch? Columns { private get; init; }

    /// <summary>Of indexes that are missing while the job runs; null: none are.</summary>
    public IndexRebuild? Rebuild { private get; init; }

    /// <summary>Whether a chunk is sent as one that can be rolled back; else what was sent stays, and so no row goes behind a reject too
    /// many.</summary>
    public bool UndoesChunks { private get; init; } = job.Facts.Table.IsTransactional;

    /// <summary>Batches that the server did not take as sent.</summary>
    public long NarrowedBatches => _narrowed;

    public override ReadCounts Read => _reading.Read;

    public CommittedState Committed { get; } = new() { SortedBy = job.Decision.Sort.By };

    public override bool HasCommitted => Committed is { Last: not null } or { IsInDoubt: true };

    /// <summary>Whether records that another one replaces are found out before anything is sent. Sorted ones show them by
    /// themselves.</summary>
    private bool KnowsSuperseded => !_decision.Sort.IsSorted && (Request.Kind == JobKind.Update || _decision.Sessions.NeedsDistinctKeys);

    private bool CanReadAgain => _sources.All(source => source.CanReadAgain);

    private RunFaults Faults =>
        new(Request, Rejects, Committed, _facts.Table.DisplayName, _sources.Count == 1, Retry.Count,
            Ledger is { Identity.IsLasting: false } unnamed ? unnamed.Identity.Id : null);

    public override Task RunAsync(IServerSession session, CancellationToken cancellationToken) =>
        Rebuild?.RunAsync(session, () => LoadAsync(session, cancellationToken), cancellationToken) ?? LoadAsync(session, cancellationToken);

    private async Task LoadAsync(IServerSession session, CancellationToken stop)
    {
        Resume();
        _check = new CommitCheck(Ledger, Committed, _facts.Server, SourceNames, CanReadAgain, Services.Log);
        var lead = CreateWorker(new ReadySession(session, _facts.Server), isOwned: false);
        await using var pool = new WorkerPool(lead, connections.OpenAsync, OpenWorkerAsync);
        _pool = pool;
        await using var orderly = new OrderlyStop(
            Request.Grace, token => pool.KillQueriesAsync(Request.Connection, token), Services.Time, Services.Log, stop);
        (_stop, _abort) = (stop, orderly.Abort);
        using var missing = _missing = _facts.Key is null
            ? null
            : new MissingRows(_sources, _facts, _decision.Sizes, ConnectAloneAsync, WithinTimeAsync);
        await using var throttle = _throttle = Throttle.Of(Request, connections.ConnectAsync, Services, Hold);
        try
        {
            await (throttle?.RequireAnswersAsync(stop) ?? Task.CompletedTask);
            await ExplainAsync(async () => _superseded = await Retry.MakeReadyAsync(PrepareAsync, stop));
            await SendAllAsync();
        }
        finally
        {
            _narrowed = pool.NarrowedBatches;
            _superseded?.Dispose();
        }

        if (Ledger is { WasComplete: true, Identity.Id: var id })
        {
            Services.Log.JobWasComplete(id, Committed.Records, Committed.Chunks);
            return;
        }

        Services.Log.JobComplete(JobVerbs.Of(Request).Done, Committed.Records, Committed.Chunks);
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
        Rejects.AddCommitted(chunks.Rejects);
        Repairs.AddCommitted(chunks.Repairs);

        _unverifiedBefore = Committed.Taken.Inserted - Committed.Taken.Verified(Request.Verify);
        if (!Ledger.WasComplete)
        {
            Services.Log.JobResumed(Ledger.Identity.Id, Committed.Records, chunks.Count);
        }
    }

    private async Task<RepeatedKeys?> PrepareAsync(Exception? fault)
    {
        await (fault is null ? Task.CompletedTask : _pool.RenewAsync(isElsewhere: false, _stop));
        if (_throttle is not null || _decision.Sort.IsSorted || _facts.Server.LogsStatements)
        {
            // Before a long wait: the questions so far have begun a transaction, which keeps others from altering the table. And one that
            // reads as of its beginning (REPEATABLE READ) must not be older than the ledger's table.
            await _pool.Lead.Session.ExecuteAsync(TransactionSql.RollBack, _stop);
        }

        return await FindSupersededAsync();
    }

    /// <summary>Until all is sent, the two sides add up, and the ledger has each chunk that counts as committed: what the server has lost
    /// is sent again.</summary>
    private async Task SendAllAsync()
    {
        ServerException? fault = null;
        for (var tries = 0; ; tries++)
        {
            await ExplainAsync(async () =>
            {
                await SendAsync(fault);
                _limit.CheckEnd(Committed.Taken.TouchedRows);
            });
            Reconcile();
            await AddIndexesAsync();
            var isComplete = false;
            await ExplainAsync(async () => isComplete = await CompleteAsync());
            if (isComplete)
            {
                return;
            }

            fault = new ServerException(FaultKind.TransactionLost, "the ledger has other chunks than those that were committed");
            if (tries >= Request.Retry.Most)
            {
                throw new ReconciliationException($"{fault.Message}, again and again: compare the table with the input before you use it");
            }
        }
    }

    /// <summary>Reads and sends until the end. After a fault that passes it continues behind what is committed: with the blocks of the open
    /// chunk where they were kept, else by another reading. Keeping them takes memory and with it time, so that inputs that can be read
    /// again pay for it only once there was a fault.</summary>
    /// <param name="lost">the chunks that the server has lost since all was sent; null: none</param>
    private async Task SendAsync(ServerException? lost)
    {
        var results = new ChunkResults(_sources, Rejects, Repairs, Committed, _limit, Services.Log)
        {
            Missing = _missing,
            OnSent = CountSent,
            AllRead = _decision.Sort.IsSorted ? () => Read.Records : null,
        };
        var rules = new ChunkRules(results, Request.IsOneChunk, Request.Mode.IsCheck, UndoesChunks, _throttle);
        var loader = new ChunkLoader(rules, Services.Log);
        await using var own = Feed is null ? new InputFeed() : null;
        var inputs = Feed ?? own!;
        try
        {
            await Retry.RunAsync(
                last => TryAsync(last ?? lost, loader, rules, inputs),
                _ => CanGoOn && (CanReadAgain || !inputs.HasGivenUp), () => Committed.Chunks, _stop);
        }
        catch (Exception fault)
        {
            loader.GiveUp(fault);
            throw;
        }
    }

    private async Task TryAsync(Exception? last, ChunkLoader loader, ChunkRules rules, InputFeed inputs)
    {
        var state = last is null ? LedgerState.Same : await RecoverAsync(last, loader);
        if (state == LedgerState.SameWithOpen && Request.IsOneChunk)
        {
            // Its COMMIT had only lost its answer.
            return;
        }

        await (state == LedgerState.Other ? inputs.ForgetAsync() : Task.CompletedTask);
        var feed = inputs.Kept ?? await ReadAsync(inputs, loader.Behind, last is not null);
        _pool.Lead.Start(rules.Results);
        _size.BeginAgain();
        var isAlone = _decision.Sessions.Most == 1 || _lockFault is not null;
        await using var scheduler = new ChunkScheduler(_pool, rules, isAlone, _size, _order, Services.Log);
        try
        {
            await loader.RunAsync(scheduler, feed, _stop, _abort);
        }
        finally
        {
            if (!isAlone)
            {
                _fewerSessions = scheduler.Refusal is { } refusal && scheduler.Sessions < _decision.Sessions.Most
                    ? $"{scheduler.Sessions:N0} of {Plural.Count(_decision.Sessions.Most, "session")}: {refusal}"
                    : null;
            }
        }
    }

    /// <summary>Whether what became of the open chunk can be found out, and be sent again. Never after a stop, whose own means look like
    /// faults.</summary>
    private bool CanGoOn =>
        !_stop.IsCancellationRequested && _facts.Table.IsTransactional && (!Committed.IsInDoubt || Ledger is not null)
            && (!Request.IsOneChunk || CanReadAgain);

    /// <param name="fault">that ended the try before</param>
    private async Task<LedgerState> RecoverAsync(Exception fault, ChunkLoader loader)
    {
        if (fault is ServerException { Error: ServerError.LockWaitTimeout or ServerError.LockDeadlock } locked)
        {
            // Should sessions have waited for each other, they would do so again: one for locks, the other for its chunk's turn.
            _lockFault = locked.Message;
        }

        var isElsewhere = fault is ServerException { IsNotReady: true };
        await _pool.RenewAsync(isElsewhere, _stop);
        _check.Follow(_pool.Lead.Server);
        await (Ledger?.HoldAsync(isElsewhere, _stop) ?? Task.CompletedTask);
        _order.Rewind();
        var state = await loader.RecoverAsync(_pool.Lead.Session, Ledger is null ? null : _check, _stop);
        _sent = Committed.Records - Committed.EarlierTaken.Count;
        return state;
    }

    /// <summary>Begins to read what is not committed, unless that was begun ahead.</summary>
    private async Task<ReplayQueue> ReadAsync(InputFeed inputs, ResumePoint behind, bool isAgain)
    {
        if (isAgain && KnowsSuperseded)
        {
            // They are reported once, in the input's order.
            _superseded?.Dispose();
            _superseded = await FindSupersededAsync();
        }

        var committed = ReadCommitted();
        if (committed is null && !isAgain && _sources.All(source => source.Content is not { IsLeftOutInPart: true })
            && inputs.TakeAhead() is { } ahead)
        {
            _reading = ahead.Reading;
            _reading.OnSorting = ReportSorting;
            return ahead.Feed;
        }

        var keeps = ChunkSizes.CanKeep(_facts) && (isAgain || _decision.KeepsChunks || !CanReadAgain);
        var sizes = keeps ? ChunkSizes.With(_decision.Sizes, Request, areKept: true, _decision.Sessions.Most) : _decision.Sizes;
        _reading = new InputReader(_sources, _facts, sizes, new KnownRecords(committed, behind, _superseded), _decision.Sort)
        {
            OnSorting = ReportSorting,
        };
        return await inputs.StartAsync(_reading, keeps, _decision.Sizes.Kept, _stop);
    }

    private CommittedRecords? ReadCommitted() => Ledger is null or { Former: null, Chunks.Count: 0 } ? null
        : new CommittedRecords(Ledger.Identity.Id, Ledger.Chunks, Ledger.WasComplete, SourceNames, Request.Kind == JobKind.Update
            && KnowsSuperseded ? IsSuperseded : null)
        { SortedBy = _decision.Sort.By };

    private bool IsSuperseded(int source, long record) => _superseded?.Has(RecordId.Of(source, record)) == true;

    private async Task<RepeatedKeys?> FindSupersededAsync()
    {
        if (!KnowsSuperseded)
        {
            return null;
        }

        // Before a long wait: with autocommit off, the questions so far have begun a transaction, which keeps others from altering the
        // table.
        await _pool.Lead.Session.ExecuteAsync(TransactionSql.RollBack, _stop);
        var progress = new PassProgress(Services.Progress, "reading keys", TotalBytes);
        return await WithinTimeAsync(
            new SupersededRecords(_sources, _facts, _decision.Sizes, ConnectAloneAsync, progress).FindAsync, _stop);
    }

    /// <summary>Both sides counted by themselves; each record read must have been taken by the server or be a reject.</summary>
    private void Reconcile()
    {
        if (Read.Records != Committed.Records + Rejects.Committed)
        {
            throw new ReconciliationException(
                $"counts do not add up: {Read.Records} {Plural.For(Read.Records, "record was", "records were")} read, "
                + $"{Committed.Records} taken by the server and {Rejects.Committed} rejected; compare the table with the input before you "
                + "use it");
        }
    }

    private async Task AddIndexesAsync()
    {
        if (Rebuild is null)
        {
            return;
        }

        try
        {
            // Where nothing was sent, the questions before have left a transaction open, which keeps others, and what comes here, from
            // altering the table.
            var session = _pool.Lead.Session;
            await (session.IsUsable ? session.ExecuteAsync(TransactionSql.RollBack, _stop).AsTask() : Task.CompletedTask);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !_stop.IsCancellationRequested)
        {
            // The lost session holds no locks.
        }

        await Rebuild.AddAsync(Hold, _stop);
    }

    /// <returns>false: the ledger has other chunks than those that count as committed</returns>
    /// <exception cref="ServerException">all is committed, but that cannot be written down: the next start finds it out</exception>
    private async Task<bool> CompleteAsync()
    {
        if (Ledger is null or { WasComplete: true })
        {
            return true;
        }

        Ledger.Total = () => new JobTotal(Committed.Chunks, Committed.Records, Committed.Taken.Present, Rejects.Committed);
        var isComplete = false;
        await Retry.RunAsync(async _ => isComplete = await Ledger.CompleteAsync(Services.Time.GetUtcNow().UtcDateTime, _stop),
            _ => !_stop.IsCancellationRequested, () => 0, _stop);
        return isComplete;
    }

    public override LoadReport Complete(LoadReport report)
    {
        // A start that reads again what an earlier one has committed may end before it has read all of that, which was read then.
        var known = Committed.Records + report.Counts.Rejected;
        var read = Math.Max(report.Counts.Read, known);
        var counts = report.Counts with { Read = read, NotCommitted = read - known };
        report = report with
        {
            Notes = [.. report.Notes, .. Ledger?.NotesOf(report) ?? [], .. WayNotes(), .. EndNotes(report.Outcome)],
            Counts = Request.Mode.IsCheck
                ? counts with { Accepted = Committed.Records }
                : Taken.AddTo(counts, _facts.Verify is null ? null : Request.Verify),
            Verification = VerificationReports.Of(_facts, report.Failure, Committed.Taken, _unverifiedBefore),
            Job = Ledger?.Identity.Id,
            Retries = Retry.Count,
            FirstRetries = Retry.Reports,
            Waits = _throttle?.Waited ?? [],
            EarlierChunks = Committed.Earlier,
            EarlierCounts = Committed.EarlierTaken.AddTo(new LoadCounts(), null),
            Chunks = Committed.Chunks,
            Batches = Committed.Batches,
            NarrowedBatches = _narrowed,
        };
        if (report.Outcome == LoadOutcome.Interrupted)
        {
            var (state, ways) = Faults.DescribeStop();
            report = report with { State = state, WaysOn = ways };
        }

        return Rebuild?.Complete(report) ?? report;
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

    private IEnumerable<string> EndNotes(LoadOutcome outcome)
    {
        var stopped = outcome != LoadOutcome.Interrupted && Committed.IsInDoubt ? Committed.DescribeDoubt(Ledger is not null) : null;
        var kept = _facts.Table.IsTransactional || outcome == LoadOutcome.Complete ? null : NonTransactionalRules.DescribeEnd(_facts.Table);
        string?[] notes = [stopped, _missing?.Note, kept];
        return notes.OfType<string>();
    }

    private Worker CreateWorker(ReadySession ready, bool isOwned) =>
        new(ready, session => SessionSenders.Of(_decision, _facts, session), new LedgerEntry(Ledger, Columns), isOwned);

    private async Task<Worker> OpenWorkerAsync(CancellationToken cancellationToken)
    {
        var opened = await connections.TakeSecondAsync(cancellationToken);
        try
        {
            _check.RequireSameServer(opened.Server);
            return CreateWorker(opened, isOwned: true);
        }
        catch
        {
            await opened.DisposeAsync();
            throw;
        }
    }

    private async Task<IServerSession> ConnectAloneAsync(CancellationToken cancellationToken) =>
        (await connections.OpenAsync(cancellationToken)).Session;

    private Task<RepeatedKeys?> WithinTimeAsync(Func<CancellationToken, Task<RepeatedKeys?>> work, CancellationToken stop) =>
        _throttle?.WithinTimeAsync(work, stop) ?? work(stop);

    private Task ExplainAsync(Func<Task> run) => RunFaults.ExplainAsync(run, () => Faults, _stop);

    private void CountSent(long rows)
    {
        _sent += rows;
        Hold(null);
    }

    private void Hold(string? reason) => Report(BytesSent, reason);

    private void ReportSorting() => Report(Read.Bytes, "sorting");

    private void Report(long bytes, string? held) =>
        Services.Progress?.Report(new LoadProgress(bytes, TotalBytes, _sent, Committed.Records, held));

    /// <summary>Of the input, as stored, so much as its records are of those that were read: reading is ahead of sending, by all of a small
    /// input.</summary>
    private long BytesSent
    {
        get
        {
            var settled = Math.Max(_sent + Committed.EarlierTaken.Count, Committed.Records) + Rejects.Committed;
            return (long)(Read.Bytes * Math.Min(1, (double)settled / Math.Max(1, Read.Records)));
        }
    }
}
