namespace BulkLoad.Core.Strategies;

/// <summary>The names of strategies, as <c>--strategy</c> takes them.</summary>
public static class StrategyNames
{
    /// <summary>Those of a kind of job.</summary>
    public static IReadOnlyList<string> Of(JobKind kind) => [.. StrategyCatalog.Of(kind).Select(strategy => strategy.Name)];
}
