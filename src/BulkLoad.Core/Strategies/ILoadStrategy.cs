using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Strategies;

/// <summary>What a strategy takes where it is fit.</summary>
/// <param name="Reason">what speaks for it, for people</param>
/// <param name="Sizes">the measured optimum and the limits of server and program, with what set each number</param>
/// <param name="RowsPerStatement">of a full one, where a batch is several of them; else 1</param>
internal sealed record Assessment(string Reason, Cost Cost, (SizeRange Rows, SizeRange Bytes) Sizes, int RowsPerStatement = 1);

/// <summary>One way to bring rows into a table: when it is valid, what it costs, and how it sends one batch.</summary>
internal interface ILoadStrategy
{
    /// <summary>Kebab-case; the same in options, plan, docs and tests.</summary>
    string Name { get; }

    /// <summary>Null where every promise can be kept, else the reason why not.</summary>
    string? FindObstacle(LoadFacts facts);

    /// <param name="facts">without an obstacle</param>
    Assessment Assess(LoadFacts facts);

    /// <summary>Sizes for which servers differ, in the order in which they are measured.</summary>
    IReadOnlyList<TunedSize> TunedSizes => [];

    /// <summary>The statements that carry rows, in the order in which they are sent for a batch.</summary>
    IReadOnlyList<string> Statements(LoadFacts facts, BatchSizes sizes);

    IBatchSender CreateSender(IServerSession session, LoadFacts facts, BatchSizes sizes);

    /// <summary>The strategy that takes refused batches apart: this one, or another that finds the records at fault with less
    /// work.</summary>
    ILoadStrategy NarrowsBy(LoadFacts facts) => this;
}

/// <summary>A size of a strategy that <c>bulkload bench tune</c> measures, and a profile can set. None has a say in where chunks
/// begin.</summary>
/// <param name="Name">kebab-case; the same in profiles and plans</param>
/// <param name="Default">what it is without a profile</param>
/// <param name="Tried">others that are measured, ascending</param>
/// <param name="Max">what no profile can exceed</param>
internal sealed record TunedSize(string Strategy, string Name, long Default, IReadOnlyList<long> Tried, long Max)
{
    public long In(LoadRequest request) => FindMeasured(request) ?? Default;

    /// <summary>As <see cref="In"/>, with what speaks for it.</summary>
    public PlannedSize Plan(LoadRequest request, string defaultBy) =>
        FindMeasured(request) is { } measured ? new(Name, measured, request.Profile!.Source) : new(Name, Default, defaultBy);

    /// <summary>The profile's; null: it has none.</summary>
    public long? FindMeasured(LoadRequest request) => request.Profile?.Profile.Find(Strategy)?.SizeOf(Name);
}
