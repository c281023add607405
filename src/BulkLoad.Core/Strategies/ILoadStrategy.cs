using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Strategies;

/// <summary>What a strategy says of facts for which it has no obstacle.</summary>
/// <param name="Reason">its advantage, for people</param>
/// <param name="Sizes">the measured optimum, the limits of server and program, and what has set each number</param>
/// <param name="RowsPerStatement">rows of a full statement if a batch is several statements; else 1</param>
internal sealed record Assessment(string Reason, Cost Cost, (SizeRange Rows, SizeRange Bytes) Sizes, int RowsPerStatement = 1);

/// <summary>One way to bring rows into a table: when it is valid, what it costs, and how it sends one batch.</summary>
internal interface ILoadStrategy
{
    /// <summary>Kebab-case; the same in options, plan, docs and tests.</summary>
    string Name { get; }

    /// <returns>why a promise could not be kept, for people; null: all can</returns>
    string? FindObstacle(LoadFacts facts);

    Assessment Assess(LoadFacts facts);

    /// <summary>Sizes whose best value depends on the server, in the order in which they are measured.</summary>
    IReadOnlyList<TunedSize> TunedSizes => [];

    /// <summary>The statements of a batch, in the order in which they are sent.</summary>
    IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes);

    IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes);

    /// <summary>The strategy that narrows refused batches: this one, or one that finds the records at fault with less work.</summary>
    ILoadStrategy NarrowsBy(LoadFacts facts) => this;
}

/// <summary>A size of a strategy that <c>bulkload bench tune</c> measures, and a profile can set. It never moves chunks.</summary>
/// <param name="Name">kebab-case; the same in profiles and plans</param>
/// <param name="Default">value without a profile</param>
/// <param name="Tried">other values that are measured, ascending</param>
/// <param name="Max">limit for every profile</param>
internal sealed record TunedSize(string Strategy, string Name, long Default, IReadOnlyList<long> Tried, long Max)
{
    public long In(LoadRequest request) => FindMeasured(request) ?? Default;

    /// <summary>As <see cref="In"/>, with what has set the value.</summary>
    public PlannedSize Plan(LoadRequest request, string defaultBy) =>
        FindMeasured(request) is { } measured ? new(Name, measured, request.Profile!.Source) : new(Name, Default, defaultBy);

    /// <returns>null: the profile has none</returns>
    public long? FindMeasured(LoadRequest request) => request.Profile?.Profile.Find(Strategy)?.SizeOf(Name);
}
