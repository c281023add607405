using System.Threading.Channels;
using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies.Keyed;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>A request that has met its files and its server: everything is known and decided, nothing is written.</summary>
internal sealed class PreparedJob : IAsyncDisposable
{
    private readonly LoadRequest _request;
    private readonly SourceSet _sources;
    private readonly Func<CancellationToken, Task<IServerSession>> _connect;
    private readonly BackgroundTask<IServerSession>? _ledgerSession;
    private LoadFacts _facts;
    private LoadDecision _decision;
    private BackgroundTask<ReadySession>? _second;

    private PreparedJob(
        LoadRequest request, SourceSet sources, Func<CancellationToken, Task<IServerSession>> connect, IServerSession session, LoadFacts facts, BackgroundTask<IServerSession>? ledgerSession)
    {
        _ledgerSession = ledgerSession;
        _request = request;
        _connect = connect;
        _sources = sources;
        _facts = facts;
        Session = session;
        _decision = LoadPlanner.Decide(facts);
    }

    public IServerSession Session { get; private set; }

    public LoadPlan Plan => _decision.Plan;

    /// <summary>
    /// Input first, since that costs nothing to anyone; then the server, which files are looked at beside the connecting to. A pipe may have
    /// nothing to say for longer than a server waits for a session that is silent.
    /// </summary>
    public static async Task<PreparedJob> CreateAsync(LoadRequest request, TimeProvider time, ILogger log, ChunkRetry? retry, CancellationToken cancellationToken)
    {
        try
        {
            return await CreateAsync(request, async token => await ServerSession.ConnectAsync(request.WorkConnection, token), time, log, retry, cancellationToken);
        }
        catch (OutOfMemoryException fault) when (request.MaxMemory is { } most)
        {
            throw MemoryPlan.Exceeded(most, "(nothing was sent)", fault);
        }
    }

    /// <param name="request">what to do</param>
    /// <param name="connect">opens a session</param>
    /// <param name="log">told what was found</param>
    /// <param name="retry">connects and looks again after faults that pass; null: only a plan is wanted, which is not tried again</param>
    internal static async Task<PreparedJob> CreateAsync(
        LoadRequest request, Func<CancellationToken, Task<IServerSession>> connect, TimeProvider time, ILogger log, ChunkRetry? retry, CancellationToken cancellationToken)
    {
        request.Validate();
        if (request.ReadsTwice && !Directory.Exists(request.TempFolder))
        {
            throw new RequestException($"--temp-dir: '{request.TempFolder}' is not a folder");
        }

        await using var early = request.Files.All(path => File.Exists(path) && new FileInfo(path).Length > 0) ? new BackgroundTask<IServerSession>(connect, cancellationToken) : null;
        var sources = SourceSet.Look(request, log, cancellationToken);
        IServerSession? session = null;
        BackgroundTask<IServerSession>? ledgerSession = null;
        BackgroundTask<ReadySession>? second = null;
        try
        {
            var prepared = await (retry is null ? LookAsync(null) : retry.MakeReadyAsync(LookAsync, cancellationToken));
            Tell(prepared.Plan, request, log);
            return prepared;
        }
        catch (Exception fault)
        {
            sources.Dispose();
            await CloseAsync();
            if (fault is ServerException { Kind: FaultKind.Configuration } refusal)
            {
                throw new PlanException($"the server refused: {refusal.Message}", refusal);
            }

            throw;
        }

        async Task<PreparedJob> LookAsync(Exception? fault)
        {
            await CloseAsync();
            session = await (early?.TryTake(out var opened) == true ? opened : connect(cancellationToken));
            var server = await ServerProbe.LookAsync(session, request.Values, time, cancellationToken);
            log.Connected(server.Kind, server.VersionText, server.Endpoint, server.User, server.Security, session.Server.ConnectionId);
            if (retry is not null && request is { KeepsLedger: true, Create: false, Key.Confirm: null })
            {
                // Beside the questions, where nothing long comes between them and the ledger.
                ledgerSession = new BackgroundTask<IServerSession>(token => LedgerSession.OpenAsync(request.LedgerConnection, server, token), cancellationToken);
            }

            var facts = await new FactFinder(request, sources, session, WouldStage, isPlan: retry is null).LookAsync(server, log, cancellationToken);
            if (!session.IsUsable)
            {
                // What the probe of LOAD DATA LOCAL broke on; the rest works without it.
                await session.DisposeAsync();
                (session, server) = await ReadySession.OpenAsync(connect, request.Values, time, cancellationToken);
                facts = facts with { Server = server with { LocalInfileRefusal = facts.Server.LocalInfileRefusal } };
            }

            var prepared = new PreparedJob(request, sources, connect, session, facts, ledgerSession);
            if (ledgerSession is not null)
            {
                second = prepared._second = prepared.OpenSecond(time, cancellationToken);
            }

            return prepared;
        }

        async ValueTask CloseAsync()
        {
            await (session?.DisposeAsync() ?? ValueTask.CompletedTask);
            await (ledgerSession?.DisposeAsync() ?? ValueTask.CompletedTask);
            await (second?.DisposeAsync() ?? ValueTask.CompletedTask);
            (session, ledgerSession, second) = (null, null, null);
        }
    }

    /// <summary>Makes the table where the plan has a new one, and then looks at it as at any other.</summary>
    /// <param name="onCreated">told of the new table as soon as there is one</param>
    /// <param name="log">told of it too</param>
    /// <exception cref="PlanException">the server refuses</exception>
    public async Task CreateTableAsync(Action<NewTable> onCreated, ILogger log, CancellationToken cancellationToken)
    {
        if (_facts.NewTable is not { } planned)
        {
            return;
        }

        onCreated(await NewTable.CreateAsync(Session, _request, _facts, planned.Statement, cancellationToken));
        log.TableCreated(_facts.Table.DisplayName, planned.Records);
        var table = await TableProbe.LookAsync(Session, _facts.Table.Database, _facts.Table.Name, cancellationToken);
        _facts = await new FactFinder(_request, _sources, Session, WouldStage).MapAsync(_facts.Server, table, cancellationToken) with { NewTable = planned };
        _decision = LoadPlanner.Decide(_facts);
    }

    /// <summary>Reads the inputs to tell how many keys there are, and asks whether their rows may go, where somebody wants to be asked.</summary>
    /// <exception cref="PlanException">they may not</exception>
    public async Task ConfirmAsync(CancellationToken cancellationToken)
    {
        if (_request.Key.Confirm is not { } confirm || _facts.Key is null)
        {
            return;
        }

        // Before a long wait: with autocommit off, the questions so far have begun a transaction, which keeps others from altering the table.
        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        var (rows, refused) = (0L, 0L);
        var reading = new InputReader(_sources.Mapped, _request with { MaxRejects = RejectLimit.OfPercent(100) }, _facts, _decision.Sizes);
        await foreach (var block in reading.ReadAsync(cancellationToken))
        {
            rows += block.RowCount;
            refused += block.Rejects.Count;
        }

        // Somebody who does not answer must not keep a stop waiting.
        if (!await Task.Run(() => confirm(new DeletionQuestion(Plan.Table, Plan.Server.Endpoint, Plan.Key, rows, refused)), CancellationToken.None).WaitAsync(cancellationToken))
        {
            throw new PlanException("not confirmed: nothing was deleted");
        }
    }

    /// <summary>The plan with what the ledger knows of the job, which is only looked at.</summary>
    public async Task<LoadPlan> PlanWithJobAsync(CancellationToken cancellationToken) =>
        _request.KeepsLedger && _facts.NewTable is null
            ? Plan with { Notes = [.. Plan.Notes, .. await JobStart.DescribePlanAsync(_facts, _decision.Sort, _sources.Mapped, Session, cancellationToken)] }
            : Plan;

    /// <summary>Takes the job over in the ledger; null where it has none.</summary>
    /// <param name="rejectFile">begins anew, or goes on where a former start has ended</param>
    /// <param name="retry">takes it over again after faults that pass</param>
    /// <exception cref="PlanException">the job cannot go on, or somebody else runs it</exception>
    /// <exception cref="RequestException">a file of refused or repaired records is there already</exception>
    public async Task<JobLedger?> OpenLedgerAsync(RejectFile rejectFile, TimeProvider time, ChunkRetry retry, CancellationToken cancellationToken)
    {
        if (!_request.KeepsLedger)
        {
            return null;
        }

        _second ??= OpenSecond(time, cancellationToken);
        return await retry.MakeReadyAsync(
            async fault =>
            {
                if (fault is PlanException || !Session.IsUsable)
                {
                    // Another server may answer now, which takes changes.
                    await Session.DisposeAsync();
                    (Session, var server) = await OpenAnotherAsync(time, cancellationToken);
                    _facts = _facts with { Server = server with { LocalInfileRefusal = _facts.Server.LocalInfileRefusal } };
                }

                return await JobStart.TakeOverAsync(_facts, _decision.Sort, _sources.Mapped, _ledgerSession, rejectFile, time, cancellationToken);
            },
            cancellationToken);
    }

    /// <summary>Begins to read what is likely to be sent, and to sort it, while the ledger is looked at. A pipe waits until that is certain.</summary>
    public InputFeed ReadAhead(CancellationToken cancellationToken)
    {
        var feeder = new InputFeed();
        if (_decision is { Strategy: not null, Sort: var sort } && (!_decision.KeepsChunks || (sort.IsSorted && _facts.SortedBefore is null)) && _sources.Mapped.All(source => source.CanReadAgain))
        {
            var keeps = sort.IsSorted && ChunkSizes.CanKeep(_facts);
            feeder.ReadAhead(new InputReader(_sources.Mapped, _request, _facts, _decision.Sizes, sort: sort), keeps, _decision.Sizes.Kept, cancellationToken);
        }

        return feeder;
    }

    /// <param name="rejectFile">takes refused and repaired records; stays the caller's</param>
    /// <param name="ledger">takes what is committed; stays the caller's; null: nobody keeps it</param>
    /// <param name="feeder">may have begun to read; stays the caller's</param>
    /// <param name="progress">told after each batch</param>
    /// <param name="started">when the job was, by the clock</param>
    /// <param name="retry">counts what was tried again before too</param>
    public ILoadRun CreateRun(RejectFile rejectFile, JobLedger? ledger, InputFeed feeder, IProgress<LoadProgress>? progress, TimeProvider time, long started, ChunkRetry retry, ILogger log)
    {
        Session.Bound(AnswerBound.Statement);
        if (_request.RejectFile is not null)
        {
            rejectFile.Describe(_sources.RejectForm);
        }

        var rejects = new RejectLog(_request.StoppingRejects, rejectFile);
        var repairs = new RepairLog(rejectFile);
        if (_request.IsVerification)
        {
            return new VerifyRun(_request, _sources.Mapped, _facts, _decision.Sizes, rejects, repairs, progress, log);
        }

        if (_decision.Strategy is null)
        {
            return new CheckRun(_request, _sources.Mapped, _facts, _decision.Sizes, rejects, repairs, progress, log);
        }

        var tagged = _facts with { Tag = JobTag.Of((ledger?.Identity ?? JobIdentity.Of(_facts, _sources.Mapped)).Id) };
        if (ledger is { RepeatOf: not null })
        {
            // What was deleted before cannot be there, and is no mistake.
            tagged = tagged with { Request = tagged.Request with { Key = tagged.Request.Key with { IgnoreMissing = true } } };
        }

        var rebuild = IndexRebuild.Of(tagged, ledger, retry, time, log);
        var run = new LoadRun(
            _request, _sources.Mapped, _decision, tagged, rejects, repairs, progress, time, log, ledger, feeder, started: started, retry: retry, columns: new ColumnWatch(_facts), finish: rebuild is null ? null : rebuild.AddAsync, second: _second);
        return rebuild is null ? run : new RebuildingRun(run, rebuild);
    }

    public async ValueTask DisposeAsync()
    {
        _sources.Dispose();
        await (_second?.DisposeAsync() ?? ValueTask.CompletedTask);
        await (_ledgerSession?.DisposeAsync() ?? ValueTask.CompletedTask);
        await Session.DisposeAsync();
    }

    /// <summary>Begins to open a second session, where the plan has one: it takes as many round trips as the ledger does.</summary>
    private BackgroundTask<ReadySession>? OpenSecond(TimeProvider time, CancellationToken cancellationToken) =>
        _decision is { Strategy: not null, Sessions.Most: > 1 } ? new BackgroundTask<ReadySession>(token => OpenAnotherAsync(time, token), cancellationToken) : null;

    private Task<ReadySession> OpenAnotherAsync(TimeProvider time, CancellationToken cancellationToken) =>
        ReadySession.OpenAsync(_connect, _request.Values, time, cancellationToken);

    private static bool WouldStage(LoadFacts facts)
    {
        try
        {
            return LoadPlanner.Decide(facts).Strategy is StagedDeleteStrategy or StagedUpdateStrategy;
        }
        catch (PlanException)
        {
            // Nothing is fit, and the plan will say so of each.
            return true;
        }
    }

    private static void Tell(LoadPlan plan, LoadRequest request, ILogger log)
    {
        if (plan.Strategy is null)
        {
            log.CheckPlanned(plan.Table);
            return;
        }

        log.Planned(JobVerbs.Of(request).Doing, plan.Table, plan.Strategy, plan.Verdicts[0].Reason);
        foreach (var verdict in plan.Verdicts.Skip(1))
        {
            log.PassedOver(verdict.Strategy, verdict.Reason);
        }
    }
}
