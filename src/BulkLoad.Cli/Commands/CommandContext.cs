using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>What a command works with.</summary>
internal sealed record CommandContext(HostEnvironment Surroundings, JobFactory Jobs, Messages Messages, StopSignals Signals)
{
    /// <summary>The command line; empty where no command is called.</summary>
    public IReadOnlyList<string> Words { get; init; } = [];

    public StandardOutput Output { get; } = new(Surroundings.Output);
}
