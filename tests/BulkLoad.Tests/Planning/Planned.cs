using BulkLoad.Core.Facts;
using BulkLoad.Core.Planning;
using BulkLoad.Core.Strategies;
using BulkLoad.Tests.Cli;

namespace BulkLoad.Tests.Planning;

/// <summary>Parts of a decision by themselves.</summary>
internal static class Planned
{
    /// <summary>A decision for a strategy, whatever the planner would take.</summary>
    public static LoadDecision By(ILoadStrategy strategy, BatchSizes sizes, LoadFacts facts) =>
        new(Samples.Plan, sizes) { Strategy = strategy, KeepsChunks = KeepsChunks(facts) };

    public static SessionPlan Sessions(LoadFacts facts) => SessionPlanner.Plan(facts, SortPlanner.Plan(facts));

    public static bool KeepsChunks(LoadFacts facts) => ChunkSizes.AreKept(facts, SortPlanner.Plan(facts), Sessions(facts));
}
