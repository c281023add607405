using BulkLoad.Core.Feed;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Jobs;

/// <summary>What a job does once it is planned, and what is known of it however it ended.</summary>
internal interface ILoadRun
{
    ReadCounts Read { get; }

    RejectLog Rejects { get; }

    RepairLog Repairs { get; }

    /// <summary>Whether records of this start are committed, or may be.</summary>
    bool HasCommitted { get; }

    /// <summary>The inputs as the user named them.</summary>
    IReadOnlyList<string> SourceNames { get; }

    /// <summary>Does it.</summary>
    /// <exception cref="BulkLoadException">the message says what stays committed</exception>
    /// <exception cref="OperationCanceledException">stopped in an orderly way</exception>
    Task RunAsync(IServerSession session, CancellationToken cancellationToken);

    /// <summary>Adds what only this kind of run knows.</summary>
    LoadReport Complete(LoadReport report);
}
