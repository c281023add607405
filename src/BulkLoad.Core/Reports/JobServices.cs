using Microsoft.Extensions.Logging;

namespace BulkLoad.Core.Reports;

/// <summary>What a job has from its caller, and when it began.</summary>
/// <param name="Progress">gets a report after each batch; must be quick</param>
internal sealed record JobServices(ILogger Log, TimeProvider Time, IProgress<LoadProgress>? Progress = null)
{
    /// <summary>By the clock's timestamp.</summary>
    public long Started { get; } = Time.GetTimestamp();

    public TimeSpan Elapsed => Time.GetElapsedTime(Started);
}
