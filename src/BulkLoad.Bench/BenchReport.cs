using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <summary>How far a bench has come.</summary>
/// <param name="What">that is being measured, for people</param>
/// <param name="Done">runs that are over, warm-up included</param>
/// <param name="Planned">runs that are known of by now</param>
internal sealed record BenchProgress(string What, int Done, int Planned);

/// <summary>How a bench ended.</summary>
internal enum BenchOutcome
{
    /// <summary>All was measured, or it is said why not.</summary>
    Complete,

    /// <summary>The time was over; what was measured until then is reported.</summary>
    CutShort,

    /// <summary>Stopped by the user.</summary>
    Interrupted,

    /// <summary>Stopped by <see cref="BenchReport.Failure"/>.</summary>
    Failed,
}

/// <summary>What a bench has measured.</summary>
internal sealed record BenchReport
{
    /// <summary>The bench's name, such as <c>calls</c>.</summary>
    public required string Bench { get; init; }

    /// <summary>How it ended.</summary>
    public required BenchOutcome Outcome { get; init; }

    /// <summary>Why it failed; null unless <see cref="BenchOutcome.Failed"/>.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>The server; null where none was reached.</summary>
    public PlannedServer? Server { get; init; }

    /// <summary>When it began.</summary>
    public DateTimeOffset Started { get; init; }

    /// <summary>From the first connection until all is cleaned up.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>What the figures depend on: options, settings of the server, the machine. Names are stable kebab-case or the server's
    /// own.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Settings { get; init; } = [];

    /// <summary>What was measured, in order.</summary>
    public IReadOnlyList<BenchSection> Sections { get; init; } = [];

    /// <summary>What was found for imports to be planned with; null: that was not asked for, or not all of it was measured.</summary>
    public ServerProfile? Profile { get; init; }

    /// <summary>What a reader of the figures has to know.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

/// <summary>Measurements that are compared with each other.</summary>
internal sealed record BenchSection
{
    /// <summary>Stable kebab-case name.</summary>
    public required string Name { get; init; }

    /// <summary>For people.</summary>
    public required string Title { get; init; }

    /// <summary>What is counted, in the plural, such as <c>rows</c>.</summary>
    public required string Unit { get; init; }

    /// <summary>What <see cref="BenchMeasure.X"/> is, such as <c>rows a statement</c>; null: measures have none, and are bars rather than
    /// curves.</summary>
    public string? XName { get; init; }

    /// <summary>What <see cref="BenchMeasure.SpeedUp"/> is over; null: nothing.</summary>
    public string? SpeedUpOver { get; init; }

    /// <summary>What <see cref="BenchMeasure.Ratio"/> has for a unit; null: nothing.</summary>
    public string? RatioTo { get; init; }

    /// <summary>In the order of measuring, group by group.</summary>
    public IReadOnlyList<BenchMeasure> Measures { get; init; } = [];
}

/// <summary>One thing that was measured, several times.</summary>
internal sealed record BenchMeasure
{
    /// <summary>With whom it was measured in turn, and is compared; empty where there is one group only.</summary>
    public string Group { get; init; } = "";

    /// <summary>Its name within the group.</summary>
    public required string Name { get; init; }

    /// <summary>Where it lies on a curve; null: on none.</summary>
    public double? X { get; init; }

    /// <summary>Rows, calls or transactions of one run.</summary>
    public required long Amount { get; init; }

    /// <summary>Runs that were measured, without warming up.</summary>
    public int Runs { get; init; }

    /// <summary>Of one run; null where none was measured.</summary>
    public BenchSpread? Seconds { get; init; }

    /// <summary>Amounts a second; null where no run was measured.</summary>
    public BenchSpread? Rate => Seconds?.RateOf(Amount);

    /// <summary>How many times as fast as the group's unit, by medians; null where there is none.</summary>
    public double? SpeedUp { get; init; }

    /// <summary>Time for the same amount, in units of the group's other unit (lower is faster), by medians; null where there is
    /// none.</summary>
    public double? Ratio { get; init; }

    /// <summary>Whether it is the fastest of its curve.</summary>
    public bool IsBest { get; init; }

    /// <summary>Why no run was measured, for people; null where one was.</summary>
    public string? NotMeasured { get; init; }

    /// <summary>What else was measured, by stable names; medians over the runs.</summary>
    public IReadOnlyList<KeyValuePair<string, double>> Values { get; init; } = [];
}
