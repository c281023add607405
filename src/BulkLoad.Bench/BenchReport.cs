using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <param name="Done">runs that are over, warm-up included</param>
/// <param name="Planned">runs that are known so far</param>
internal sealed record BenchProgress(string What, int Done, int Planned);

internal enum BenchOutcome
{
    /// <summary>All was measured, or the report says why not.</summary>
    Complete,

    /// <summary>The time was over; the report has what was measured by then.</summary>
    CutShort,

    Interrupted,

    Failed,
}

internal sealed record BenchReport
{
    public required string Bench { get; init; }

    public required BenchOutcome Outcome { get; init; }

    /// <summary>Null unless <see cref="BenchOutcome.Failed"/>.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>Null: none was reached.</summary>
    public PlannedServer? Server { get; init; }

    public DateTimeOffset Started { get; init; }

    /// <summary>From the first connection until all is cleaned up.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>What the figures depend on: options, settings of the server, the machine. Names: kebab-case or the server's.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Settings { get; init; } = [];

    public IReadOnlyList<BenchSection> Sections { get; init; } = [];

    /// <summary>Null: it was not asked for, or not all of it was measured.</summary>
    public ServerProfile? Profile { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];
}

internal sealed record BenchSection
{
    /// <summary>Kebab-case.</summary>
    public required string Name { get; init; }

    public required string Title { get; init; }

    /// <summary>In the plural, such as <c>rows</c>.</summary>
    public required string Unit { get; init; }

    /// <summary>Meaning of <see cref="BenchMeasure.X"/>, such as <c>rows a statement</c>; null: measures have none, and are bars rather
    /// than curves.</summary>
    public string? XName { get; init; }

    /// <summary>The case that <see cref="BenchMeasure.SpeedUp"/> is relative to; null: none.</summary>
    public string? SpeedUpOver { get; init; }

    /// <summary>Unit of <see cref="BenchMeasure.Ratio"/>; null: none.</summary>
    public string? RatioTo { get; init; }

    public IReadOnlyList<BenchMeasure> Measures { get; init; } = [];
}

internal sealed record BenchMeasure
{
    /// <summary>Measures of one group were run in turn and are compared; empty: there is only one group.</summary>
    public string Group { get; init; } = "";

    public required string Name { get; init; }

    /// <summary>Null: it is on no curve.</summary>
    public double? X { get; init; }

    /// <summary>Rows, calls or transactions of one run.</summary>
    public required long Amount { get; init; }

    /// <summary>Without the one that warms up.</summary>
    public int Runs { get; init; }

    /// <summary>For one run; null: no run was measured.</summary>
    public BenchSpread? Seconds { get; init; }

    /// <summary>Amounts per second; null: no run was measured.</summary>
    public BenchSpread? Rate => Seconds?.RateOf(Amount);

    /// <summary>Number of times as fast as the group's unit, by medians; null: there is no unit.</summary>
    public double? SpeedUp { get; init; }

    /// <summary>Time for the same amount, in units of the group's other unit (lower is faster), by medians; null: no unit.</summary>
    public double? Ratio { get; init; }

    public bool IsBest { get; init; }

    /// <summary>Why no run was measured, for people; null: one was.</summary>
    public string? NotMeasured { get; init; }

    public IReadOnlyList<KeyValuePair<string, double>> Values { get; init; } = [];
}
