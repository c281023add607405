using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Values.Notations;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Jobs;

/// <summary>Steps before a run: reads heads, asks the server, decides. Then it writes: the new table, the user's answer, the
/// ledger.</summary>
internal sealed class JobSetup : IAsyncDisposable
{
    private readonly JobServices _services;
    private readonly SourceSet _sources;
    private readonly JobConnections _connections;
    private readonly LockWatch _locks;
    private PreparedJob _job;

    private JobSetup(JobServices services, SourceSet sources, JobConnections connections, LockWatch locks, PreparedJob job) =>
        (_services, _sources, _connections, _locks, _job) = (services, sources, connections, locks, job);

    public IServerSession Session => _connections.Lead;

    /// <summary>How long the job has waited for locks of others; complete when the job has ended.</summary>
    public LockWatch Locks => _locks;

    /// <summary>See <see cref="LoadWork.Only"/>.</summary>
    public Func<ChosenRecords>? Only { private get; set; }

    public PreparedJob Job => _job;

    public LoadPlan Plan => _job.Decision.Plan;

    /// <summary>Reads the heads of the files while the connection is opened. It reads a pipe before that: a pipe may be silent for longer
    /// than a server keeps an idle session.</summary>
    /// <param name="retry">connects and asks again after faults that pass; null: only a plan is wanted, which is tried once</param>
    public static async Task<JobSetup> CreateAsync(
        LoadRequest request, JobServices services, ChunkRetry? retry, CancellationToken cancellationToken,
        Func<CancellationToken, Task<IServerSession>>? connect = null)
    {
        request.Validate();
        new NotationSet(request.Values.Formats).Validate();
        if (request.ReadsTwice && !Directory.Exists(request.TempFolder))
        {
            throw new RequestException($"--temp-dir: '{request.TempFolder}' is not a folder");
        }

        var connections = new JobConnections(request, services.Time, connect);
        var locks = new LockWatch(request, connections, services);
        services = services with { Progress = locks };
        SourceSet? sources = null;
        try
        {
            if (request.Files.All(path => File.Exists(path) && new FileInfo(path).Length > 0))
            {
                connections.BeginLead(cancellationToken);
            }

            sources = SourceSet.Look(
                request, services.Log, cancellationToken, new PassProgress(services.Progress, $"finding part {request.Part}", total: null));
            var job = await (retry is null ? PrepareAsync(null) : retry.MakeReadyAsync(PrepareAsync, cancellationToken));
            LogPlan(job.Decision.Plan, request, services.Log);
            locks.Table = (job.Facts.Table.Database, job.Facts.Table.Name);
            return new JobSetup(services, sources, connections, locks, job);
        }
        catch (Exception fault)
        {
            var grant = fault is ServerException { Kind: FaultKind.Configuration } denied && connections.OpenLead is { } lead
                ? await AccountGrant.ForAsync(lead, denied, request.Connection.Database, CancellationToken.None) : "";
            sources?.Dispose();
            await locks.DisposeAsync();
            await connections.DisposeAsync();
            switch (fault)
            {
                case ServerException { Kind: FaultKind.Configuration } refusal:
                    throw new PlanException($"the server refused: {refusal.Message}{grant}", refusal);
                case OutOfMemoryException when request.MaxMemory is { } max:
                    var exceeded = MemoryPlan.Exceeded(max, fault);
                    exceeded.End("nothing was sent", null, []);
                    throw exceeded;
            }

            throw;
        }

        async Task<PreparedJob> PrepareAsync(Exception? fault)
        {
            var session = await connections.OpenLeadAsync(cancellationToken);
            var server = await ServerProbe.LookAsync(session, request.Values, services.Time, cancellationToken);
            services.Log.Connected(
                server.Kind, server.VersionText, server.Endpoint, server.User, server.Security, session.Server.ConnectionId);

            // The ledger is opened during the questions, unless something long comes between them and the ledger.
            var opensLedger = retry is not null && request is { KeepsLedger: true, Create: false, AddColumns: false, Key.Confirm: null };
            if (opensLedger)
            {
                connections.BeginLedger(server, cancellationToken);
            }

            var facts = await OnPrimaryAsync(
                server, retry is not null && request.Mode.SendsRows,
                () => new FactFinder(request, sources, session, isPlan: retry is null, services.Progress)
                    .LookAsync(server, services.Log, cancellationToken));
            if (!session.IsUsable)
            {
                // The probe of LOAD DATA LOCAL has broken the session; the rest works without the probe.
                server = await connections.ReplaceLeadAsync(cancellationToken);
                facts = facts with { Server = server with { LocalInfileRefusal = facts.Server.LocalInfileRefusal } };
            }

            var job = Decide(sources, facts);
            if (opensLedger && job.Decision.HasSeveralSessions)
            {
                connections.BeginSecond(cancellationToken);
            }

            return job;
        }
    }

    /// <summary>Creates the table where the plan has a new one, or adds its columns; then asks for its facts again.</summary>
    /// <param name="onMade">gets the change, to undo it</param>
    public async Task CreateTableAsync(Action<SchemaChange> onMade, CancellationToken cancellationToken)
    {
        var (request, facts) = (_job.Request, _job.Facts);
        var (created, added) = (facts.NewTable, facts.AddedColumns);
        if (request.Mode == JobMode.Check)
        {
            // The check judges by the table that an import would create.
            return;
        }

        if (created is not null)
        {
            onMade(await NewTable.CreateAsync(Session, request, facts, created.Statement, cancellationToken));
            _services.Log.TableCreated(facts.Table.DisplayName, created.Records);
        }
        else if (added is not null)
        {
            onMade(await NewColumns.AddAsync(Session, request, facts, added, cancellationToken));
            _services.Log.ColumnsAdded(facts.Table.DisplayName, string.Join(", ", added.Definitions));
        }
        else
        {
            return;
        }

        var table = await TableProbe.LookAsync(Session, facts.Table.Database, facts.Table.Name, cancellationToken);
        table = table with { Referencing = facts.Table.Referencing };
        var mapped = await new FactFinder(request, _sources, Session).MapAsync(facts.Server, table, cancellationToken);

        // A second decision: what the server made of the statement may differ from what the first decision knew, such as triggers or keys.
        _job = Decide(_sources, mapped with { NewTable = created, AddedColumns = added, Guesses = facts.Guesses });
    }

    /// <summary>Counts the keys of the inputs, and asks whether their rows may be deleted, where the user wants to be asked.</summary>
    public async Task ConfirmAsync(CancellationToken cancellationToken)
    {
        var (sources, facts, decision) = _job;
        var request = facts.Request;
        if (request.Key.Confirm is not { } confirm || facts.Key is null || request.Mode == JobMode.Preview)
        {
            return;
        }

        // Before a long wait: with autocommit off, the questions have begun a transaction, which keeps others from altering the table.
        await Session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        var (rows, refused) = (0L, 0L);
        var reading = new InputReader(
            sources, facts with { Request = request with { MaxRejects = RejectLimit.OfPercent(100) } }, decision.Sizes);
        await foreach (var block in reading.ReadAsync(cancellationToken))
        {
            rows += block.RowCount;
            refused += block.Rejects.Count;
        }

        await Confirmation.RequireAsync(
            confirm, new DeletionQuestion(Plan.Table, Plan.Server.Endpoint, Plan.Key, rows, refused), "nothing was deleted",
            cancellationToken);
    }

    /// <summary>Adds to the plan what the ledger knows of the job; changes nothing there.</summary>
    public async Task<LoadPlan> PlanWithJobAsync(CancellationToken cancellationToken)
    {
        if (!_job.Request.AsksLedger)
        {
            return Plan;
        }

        var (notes, continues) =
            await JobStart.DescribePlanAsync(_job.Facts, _job.Decision.Sort, _job.Sources, Session, cancellationToken);
        return Plan with { Notes = [.. Plan.Notes, .. notes], Readers = ReadersOf(continues) };
    }

    /// <summary>The plan of a run, once the ledger has said what is committed.</summary>
    /// <param name="ledger">null: the job keeps none</param>
    public LoadPlan PlanOf(JobLedger? ledger) =>
        Plan with { Readers = ReadersOf(ledger is { Former: not null } or { Chunks.Count: > 0 }) };

    /// <summary>Sorted records are all read, whatever is committed.</summary>
    private PlannedReaders? ReadersOf(bool continues) =>
        continues && !_job.Decision.Sort.IsSorted && Plan.Readers is not null ? ReaderRules.Continued : Plan.Readers;

    /// <summary>Takes the job over in the ledger; null: the job keeps none.</summary>
    /// <exception cref="PlanException">the job cannot be resumed, or another process runs it</exception>
    /// <exception cref="RequestException">a file of refused or repaired records exists already</exception>
    public async Task<JobLedger?> OpenLedgerAsync(RejectFile rejectFile, ChunkRetry retry, CancellationToken cancellationToken)
    {
        if (!_job.Request.KeepsLedger)
        {
            return null;
        }

        if (_job.Decision.HasSeveralSessions)
        {
            _connections.BeginSecond(cancellationToken);
        }

        var ledger = await TakeOverAsync(rejectFile, retry, cancellationToken);
        try
        {
            _job = _job with { Facts = await ImageTables.PrepareAsync(_job.Facts, ledger, _services.Time, cancellationToken) };
            return ledger;
        }
        catch
        {
            await (ledger?.DisposeAsync() ?? ValueTask.CompletedTask);
            throw;
        }
    }

    private async Task<JobLedger?> TakeOverAsync(RejectFile rejectFile, ChunkRetry retry, CancellationToken cancellationToken)
    {
        return await retry.MakeReadyAsync(
            async fault =>
            {
                if (fault is PlanException || !Session.IsUsable)
                {
                    // Another server may answer now, one that takes changes.
                    var server = await _connections.ReplaceLeadAsync(cancellationToken);
                    var refusal = _job.Facts.Server.LocalInfileRefusal;
                    _job = _job with { Facts = _job.Facts with { Server = server with { LocalInfileRefusal = refusal } } };
                }

                return await OnPrimaryAsync(_job.Facts.Server, sends: true, () => JobStart.TakeOverAsync(
                    _job.Facts, _job.Decision.Sort, _job.Sources, _connections.Ledger, rejectFile, _services.Time, cancellationToken));
            },
            cancellationToken);
    }

    /// <summary>While the ledger is opened, begins to read and sort what is likely to be sent; never a pipe.</summary>
    public InputFeed ReadAhead(CancellationToken cancellationToken)
    {
        var feed = new InputFeed();
        var (sources, facts, decision) = _job;
        var sort = decision.Sort;
        if (Only is null && facts.Request.Mode != JobMode.Preview && decision.Strategy is not null
            && (!decision.KeepsChunks || (sort.IsSorted && facts.SortedBefore is null)) && sources.All(source => source.CanReadAgain))
        {
            var keeps = sort.IsSorted && ChunkSizes.CanKeep(facts);
            feed.ReadAhead(
                new InputReader(sources, facts, decision.Sizes, sort: sort), keeps, decision.Sizes.Kept, cancellationToken);
        }

        return feed;
    }

    /// <param name="rejectFile">takes refused and repaired records; stays the caller's</param>
    /// <param name="ledger">takes committed chunks; stays the caller's; null: there is none</param>
    public JobRun CreateRun(RejectFile rejectFile, JobLedger? ledger, InputFeed feed, ChunkRetry retry)
    {
        Session.Bound(AnswerBound.Statement);
        var (sources, facts, decision) = _job;
        var request = facts.Request;
        if (request.RejectFile is not null)
        {
            rejectFile.Describe(_sources.RejectForm);
        }

        var rejects = new RejectLog(request.StoppingRejects, rejectFile) { OnReject = request.OnReject };
        var repairs = new RepairLog(rejectFile);
        if (request.Mode == JobMode.Preview)
        {
            return new PreviewRun(_job, _services, _connections, rejects, repairs);
        }

        if (request.Mode == JobMode.Verify)
        {
            return new VerifyRun(_job, _services, rejects, repairs);
        }

        if (decision.Strategy is null)
        {
            return new CheckRun(_job, _services, rejects, repairs);
        }

        var tagged = facts with { Tag = JobTag.Of((ledger?.Identity ?? JobIdentity.Of(facts, sources)).Id) };
        if (ledger is { RepeatOf: not null })
        {
            // A row that the start before has deleted is missing now, which is no error.
            tagged = tagged with { Request = request with { Key = request.Key with { IgnoreMissing = true } } };
        }

        return new LoadRun(new LoadWork(_job with { Facts = tagged }, _services, _connections, rejects, repairs)
        {
            Ledger = ledger,
            Only = Only,
            Ids = request.KeepsIds ? new IdLog(rejectFile, request.OnId) : null,
            Feed = feed,
            Retry = retry,
            Columns = new ColumnWatch(facts),
            Rebuild = IndexRebuild.Of(tagged, ledger, retry, _services),
        });
    }

    public async ValueTask DisposeAsync()
    {
        _sources.Dispose();
        await _locks.DisposeAsync();
        await _connections.DisposeAsync();
    }

    /// <summary>Asks a server, and names the one to connect to where it takes no changes, instead of waiting that it does.</summary>
    /// <param name="sends">whether rows will be sent</param>
    /// <exception cref="PlanException">another server takes the changes</exception>
    private static async Task<T> OnPrimaryAsync<T>(ServerFacts server, bool sends, Func<Task<T>> ask)
    {
        try
        {
            return sends && server.Topology is { IsSecondary: true, IsReadOnlyForAll: true } ? throw Elsewhere(server) : await ask();
        }
        catch (Exception fault) when (sends && server.Topology is { IsSecondary: true }
            && (fault as ServerException ?? fault.InnerException as ServerException) is { IsReadOnly: true })
        {
            throw Elsewhere(server);
        }
    }

    private static PlanException Elsewhere(ServerFacts server) =>
        new($"{server.Endpoint} takes no changes: {server.Topology!.Text}")
        {
            WaysOn = [new WayOn($"run the same command against {server.Topology.Primary ?? "the group's primary (GRANT SELECT ON "
                + "performance_schema.replication_group_members lets this account see which one that is)"}")],
        };

    private static PreparedJob Decide(SourceSet sources, LoadFacts facts) =>
        new(sources.Mapped, facts, LoadPlanner.Decide(facts));

    private static void LogPlan(LoadPlan plan, LoadRequest request, ILogger log)
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
