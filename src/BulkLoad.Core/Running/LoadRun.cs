using BulkLoad.Core.Checking;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Probing;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Sql;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Running;

/// <summary>One run of a plan: the reading side and the sending side, joined by a bounded channel.</summary>
internal sealed class LoadRun(
    LoadRequest request, IReadOnlyList<LoadSource> sources, ILoadStrategy strategy, LoadFacts facts, BatchSizes sizes, RejectLog rejects, RepairLog repairs,
    IProgress<LoadProgress>? progress, TimeProvider time, ILogger log) : ILoadRun
{
    private ReadingSide _reading = new(sources, request, facts, sizes);
    private ChunkRunner? _runner;
    private MissingRows? _missing;
    private long _sent;

    public ReadCounts Read => _reading.Read;

    public Committed Committed { get; } = new();

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    public IReadOnlyList<string> SourceNames { get; } = [.. sources.Select(source => source.Look.Name)];

    /// <inheritdoc/>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        await using var orderly = new OrderlyStop(
            request.Grace, token => SideSession.KillQueryAsync(request.Connection, facts.Server, session.Server.ConnectionId, token), time, log, cancellationToken);
        _missing = facts.Key is null ? null : new MissingRows(sources, facts, sizes, ConnectAsync);
        var limit = new RowLimit(request);
        try
        {
            using var superseded = await FindSupersededAsync(session, cancellationToken);
            _reading = superseded is null ? _reading : new ReadingSide(sources, request, facts, sizes, superseded);
            await using var sender = strategy.CreateSender(session, facts, sizes);
            await using var narrower = strategy.NarrowsBy(facts) is var other && other != strategy ? other.CreateSender(session, facts, sizes) : null;
            _runner = new ChunkRunner(
                session, sender, narrower ?? sender, sources, request.IsOneChunk, request.IsCheck, _reading.Blocks, rejects, repairs, _missing, limit, Committed, Report, log);
            await _reading.RunAsync(blocks => _runner.RunAsync(blocks, cancellationToken, orderly.Abort), cancellationToken);
            limit.CheckEnd(Committed.Taken.TouchedRows);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && cancellationToken.IsCancellationRequested)
        {
            // The statement was killed, or the session closed, by the stop that the user asked for.
            throw new OperationCanceledException(fault.Message, fault, cancellationToken);
        }
        catch (Exception fault) when (RunFaults.IsExplained(fault))
        {
            throw new RunFaults(request, rejects, Committed, sources.Count == 1).Explain(fault);
        }
        finally
        {
            _missing?.Dispose();
        }

        Reconcile();
        log.JobComplete(JobWords.Of(request.Kind).Done, Committed.Records, Committed.Chunks);
    }

    /// <inheritdoc/>
    public LoadReport Complete(LoadReport report)
    {
        var counts = report.Counts with { NotCommitted = report.Counts.Read - Committed.Records - report.Counts.Rejected };
        return report with
        {
            Notes = [.. report.Notes, .. new[] { Committed.IsInDoubt ? Committed.DescribeDoubt() : null, _missing?.Note }.OfType<string>()],
            Counts = request.IsCheck ? counts with { Accepted = Committed.Records } : counts with
            {
                Inserted = Committed.Taken.Inserted,
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
            Chunks = Committed.Chunks,
            Batches = Committed.Batches,
            NarrowedBatches = _runner?.NarrowedBatches ?? 0,
        };
    }

    private async Task<RepeatedKeys?> FindSupersededAsync(IServerSession session, CancellationToken cancellationToken)
    {
        if (request.Kind != JobKind.Update)
        {
            return null;
        }

        // Before a long wait: with autocommit off, the questions so far have begun a transaction, which keeps others from altering the table.
        await session.ExecuteAsync(TransactionSql.RollBack, cancellationToken);
        return await new SupersededRecords(sources, facts, sizes, ConnectAsync).FindAsync(cancellationToken);
    }

    private async Task<IServerSession> ConnectAsync(CancellationToken cancellationToken)
    {
        var session = await ServerSession.ConnectAsync(request.Connection with { OffersLocalInfile = false }, cancellationToken);
        try
        {
            await ServerProbe.LookAsync(session, request.Values, time, cancellationToken);
            return session;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    private void Report(long rows)
    {
        _sent += rows;
        progress?.Report(new LoadProgress(Read.Bytes, sources.TotalBytes(), _sent, Committed.Records));
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
