using BulkLoad.Core.Strategies.Insert;
using BulkLoad.Core.Strategies.Keyed;
using BulkLoad.Core.Strategies.LoadData;

namespace BulkLoad.Core.Strategies;

/// <summary>The only list of strategies. The general one is last.</summary>
internal static class StrategyCatalog
{
    public static IReadOnlyList<ILoadStrategy> Import { get; } = [new LoadDataStrategy(), new BulkExecuteStrategy(),
        new MultiRowInsertStrategy()];

    public static IReadOnlyList<ILoadStrategy> Delete { get; } = [new InListDeleteStrategy(), new StagedDeleteStrategy(),
        new PipelinedDeleteStrategy()];

    public static IReadOnlyList<ILoadStrategy> Update { get; } = [new InlineJoinStrategy(), new StagedUpdateStrategy(),
        new BulkUpdateStrategy(), new PipelinedUpdateStrategy()];

    public static IReadOnlyList<ILoadStrategy> Of(JobKind kind) => kind switch
    {
        JobKind.Update => Update,
        JobKind.Delete => Delete,
        _ => Import,
    };
}

internal static class StrategyNames
{
    public static IReadOnlyList<string> Of(JobKind kind) => [.. StrategyCatalog.Of(kind).Select(strategy => strategy.Name)];
}
