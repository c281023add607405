using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Strategies;

/// <summary>A size of a strategy that <c>bulkload bench tune</c> measures, and a profile can set. None has a say in where chunks
/// begin.</summary>
/// <param name="Strategy">whose it is</param>
/// <param name="Name">kebab-case; the same in profiles and plans</param>
/// <param name="Usual">what it is without a profile</param>
/// <param name="Tried">others that are measured, ascending</param>
/// <param name="Most">what no profile can exceed</param>
internal sealed record TunedSize(string Strategy, string Name, long Usual, IReadOnlyList<long> Tried, long Most)
{
    /// <summary>The profile's, else the usual one.</summary>
    public long In(LoadRequest request) => FindMeasured(request) ?? Usual;

    /// <summary>As <see cref="In"/>, with what speaks for it.</summary>
    /// <param name="request">may have a profile</param>
    /// <param name="usualBy">what speaks for the usual one</param>
    public PlannedSize Plan(LoadRequest request, string usualBy) =>
        FindMeasured(request) is { } measured ? new(Name, measured, request.Profile!.Source) : new(Name, Usual, usualBy);

    /// <summary>The profile's; null: it has none.</summary>
    public long? FindMeasured(LoadRequest request) => request.Profile?.Profile.Find(Strategy)?.SizeOf(Name);
}
