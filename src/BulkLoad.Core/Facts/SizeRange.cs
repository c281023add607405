using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Facts;

/// <summary>A size that a strategy can choose: what is best, and what is possible.</summary>
/// <param name="Name">the option's name without dashes, such as <c>rows-per-batch</c></param>
/// <param name="Best">what was measured as best</param>
/// <param name="BestBy">what speaks for it</param>
/// <param name="Most">what no option can exceed</param>
/// <param name="MostBy">the limit behind that</param>
internal sealed record SizeRange(string Name, long Best, string BestBy, long Most, string MostBy)
{
    /// <summary>What was asked for, else the best; never more than is possible.</summary>
    public PlannedSize Choose(long? asked)
    {
        var (value, setBy) = asked is { } wanted ? (wanted, $"--{Name}") : (Best, BestBy);
        return value <= Most ? new PlannedSize(Name, value, setBy) : new PlannedSize(Name, Most, MostBy);
    }
}
