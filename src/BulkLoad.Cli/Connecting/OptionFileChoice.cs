namespace BulkLoad.Cli.Connecting;

internal sealed record OptionFileChoice
{
    /// <summary>Whether none is read but the login path file.</summary>
    public bool None { get; init; }

    /// <summary>The only file that is read.</summary>
    public string? Only { get; init; }

    /// <summary>A further file, after the machine's and before the user's.</summary>
    public string? Extra { get; init; }

    /// <summary>Groups with this suffix are read too.</summary>
    public string GroupSuffix { get; init; } = "";

    /// <summary>The group of the login path file.</summary>
    public string? LoginPath { get; init; }
}
