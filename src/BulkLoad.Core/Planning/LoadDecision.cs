using BulkLoad.Core.Facts;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Planning;

/// <summary>All that was decided of a job: computed once from the facts (<see cref="LoadPlanner"/>) and handed on.</summary>
internal sealed record LoadDecision(LoadPlan Plan, BatchSizes Sizes)
{
    /// <summary>Makes the senders; null: nothing is sent.</summary>
    public ILoadStrategy? Strategy { get; init; }

    /// <summary>How many sessions carry rows.</summary>
    public SessionPlan Sessions { get; init; } = SessionPlan.One("");

    /// <summary>Whether several sessions carry rows.</summary>
    public bool HasSeveralSessions => Strategy is not null && Sessions.Most > 1;

    /// <summary>In which order.</summary>
    public SortPlan Sort { get; init; } = SortPlan.None;

    /// <summary>Whether a chunk's records stay in memory until it is committed (<see cref="ChunkSizes.AreKept"/>).</summary>
    public bool KeepsChunks { get; init; }
}
