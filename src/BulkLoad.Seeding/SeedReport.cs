using System.Text.Json.Serialization;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Rows;

namespace BulkLoad.Seeding;

/// <param name="Table">without its database</param>
/// <param name="After">tables that are filled before it</param>
internal sealed record SeedPlanTable(string Table, IReadOnlyList<string> Files, IReadOnlyList<string> After)
{
    /// <summary>Whether files and table are as the last seed has left them, and nothing is to be done.</summary>
    [JsonPropertyName("known")]
    public bool IsKnown { get; init; }

    /// <summary>Rows that are in the table; null: not counted.</summary>
    public long? Rows { get; init; }

    /// <summary>What is special about it, for people.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

internal sealed record SeedPlan
{
    /// <summary>As the user typed it.</summary>
    public required string Folder { get; init; }

    public required string Database { get; init; }

    public required PlannedServer Server { get; init; }

    public required SeedMode Mode { get; init; }

    public bool Atomic { get; init; }

    /// <summary>In the order in which they are filled.</summary>
    public required IReadOnlyList<SeedPlanTable> Tables { get; init; }

    /// <summary>Number of statements of the schema file that are run first.</summary>
    public int SchemaStatements { get; init; }

    /// <summary>What the user must know before: above all, what will be lost.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];
}

internal enum SeedOutcome
{
    NotStarted,

    Loaded,

    /// <summary>Files and table are as an earlier seed has left them: nothing was done.</summary>
    Known,

    /// <summary>Its files were loaded before, and are not loaded again. Its rows may have changed since then.</summary>
    LoadedBefore,

    Failed,

    /// <summary>Its work was undone because another table failed.</summary>
    Undone,
}

/// <param name="Table">without its database</param>
/// <param name="Files">in the order in which they are read</param>
internal sealed record SeedTableReport(string Table, IReadOnlyList<string> Files)
{
    public SeedOutcome Outcome { get; init; }

    public long Inserted { get; init; }

    public long Updated { get; init; }

    /// <summary>Records whose rows had these values already.</summary>
    public long Unchanged { get; init; }

    /// <summary>Rows that no record has; with <c>--mode truncate</c>, all former rows.</summary>
    public long Deleted { get; init; }

    public long Rejected { get; init; }

    [JsonPropertyName("elapsedSeconds")]
    public TimeSpan Elapsed { get; init; }

    /// <summary>The first hundred of <see cref="Rejected"/>.</summary>
    [JsonPropertyName("rejects")]
    public IReadOnlyList<Reject> FirstRejects { get; init; } = [];

    /// <summary>The first changes of a preview.</summary>
    public IReadOnlyList<RowChange> Changes { get; init; } = [];

    public IReadOnlyList<string> Notes { get; init; } = [];
}

internal sealed record SeedReport
{
    /// <summary><see cref="LoadOutcome.AlreadyComplete"/>: there was nothing to do.</summary>
    public required LoadOutcome Outcome { get; init; }

    /// <summary>Null: it did not fail.</summary>
    public BulkLoadException? Failure { get; init; }

    /// <summary>Null: no table failed.</summary>
    public string? FailedTable { get; init; }

    /// <summary>Null: the seed ended before it was decided.</summary>
    public SeedPlan? Plan { get; init; }

    public bool IsPreview { get; init; }

    /// <summary>In the order in which tables were filled.</summary>
    public IReadOnlyList<SeedTableReport> Tables { get; init; } = [];

    public IReadOnlyList<string> Notes { get; init; } = [];

    public TimeSpan Elapsed { get; init; }
}

/// <param name="Done">number of filled tables</param>
/// <param name="Running">names of the tables that are being filled</param>
/// <param name="Records">that the server has taken so far</param>
internal readonly record struct SeedProgress(int Done, int Tables, string Running, long Records);
