using BulkLoad.Cli.Output;

namespace BulkLoad.Cli.Commands;

/// <summary>What a command works with.</summary>
internal sealed record CommandContext(Surroundings Surroundings, JobFactory Jobs, Messages Messages, StopSignals Signals)
{
    public StandardOutput Output { get; } = new(Surroundings.Output);
}
