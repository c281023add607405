using BulkLoad.Core.Facts;
using BulkLoad.Core.Feed;
using BulkLoad.Core.Ledger;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Sending;
using BulkLoad.Core.Server;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Jobs;

/// <summary>What a job gives to a run that sends; the job owns all of it.</summary>
internal sealed record LoadWork(
    PreparedJob Job, JobServices Services, JobConnections Connections, RejectLog Rejects, RepairLog Repairs)
{
    /// <summary>Has what is committed, and takes what will be; null: the job keeps none.</summary>
    public JobLedger? Ledger { get; init; }

    /// <summary>The only records that are sent, for each pass over the inputs; needs no ledger. Null: all.</summary>
    public Func<ChosenRecords>? Only { get; init; }

    /// <summary>Takes the ids of rows; null: nobody asks for them.</summary>
    public IdLog? Ids { get; init; }

    /// <summary>Null: nothing is read ahead.</summary>
    public InputFeed? Feed { get; init; }

    /// <summary>Its count includes retries before the run.</summary>
    public ChunkRetry Retry { get; init; } = new(Job.Request.Retry, Services.Time, Services.Log);

    /// <summary>Asked before a chunk is committed; null: nothing is watched.</summary>
    public ColumnWatch? Columns { get; init; }

    /// <summary>Null: no indexes are missing while the job runs.</summary>
    public IndexRebuild? Rebuild { get; init; }

    /// <summary>Whether a chunk can be rolled back. If not, no row may be sent once there is one reject too many.</summary>
    public bool UndoesChunks { get; init; } = Job.Facts.Table.IsTransactional;

    public CommittedState Committed { get; } = new() { SortedBy = Job.Decision.Sort.By };

    /// <summary>What the server is a part of that was reached last.</summary>
    public Topology? Reached { get; set; } = Job.Facts.Server.Topology;

    public RunFaults Faults => new(
        Job.Request, Rejects, Committed, Job.Facts.Table.OwnName, Job.Sources.Count == 1, Retry.Count,
        Ledger is { Identity.IsLasting: false } unnamed ? unnamed.Identity.Id : null, Reached?.Primary);
}

/// <summary>One run of a plan: a reader and a sender joined by a bounded channel. Tries again after faults that pass.</summary>
internal sealed class LoadRun(LoadWork work) : JobRun(work.Job, work.Services, work.Rejects, work.Repairs)
{
    private readonly LoadFacts _facts = work.Job.Facts;
    private readonly ReadCounts _nothingRead = new(work.Job.Sources.Count);
    private Attempt? _attempt;
    private long _unverifiedBefore;

    /// <summary>Number of batches that the server did not take as sent.</summary>
    public long NarrowedBatches => _attempt?.NarrowedBatches ?? 0;

    public override ReadCounts Read => _attempt?.Read ?? _nothingRead;

    public CommittedState Committed => work.Committed;

    public ChunkRetry Retry => work.Retry;

    public override bool HasCommitted => Committed is { Last: not null } or { IsInDoubt: true };

    private JobLedger? Ledger => work.Ledger;

    public override Task RunAsync(IServerSession session, CancellationToken cancellationToken) => work.Rebuild is null
        ? LoadAsync(session, cancellationToken)
        : work.Rebuild.RunAsync(session, () => LoadAsync(session, cancellationToken), cancellationToken);

    private async Task LoadAsync(IServerSession session, CancellationToken stop)
    {
        Resume();
        await using var attempt = new Attempt(work, session, stop);
        _attempt = attempt;
        await attempt.RunAsync();
        if (Ledger is { WasComplete: true, Identity.Id: var id })
        {
            Services.Log.JobWasComplete(id, Committed.Records, Committed.Chunks);
            return;
        }

        Services.Log.JobComplete(JobVerbs.Of(Request).Done, Committed.Records, Committed.Chunks);
        if (VerificationReports.WhyNone(_facts.Verify, Committed.Taken) is { } reason)
        {
            throw work.Faults.Explain(new ReconciliationException(reason));
        }
    }

    /// <summary>Counts what an earlier start of the job has committed as if this one had.</summary>
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

    public override LoadReport Complete(LoadReport report)
    {
        // This start reads again what an earlier one has committed, and may end before it has read all of that.
        var known = Committed.Records + report.Counts.Rejected;
        var read = Math.Max(report.Counts.Read, known);
        var counts = report.Counts with { Read = read, NotCommitted = read - known };
        report = report with
        {
            Notes = [.. report.Notes, .. Ledger?.NotesOf(report) ?? [], .. _attempt?.DescribeWay() ?? [], .. EndNotes(report.Outcome)],
            Counts = Request.Mode.IsCheck
                ? counts with { Accepted = Committed.Records }
                : Taken.AddTo(counts, _facts.Verify is null ? null : Request.Verify),
            Verification = VerificationReports.Of(_facts, report.Failure, Committed.Taken, _unverifiedBefore),
            Waits = [.. report.Waits, .. _attempt?.Waits ?? []],
            Replicas = _attempt?.Replicas,
            EarlierChunks = Committed.Earlier,
            EarlierCounts = Committed.EarlierTaken.AddTo(new LoadCounts(), null),
            Chunks = Committed.Chunks,
            Batches = Committed.Batches,
            NarrowedBatches = NarrowedBatches,
            IdsFile = work.Ids is { HasFile: true } ? Request.IdsFile : null,
            IdsInFile = work.Ids is { HasFile: true } ids ? ids.CountSaved() : null,
        };
        if (report.Outcome == LoadOutcome.Interrupted)
        {
            var (state, ways) = work.Faults.DescribeStop();
            report = report with { State = state, WaysOn = ways };
        }

        return work.Rebuild?.Complete(report) ?? report;
    }

    /// <summary>What is committed, with the rows that were deleted when the table was emptied.</summary>
    private RowCounts Taken => Committed.Last is null || Ledger is null
        ? Committed.Taken : Committed.Taken with { DeletedRows = Committed.Taken.DeletedRows + Ledger.EmptiedRows };

    private IEnumerable<string> EndNotes(LoadOutcome outcome)
    {
        var stopped = outcome != LoadOutcome.Interrupted && Committed.IsInDoubt ? Committed.DescribeDoubt(Ledger is not null) : null;
        var kept = _facts.Table.IsTransactional || outcome == LoadOutcome.Complete ? null : NonTransactionalRules.DescribeEnd(_facts.Table);
        var ids = work.Ids is { Path: { } file } && Committed.Taken.Inserted > 0
            ? $"ids that the server has generated for the rows are in {file}" : null;
        var undo = Ledger is not { Images: { } images, WasComplete: false, Identity.Id: var id } || Committed.Last is null ? null
            : $"'bulkload {ShellQuoting.Join(UndoWords.Of(id, _facts.Request, _facts.Table.Database).Words)}' puts the rows back as they "
                + $"were, which are kept until {images.Until:yyyy-MM-dd HH:mm} UTC";
        string?[] notes = [stopped, _attempt?.MissingNote, kept, ids, undo];
        return notes.OfType<string>();
    }
}
