using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Keys;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Sending.Throttling;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Reads and sends until all is committed; after temporary faults it continues after the last commit. Owns the pool of sessions,
/// the stop and the throttle. Counts and notes stay readable.</summary>
internal sealed class Attempt : IAsyncDisposable
{
    private readonly LoadWork _work;
    private readonly CancellationToken _stop;
    private readonly WorkerPool _pool;
    private readonly OrderlyStop _orderly;
    private readonly CommitCheck _check;
    private readonly Throttle? _throttle;
    private readonly MissingRows? _missing;
    private readonly RecordOrder _order;
    private readonly WorkerCountTuner _size;
    private readonly RowLimit _limit;
    private readonly ChunkFit _fit;

    /// <summary>As stored; null: an input is a pipe.</summary>
    private readonly long? _totalBytes;
    private InputReader _reading;
    private RepeatedKeys? _superseded;
    private ChosenRecords? _only;
    private string? _fewerSessions;
    private string? _lockFault;
    private long _sent;

    /// <param name="session">the first one; stays the caller's</param>
    public Attempt(LoadWork work, IServerSession session, CancellationToken stop)
    {
        (_work, _stop) = (work, stop);
        _order = new(Facts.Columns, Decision.Sessions.WatchedKeys, Decision.Sort.IsSorted, Decision.Sessions.AllWait);
        _size = new(Decision.Sessions.Max, Decision.Sessions.MaxTried, Services.Time);
        _limit = new(Request);
        _fit = new(Facts, Services.Log);
        _totalBytes = Sources.TotalBytes();
        _reading = new(Sources, Facts, Decision.Sizes);
        _check = new(Ledger, Committed, Facts.Server, Job.SourceNames, CanReadAgain, Services.Log);
        var lead = CreateWorker(new ReadySession(session, Facts.Server), isOwned: false);
        _pool = new(lead, work.Connections.OpenAsync, OpenWorkerAsync);
        _orderly = new(
            Request.Grace, token => _pool.KillQueriesAsync(Request.Connection, token), Services.Time, Services.Log, stop);
        _missing = Facts.Key is null ? null : new(Sources, Facts, Decision.Sizes, ConnectAloneAsync, WithinTimeAsync);
        _throttle = Throttle.Of(Request, work.Connections.ConnectAsync, Services, Hold);
    }

    public ReadCounts Read => _reading.Read;

    /// <summary>Number of batches that the server did not take as sent.</summary>
    public long NarrowedBatches => _pool.NarrowedBatches;

    public IReadOnlyList<WaitReport> Waits => _throttle?.Waited ?? [];

    /// <inheritdoc cref="LoadReport.Replicas"/>
    public IReadOnlyList<ReplicaReport>? Replicas => _throttle?.Replicas;

    /// <summary>Why some missing rows are not known, for people; null: they are.</summary>
    public string? MissingNote => _missing?.Note;

    private PreparedJob Job => _work.Job;

    private JobServices Services => _work.Services;

    private LoadRequest Request => Job.Request;

    private LoadFacts Facts => Job.Facts;

    private LoadDecision Decision => Job.Decision;

    private IReadOnlyList<LoadSource> Sources => Job.Sources;

    private JobLedger? Ledger => _work.Ledger;

    private ChunkRetry Retry => _work.Retry;

    private CommittedState Committed => _work.Committed;

    /// <summary>Whether a first pass finds the records that a later one replaces. In sorted records, equal keys are neighbours.</summary>
    private bool KnowsSuperseded => !Decision.Sort.IsSorted && (Request.Kind == JobKind.Update || Decision.Sessions.NeedsDistinctKeys);

    private bool CanReadAgain => Sources.All(source => source.CanReadAgain);

    /// <summary>Returns when all is committed, and the ledger says so.</summary>
    public async Task RunAsync()
    {
        if (_throttle is not null)
        {
            await _throttle.RequireAnswersAsync(_stop);
        }

        await ExplainAsync(async () => _superseded = await Retry.MakeReadyAsync(PrepareAsync, _stop));
        await SendAllAsync();
    }

    /// <summary>Where the records did not go as planned, for people.</summary>
    public IEnumerable<string> DescribeWay()
    {
        var sort = Decision.Sort is { IsSorted: true } && _sent > 0
            ? $"sorted by {Decision.Sort.By} before it was sent: {Decision.Sort.Reason}" : null;
        var fault = _lockFault is not null && Decision.Sessions.Max > 1 ? $"one session after a fault: {_lockFault}" : null;
        string?[] notes =
            [.. _check.Notes, _fit.Note, sort, .. _order.Describe(Job.SourceNames, Decision.Sort.IsSorted), fault, _fewerSessions,
                _size.Finding];
        return notes.OfType<string>();
    }

    public async ValueTask DisposeAsync()
    {
        _superseded?.Dispose();
        await (_throttle?.DisposeAsync() ?? ValueTask.CompletedTask);
        _missing?.Dispose();
        await _orderly.DisposeAsync();
        await _pool.DisposeAsync();
    }

    private async Task<RepeatedKeys?> PrepareAsync(Exception? fault)
    {
        if (fault is not null)
        {
            await _pool.RenewAsync(isElsewhere: false, _stop);
        }

        if (_throttle is not null || Decision.Sort.IsSorted || Facts.Server.LogsStatements)
        {
            // Before a long wait: the questions so far have begun a transaction. It keeps others from altering the table, and under
            // REPEATABLE READ it would not see a ledger's table that is made later.
            await _pool.Lead.Session.ExecuteAsync(TransactionSql.RollBack, _stop);
        }

        return await FindSupersededAsync();
    }

    /// <summary>Sends until the counts of both sides agree, and the ledger has each committed chunk; sends lost ones again.</summary>
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
            if (tries >= Request.Retry.MaxRetries)
            {
                throw new ReconciliationException($"{fault.Message}, again and again: compare the table with the input before you use it");
            }
        }
    }

    /// <summary>Reads and sends until the end. After a temporary fault it continues after the last commit: with the blocks of the open
    /// chunk if they were kept, else by reading again. Inputs that can be read again keep them only after a fault.</summary>
    /// <param name="lost">the server has lost chunks after all was sent; null: none</param>
    private async Task SendAsync(ServerException? lost)
    {
        var results = new ChunkResults(Sources, _work.Rejects, _work.Repairs, Committed, _limit, Services.Log)
        {
            Missing = _missing,
            Ids = _work.Ids,
            Known = _work.Job.Facts.Table.Known,
            SkippedBefore = _work.Only?.Invoke() is { } only ? only.FindSkippedBefore : null,
            OnSent = CountSent,
            AllRead = Decision.Sort.IsSorted ? () => Read.Records : null,
        };
        var rules = new ChunkRules(results, Request.IsOneChunk, Request.Mode.IsCheck, _work.UndoesChunks, _throttle);
        var loader = new ChunkLoader(rules, Services.Log);
        await using var own = _work.Feed is null ? new InputFeed() : null;
        var inputs = _work.Feed ?? own!;
        try
        {
            await Retry.RunAsync(
                last => TrySizesAsync(last ?? lost, loader, rules, inputs),
                _ => CanGoOn && (CanReadAgain || !inputs.HasGivenUp), () => Committed.Chunks, _stop);
        }
        catch (Exception fault)
        {
            loader.GiveUp(fault);
            throw;
        }
    }

    /// <summary>Tries again at once, with smaller chunks, where the server refuses one for its size: no wait would help.</summary>
    private async Task TrySizesAsync(Exception? last, ChunkLoader loader, ChunkRules rules, InputFeed inputs)
    {
        while (true)
        {
            try
            {
                await TryAsync(last, loader, rules, inputs);
                return;
            }
            catch (ServerException fault) when (_fit.IsOfSize(fault, loader.FaultyRecords))
            {
                if (Request.IsOneChunk || Request.Retry.MaxRetries == 0 || !CanGoOn || (!CanReadAgain && inputs.HasGivenUp)
                    || !_fit.TryHalve(fault, loader.FaultyRecords))
                {
                    throw _fit.Explain(fault, loader.FaultyRecords);
                }

                if (CanReadAgain)
                {
                    // Blocks are smaller, too.
                    await inputs.ForgetAsync();
                }

                last = fault;
            }
        }
    }

    private async Task TryAsync(Exception? last, ChunkLoader loader, ChunkRules rules, InputFeed inputs)
    {
        var state = last is null ? LedgerState.Same : await RecoverAsync(last, loader);
        if (state == LedgerState.SameWithOpen && Request.IsOneChunk)
        {
            // The COMMIT was done; only its answer was lost.
            return;
        }

        if (state == LedgerState.Other)
        {
            await inputs.ForgetAsync();
        }

        var feed = inputs.Kept ?? await ReadAsync(inputs, loader.ResumeAt, last is not null);
        feed.MaxRecords = Request.IsOneChunk ? long.MaxValue : _fit.MaxRecords;
        _pool.Lead.Start(rules.Results);
        _size.BeginAgain();
        var isAlone = Decision.Sessions.Max == 1 || _lockFault is not null;
        await using var scheduler = new ChunkScheduler(_pool, rules, isAlone, _size, _order, Services.Log);
        try
        {
            await loader.RunAsync(scheduler, feed, _stop, _orderly.Abort);
        }
        finally
        {
            _fewerSessions = isAlone ? _fewerSessions : scheduler.DescribeRefusal(Decision.Sessions.Max);
        }
    }

    /// <summary>Whether the open chunk can be sent again, its state being known. Not after a stop, which makes sessions fail.</summary>
    private bool CanGoOn =>
        !_stop.IsCancellationRequested && Facts.Table.IsTransactional && (!Committed.IsInDoubt || Ledger is not null)
            && (!Request.IsOneChunk || CanReadAgain);

    private async Task<LedgerState> RecoverAsync(Exception fault, ChunkLoader loader)
    {
        if (fault is ServerException { Error: ServerError.LockWaitTimeout or ServerError.LockDeadlock } locked)
        {
            // If sessions have waited for each other (one for a lock, the other for the turn of its chunk), they would do so again.
            _lockFault = locked.Message;
        }

        var isElsewhere = fault is ServerException { IsNotReady: true };
        loader.BeginRecovery();
        await _pool.RenewAsync(isElsewhere, _stop);
        _work.Reached = _pool.Lead.Server.Topology;
        _check.Follow(_pool.Lead.Server);
        if (Ledger is not null)
        {
            await Ledger.HoldAsync(isElsewhere, _stop);
        }

        _order.Rewind();
        var state = await loader.RecoverAsync(_pool.Lead.Session, Ledger is null ? null : _check, _stop);
        _sent = Committed.Records - Committed.EarlierTaken.Count;
        return state;
    }

    /// <summary>Begins to read what is not committed, unless that was begun before.</summary>
    private async Task<ReplayQueue> ReadAsync(InputFeed inputs, ResumePoint resumeAt, bool isAgain)
    {
        if (isAgain && KnowsSuperseded)
        {
            // Replaced records are found again, so that they are reported once, in the order of the input.
            _superseded?.Dispose();
            _superseded = await FindSupersededAsync();
        }

        _only = _work.Only?.Invoke();
        var committed = (ICommittedRecords?)_only ?? ReadCommitted();
        if (committed is null && !isAgain && Sources.All(source => source.Content is not { IsLeftOutInPart: true })
            && inputs.TakeAhead() is { } ahead)
        {
            _reading = ahead.Reading;
            _reading.OnSorting = ReportSorting;
            return ahead.Feed;
        }

        var keeps = ChunkSizes.CanKeep(Facts) && (isAgain || Decision.KeepsChunks || !CanReadAgain);
        var sizes = keeps ? ChunkSizes.With(Decision.Sizes, Request, areKept: true, Decision.Sessions.Max) : Decision.Sizes;
        sizes = sizes with
        {
            RowsPerChunk = Math.Min(sizes.RowsPerChunk, _fit.MaxRecords),
            RowsPerBatch = (int)Math.Min(sizes.RowsPerBatch, _fit.MaxRecords),
        };
        _reading = new InputReader(Sources, Facts, sizes, new KnownRecords(committed, resumeAt, _superseded), Decision.Sort)
        {
            OnSorting = ReportSorting,
        };
        return await inputs.StartAsync(_reading, keeps, Decision.Sizes.Kept, _stop);
    }

    private CommittedRecords? ReadCommitted() => Ledger is null or { Former: null, Chunks.Count: 0 } ? null
        : new CommittedRecords(Ledger.Identity.Id, Ledger.Chunks, Ledger.WasComplete, Job.SourceNames, Request.Kind == JobKind.Update
            && KnowsSuperseded ? IsSuperseded : null)
        { SortedBy = Decision.Sort.By, StartAt = Request.StartAt };

    private bool IsSuperseded(int source, long record) => _superseded?.Has(RecordId.Of(source, record)) == true;

    private async Task<RepeatedKeys?> FindSupersededAsync()
    {
        if (!KnowsSuperseded)
        {
            return null;
        }

        // Before a long wait: with autocommit off, the questions have begun a transaction, which keeps others from altering the table.
        await _pool.Lead.Session.ExecuteAsync(TransactionSql.RollBack, _stop);
        var progress = new PassProgress(Services.Progress, "reading keys", _totalBytes);
        return await WithinTimeAsync(
            new SupersededRecords(Sources, Facts, Decision.Sizes, ConnectAloneAsync, progress).FindAsync, _stop);
    }

    /// <summary>Both sides count by themselves: each record that was read must be taken by the server or be a reject.</summary>
    private void Reconcile()
    {
        if (Read.Records != Committed.Records + _work.Rejects.Committed + (_only?.Skipped ?? 0))
        {
            throw new ReconciliationException(
                $"counts do not add up: {Read.Records} {Plural.For(Read.Records, "record was", "records were")} read, "
                + $"{Committed.Records} taken by the server and {_work.Rejects.Committed} rejected; compare the table with the input "
                + "before you use it");
        }
    }

    private async Task AddIndexesAsync()
    {
        if (_work.Rebuild is null)
        {
            return;
        }

        try
        {
            // Where nothing was sent, the questions have left a transaction open, which keeps everybody from altering the table.
            var session = _pool.Lead.Session;
            if (session.IsUsable)
            {
                await session.ExecuteAsync(TransactionSql.RollBack, _stop);
            }
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && !_stop.IsCancellationRequested)
        {
            // The lost session holds no locks.
        }

        await _work.Rebuild.AddAsync(Hold, _stop);
    }

    /// <returns>false: the ledger has other chunks than those that count as committed</returns>
    /// <exception cref="ServerException">all is committed, but this cannot be recorded: the next start finds it out</exception>
    private async Task<bool> CompleteAsync()
    {
        if (Ledger is null or { WasComplete: true })
        {
            return true;
        }

        Ledger.Total = () => new JobTotal(Committed.Chunks, Committed.Records, Committed.Taken.Present, _work.Rejects.Committed);
        var isComplete = false;
        await Retry.RunAsync(async _ => isComplete = await Ledger.CompleteAsync(Services.Time.GetUtcNow().UtcDateTime, _stop),
            _ => !_stop.IsCancellationRequested, () => 0, _stop);
        return isComplete;
    }

    private Worker CreateWorker(ReadySession ready, bool isOwned) =>
        new(ready, session => SessionSenders.Of(Decision, Facts, session), new LedgerEntry(Ledger, _work.Columns), isOwned);

    private async Task<Worker> OpenWorkerAsync(CancellationToken cancellationToken)
    {
        var opened = await _work.Connections.TakeSecondAsync(cancellationToken);
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
        (await _work.Connections.OpenAsync(cancellationToken)).Session;

    private Task<RepeatedKeys?> WithinTimeAsync(Func<CancellationToken, Task<RepeatedKeys?>> work, CancellationToken stop) =>
        _throttle?.WithinTimeAsync(work, stop) ?? work(stop);

    private Task ExplainAsync(Func<Task> run) => RunFaults.ExplainAsync(run, () => _work.Faults, _stop);

    private void CountSent(long rows)
    {
        _sent += rows;
        Hold(null);
    }

    private void Hold(string? reason) => Report(BytesSent, reason);

    private void ReportSorting() => Report(Read.Bytes, "sorting");

    private void Report(long bytes, string? held) =>
        Services.Progress?.Report(new LoadProgress(bytes, _totalBytes, _sent, Committed.Records, held));

    /// <summary>The sent part of the input, as stored: the bytes that were read, times the share of the records read that were sent.
    /// Reading is ahead of sending; a small input is read whole.</summary>
    private long BytesSent
    {
        get
        {
            var settled = Math.Max(_sent + Committed.EarlierTaken.Count, Committed.Records) + _work.Rejects.Committed;
            return (long)(Read.Bytes * Math.Min(1, (double)settled / Math.Max(1, Read.Records)));
        }
    }
}
