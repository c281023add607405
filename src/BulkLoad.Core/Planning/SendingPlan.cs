using BulkLoad.Core.Facts;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Planning;

/// <summary>What was decided of how rows are sent.</summary>
/// <param name="Strategy">makes the senders</param>
/// <param name="Sizes">of its batches and chunks</param>
internal sealed record SendingPlan(ILoadStrategy Strategy, BatchSizes Sizes)
{
    /// <summary>How many sessions carry them.</summary>
    public SessionPlan Sessions { get; init; } = SessionPlan.One("");

    /// <summary>In which order.</summary>
    public SortPlan Sort { get; init; } = SortPlan.None;
}
