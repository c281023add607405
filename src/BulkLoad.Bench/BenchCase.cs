namespace BulkLoad.Bench;

/// <summary>One thing to measure.</summary>
internal sealed record BenchCase
{
    public required string Name { get; init; }

    /// <inheritdoc cref="BenchMeasure.X"/>
    public double? X { get; init; }

    /// <inheritdoc cref="BenchMeasure.Amount"/>
    public required long Amount { get; init; }

    /// <summary>Not timed.</summary>
    public Func<CancellationToken, Task> PrepareAsync { get; init; } = _ => Task.CompletedTask;

    public required Func<CancellationToken, Task> RunAsync { get; init; }

    /// <summary>Not timed.</summary>
    public Func<CancellationToken, Task> CheckAsync { get; init; } = _ => Task.CompletedTask;

    /// <summary>Further figures of the last run.</summary>
    public Func<KeyValuePair<string, double>[]> Values { get; init; } = () => [];

    /// <summary>The time of the last run, if it is not all of it.</summary>
    public Func<TimeSpan>? Time { get; init; }

    /// <summary>Whether a stopped run counts as far as it came, by <see cref="Time"/>.</summary>
    public bool CountsWhenStopped { get; init; }

    /// <summary>Why it cannot run here.</summary>
    public string? Unfit { get; init; }

    /// <summary>The unit of <see cref="BenchMeasure.SpeedUp"/>.</summary>
    public bool IsUnit { get; init; }

    /// <summary>The unit of <see cref="BenchMeasure.Ratio"/>.</summary>
    public bool IsRatioUnit { get; init; }
}
