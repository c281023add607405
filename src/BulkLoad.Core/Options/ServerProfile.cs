namespace BulkLoad.Core.Options;

/// <summary>What <c>bulkload bench tune</c> has measured on a server, for imports to be planned with (<c>--profile</c>).</summary>
internal sealed record ServerProfile
{
    /// <summary>A smaller gain is taken for chance.</summary>
    internal const double LeastGain = 0.05;

    /// <summary>MariaDB or MySQL.</summary>
    public required string Kind { get; init; }

    /// <summary>The version as the server writes it.</summary>
    public required string Version { get; init; }

    /// <summary>Host and port, or socket.</summary>
    public required string Endpoint { get; init; }

    /// <summary>When it was measured.</summary>
    public required DateTimeOffset Measured { get; init; }

    /// <summary>What it was measured with, for people.</summary>
    public required string With { get; init; }

    /// <summary>Sessions that carry rows where their order cannot matter; null: the usual number is as fast as any.</summary>
    public int? Sessions { get; init; }

    /// <summary>What was measured of each strategy.</summary>
    public IReadOnlyList<StrategyProfile> Strategies { get; init; } = [];

    internal StrategyProfile? Find(string strategy) => Strategies.FirstOrDefault(one => one.Strategy == strategy);
}

/// <summary>What was measured of a strategy.</summary>
/// <param name="MicrosecondsPerRow">the time that a row took beside waits and what is done once; null: not known</param>
/// <param name="Sizes">those that are faster than the usual ones, by name</param>
internal sealed record StrategyProfile(string Strategy, double? MicrosecondsPerRow, IReadOnlyList<KeyValuePair<string, long>> Sizes)
{
    /// <summary>Null: the usual size is as good as any.</summary>
    internal long? SizeOf(string name) => Sizes.Where(size => size.Key == name).Select(size => (long?)size.Value).FirstOrDefault();
}

/// <summary>A profile that a request's plan is made with.</summary>
/// <param name="Name">the file that it came from, for messages</param>
internal sealed record UsedProfile(string Name, ServerProfile Profile)
{
    /// <summary>For a size that it has set.</summary>
    internal string Source => $"measured by bench tune: {Name}";
}
