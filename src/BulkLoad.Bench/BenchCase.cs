namespace BulkLoad.Bench;

/// <summary>One thing to measure.</summary>
internal sealed record BenchCase
{
    public required string Name { get; init; }

    /// <inheritdoc cref="BenchMeasure.X"/>
    public double? X { get; init; }

    /// <inheritdoc cref="BenchMeasure.Amount"/>
    public required long Amount { get; init; }

    /// <summary>Brings about what a run starts from; not timed.</summary>
    public Func<CancellationToken, Task> PrepareAsync { get; init; } = _ => Task.CompletedTask;

    public required Func<CancellationToken, Task> RunAsync { get; init; }

    /// <summary>Looks whether the run did what it should; not timed.</summary>
    public Func<CancellationToken, Task> CheckAsync { get; init; } = _ => Task.CompletedTask;

    /// <summary>What the last run has shown beside its time.</summary>
    public Func<KeyValuePair<string, double>[]> Values { get; init; } = () => [];

    /// <summary>How long the last run took where that is not all of it; null: all.</summary>
    public Func<TimeSpan>? Time { get; init; }

    /// <summary>Whether a run that is stopped counts as far as it came, by <see cref="Time"/>.</summary>
    public bool CountsWhenStopped { get; init; }

    /// <summary>Why it cannot be run here; null where it can.</summary>
    public string? Unfit { get; init; }

    /// <summary>Whether <see cref="BenchMeasure.SpeedUp"/> of its group is over this one.</summary>
    public bool IsUnit { get; init; }

    /// <summary>Whether <see cref="BenchMeasure.Ratio"/> of its group has this one for a unit.</summary>
    public bool IsRatioUnit { get; init; }
}
