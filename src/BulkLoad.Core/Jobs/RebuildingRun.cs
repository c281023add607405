using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Jobs;

/// <summary>A run into a table whose indexes are dropped before, and added again whatever becomes of it.</summary>
/// <param name="run">adds them when all is committed</param>
/// <param name="rebuild">does it</param>
internal sealed class RebuildingRun(ILoadRun run, IndexRebuild rebuild) : ILoadRun
{
    public ReadCounts Read => run.Read;

    public RejectLog Rejects => run.Rejects;

    public RepairLog Repairs => run.Repairs;

    public bool HasCommitted => run.HasCommitted;

    public IReadOnlyList<string> SourceNames => run.SourceNames;

    /// <inheritdoc/>
    public async Task RunAsync(IServerSession session, CancellationToken cancellationToken)
    {
        try
        {
            await rebuild.DropAsync(session, cancellationToken);
            await run.RunAsync(session, cancellationToken);
        }
        catch (Exception fault) when (fault is StoppedException or OperationCanceledException)
        {
            rebuild.Leave();
            throw;
        }
        catch
        {
            await rebuild.RestoreAsync(session, cancellationToken);
            throw;
        }
    }

    /// <inheritdoc/>
    public LoadReport Complete(LoadReport report) => rebuild.Complete(run.Complete(report));
}
