namespace BulkLoad.Core.Options;

/// <summary>Measurements of <c>bulkload bench tune</c> on a server, used to plan imports (<c>--profile</c>).</summary>
internal sealed record ServerProfile
{
    /// <summary>A smaller gain may be chance.</summary>
    internal const double MinGain = 0.05;

    /// <summary>MariaDB or MySQL.</summary>
    public required string Kind { get; init; }

    /// <summary>As the server writes it.</summary>
    public required string Version { get; init; }

    /// <summary>Host and port, or socket.</summary>
    public required string Endpoint { get; init; }

    public required DateTimeOffset Measured { get; init; }

    /// <summary>For people.</summary>
    public required string With { get; init; }

    /// <summary>Sessions that carry rows where their order cannot matter; null: the default number is as fast as any.</summary>
    public int? Sessions { get; init; }

    public IReadOnlyList<StrategyProfile> Strategies { get; init; } = [];

    internal StrategyProfile? Find(string strategy) => Strategies.FirstOrDefault(one => one.Strategy == strategy);
}

/// <param name="MicrosecondsPerRow">without waits and fixed costs; null: unknown</param>
/// <param name="Sizes">those that are faster than the default ones, by name</param>
internal sealed record StrategyProfile(string Strategy, double? MicrosecondsPerRow, IReadOnlyList<KeyValuePair<string, long>> Sizes)
{
    /// <summary>Null: the default size is as good as any.</summary>
    internal long? SizeOf(string name) => Sizes.Where(size => size.Key == name).Select(size => (long?)size.Value).FirstOrDefault();
}

/// <summary>The profile of a request's plan.</summary>
/// <param name="Name">of its file, for messages</param>
internal sealed record UsedProfile(string Name, ServerProfile Profile)
{
    internal string Source => $"measured by bench tune: {Name}";
}
