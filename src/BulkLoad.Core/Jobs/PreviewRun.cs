using System.Collections.Frozen;
using System.Runtime.ExceptionServices;
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
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using BulkLoad.Core.Strategies.Keyed;

namespace BulkLoad.Core.Jobs;

/// <summary>Finds out what a job would change, and writes nothing: copies the rows that the records may touch into a temporary table, runs
/// the job on that copy, and compares it with its first state. So the counts come from the job's own statements in their own
/// order.</summary>
/// <remarks>A transaction that is rolled back would find out more, such as what triggers do, but it would hold locks all the time, use up
/// generated ids, and write to the server's logs. A temporary table has no triggers and no foreign keys: CHECKs and questions replace
/// foreign keys; triggers are named in the report.</remarks>
internal sealed class PreviewRun(
    PreparedJob job, JobServices services, JobConnections connections, RejectLog rejects, RepairLog repairs)
    : JobRun(job, services, rejects, repairs)
{
    private const string Nothing = "nothing would be committed";

    private readonly LoadRequest _request = job.Request;
    private LoadRun? _run;
    private PreviewReport? _preview;
    private PreviewStop? _stop;
    private string? _nothing;
    private DateTime? _repeatOf;
    private IReadOnlyList<string> _notes = [];
    private bool _wasRefused;
    private bool _wasWarned;

    public override ReadCounts Read => _run?.Read ?? new ReadCounts(Job.Sources.Count);

    public override async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        using var file = PreviewFile.Open(_request);
        if (await ForeseeAsync(session, cancellationToken) is { IsNothingToDo: true } decision)
        {
            _nothing = decision.Headline;
            return;
        }

        var tables = new PreviewTables(Job, session);
        var facts = await tables.CreateAsync(cancellationToken);

        // Only this session has the copy: what fails is not tried again.
        var request = facts.Request with
        {
            Threads = 1,
            Retry = _request.Retry with { MaxRetries = 0 },
            RebuildIndexes = false,
            Strategy = StrategyOf(facts),

            // A row that an earlier statement has deleted is missing, which is no error.
            Key = _repeatOf is null ? facts.Request.Key : facts.Request.Key with { IgnoreMissing = true },
        };
        facts = facts with { Request = request, Tag = JobTag.Of("preview") };
        var mayLoseRows = MayLoseRows(facts);
        BulkLoadException? fault = null;
        try
        {
            await RunAsync(facts, tables, session, cancellationToken);
        }
        catch (BulkLoadException caught) when (mayLoseRows && session.IsUsable
            && caught is RejectLimitException or ReconciliationException or ServerException { Code: > 0 })
        {
            // The cause may be rows that MariaDB has lost: the server may even call the copy damaged.
            (fault, _wasRefused) = (caught, true);
        }

        var isExact = true;
        if (mayLoseRows && (_wasRefused || _run!.NarrowedBatches > 0))
        {
            // Runs from the beginning on a copy that loses no rows. That copy cannot undo what the server only warns of.
            var again = _wasWarned ? null : await tables.BeginAgainAsync(facts, cancellationToken);
            isExact = again is not null;
            if (again is not null)
            {
                Rejects.GoBack(FrozenDictionary<string, long>.Empty, default, isEarlier: false);
                Repairs.GoBack(FrozenDictionary<string, long>.Empty);
                _stop = null;
                await RunAsync(again, tables, session, cancellationToken);
            }
        }

        if (!isExact && fault is not null)
        {
            ExceptionDispatchInfo.Throw(fault);
        }

        _preview = await tables.CompareAsync(file, cancellationToken);
        if (!isExact)
        {
            _preview = _preview with { NotExact = [.. _preview.NotExact, "MariaDB does not undo what it refuses of a temporary table"] };
        }
    }

    private async Task RunAsync(LoadFacts facts, PreviewTables tables, IServerSession session, CancellationToken cancellationToken)
    {
        // A decision of its own: only one session has the copy, and the copy has no triggers.
        var decided = LoadPlanner.Decide(facts);
        var onCopy = Job with { Facts = facts, Decision = decided with { Sizes = WithChunksOf(Job.Decision, decided) } };
        var run = _run = new LoadRun(new LoadWork(onCopy, Services, connections, Rejects, Repairs)
        {
            UndoesChunks = Job.Facts.Table.IsTransactional,
        });
        var isSameOrder = decided.Sort.By == Job.Decision.Sort.By;

        // The command sends no row of a block with too many rejects, and so does not see what the server would refuse of it.
        Rejects.Watch = new RejectWatch(
            _request.MaxRejects, tables.Reword,
            reject =>
            {
                _wasRefused |= reject.ServerCode > 0;
                _wasWarned |= reject.Message.StartsWith(BatchRefusals.Warned, StringComparison.Ordinal);
                _stop ??= StopAt(reject, Rejects.Count, run.Committed, isSameOrder);
            },
            block => _stop ??= block.Index().Select(one => StopAt(one.Item, Rejects.Count + one.Index + 1, run.Committed, isSameOrder))
                .FirstOrDefault(stop => stop is not null))
        {
            IsIgnoredAsync = tables.IsIgnoredAsync,
        };
        await run.RunAsync(session, cancellationToken);
    }

    /// <summary>Whether an undone statement may lose rows of the copy. MariaDB does so in temporary tables if a key got other bytes that
    /// are equal to those before, or came again after its row was deleted.</summary>
    private bool MayLoseRows(LoadFacts facts) => facts is { Server.IsMariaDb: true, Table.IsTransactional: true }
        && (_request.Kind == JobKind.Update
            || _request is { Kind: JobKind.Import, OnDuplicate: DuplicateMode.Replace or DuplicateMode.Update });

    public override LoadReport Complete(LoadReport report)
    {
        if (_nothing is not null)
        {
            return report with { Outcome = LoadOutcome.AlreadyComplete, Headline = _nothing };
        }

        report = _run?.Complete(report) ?? report;
        if (_preview is { RefusedRows: > 0 and var refused } && _run is not null
            && _request.MaxRejects.IsExceededBy(Rejects.Count + refused))
        {
            // The refused records are not known, and so not which record is the first.
            var isOne = _run.Committed.Chunks <= 1;
            _stop = new PreviewStop(null, null, null, isOne ? 0 : null, isOne ? Nothing : CommittedBefore(null));
        }

        return report with
        {
            Counts = _preview is null ? report.Counts : Subtract(report.Counts, _preview),
            RejectsByReason = _preview is { RefusedRecords: > 0 } ? WithRefused(report.RejectsByReason, _preview) : report.RejectsByReason,
            Preview = _preview is null ? null : _preview with { Stop = _stop },
            RepeatOf = _repeatOf,
            Notes = [.. report.Notes, .. _notes],
            IsBeyondMaxRejects = report.IsBeyondMaxRejects || (_preview is not null && _stop is not null),
        };
    }

    /// <summary>Rows that would be refused count as rejects, not as inserted, updated or deleted.</summary>
    private LoadCounts Subtract(LoadCounts counts, PreviewReport preview) => counts with
    {
        Inserted = Math.Max(0, counts.Inserted - preview.RefusedInserts),
        Updated = Math.Max(0, counts.Updated - preview.RefusedUpdates),
        Deleted = Math.Max(0, counts.Deleted - preview.RefusedDeletes),
        DeletedRows = _request.Truncate ? preview.DeletedRows : Math.Max(0, counts.DeletedRows - preview.RefusedDeletes),
        MatchedRows = Math.Max(0, counts.MatchedRows - preview.RefusedUpdates),
        ChangedRows = Math.Max(0, counts.ChangedRows - preview.RefusedUpdates),
        Rejected = counts.Rejected + preview.RefusedRecords,
    };

    private static SortedDictionary<string, long> WithRefused(IReadOnlyDictionary<string, long> reasons, PreviewReport preview)
    {
        var all = new SortedDictionary<string, long>(StringComparer.Ordinal);
        foreach (var (reason, count) in reasons)
        {
            all[reason] = count;
        }

        all[PreviewGuards.ForeignKeyCode] = all.GetValueOrDefault(PreviewGuards.ForeignKeyCode) + preview.RefusedRecords;
        return all;
    }

    /// <summary>Takes the chunks of the command, so that it is known which of them would be committed.</summary>
    private static BatchSizes WithChunksOf(LoadDecision command, LoadDecision decided) =>
        command.Strategy?.Name == decided.Strategy?.Name ? command.Sizes
        : decided.Sizes with { RowsPerChunk = command.Sizes.RowsPerChunk, BytesPerChunk = command.Sizes.BytesPerChunk };

    /// <returns>where the command would stop; null: it continues</returns>
    /// <param name="count">number of rejects up to this one</param>
    /// <param name="committed">state before the reject</param>
    /// <param name="isSameOrder">whether the command sends the records in the same order</param>
    private PreviewStop? StopAt(Reject reject, long count, CommittedState committed, bool isSameOrder)
    {
        var known = isSameOrder ? committed : null;
        return _request.MaxRejects.IsExceededBy(count)
            ? new PreviewStop(reject.Source, Known(reject.Line), Known(reject.Record), known?.Records, CommittedBefore(known)) : null;

        static long? Known(long number) => number > 0 ? number : null;
    }

    private string CommittedBefore(CommittedState? committed) =>
        !Job.Facts.Table.IsTransactional ? $"the records before it would stay, since {Job.Facts.Table.Engine} cannot roll back"
        : _request.IsOneChunk || committed is { Chunks: 0 } ? Nothing
        : committed is null ? "chunks that are complete before it would stay committed"
        : committed.DescribeChunks(Job.Sources.Count == 1, "would stay") ?? Nothing;

    /// <summary>A statement that joins a list of keys would name the copy twice, which MySQL refuses for a temporary table.</summary>
    /// <returns>null: the planner chooses</returns>
    private static string? StrategyOf(LoadFacts facts) =>
        facts is { Key: not null, Server.IsMariaDb: false } ? PipelinedSender.Strategy : null;

    /// <returns>what the ledger would decide; null: there is no ledger</returns>
    private async Task<JobDecision?> ForeseeAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if (!_request.AsksLedger)
        {
            return null;
        }

        try
        {
            var (decision, _) = await JobStart.ForeseeAsync(Job.Facts, Job.Decision.Sort, Job.Sources, session, cancellationToken);
            if (decision is { Former: not null, Chunks.Count: > 0 } && !_request.Reload)
            {
                throw new PlanException(
                    $"--preview: job {decision.Id} is not complete, and the command would resume it: "
                    + "what is left of it is not previewed; run the command without --preview");
            }

            decision.LeaveOut(Job.Sources);
            _notes = decision.Notes;
            _repeatOf = decision.Job.RepeatOf;
            return decision;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            _notes = [$"whether the ledger knows the job is not known: {fault.Message}"];
            return null;
        }
        finally
        {
            if (session.IsUsable)
            {
                await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
            }
        }
    }
}
