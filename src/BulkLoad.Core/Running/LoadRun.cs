using System.Globalization;
using System.Threading.Channels;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reading;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Strategies;
using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Running;

/// <summary>One run of a plan: the reading side and the sending side, joined by a bounded channel.</summary>
internal sealed class LoadRun(
    LoadRequest request, IReadOnlyList<LoadSource> sources, ILoadStrategy strategy, LoadFacts facts, BatchSizes sizes, RejectLog rejects, RepairLog repairs,
    IProgress<LoadProgress>? progress, TimeProvider time, ILogger log)
{
    /// <summary>Bytes of values that may wait between the two sides.</summary>
    private const long BytesAhead = 4 * 1024 * 1024;

    private ChunkRunner? _runner;
    private long _sent;

    public ReadCounts Read { get; } = new(sources.Count);

    public Committed Committed { get; } = new();

    public RejectLog Rejects => rejects;

    public RepairLog Repairs => repairs;

    /// <summary>Batches that the server refused and that were taken apart.</summary>
    public long NarrowedBatches => _runner?.NarrowedBatches ?? 0;

    /// <summary>The request's files of committed rejects; null where there are none.</summary>
    public (string? Records, string? Reasons) RejectFiles => rejects.Committed > 0 ? (request.RejectFile, request.RejectReasonsFile) : (null, null);

    public IReadOnlyList<string> SourceNames { get; } = [.. sources.Select(source => source.Look.Name)];

    /// <summary>Reads, sends and commits everything.</summary>
    /// <exception cref="BulkLoadException">the message says what stays committed</exception>
    /// <exception cref="OperationCanceledException">stopped in an orderly way</exception>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        var capacity = (int)Math.Clamp(BytesAhead / Math.Max(1, Math.Min(sizes.BytesPerBatch, (long)(sizes.RowsPerBatch * facts.RecordBytes))), 2, 32);
        var channel = System.Threading.Channels.Channel.CreateBounded<RowBlock>(new BoundedChannelOptions(capacity) { SingleReader = true, SingleWriter = true });
        var blocks = new BlockPool(facts.Columns.Count, (int)Math.Min(sizes.BytesPerBatch * 5 / 4, 64 * 1024 * 1024));
        var pump = new RecordPump(sources, request, sizes, facts.Server.Zone, Read, blocks, channel.Writer);

        using var stopReading = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        await using var orderly = new OrderlyStop(
            request.Grace, token => SideSession.KillQueryAsync(request.Connection, facts.Server, session.Server.ConnectionId, token), time, log, cancellationToken);
        var reading = Task.Run(() => pump.RunAsync(stopReading.Token), CancellationToken.None);
        try
        {
            await using var sender = strategy.CreateSender(session, facts, sizes);
            await using var narrower = strategy.NarrowsBy(facts) is var other && other != strategy ? other.CreateSender(session, facts, sizes) : null;
            _runner = new ChunkRunner(
                session, sender, narrower ?? sender, sources, request.Atomic, blocks, rejects, repairs, Committed, Report, log);
            await _runner.RunAsync(channel.Reader, cancellationToken, orderly.Abort);
            await reading;
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.SessionLost && cancellationToken.IsCancellationRequested)
        {
            // The statement was killed, or the session closed, by the stop that the user asked for.
            throw new OperationCanceledException(fault.Message, fault, cancellationToken);
        }
        catch (Exception fault) when (fault is BulkLoadException or RefusedRecordException or ChannelClosedException)
        {
            throw Explain(fault is ChannelClosedException { InnerException: { } inner } ? inner : fault);
        }
        finally
        {
            await stopReading.CancelAsync();
            if (sources.All(source => source.Opened is null))
            {
                // So that the counts stand still. A pipe may have nothing to say for hours.
                await reading;
            }
        }

        Reconcile();
        log.JobComplete(Committed.Records, Committed.Chunks);
    }

    private void Report(long rows)
    {
        _sent += rows;
        progress?.Report(new LoadProgress(Read.Bytes, TotalBytes, _sent, Committed.Records));
    }

    private long? TotalBytes => sources.All(source => source.Look.Length is not null) ? sources.Sum(source => source.Look.Length) : null;

    /// <summary>Both sides counted by themselves; each record read must have been taken by the server or be a reject.</summary>
    private void Reconcile()
    {
        if (Read.Records != Committed.Records + rejects.Committed)
        {
            throw new ReconciliationException(
                $"counts do not add up: {Read.Records} records were read, {Committed.Records} taken by the server and {rejects.Committed} rejected; compare the table with the input before you use it");
        }
    }

    private Exception Explain(Exception fault)
    {
        var stays = Committed.Describe(sources.Count == 1);
        var ending = Committed is { Chunks: > 0, IsInDoubt: false } ? $"({stays}; import what follows)" : $"({stays})";
        return fault switch
        {
            RefusedRecordException { Reject: var reject } => ExplainRejects(reject, stays),
            ServerException server when server.Kind == FaultKind.Configuration => new PlanException($"the server refused: {server.Message} ({stays})", server),
            ServerException server => new ServerException($"{server.Message}{Advice(server)} {ending}", server),
            InputException input => new InputException($"{input.Message} {ending}", input),
            RejectFileException output => new RejectFileException($"{output.Message} {ending}", output),
            ReconciliationException counts => new ReconciliationException($"{counts.Message} ({stays})"),
            _ => fault,
        };
    }

    private static string Advice(ServerException fault) => fault.Code switch
    {
        1205 => "; another session holds rows of this table, SHOW FULL PROCESSLIST may tell which",
        1213 => "; another session works on the same rows",
        1461 => "; other sessions hold all prepared statements that the server allows: raise max_prepared_stmt_count, or take --strategy load-data",
        1114 => "; the server's disk or the table's space is full",
        _ => "",
    };

    private RejectLimitException ExplainRejects(Reject reject, string stays)
    {
        var goOn = Committed.Chunks == 0 ? "mend the line and run the same command again" : "mend the line and import what follows";
        return new RejectLimitException(string.Create(
            CultureInfo.InvariantCulture,
            $"{reject.Describe()} ({rejects.Count} {(rejects.Count == 1 ? "reject" : "rejects")} of {request.MaxRejects} allowed; {stays}; {goOn})"));
    }
}
