using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;

namespace BulkLoad.Bench;

/// <param name="What">what is being measured, for people</param>
/// <param name="Done">runs that are over, warm-up included</param>
/// <param name="Planned">runs that are known so far</param>
internal sealed record BenchProgress(string What, int Done, int Planned);

internal enum BenchOutcome
{
    /// <summary>All was measured, or the report says why not.</summary>
    Complete,

    /// <summary>The time was over; the report has what was measured until then.</summary>
    CutShort,

    Interrupted,

    Failed,
}

internal sealed record BenchReport
{
    public required string Bench { get; init; }

    public required BenchOutcome Outcome { get; init; }

    /// <summary>Why it failed; null unless <see cref="BenchOutcome.Failed"/>.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>The server; null where none was reached.</summary>
    public PlannedServer? Server { get; init; }

    public DateTimeOffset Started { get; init; }

    /// <summary>From the first connection until all is cleaned up.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>What the figures depend on: options, settings of the server, the machine. Names are stable kebab-case or the server's
    /// own.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Settings { get; init; } = [];

    public IReadOnlyList<BenchSection> Sections { get; init; } = [];

    /// <summary>What was found for the plans of imports; null: that was not asked for, or not all of it was measured.</summary>
    public ServerProfile? Profile { get; init; }

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

internal sealed record BenchMeasure
{
    /// <summary>Measures of one group were run in turn and are compared; empty where there is only one group.</summary>
    public string Group { get; init; } = "";

    public required string Name { get; init; }

    /// <summary>Place on the curve's X axis; null: it is on no curve.</summary>
    public double? X { get; init; }

    /// <summary>Rows, calls or transactions of one run.</summary>
    public required long Amount { get; init; }

    /// <summary>Runs that were measured, without warming up.</summary>
    public int Runs { get; init; }

    /// <summary>Seconds of one run; null: no run was measured.</summary>
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
